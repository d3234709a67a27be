#pragma once

/// @file
/// Unique of a long plain sequence on a device: a pack by its own changes, streamed.

#include <ravel/primitives/cuda/pack.cuh>
#include <ravel/primitives/unique.hpp>

#include <cstddef>
#include <cstring>

namespace ravel::inline v0::cuda {
namespace detail {

/// Values that differ from the one before, of which the tile's first is brought along.
template <class In, class Eq, int Items, int Count>
struct kept_by_own_changes {
  static constexpr bool can = Count <= 32;
  static constexpr std::size_t bytes = bulk_alignment;
  ravel::detail::key_changes<In, Eq> changes;

  void const* address() const { return changes.keys; }
  __device__ unsigned load(char* to, index_t begin, int, barrier& landed) const {
    if (begin == 0) return 0;
    landed.copy(to, changes.keys + begin - bulk_alignment / static_cast<int>(sizeof(In)),
                bulk_alignment);
    return bulk_alignment;
  }
  template <class Values>
  __device__ unsigned read(Values const& x, char const* from, int k, int rest, bool first) const {
    constexpr int width = static_cast<int>(sizeof(In));
    char const* const values = from - bulk_alignment - Items * width;
    In before;
    std::memcpy(static_cast<void*>(&before),
                (k > 0 ? values + k * Count * width : from + bulk_alignment) - width, width);
    unsigned kept = 0;
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      In const now = x.get(i);
      if (i < rest && !changes.eq(before, now)) kept |= 1u << i;
      before = now;
    }
    return first ? kept | 1 : kept;
  }
};

template <class In, class Eq>
struct by_own_changes {
  template <int Items, int Count>
  using kept = kept_by_own_changes<In, Eq, Items, Count>;
};

}  // namespace detail

/// As ravel::pack_on, streamed: of a sequence its own changes.
template <class In, class Eq, class Space, class Out, class Total>
void pack_on(
    executor const& ex, index_t n,
    ravel::detail::keeps_head<head_segments<ravel::detail::key_changes<In, Eq>, Space>> keeps,
    write_packed<In, Out> visit, Total total) {
  auto const changes = keeps.segments.begins;
  if (changes.keys != visit.in ||
      !detail::stream_pack<detail::by_own_changes<In, Eq>::template kept, scan_policy::unique>(
          ex, n, visit.in, visit.out, visit.capacity, changes, total)) {
    ravel::pack_on<executor>(ex, n, keeps, visit, total);
  }
}

}  // namespace ravel::inline v0::cuda
