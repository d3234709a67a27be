/// Segmented scans and reductions of elements of RAVEL_DEVICE_TYPE.

#include "archive.hpp"

#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include <cstdint>

namespace ravel::inline v0::detail::archive {

template <class T, class M, class I>
void segmented_folds<T, M, I>::scan(gpu::executor const& ex, bool exclusive, in<T> from,
                                    in<I> offsets, out<T> to) {
  if (exclusive) {
    segmented_exclusive_scan(ex, from, by_offsets(offsets), to, M{});
  } else {
    segmented_inclusive_scan(ex, from, by_offsets(offsets), to, M{});
  }
}
template <class T, class M, class I>
void segmented_folds<T, M, I>::reduce(gpu::executor const& ex, in<T> from, in<I> offsets,
                                      out<T> to) {
  segmented_reduce(ex, from, by_offsets(offsets), to, M{});
}

using element = RAVEL_DEVICE_TYPE;
template struct segmented_folds<element, plus<element>, std::int32_t>;
template struct segmented_folds<element, plus<element>, std::int64_t>;
template struct segmented_folds<element, minimum<element>, std::int32_t>;
template struct segmented_folds<element, minimum<element>, std::int64_t>;
template struct segmented_folds<element, maximum<element>, std::int32_t>;
template struct segmented_folds<element, maximum<element>, std::int64_t>;

}  // namespace ravel::inline v0::detail::archive
