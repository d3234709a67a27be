#pragma once

/// Merges many sorted segments.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/core/search.hpp>
#include <ravel/primitives/readable_segments.hpp>
#include <ravel/primitives/verify.hpp>

#include <type_traits>

namespace ravel::inline v0 {
namespace detail {

/// Whether a segment ends at element i or before.
template <class S>
struct ends_by {
  S const& segments;
  index_t i;
  RAVEL_HD bool operator()(index_t s) const { return segments.begin(s + 1) <= i; }
};

/// The last pair of runs, which begins again at segment `second`: known without a search.
template <class S>
struct last_runs_of_segments {
  static constexpr bool hold_tiles = true;
  S segments;
  index_t n, second;
  RAVEL_HD pair_of_runs around(index_t) const {
    index_t const middle = segments.begin(second);
    return {0, middle < 0 ? 0 : middle < n ? middle : n, n};
  }
};

/// Runs of 2^level segments each, merged in place of their segments.  Element i is in the pair of
/// runs
/// around(i), even if offsets do not ascend.
template <class S>
struct runs_of_segments {
  static constexpr bool hold_tiles = false;
  S segments;
  index_t count;
  int level;
  RAVEL_HD index_t begin(index_t run) const {
    index_t const s = run << level;
    return segments.begin(s < count ? s : count);
  }
  RAVEL_HD pair_of_runs around(index_t i) const {
    index_t const segment = partition_point(0, count, ends_by<S>{segments, i});
    index_t const first = segment >> level & ~index_t{1};
    index_t const low = begin(first), middle = begin(first + 1), high = begin(first + 2);
    index_t const lower = low < i ? low : i, upper = i < high ? high : i + 1;
    return {lower, middle < lower ? lower : middle < upper ? middle : upper, upper};
  }
  index_t pairs() const { return div_up(count, index_t{2} << level); }
  last_runs_of_segments<S> last(index_t n) const { return {segments, n, index_t{1} << level}; }
};

/// The runs of each merge pass.
template <class S>
struct doubling_segments {
  S segments;
  index_t count;
  runs_of_segments<S> operator()(int pass) const { return {segments, count, pass}; }
};

/// The number of merge passes that take as long as a radix sort.
inline constexpr int merges_of_a_sort = 3;

/// Merges all segments of `in` to `out`, which may be the same.
template <class Ex, class K, class V, class S, class Before>
void merge_segments_on(Ex const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                       S segments, Before before) {
  static_assert(std::predicate<Before const&, K const&, K const&>,
                "merge_segments: the order is no predicate of two elements");
  index_t const count = segments.count();
  int const levels = doublings(count, 1);
  if constexpr (by_digits<Before, K>) {
    if (levels > merges_of_a_sort) return comparison_sort_rows(ex, n, in, out, before);
  }
  auto const spare_keys = ex.template scratch<K>(levels > 0 ? n : 0);
  auto const spare_values = ex.template scratch<V>(levels > 0 && rows<K, V>::has_values ? n : 0);
  // A pass cannot write over its input, as the first would if `in` is `out` and passes are odd.
  rows<K, V> const spare{spare_keys.data(), spare_values.data()};
  if (levels == 0 || (levels % 2 == 1 && share_memory(in, out))) {
    auto const aside = levels == 0 ? out : spare;
    if (in.keys != aside.keys || in.values != aside.values) {
      for_each_index(ex, n, copy_row<K, V>{in, aside});
    }
    in = aside.read();
  }
  merge_passes_on(ex, n, in, out, spare, levels, doubling_segments<S>{segments, count}, before);
}

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
  auto const& source = detail::sorted_operand(ex, "merge_segments", in);
  detail::expect_alike<Ex>("merge_segments", source, out);
  using K = element_t<Out>;
  index_t const n = size_of(source);
  detail::readable_segments<Ex, S> const readable(ex, segments, n, "merge_segments");
  detail::verify_segments_sorted(ex, "merge_segments", source, readable.get(), before);
  detail::merge_segments_on(
      detail::own(ex), n, rows<K const, no_value const>{view_of(source).data(), nullptr},
      rows<K, no_value>{view_of(out).data(), nullptr}, readable.get(), before);
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
  auto const& keys_in = detail::sorted_operand(ex, "merge_segments_pairs", keys);
  auto const& values_in = detail::sorted_operand(ex, "merge_segments_pairs", values);
  detail::expect_pairs_alike<Ex>("merge_segments_pairs", keys_in, values_in, keys_out, values_out);
  index_t const n = size_of(keys_in);
  using K = element_t<KeysOut>;
  using V = element_t<ValuesOut>;
  detail::readable_segments<Ex, S> const readable(ex, segments, n, "merge_segments_pairs");
  detail::verify_segments_sorted(ex, "merge_segments_pairs", keys_in, readable.get(), before);
  detail::merge_segments_on(
      detail::own(ex), n,
      rows<K const, V const>{view_of(keys_in).data(), view_of(values_in).data()},
      rows<K, V>{view_of(keys_out).data(), view_of(values_out).data()}, readable.get(), before);
}

}  // namespace ravel::inline v0
