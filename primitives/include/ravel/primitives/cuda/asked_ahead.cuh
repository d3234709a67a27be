#pragma once

/// @file
/// Loads in two steps, of which warps take the first ahead of time.

#include <ravel/core/tile.hpp>

#include <type_traits>

namespace ravel::inline v0::gpu::detail {

/// A load in two steps: ask(i) reads what says where the rest is, and answer(i, asked) is
/// load(i).  Chunks are asked for one ahead.  If what was asked for may be refused, as an index
/// out of range, valid(i, asked) says whether the answer is right; otherwise load(i) is called, to
/// say what is wrong.  So that no test stands between two loads, any answer may be asked for, and
/// is thrown away then, unless answers() says that there is none at all.
template <class Load>
concept asked_ahead = requires(Load const& load, index_t i) {
  load.answer(i, load.ask(i));
};
template <class Load>
concept may_refuse = requires(Load const& load, index_t i) {
  load.valid(i, load.ask(i));
  load.answers();
};

/// A load without tests where inside(begin, end) says that elements [begin, end) want none: there
/// unchecked(i) is load(i).
template <class Load>
concept may_be_inside = requires(Load const& load, index_t i) {
  load.inside(i, i);
  load.unchecked(i);
};

struct nothing_asked {};
template <class Load>
__device__ auto ask_of(Load const& load, index_t i) {
  if constexpr (asked_ahead<Load>) {
    return load.ask(i);
  } else {
    return nothing_asked{};
  }
}
template <class T, class Load, class Asked>
__device__ T answer_of(Load const& load, index_t i, Asked const& asked) {
  if constexpr (asked_ahead<Load>) {
    return static_cast<T>(load.answer(i, asked));
  } else {
    return static_cast<T>(load(i));
  }
}

/// Whether values are small enough to be combined so.
template <class T>
inline constexpr bool reduced_in_runs =
    std::is_trivially_copyable_v<T>&& std::is_default_constructible_v<T> && sizeof(T) <= 16;

}  // namespace ravel::inline v0::gpu::detail
