/// Scans and reductions of elements of RAVEL_DEVICE_TYPE.

#include "archive.hpp"

#include <ravel/device/kernels.cuh>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>

namespace ravel::inline v0 {

template <class Call>
requires(detail::archive::holds<Call>) void run_call(gpu::executor const& ex, Call const& c) {
  detail::run_first(form_table_t<Call, gpu::device>{}, ex, c);
}

using element = RAVEL_DEVICE_TYPE;
#define RAVEL_HELD(...)                                                      \
  template void run_call<detail::archive::__VA_ARGS__>(gpu::executor const&, \
                                                       detail::archive::__VA_ARGS__ const&);
#define RAVEL_HELD_OF(M)                                          \
  RAVEL_HELD(scan_of<element, M, detail::write_through<element>>) \
  RAVEL_HELD(scan_of<element, M, detail::write_before<element>>)  \
  RAVEL_HELD(reduction_of<element, M>)
RAVEL_HELD_OF(plus<element>)
RAVEL_HELD_OF(minimum<element>)
RAVEL_HELD_OF(maximum<element>)
#undef RAVEL_HELD_OF
#undef RAVEL_HELD

namespace detail::archive {

template <class T, class M>
void folds<T, M>::scan(gpu::executor const& ex, bool exclusive, in<T> from, out<T> to) {
  if (exclusive) {
    exclusive_scan(ex, from, to, M{});
  } else {
    inclusive_scan(ex, from, to, M{});
  }
}
template <class T, class M>
void folds<T, M>::reduce(gpu::executor const& ex, in<T> from, out<T> to) {
  ravel::reduce(ex, from, to, M{});
}

template struct folds<element, plus<element>>;
template struct folds<element, minimum<element>>;
template struct folds<element, maximum<element>>;

}  // namespace detail::archive
}  // namespace ravel::inline v0
