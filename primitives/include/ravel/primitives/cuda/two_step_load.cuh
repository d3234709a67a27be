#pragma once

/// Loads in two dependent steps, an index and then the element at it: kernels issue the first step
/// one chunk early.

#include <ravel/core/tile.hpp>

namespace ravel::inline v0::gpu::detail {

/// A load in two dependent steps: load_index(i) loads an index, and load_at(i, index) returns
/// load(i) from it.  If an index may be invalid, valid(i, index) tests it; where it is false, the
/// kernel calls load(i), to report the error.
///
/// No branch may stand between two loads, as it would serialise them.  So load_at() is called for
/// any index, and the result of an invalid one is discarded.  If can_load() is false, there is no
/// memory that load_at() may read, and it is not called.
template <class Load>
concept two_step_load = requires(Load const& load, index_t i) {
  load.load_at(i, load.load_index(i));
};
template <class Load>
concept may_refuse = requires(Load const& load, index_t i) {
  load.valid(i, load.load_index(i));
  load.can_load();
};

/// A load with bounds tests that can be skipped: if inside(begin, end) is true, unchecked(i) equals
/// load(i) for the elements [begin, end).
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
