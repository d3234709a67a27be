#pragma once

/// @file
/// Loads in two dependent steps; warps issue the first step one chunk early.

#include <ravel/core/tile.hpp>

#include <type_traits>

namespace ravel::inline v0::gpu::detail {

/// A load in two dependent steps: ask(i) loads an index, and answer(i, asked) returns load(i) from
/// it.  Indices are loaded one chunk early.  If an index may be invalid, valid(i, asked) tests it;
/// where it is false, load(i) is called, to report the error.  So that no branch stands between two
/// loads, answer() is called for any index, and its result is discarded if invalid, unless
/// answers() is false: then there is nothing that answer() may read.
template <class Load>
concept two_step_load = requires(Load const& load, index_t i) {
  load.answer(i, load.ask(i));
};
template <class Load>
concept may_refuse = requires(Load const& load, index_t i) {
  load.valid(i, load.ask(i));
  load.answers();
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
    return load.ask(i);
  } else {
    return no_index{};
  }
}
template <class T, class Load, class Asked>
__device__ T value_of_index(Load const& load, index_t i, Asked const& asked) {
  if constexpr (two_step_load<Load>) {
    return static_cast<T>(load.answer(i, asked));
  } else {
    return static_cast<T>(load(i));
  }
}

/// Whether values are small enough to be reduced this way.
template <class T>
inline constexpr bool reduced_in_runs =
    std::is_trivially_copyable_v<T>&& std::is_default_constructible_v<T> && sizeof(T) <= 16;

}  // namespace ravel::inline v0::gpu::detail
