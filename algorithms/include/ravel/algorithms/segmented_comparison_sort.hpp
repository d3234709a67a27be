#pragma once

/// Segmented comparison sort: each segment is sorted separately, by any strict weak order.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/cpu/each_segment.hpp>
#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/readable_segments.hpp>
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

/// Sorts rows within segments on the host: a thread merges within its cache, and all threads sort
/// each longer segment.
template <class Ex, class K, class V, class S, class Before>
void sort_each_segment(Ex const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                       S const& segments, Before before) {
  auto const spare_keys = ex.template scratch<K>(n);
  auto const spare_values = ex.template scratch<V>(rows<K, V>::has_values ? n : 0);
  cpu::detail::sort_tile<K, V, Before> const sort{
      out, {spare_keys.data(), spare_values.data()}, before};
  bool const copies = in.keys != out.keys || in.values != out.values;
  cpu::detail::for_each_segment(
      ex, segments, n, cpu::detail::nanoseconds{10},
      [&](index_t, index_t begin, index_t end) {
        for (index_t i = begin; copies && i < end; ++i) out.set(i, in, i);
        if (end - begin > 1) sort(cpu::worker{}, tile{0, begin, end});
      },
      [&](index_t, index_t begin, index_t end) {
        comparison_sort_rows(ex, end - begin, in.from(begin), out.from(begin), before);
      });
}

/// Sorts rows within segments by merges.
template <class Ex, class K, class V, class S, class Before>
void merge_sort_in_segments(Ex const& ex, index_t n, K const* keys, V const* values, K* keys_out,
                            V* values_out, S const& segments, Before before) {
  static_assert(std::predicate<Before const&, K const&, K const&>,
                "segmented_comparison_sort: the order is no predicate of two elements");
  constexpr bool on_the_host = std::same_as<Ex, cpu::sequential> || std::same_as<Ex, cpu::threads>;
  if constexpr (on_the_host && S::numbered) {
    sort_each_segment<Ex, K, V>(ex, n, {keys, values}, {keys_out, values_out}, segments, before);
  } else {
    using Row = key_in_segment<K>;
    auto const ids = ex.template scratch<index_t>(n);
    auto const numbered = ex.template scratch<Row>(n);
    segment_ids_of(ex, segments, ids);
    for_each_index(ex, n, put_in_segment<K>{ids.data(), keys, numbered.data()});
    comparison_sort_rows(ex, n, rows<Row const, V const>{numbered.data(), values},
                         rows<Row, V>{numbered.data(), values_out},
                         ahead_in_segment<Before>{before});
    for_each_index(ex, n, take_from_segment<K>{numbered.data(), keys_out});
  }
}

}  // namespace detail

/// Sorts each segment of `in` to the same segment of `out` by any strict weak order, stably:
///
///     in         3 1 2 | 4 1 | 5        segmented_comparison_sort(ex, in, by_lengths(lengths), out,
///     lengths    3 0 2 1                                          even_first{})
///     out        2 3 1 | 4 1 | 5
///
/// Shapes   in[n], and segments of n elements in any form of core/segments.hpp; out[n], which
///          may be `in`, and may overlap nothing else.  Elements of any type.  n may be 0.
/// Order    As comparison_sort, in each segment.
/// Cost     O(n log n) work for any lengths: that of comparison_sort of elements with an 8-byte
///          segment number each, and scratch for 2 n of these and n numbers.  On the host, of segments
///          that have numbers: O(n log l) work for segments of length l, and scratch for n elements.
/// Errors   contract_error if the sizes do not fit; on a checked executor, if offsets do not ascend or a
///          length is negative.  Issued, not awaited.
/// See also segmented_sort, which is faster, for keys with digits.
template <local_executor Ex, class In, class S, class Out, class Before = less>
void segmented_comparison_sort(Ex const& ex, In const& in, S segments, Out&& out,
                               Before before = {}) {
  detail::expect_segments<Ex, S>();
  auto const& source = detail::sorted_operand(ex, "segmented_comparison_sort", in);
  detail::expect_alike<Ex>("segmented_comparison_sort", source, out);
  index_t const n = size_of(source);
  detail::readable_segments<Ex, S> const readable(ex, segments, n, "segmented_comparison_sort");
  detail::merge_sort_in_segments<detail::own_t<Ex>, element_t<Out>, no_value>(
      detail::own(ex), n, view_of(source).data(), nullptr, view_of(out).data(), nullptr,
      readable.get(), before);
}

/// Sorts keys within segments by any order, and moves the value of each key, of any type, with it.
///
///     keys      3 1 2 | 4 1        keys_out      2 3 1 | 4 1
///     values    a b c | d e        values_out    c a b | d e        by even_first{}
///
/// All else is as for segmented_comparison_sort.  An output may be its own input.
template <local_executor Ex, class Keys, class Values, class S, class KeysOut, class ValuesOut,
          class Before = less>
void segmented_comparison_sort_pairs(Ex const& ex, Keys const& keys, Values const& values,
                                     S segments, KeysOut&& keys_out, ValuesOut&& values_out,
                                     Before before = {}) {
  detail::expect_segments<Ex, S>();
  auto const& keys_in = detail::sorted_operand(ex, "segmented_comparison_sort_pairs", keys);
  auto const& values_in = detail::sorted_operand(ex, "segmented_comparison_sort_pairs", values);
  detail::expect_pairs_alike<Ex>("segmented_comparison_sort_pairs", keys_in, values_in, keys_out,
                                 values_out);
  index_t const n = size_of(keys_in);
  detail::readable_segments<Ex, S> const readable(ex, segments, n,
                                                  "segmented_comparison_sort_pairs");
  detail::merge_sort_in_segments<detail::own_t<Ex>, element_t<KeysOut>, element_t<ValuesOut>>(
      detail::own(ex), n, view_of(keys_in).data(), view_of(values_in).data(),
      view_of(keys_out).data(), view_of(values_out).data(), readable.get(), before);
}

}  // namespace ravel::inline v0
