#pragma once

/// Merges many sorted segments.

#include <ravel/algorithms/merge_segments/call.hpp>
#include <ravel/algorithms/merge_segments/steps.hpp>
#include <ravel/algorithms/sort_operands.hpp>
#include <ravel/primitives/readable_segments.hpp>
#include <ravel/primitives/verify.hpp>

namespace ravel::inline v0 {
namespace detail {

/// Whether a key belongs before the preceding key of its segment.
template <class K, class S, class Before>
struct is_before_last_of_segment {
  K const* keys;
  S segments;
  Before before;
  RAVEL_HD auto on(tile t) const {
    return is_before_last_of_segment<K, on_tile_t<S>, Before>{keys, on_tile(segments, t), before};
  }
  RAVEL_HD bool operator()(index_t i) const {
    return i > 0 && !segments.head(i) && before(keys[i], keys[i - 1]);
  }
};

/// Expects each segment to be sorted, if calls on `ex` verify:
///
///     merge_segments: element 5 belongs before element 4 of its segment
template <class Ex, class Keys, class S, class Before>
void verify_segments_sorted(Ex const& ex, char const* call, Keys const& keys, S const& segments,
                            Before const& before) {
  if constexpr (checks<Ex>) {
    using K = element_t<Keys const&>;
    index_t const n = size_of(keys);
    index_t const at = first_wrong_sync(
        ex, n, is_before_last_of_segment<K, S, Before>{view_of(keys).data(), segments, before});
    expects(at >= n, call, ": element ", at, " belongs before element ", at - 1, " of its segment");
  }
}

/// Merges rows of segments, which must be sorted.
template <class Ex, class K, class V, class S, class Before>
void merge_rows_of_segments(Ex const& ex, char const* call, index_t n, rows<K const, V const> in,
                            rows<K, V> out, S const& segments, Before before) {
  static_assert(std::predicate<Before const&, K const&, K const&>,
                "merge_segments: the order is no predicate of two elements");
  readable_segments<Ex, S> const readable(ex, segments, n, call);
  verify_segments_sorted(ex, call, view<K const, space_of_t<Ex>>(in.keys, n), readable.get(),
                         before);
  using Readable = std::remove_cvref_t<decltype(readable.get())>;
  run_call(own(ex),
           merge_segments_call<K, V, Readable, Before>{n, in, out, readable.get(), before});
}

template <class Ex, class S>
void expect_segments_to_merge() {
  static_assert(segments_on<S, Ex>,
                "merge_segments: segments is not a descriptor (by_offsets, by_lengths, uniform) in "
                "the executor's memory");
  static_assert(
      requires(S const& s) { s.count(); },
      "merge_segments: the number of segments is not known; offsets_of gives by_offsets");
}

}  // namespace detail

/// Merges sorted segments into one sorted sequence:
///
///     in         1 4 7 | 2 4 | | 3
///     out        1 2 3 4 4 7            merge_segments(ex, in, by_lengths(lengths), out)
///
/// Shapes   in[n], and segments of n elements by offsets, lengths or one length, each sorted
///          by `before`; out[n], which may be `in`, and may overlap nothing else.
/// Order    Stable: of equal elements, those of an earlier segment come first.  If segments are not
///          sorted, or `before` is not a strict weak order, `out` is still a permutation of `in`.
/// Cost     O(n log k) work for k segments on the host and on a device, O(log n log k) span, in
///          ceil(log2 k) passes that move 2 n elements each, and scratch for n elements.  More
///          than 8 segments of numbers ordered by `<` or `>` are radix sorted instead.
/// Errors   contract_error if the sizes do not fit; on a checked executor, if offsets do not ascend or a
///          segment is not sorted.  Issued, not awaited.
/// Source   As comparison_sort, whose merge passes it uses.
/// See also merge, for two sequences.
template <local_executor Ex, class In, class S, class Out, class Before = less>
void merge_segments(Ex const& ex, In const& in, S segments, Out&& out, Before before = {}) {
  detail::expect_segments_to_merge<Ex, S>();
  detail::sort_keys_of(ex, "merge_segments", in, out, [&](auto... rows) {
    detail::merge_rows_of_segments(ex, "merge_segments", rows..., segments, before);
  });
}

/// Merges sorted segments of keys, and moves the value of each key, of any type, with it.
///
///     keys      1 4 | 2 4        keys_out      1 2 4 4
///     values    a b | c d        values_out    a c b d
///
/// All else is as for merge_segments.  An output may be its own input.
template <local_executor Ex, class Keys, class Values, class S, class KeysOut, class ValuesOut,
          class Before = less>
void merge_segments_pairs(Ex const& ex, Keys const& keys, Values const& values, S segments,
                          KeysOut&& keys_out, ValuesOut&& values_out, Before before = {}) {
  detail::expect_segments_to_merge<Ex, S>();
  detail::sort_pairs_of(
      ex, "merge_segments_pairs", keys, values, keys_out, values_out, [&](auto... rows) {
        detail::merge_rows_of_segments(ex, "merge_segments_pairs", rows..., segments, before);
      });
}

}  // namespace ravel::inline v0
