#pragma once

/// Bulk copies from a stage to sequences that need not be aligned.

#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0::gpu::detail {

/// Copies `many` elements of a stage to `out` from position `ahead` on, as far as `room` elements
/// allow: the unaligned ends by plain stores, the rest by a bulk copy.  The stage must have the
/// same offset from a multiple of 16 bytes as the destination.  One thread calls this.
template <class T>
__device__ void store_run(T const* staged, T* out, index_t room, index_t ahead, int many) {
  constexpr int per_vector = bulk_alignment / static_cast<int>(sizeof(T));
  int const kept = static_cast<int>(ahead >= room ? 0 : ::min(index_t{many}, room - ahead));
  int const skew = static_cast<int>(ahead % per_vector);
  T* const target = out + ahead;
  int const first = skew == 0 ? 0 : per_vector - skew;  // [first, last) is the aligned part
  int const last = (skew + kept) / per_vector * per_vector - skew;
  for (int i = 0; i < ::min(first, kept); ++i) target[i] = staged[i];
  if (last > first) {
    copy_out(target + first, staged + first, (last - first) * static_cast<unsigned>(sizeof(T)));
  }
  for (int i = ::max(first, last); i < kept; ++i) target[i] = staged[i];
}

/// Whether all of these begin at multiples of 16 bytes.
template <class... T>
bool may_be_copied_in_bulk(T const*... p) {
  return ((reinterpret_cast<std::uintptr_t>(p) % bulk_alignment == 0) && ...);
}

}  // namespace ravel::inline v0::gpu::detail
