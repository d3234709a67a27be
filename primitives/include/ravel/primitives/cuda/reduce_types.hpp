#pragma once

/// Traits of the segmented reductions that have kernels on a device; a host compiler can read them.

#include <ravel/core/segments.hpp>

namespace ravel::inline v0::gpu::detail {

/// A merge-path partition: runs of `length` elements and segment ends together.  starts[r] is the
/// first segment that ends in run r.
struct run_cuts {
  index_t chunk, length, runs;
  index_t const* starts;
};

/// Segments with a precomputed partition and a known maximum length.
template <class S>
struct cut_segments : S {
  run_cuts cuts;
  index_t longest;
};

template <class Segments>
inline constexpr bool are_cut = false;
template <class S>
inline constexpr bool are_cut<cut_segments<S>> = true;

/// The segments without their partition.
template <class Segments>
Segments const& without_cuts(Segments const& segments) {
  return segments;
}
template <class S>
S const& without_cuts(cut_segments<S> const& segments) {
  return segments;
}

/// Whether the ends of segments can be copied to a tile's stage, and the address from which.
template <class Segments>
inline constexpr bool can_copy_ends = false;
template <class O, class Space>
inline constexpr bool can_copy_ends<offset_segments<O, Space>> = sizeof(O) == 4 || sizeof(O) == 8;
template <>
inline constexpr bool can_copy_ends<uniform_segments> = true;
template <class O, class Space>
void const* address_of_ends(offset_segments<O, Space> const& segments) {
  return segments.offsets.data();
}
inline void const* address_of_ends(uniform_segments const&) { return nullptr; }

/// load(i), where a thread reads consecutive elements, so that their cache lines should stay in
/// L1.  Loads that otherwise bypass L1 provide in_turn(i), which does not.
template <class Load>
RAVEL_HD auto load_in_turn(Load const& load, index_t i) {
  if constexpr (requires { load.in_turn(i); }) {
    return load.in_turn(i);
  } else {
    return load(i);
  }
}

/// Whether values of type T are small enough for reductions by runs.
template <class T>
inline constexpr bool reduced_in_runs =
    std::is_trivially_copyable_v<T>&& std::is_default_constructible_v<T> && sizeof(T) <= 16;

}  // namespace ravel::inline v0::gpu::detail
