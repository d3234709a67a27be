#pragma once

/// @file
/// Unique of a long plain sequence on a device: a pack by changes, streamed.

#include <ravel/primitives/cuda/pack.cuh>
#include <ravel/primitives/unique.hpp>

namespace ravel::inline v0::cuda {

/// As ravel::pack_on, streamed: of a sequence its own changes.
template <class In, class Eq, class Space, class Out, class Total>
void pack_on(
    executor const& ex, index_t n,
    ravel::detail::keeps_head<head_segments<ravel::detail::key_changes<In, Eq>, Space>> keeps,
    ravel::detail::write_packed<In, Out> visit, Total total) {
  using changes = ravel::detail::key_changes<In, Eq>;
  if (!detail::stream_pack<detail::by_flags<changes, true>::template kept,
                           scan_policy::packed_wide>(ex, n, visit.in, visit.out, visit.capacity,
                                                     keeps.segments.begins, total)) {
    ravel::pack_on<executor>(ex, n, keeps, visit, total);
  }
}

}  // namespace ravel::inline v0::cuda
