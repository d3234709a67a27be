#pragma once

/// The places of the least elements of each segment on any executor: by a sort.

#include <ravel/algorithms/least_places/call.hpp>
#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0 {
namespace detail {

template <class Load, class T>
struct write_key_and_place {
  Load load;
  T* keys;
  index_t* places;
  RAVEL_HD void operator()(index_t i, index_t, index_t rank) const {
    keys[i] = static_cast<T>(load(i));
    places[i] = rank;
  }
};
/// out[s, j] = element j of sorted segment s.
template <class S>
struct first_places {
  index_t const* sorted;
  S segments;
  index_t n, each;
  index_t* out;
  RAVEL_HD void operator()(index_t i) const {
    index_t const place = segments.begin(i / each) + i % each;
    out[i] = place < n ? sorted[place] : 0;
  }
};

}  // namespace detail

struct least_places_by_segmented_sort {
  static constexpr auto name = "by_segmented_sort";
  static constexpr auto why =
      "Any executor, elements and segments: a segmented sort of pairs, and a gather.";
  template <class Ex, class T, class Load, class S>
  static void run(Ex const& ex, least_places_call<T, Load, S> const& c) {
    auto const keys = ex.template scratch<T>(c.n);
    auto const places = ex.template scratch<index_t>(c.n);
    for_each_in_segments(ex, c.n, c.segments,
                         detail::write_key_and_place<Load, T>{c.load, keys.data(), places.data()});
    segmented_sort_pairs(ex, keys, places, c.segments, keys, places);
    for_each_index(ex, c.segments.count() * c.each,
                   detail::first_places<S>{places.data(), c.segments, c.n, c.each, c.out});
  }
};

/// The family of calls of places of the least elements of segments.
struct least_places_family : call_family_with_devices<least_places_by_segmented_sort> {};

}  // namespace ravel::inline v0
