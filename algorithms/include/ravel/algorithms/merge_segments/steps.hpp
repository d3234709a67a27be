#pragma once

/// Merges of many sorted segments on any executor: passes that merge pairs of them, or one radix sort.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/merge_segments/call.hpp>
#include <ravel/core/search.hpp>

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

}  // namespace detail

struct merge_segments_by_sort {
  static constexpr auto name = "by_sort";
  static constexpr auto why = "A radix sort takes as long as three passes of merges.";
  template <class Call>
  static constexpr auto types = comparison_sort_by_keys::types<Call>;
  static auto now(auto const& c, auto const&) {
    return needs(
        need{c.segments.count() > index_t{1} << detail::merges_of_a_sort, "more than 8 segments"});
  }
  static void run(auto const& ex, auto const& c) {
    detail::comparison_sort_rows(ex, c.n, c.in, c.out, c.before);
  }
};

struct merge_segments_by_merges {
  static constexpr auto name = "by_merges";
  static constexpr auto why = "Any executor and order: each pass merges pairs of neighbours.";
  template <class Ex, class K, class V, class S, class Before>
  static void run(Ex const& ex, merge_segments_call<K, V, S, Before> const& c) {
    index_t const n = c.n, count = c.segments.count();
    int const levels = detail::doublings(count, 1);
    auto const spare_keys = ex.template scratch<K>(levels > 0 ? n : 0);
    auto const spare_values = ex.template scratch<V>(levels > 0 && rows<K, V>::has_values ? n : 0);
    // A pass cannot write over its input, as the first would if `in` is `out` and passes are odd.
    rows<K, V> const spare{spare_keys.data(), spare_values.data()};
    auto in = c.in;
    if (levels == 0 || (levels % 2 == 1 && share_memory(in, c.out))) {
      auto const aside = levels == 0 ? c.out : spare;
      if (in.keys != aside.keys || in.values != aside.values) {
        for_each_index(ex, n, detail::copy_row<K, V>{in, aside});
      }
      in = aside.read();
    }
    merge_passes_on(ex, n, in, c.out, spare, levels,
                    detail::doubling_segments<S>{c.segments, count}, c.before);
  }
};

/// The family of merges of segments.
struct merge_segments_family : call_family<merge_segments_by_sort, merge_segments_by_merges> {};

}  // namespace ravel::inline v0
