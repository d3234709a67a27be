#pragma once

/// @file
/// Split to an output for each part, on any executor: a split whose positions are within each part.

#include <ravel/core/checked.hpp>
#include <ravel/core/vocabulary.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/split.hpp>

namespace ravel::inline v0 {

/// The outputs of a split, one for each part, and the number of elements that fit in each.
template <int Ways, class T>
struct split_places {
  T* to[Ways];
  index_t room[Ways];
};

namespace detail {

/// The visit that moves each element to its position in its part, if it fits.
template <int Ways, class In, class Out>
struct place_in_part {
  In const* from;
  split_places<Ways, Out> parts;
  index_t const* starts;
  RAVEL_HD void operator()(index_t i, int d, index_t place) const {
    index_t const of_part = place - starts[d];
    if (of_part < parts.room[d]) parts.to[d][of_part] = static_cast<Out>(from[i]);
  }
};
template <class Counts>
struct count_part {
  index_t const* starts;
  Counts counts;
  RAVEL_HD void operator()(index_t d) const {
    counts(static_cast<int>(d), starts[d + 1] - starts[d]);
  }
};

}  // namespace detail

/// Moves each element in[i], i in [0, n), with d = digit(i), to its position in part d, in order:
///
///     to.to[d][#{j < i : digit(j) = d}] = in[i]     if there is room
///
/// and calls counts(d, #{i : digit(i) = d}) for each d.  All else is as for split_on.
template <executor Ex, int Ways, class Digit, class In, class Out, class Counts>
void split_apart_on(Ex const& ex, index_t n, Digit digit, In const* in,
                    split_places<Ways, Out> const& to, Counts counts) {
  auto const starts = ex.template scratch<index_t>(Ways + 1);
  split_on<Ways>(ex, n, digit, detail::place_in_part<Ways, In, Out>{in, to, starts.data()},
                 detail::store_starts<index_t>{starts.data()});
  if constexpr (!std::same_as<Counts, no_starts>) {
    for_each_index(ex, Ways, detail::count_part<Counts>{starts.data(), counts});
  }
}

/// The overload for a checked executor, which has nothing to verify here.
template <executor Ex, int Ways, class Digit, class In, class Out, class Counts>
void split_apart_on(checked_executor<Ex> const& ex, index_t n, Digit digit, In const* in,
                    split_places<Ways, Out> const& to, Counts counts) {
  split_apart_on(ex.own(), n, digit, in, to, counts);
}

}  // namespace ravel::inline v0
