#pragma once

/// Selection on any executor: elements of given ranks, of a sequence in any order or of each
/// segment, from the sorted input.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/algorithms/selection/call.hpp>
#include <ravel/algorithms/sort_operands.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0 {
namespace detail {

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

/// out[s, j] = element j of sorted segment s, or `absent` beyond its end.
template <class T, class S, class U>
struct take_of_segment {
  T const* sorted;
  S segments;
  index_t first, each;
  U absent;
  U* out;
  RAVEL_HD void operator()(index_t i) const {
    index_t const s = i / each;
    index_t const at = segments.begin(s) + first + i % each;
    out[i] = at < segments.begin(s + 1) ? static_cast<U>(sorted[at]) : absent;
  }
};

}  // namespace detail

struct select_by_sort {
  static constexpr auto name = "by_sort";
  static constexpr auto why = "Any executor and elements: a comparison sort, and a copy.";
  template <class Ex, class T, class Space, class Before>
  static void run(Ex const& ex, order_selection_call<T, Space, Before> const& c) {
    index_t const n = c.in.size();
    if constexpr (detail::held_in_scratch<T>) {
      auto const sorted = ex.template scratch<T>(n);
      comparison_sort(ex, c.in, sorted, c.before);
      ex.copy(sorted.data() + c.first, c.out.data(), c.out.size());
    } else {
      static_assert(detail::on_host<Ex>,
                    "selection by an order: elements without a default constructor are selected on "
                    "the host alone");
      auto const places = ex.template scratch<index_t>(n);
      for_each_index(ex, n, detail::write_index<index_t>{places.data()});
      comparison_sort(ex, view<index_t>(places.data(), n),
                      detail::order_of_places<T, Before>{c.in.data(), c.before});
      for_each_index(
          ex, c.out.size(),
          detail::copy_from_place<T>{c.in.data(), places.data() + c.first, c.out.data()});
    }
  }
};

struct select_by_segmented_sort {
  static constexpr auto name = "by_segmented_sort";
  static constexpr auto why =
      "Any executor, elements and segments: a segmented sort, and a gather.";
  template <class Ex, class T, class Space, class S, class U>
  static void run(Ex const& ex, segmented_selection_call<T, Space, S, U> const& c) {
    auto const sorted = ex.template scratch<T>(c.in.size());
    if (c.descending) {
      segmented_sort(ex, c.in, c.segments, sorted, descending);
    } else {
      segmented_sort(ex, c.in, c.segments, sorted);
    }
    for_each_index(ex, c.segments.count() * c.each,
                   detail::take_of_segment<T, S, U>{sorted.data(), c.segments, c.first, c.each,
                                                    c.absent, c.out});
  }
};

/// The family of calls of selections by an order.
struct order_selection_family : call_family<select_by_sort> {};

/// The family of calls of selections in segments.
struct segmented_selection_family : call_family_with_devices<select_by_segmented_sort> {};

}  // namespace ravel::inline v0
