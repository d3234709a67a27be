/// Scans and reductions of elements of RAVEL_DEVICE_TYPE.

#include "archive.hpp"

#include <ravel/device/kernels.cuh>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>

namespace ravel::inline v0 {

template <class T, class M>
requires detail::archive::held<T, M>
void run_call(gpu::executor const& ex,
              detail::archive::scan_of<T, M, detail::write_through<T>> const& c) {
  detail::run_first(form_table_t<std::remove_cvref_t<decltype(c)>, gpu::device>{}, ex, c);
}
template <class T, class M>
requires detail::archive::held<T, M>
void run_call(gpu::executor const& ex,
              detail::archive::scan_of<T, M, detail::write_before<T>> const& c) {
  detail::run_first(form_table_t<std::remove_cvref_t<decltype(c)>, gpu::device>{}, ex, c);
}
template <class T, class M>
requires detail::archive::held<T, M>
void run_call(gpu::executor const& ex, detail::archive::reduction_of<T, M> const& c) {
  detail::run_first(form_table_t<std::remove_cvref_t<decltype(c)>, gpu::device>{}, ex, c);
}

using element = RAVEL_DEVICE_TYPE;
#define RAVEL_HELD(M)                                                               \
  template void run_call<element, M>(                                               \
      gpu::executor const&,                                                         \
      detail::archive::scan_of<element, M, detail::write_through<element>> const&); \
  template void run_call<element, M>(                                               \
      gpu::executor const&,                                                         \
      detail::archive::scan_of<element, M, detail::write_before<element>> const&);  \
  template void run_call<element, M>(gpu::executor const&,                          \
                                     detail::archive::reduction_of<element, M> const&);
RAVEL_HELD(plus<element>)
RAVEL_HELD(minimum<element>)
RAVEL_HELD(maximum<element>)
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
