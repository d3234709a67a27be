#pragma once

/// @file
/// Loads in two dependent steps; warps issue the first step one chunk early.

#include <ravel/core/tile.hpp>

namespace ravel::inline v0::gpu::detail {

/// A load in two dependent steps: load_index(i) loads an index, and load_at(i, index) returns
/// load(i) from it.  Indices are loaded one chunk early.  If an index may be invalid, valid(i,
/// index) tests it; where it is false, load(i) is called, to report the error.  So that no branch
/// stands between two loads, load_at() is called for any index, and its result is discarded if
/// invalid, unless can_load() is false: then there is nothing that load_at() may read.
template <class Load>
concept two_step_load = requires(Load const& load, index_t i) {
  load.load_at(i, load.load_index(i));
};
template <class Load>
concept may_refuse = requires(Load const& load, index_t i) {
  load.valid(i, load.load_index(i));
  load.can_load();
};

/// A load that skips its bounds test where inside(begin, end) says that elements [begin, end) need
/// none: there unchecked(i) equals load(i).
template <class Load>
concept may_be_inside = requires(Load const& load, index_t i) {
  load.inside(i, i);
  load.unchecked(i);
};

struct no_index {};
template <class Load>
__device__ auto index_of(Load const& load, index_t i) {
  if constexpr (two_step_load<Load>) {
    return load.load_index(i);
  } else {
    return no_index{};
  }
}
template <class T, class Load, class Index>
__device__ T value_of_index(Load const& load, index_t i, Index const& index) {
  if constexpr (two_step_load<Load>) {
    return static_cast<T>(load.load_at(i, index));
  } else {
    return static_cast<T>(load(i));
  }
}

}  // namespace ravel::inline v0::gpu::detail
