#pragma once

/// @file
/// Segmented sort over all ranks: a sort by segment and key.

#include <ravel/core/config.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/distributed/segment_forms.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/distributed/sort.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/rows.hpp>

namespace ravel::inline v0 {
namespace distributed::detail {

template <class T>
struct in_segment {
  index_t segment;
  T x;
};
struct with_segment {
  template <class T>
  RAVEL_HD in_segment<T> operator()(index_t segment, T const& x) const {
    return {segment, x};
  }
};
struct without_segment {
  template <class T>
  RAVEL_HD T operator()(in_segment<T> const& row) const {
    return row.x;
  }
};
template <class Before>
struct before_in_segments {
  Before before;
  template <class T>
  RAVEL_HD bool operator()(in_segment<T> const& a, in_segment<T> const& b) const {
    return a.segment != b.segment ? a.segment < b.segment : before(a.x, b.x);
  }
};

/// Sorts keys with the numbers of their segments, and values, if there are any.
template <class Ex, class K, class V, class S, class Digits>
void sort_in_segments(Ex const& ex, char const* call, sequence<K, Ex> const& keys, V const* values,
                      S const& segments, sequence<K, Ex>& keys_out, V* values_out,
                      Digits const& digits) {
  using row = in_segment<K>;
  using before = before_in_segments<decltype(digits.before)>;
  together(ex, call, [&] {
    auto const heads = heads_of(ex, call, keys, segments);
    sequence<index_t, Ex> numbers(ex, keys);
    inclusive_scan(ex, heads, numbers);
    sequence<row, Ex> rows_in(ex, keys), rows_out(ex, keys_out);
    map(ex.local(), with_segment{}, rows_in.local(), numbers.local(), keys.local());
    sort_across(ex, keys.size(), rows<row const, V const>{rows_in.data(), values},
                rows<row, V>{rows_out.data(), values_out}, keys_out.begins(),
                by_comparison<before>{call, {digits.before}});
    map(ex.local(), without_segment{}, keys_out.local(), rows_out.local());
  });
}

}  // namespace distributed::detail

/// Sorts each segment of `in` to the same segment of `out`, stably:
///
///     ranks      0     1       2
///     in         3 1 | 2 4 1 | 5
///     lengths    3 0 | 2     | 1
///     out        1 2 | 3 1 4 | 5           segmented_sort(ex, in, by_lengths(lengths), out)
///
/// Shapes   in[n], out[n], each in pieces of any sizes, and segments in any form, as for
///          segmented_reduce; a segment may lie over any number of ranks.  Elements and options as for
///          radix_sort; `out` may be `in`.
/// Cost     A scan of flags, and comparison_sort of elements with the numbers of their segments, for
///          which there is scratch three times over.
/// Volume   Each element that another rank gets, once, with 8 bytes: if in and out have the same
///          pieces, those of segments on several ranks.  Besides as radix_sort, and for flags as
///          segmented_inclusive_scan by offsets, or by heads.
/// Errors   contract_error if the sizes differ; `error` if offsets do not ascend from 0 to n.
template <class Local, class C, class T,
          distributed::detail::rank_segments<distributed::executor<Local, C>> S, class... Options>
void segmented_sort(distributed::executor<Local, C> const& ex,
                    distributed::sequence<T, distributed::executor<Local, C>> const& in, S segments,
                    distributed::sequence<T, distributed::executor<Local, C>>& out,
                    Options... options) {
  using namespace distributed::detail;
  expect_equal_sizes("segmented_sort", in, out);
  sort_in_segments<distributed::executor<Local, C>, T, no_value>(
      ex, "segmented_sort", in, nullptr, segments, out, nullptr,
      radix_order<T>("segmented_sort", options...));
}

/// Sorts keys within segments, and moves the value of each key with it.
///
///     keys       3 1 | 2 4 1        keys_out      1 2 | 3 1 4
///     values     a b | c d e        values_out    b c | a e d        by_lengths 3 2
///
/// Shapes   As for segmented_sort; keys and values are in the same pieces, and so are the outputs.
template <class Local, class C, class K, class V,
          distributed::detail::rank_segments<distributed::executor<Local, C>> S, class... Options>
void segmented_sort_pairs(distributed::executor<Local, C> const& ex,
                          distributed::sequence<K, distributed::executor<Local, C>> const& keys,
                          distributed::sequence<V, distributed::executor<Local, C>> const& values,
                          S segments,
                          distributed::sequence<K, distributed::executor<Local, C>>& keys_out,
                          distributed::sequence<V, distributed::executor<Local, C>>& values_out,
                          Options... options) {
  using namespace distributed::detail;
  expect_equal_sizes("segmented_sort_pairs", keys, keys_out);
  expect_same_pieces("segmented_sort_pairs", keys, values);
  expect_same_pieces("segmented_sort_pairs", keys_out, values_out);
  sort_in_segments(ex, "segmented_sort_pairs", keys, values.data(), segments, keys_out,
                   values_out.data(), radix_order<K>("segmented_sort_pairs", options...));
}

}  // namespace ravel::inline v0
