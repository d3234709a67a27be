#pragma once

/// Load balancing: visits each element with its segment and its rank there, evenly over tiles.

#include <ravel/primitives/balance/cpu.hpp>
#include <ravel/primitives/balance/steps.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/readable_segments.hpp>
#include <ravel/primitives/segment_visits.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/balance.cuh>  // a search for each run, and marks
#endif

namespace ravel::inline v0 {
namespace detail {

/// Visits the elements before the end of the last segment.
template <class Visit, class T>
struct visit_ahead_of {
  Visit visit;
  T const* end;
  RAVEL_HD auto on(tile t) const {
    return visit_ahead_of<on_tile_t<Visit>, T>{on_tile(visit, t), end};
  }
  RAVEL_HD void operator()(index_t i, index_t s, index_t rank) const {
    if (i < static_cast<index_t>(*end)) visit(i, s, rank);
  }
};

/// for_each_in_segments, whose errors name `call`.  By reference, as in segmented_reduce_for.
template <class Ex, class S, class Visit, class Total>
void for_each_in_segments_for(Ex const& ex, char const* call, index_t n, S const& segments,
                              Visit const& visit, Total total) {
  readable_segments<Ex, S> const readable(ex, segments, n, call);
  auto const cursor = readable.get();
  using Cursor = std::remove_const_t<decltype(cursor)>;
  static_assert(!Cursor::numbered || std::same_as<Total, no_total>,
                "total_to(...) is for heads, head bits and keys; of these segments the number is "
                "known");
  run_call(own(ex), balance_call<Cursor, Visit, Total>{n, cursor, visit, total});
}

}  // namespace detail

/// out[k] = x for each k of [i, end), on the host.  The caller writes out[end, last) afterwards, so
/// this may store whole vectors, without a branch at the end of a short run.
///
///     fill_run(out, 0, 2, 16, 7)      7 7, and after them unspecified values up to out[16]
///     fill_run(out, 2, 16, 16, 8)     7 7 8 8 ... 8
///
/// Cost     O(end - i), and up to 64 bytes more.
template <class Out, class T>
void fill_run(Out* out, index_t i, index_t end, [[maybe_unused]] index_t last, T const& x) {
  if constexpr (std::is_arithmetic_v<Out>) {
    constexpr index_t width = 64 / index_t{sizeof(Out)};
    if (last - i < width) [[unlikely]] {  // too little room for a whole vector
      for (index_t left = width; i < end && left > 0; --left) out[i++] = static_cast<Out>(x);
      return;
    }
    for (index_t k = 0; k < width; ++k) out[i + k] = static_cast<Out>(x);
    i += width;
  }
  for (; i < end; ++i) out[i] = detail::as_assigned<Out>(x);
}

/// Calls visit(i, s, r) for each element i of [0, n), once, in any order, where s
/// is the segment that i is in, and r = i - begin(s) is its rank there:
///
///     i          0  1  2 | 3  4 | | 5
///     lengths    3         2     0  1                  by_lengths(lengths)
///     s          0  0  0   1  1     3
///     r          0  1  2   0  1     0
///
/// Every tile has the same number of elements, whatever the lengths of the segments: nested loops
/// become one balanced loop over all elements.  If a visit has a member on(tile), each tile uses
/// its result instead.
///
/// Shapes   Segments of n elements in any form of core/segments.hpp, in the memory of `ex`.  By
///          heads, head bits and keys they are numbered from 0; their number is known only when the
///          call is done, and goes to the option `total_to`.  n may be 0.  Empty segments are not
///          visited.
/// Cost     With offsets O(n + tiles log k) work for k segments and O(log k) span; lengths are
///          scanned first; by heads, head bits and keys O(n) work and O(log n) span.  Moves the
///          descriptor, twice where segments must be counted.
/// Errors   contract_error if the segments are not of n elements.
/// Source   Baxter, "Moderngpu", 2013, load-balancing search; here each tile
///          searches for its first and last segment.
template <executor Ex, class S, class Visit, class... Options>
void for_each_in_segments(Ex const& ex, index_t n, S segments, Visit visit, Options... options) {
  RAVEL_EXPECT_SEGMENTS(S, Ex, "for_each_in_segments");
  RAVEL_EXPECT_OPTIONS("for_each_in_segments: the only option is total_to(...)", Ex,
                       detail::takes<detail::option::total>);
  expects(n >= 0, "for_each_in_segments: n is ", n);
  detail::for_each_in_segments_for(ex, "for_each_in_segments", n, segments, visit,
                                   detail::total_of(options...));
}

/// for_each_in_segments with a number of elements, the last offset, that is known only in the
/// memory of the executor.  Visits the first `most` elements.
///
///     i          0  1  2 | 3  4              most = 5
///     offsets    0  3  5  5  6
///
/// Shapes   offsets[k + 1] of any integer type, ascending from 0, in the memory of `ex`.
/// Cost     As for_each_in_segments of `most` elements.  Issued, not awaited.
template <executor Ex, class Offsets, class Visit>
void for_each_in_segments_within(Ex const& ex, index_t most, Offsets const& offsets, Visit visit) {
  static_assert(sequence_on<Offsets const&, Ex>,
                "for_each_in_segments_within: offsets is not a contiguous sequence in the "
                "executor's memory");
  using T = element_t<Offsets const&>;
  static_assert(std::integral<T>, "for_each_in_segments_within: offsets must be integers");
  expects(most >= 0, "for_each_in_segments_within: most is ", most);
  auto const segments = by_offsets(offsets);
  detail::verify_offsets(ex, "for_each_in_segments_within", offsets, detail::any_elements);
  T const* const end = segments.offsets.data() + segments.count();
  auto const within = segments.within(most);
  using Within = std::remove_const_t<decltype(within)>;
  if constexpr (std::same_as<space_of_t<Ex>, host_space>) {
    auto const n = static_cast<index_t>(*end);
    expects(n >= 0, "for_each_in_segments_within: the last offset is ", n);
    run_call(detail::own(ex), balance_call<Within, Visit>{n < most ? n : most, within, visit});
  } else {
    using Ahead = detail::visit_ahead_of<Visit, T>;
    run_call(detail::own(ex), balance_call<Within, Ahead>{most, within, {visit, end}});
  }
}

}  // namespace ravel::inline v0
