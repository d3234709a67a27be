#pragma once

/// @file
/// Segmented sort over all ranks: a sort by segment and key.

#include <ravel/core/config.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/distributed/segments.hpp>
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

}  // namespace distributed::detail

/// Sorts each segment of `in` to the same segment of `out`, stably:
///
///     ranks      0     1       2
///     in         3 1 | 2 4 1 | 5
///     lengths    3 0 | 2     | 1
///     out        1 2 | 3 1 4 | 5           segmented_sort(ex, in, by_lengths(lengths), out)
///
/// Shapes   in[n], out[n], and segments by offsets or lengths, each in pieces of any sizes; a segment
///          may lie over any number of ranks.  Elements and options as for radix_sort; `out` may be
///          `in`.
/// Cost     A scan of flags, and comparison_sort of elements with the numbers of their segments, for
///          which there is scratch three times over.
/// Volume   Each element that another rank gets, once, with 8 bytes: if in and out have the same
///          pieces, those of segments on several ranks.  Besides as radix_sort, and for flags as
///          segmented_inclusive_scan by offsets.
/// Errors   contract_error if the sizes differ; `error` if offsets do not ascend from 0 to n.
template <class Local, class C, class T,
          distributed::detail::rank_segments<distributed::executor<Local, C>> S, class... Options>
void segmented_sort(distributed::executor<Local, C> const& ex,
                    distributed::sequence<T, distributed::executor<Local, C>> const& in, S segments,
                    distributed::sequence<T, distributed::executor<Local, C>>& out,
                    Options... options) {
  using namespace distributed::detail;
  using Ex = distributed::executor<Local, C>;
  using row = in_segment<T>;
  expect_equal_sizes("segmented_sort", in, out);
  auto const digits = radix_order<T>("segmented_sort", options...);
  using before = before_in_segments<decltype(digits.before)>;
  distributed::together(ex, "segmented_sort", [&] {
    auto const heads = heads_of(ex, "segmented_sort", in, offsets_of(ex, segments));
    distributed::sequence<index_t, Ex> numbers(ex, in);
    inclusive_scan(ex, heads, numbers);
    distributed::sequence<row, Ex> rows_in(ex, in), rows_out(ex, out);
    map(ex.local(), with_segment{}, rows_in.local(), numbers.local(), in.local());
    sort_across(ex, in.size(), rows<row const, no_value const>{rows_in.data(), nullptr},
                rows<row, no_value>{rows_out.data(), nullptr}, out.begins(),
                by_comparison<before>{"segmented_sort", {digits.before}});
    map(ex.local(), without_segment{}, out.local(), rows_out.local());
  });
}

}  // namespace ravel::inline v0
