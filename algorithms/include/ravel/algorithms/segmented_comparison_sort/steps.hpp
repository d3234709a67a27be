#pragma once

/// Segmented comparison sort on any executor: one sort of keys with the numbers of their segments.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/segmented_comparison_sort/call.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/segment_forms.hpp>

namespace ravel::inline v0 {
namespace detail {

/// A key with the number of its segment.
template <class K>
struct key_in_segment {
  index_t segment;
  K key;
};
template <class K>
struct put_in_segment {
  index_t const* segments;
  K const* keys;
  key_in_segment<K>* to;
  RAVEL_HD void operator()(index_t i) const { to[i] = {segments[i], keys[i]}; }
};
template <class K>
struct take_from_segment {
  key_in_segment<K> const* from;
  K* keys;
  RAVEL_HD void operator()(index_t i) const { keys[i] = from[i].key; }
};
template <class Before>
struct ahead_in_segment {
  Before before;
  template <class K>
  RAVEL_HD bool operator()(key_in_segment<K> const& x, key_in_segment<K> const& y) const {
    return x.segment != y.segment ? x.segment < y.segment : before(x.key, y.key);
  }
};

}  // namespace detail

struct segmented_comparison_sort_by_numbers {
  static constexpr auto name = "by_numbers";
  static constexpr auto why =
      "Any executor and segments: a comparison sort of keys with the numbers of their segments.";
  template <class Ex, class K, class V, class Before, class S>
  static void run(Ex const& ex,
                  segmented_comparison_sort_call<comparison_sort_call<K, V, Before>, S> const& c) {
    using Row = detail::key_in_segment<K>;
    auto const& [n, in, out, before] = c.sort;
    auto const ids = ex.template scratch<index_t>(n);
    auto const numbered = ex.template scratch<Row>(n);
    segment_ids_of(ex, c.segments, ids);
    for_each_index(ex, n, detail::put_in_segment<K>{ids.data(), in.keys, numbered.data()});
    detail::comparison_sort_rows(ex, n, rows<Row const, V const>{numbered.data(), in.values},
                                 rows<Row, V>{numbered.data(), out.values},
                                 detail::ahead_in_segment<Before>{before});
    for_each_index(ex, n, detail::take_from_segment<K>{numbered.data(), out.keys});
  }
};

/// The family of calls of segmented comparison sorts.
struct segmented_comparison_sort_family : call_family<segmented_comparison_sort_by_numbers> {};

}  // namespace ravel::inline v0
