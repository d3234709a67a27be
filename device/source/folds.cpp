/// Scans and reductions of elements of RAVEL_DEVICE_TYPE.

#include "archive.hpp"

#include <ravel/device/kernels.cuh>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>

namespace ravel::inline v0::detail::archive {

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

using element = RAVEL_DEVICE_TYPE;
template struct folds<element, plus<element>>;
template struct folds<element, minimum<element>>;
template struct folds<element, maximum<element>>;

}  // namespace ravel::inline v0::detail::archive
