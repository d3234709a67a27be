#pragma once

/// Split to an output for each part, on any executor: a split whose positions are within each part.

#include <ravel/primitives/map.hpp>
#include <ravel/primitives/split.hpp>
#include <ravel/primitives/split_parts/call.hpp>

namespace ravel::inline v0 {

namespace detail {

/// The visit that moves each element to its position in its part, if it fits.
template <int Ways, class In, class Out>
struct place_in_part {
  In const* from;
  split_places<Ways, Out> parts;
  index_t const* starts;
  RAVEL_HD void operator()(index_t i, int d, index_t place) const {
    index_t const of_part = place - starts[d];
    if (of_part < parts.room[d]) parts.to[d][of_part] = detail::as_assigned<Out>(from[i]);
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

struct split_parts_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why =
      "Any executor and digit: a split, whose places are then within each part.";
  template <class Ex, int Ways, class Digit, class In, class Out, class Counts>
  static void run(Ex const& ex, split_parts_call<Ways, Digit, In, Out, Counts> const& c) {
    auto const starts = ex.template scratch<index_t>(Ways + 1);
    split_on<Ways>(ex, c.n, c.digit,
                   detail::place_in_part<Ways, In, Out>{c.in, c.to, starts.data()},
                   detail::store_starts<index_t>{starts.data()});
    if constexpr (!std::same_as<Counts, no_starts>) {
      for_each_index(ex, Ways, detail::count_part<Counts>{starts.data(), c.counts});
    }
  }
};

/// The family of calls of splits to an output for each part.
struct split_parts_family : call_family_with_devices<split_parts_by_steps> {};

}  // namespace ravel::inline v0
