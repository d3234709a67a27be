#pragma once

/// Divides a sequence into shares: the rows that a sample draws, one from each, and the parts of a
/// partition within the share of a block.

#include <ravel/core/cuda/words.cuh>
#include <ravel/core/search.hpp>

namespace ravel::inline v0::gpu::detail {

/// The row that a sample draws from share s of `sampled` equal shares of n rows, pseudo-random.
RAVEL_HD inline index_t sampled_row(index_t s, index_t n, index_t sampled) {
  index_t const begin = s * n / sampled;
  auto const size = static_cast<word64>((s + 1) * n / sampled - begin);
  word64 random = static_cast<word64>(s) * 0x9e3779b97f4a7c15u;
  random = (random ^ random >> 32) * 0xd6e8feb86659fd93u;
  return begin + static_cast<index_t>((random >> 32) % size);
}

/// Calls f(p, b, e) for each part p that intersects the share [begin, end); their intersection is
/// [b, e). Part p of `parts` begins at start(p); the first at 0.
template <class Index, class Start, class F>
__device__ void for_each_part_of_share(Index begin, Index end, int parts, Start start, F f) {
  if (begin >= end) return;
  auto p = static_cast<int>(
      partition_point(1, parts, [&](index_t i) { return start(static_cast<int>(i)) <= begin; }));
  for (; begin < end; ++p) {
    Index const until = p < parts ? ::min(end, start(p)) : end;
    if (begin < until) f(p - 1, begin, until);
    begin = until;
  }
}

}  // namespace ravel::inline v0::gpu::detail
