#pragma once

/// @file
/// Selection on any executor: elements of given ranks, of a sequence in any order or of each
/// segment, from the sorted input.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/algorithms/sort_operands.hpp>
#include <ravel/core/vocabulary.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0::detail {

/// The order of positions by the elements there.
template <class T, class Before>
struct order_of_places {
  T const* all;
  Before before;
  RAVEL_HD bool operator()(index_t i, index_t j) const { return before(all[i], all[j]); }
};
template <class T>
struct copy_from_place {
  T const* in;
  index_t const* places;
  T* out;
  RAVEL_HD void operator()(index_t i) const { out[i] = in[places[i]]; }
};

/// Writes to `out` elements [first, first + out.size()) of `in`, sorted stably by `before`.
template <class Ex, class T, class Space, class Before>
void select_by_order(Ex const& ex, view<T const, Space> in, index_t first, view<T, Space> out,
                     Before before) {
  if constexpr (held_in_scratch<T>) {
    auto const sorted = ex.template scratch<T>(in.size());
    comparison_sort(ex, in, sorted, before);
    ex.copy(sorted.data() + first, out.data(), out.size());
  } else {
    static_assert(on_host<Ex>,
                  "selection by an order: elements without a default constructor are selected on "
                  "the host alone");
    auto const places = ex.template scratch<index_t>(in.size());
    for_each_index(ex, in.size(), write_index<index_t>{places.data()});
    comparison_sort(ex, view<index_t>(places.data(), in.size()),
                    order_of_places<T, Before>{in.data(), before});
    for_each_index(ex, out.size(),
                   copy_from_place<T>{in.data(), places.data() + first, out.data()});
  }
}

/// out[s, j] = element j of sorted segment s, or `absent` beyond its end.
template <class T, class S, class Out>
struct take_of_segment {
  T const* sorted;
  S segments;
  index_t first, each;
  Out absent;
  Out* out;
  RAVEL_HD void operator()(index_t i) const {
    index_t const s = i / each;
    index_t const at = segments.begin(s) + first + i % each;
    out[i] = at < segments.begin(s + 1) ? static_cast<Out>(sorted[at]) : absent;
  }
};

/// Writes elements [first, first + each) of each segment once sorted, and `absent` beyond its end.
template <class Ex, class View, class S, class Out>
void select_of_segments(Ex const& ex, View in, S segments, index_t first, index_t each, Out absent,
                        Out* out, bool down) {
  using T = typename View::value_type;
  auto const sorted = ex.template scratch<T>(in.size());
  if (down) {
    segmented_sort(ex, in, segments, sorted, descending);
  } else {
    segmented_sort(ex, in, segments, sorted);
  }
  for_each_index(ex, segments.count() * each,
                 take_of_segment<T, S, Out>{sorted.data(), segments, first, each, absent, out});
}

}  // namespace ravel::inline v0::detail
