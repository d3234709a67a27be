#pragma once

/// Segmented comparison sort: each segment is sorted separately, by any strict weak order.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/segmented_comparison_sort/call.hpp>
#include <ravel/algorithms/segmented_comparison_sort/cpu.hpp>
#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/primitives/readable_segments.hpp>

namespace ravel::inline v0 {
namespace detail {

/// Sorts rows within segments.
template <class Ex, class K, class V, class S, class Before>
void comparison_sort_in_segments(Ex const& ex, char const* call, index_t n,
                                 rows<K const, V const> in, rows<K, V> out, S const& segments,
                                 Before before) {
  static_assert(std::predicate<Before const&, K const&, K const&>,
                "segmented_comparison_sort: the order is no predicate of two elements");
  readable_segments<Ex, S> const readable(ex, segments, n, call);
  using Sort = comparison_sort_call<K, V, Before>;
  using Readable = std::remove_cvref_t<decltype(readable.get())>;
  run_call(own(ex),
           segmented_comparison_sort_call<Sort, Readable>{{n, in, out, before}, readable.get()});
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
///          segment number each, and scratch for 2 n of these and n numbers.  On the host: O(n log l)
///          work for segments of length l, and scratch for n elements, and by heads, head bits and
///          keys for n numbers.
/// Errors   contract_error if the sizes do not fit; on a checked executor, if offsets do not ascend or a
///          length is negative.  Issued, not awaited.
/// See also segmented_sort, which is faster, for keys with digits.
template <local_executor Ex, class In, class S, class Out, class Before = less>
void segmented_comparison_sort(Ex const& ex, In const& in, S segments, Out&& out,
                               Before before = {}) {
  detail::expect_segments<Ex, S>();
  detail::sort_keys_of(ex, "segmented_comparison_sort", in, out, [&](auto... rows) {
    detail::comparison_sort_in_segments(ex, "segmented_comparison_sort", rows..., segments, before);
  });
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
  constexpr auto call = "segmented_comparison_sort_pairs";
  detail::sort_pairs_of(ex, call, keys, values, keys_out, values_out, [&](auto... rows) {
    detail::comparison_sort_in_segments(ex, call, rows..., segments, before);
  });
}

}  // namespace ravel::inline v0
