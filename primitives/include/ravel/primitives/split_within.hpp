#pragma once

/// Split within segments: reorders the elements of each segment by a digit.

#include <ravel/primitives/readable_segments.hpp>
#include <ravel/primitives/segmented_split.hpp>
#include <ravel/primitives/split.hpp>
#include <ravel/primitives/split_within/call.hpp>
#include <ravel/primitives/split_within/cpu.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/split_within.cuh>  // one warp for each short segment
#endif

namespace ravel::inline v0 {
namespace detail {

/// One output, and one set of offsets.
template <int Ways, class Digit, class In, class Out>
struct split_in_place_of_segments {
  split_segments<Ways, Digit, In, Out> by;
  Out* to;

  RAVEL_HD index_t of_segment(index_t s, index_t begin) const { return by.of_segment(s, begin); }
  RAVEL_HD In load(index_t s, index_t i) const { return by.load(s, i); }
  RAVEL_HD int digit(index_t s, In const& x) const { return by.digit(s, x); }
  RAVEL_HD void store(In const& x, int, index_t place) const { to[place] = static_cast<Out>(x); }
};
template <int Ways, class O>
struct store_begins_within {
  O* offsets;
  RAVEL_HD void operator()(int d, index_t s, index_t begin) const {
    offsets[s * Ways + d] = static_cast<O>(begin);
  }
};

}  // namespace detail

/// Orders the elements of each segment by digit, stably: for each i of [0, n) it calls
/// `visit.store` with the new position of the element.  It calls `begins` with the position where
/// each digit of each segment begins.  In segment s, with of = visit.of_segment(s, begin(s)) and
/// x = visit.load(of, i),
///
///     d = visit.digit(of, x)                      in [0, Ways)
///     visit.store(x, d, begin(s, d) + #{j < i : segment(j) = s, digit(j) = d})
///     begins(d, s, begin(s, d))                   for each segment s and each d, and
///     begins(0, segments.count(), n)
///
/// with begin(s, d) = begin(s) + #{j : segment(j) = s, digit(j) < d}, for the segment s of i.
///
/// Shapes   Segments of n elements, by offsets or uniform.  n may be 0.
/// Order    Calls are made in any order, for segments that have elements.  load and digit may be
///          called any number of times, and must return the same each time: no load reads what a
///          store writes.
/// Cost     O(n + Ways k) work for k segments, O(log n) span, and 16 Ways bytes of scratch for each
///          segment; on a device 8 bytes for each, and 8 Ways bytes for each tile of long segments.
///          Loads each element two or three times; on a device once in segments of up to 256
///          elements.
/// Source   Ashkiani, Davidson, Meyer and Owens, "GPU Multisplit", PPoPP 2016, for each segment.
/// See also segmented_split_on, with an output for each digit.
template <int Ways, executor Ex, class Segments, class Visit, class Begins>
void split_within_on(Ex const& ex, index_t n, Segments segments, Visit visit, Begins begins) {
  run_call(detail::own(ex), describe_split_within_on<Ways>(n, segments, visit, begins));
}

/// Orders the elements of each segment by digit, and writes where those of each digit begin:
///
///     in              3 1 2 | 5 4 | | 6
///     digit           x mod 2
///     out             2 3 1 | 4 5 | | 6
///     offsets         0 1 3   4 5 5 6 6        of 2 | 3 1 | 4 | 5 | | | 6 |
///
///     split_within<2>(ex, in, is_odd, by_offsets(segments), out, offsets_to(offsets))
///
/// `digit` is a function of an element, or of an element and the number of its segment, with
/// values in [0, Ways).  Any other value counts as Ways - 1.
///
/// Shapes   in[n] in segments by offsets, by lengths or uniform, out[n], and Ways k + 1 offsets
///          for k segments, all in the memory of `ex`.  No output overlaps anything.  n may be 0.
///          Ways is from 1 to 256.
/// Order    Stable.
/// Cost     O(n + Ways k) work, O(log n) span.  On a device, up to 32 ways of elements of up to 16
///          bytes move 2 n elements where segments are short, and read segments of more than 256
///          elements once more.
/// Errors   contract_error if the sizes do not fit.  Issued, not awaited.
/// Source   See split_within_on.
/// See also segmented_split, with an output for each part; split, for one segment.
template <int Ways, executor Ex, class In, class Digit, class S, class Out, class O, class Space>
void split_within(Ex const& ex, In const& in, Digit const& digit, S segments, Out&& out,
                  offsets_to_elements<O, Space> offsets) {
  static_assert(
      range_on<In const&, Ex> && writable_on<Out, Ex> && std::same_as<Space, space_of_t<Ex>>,
      "split_within: in, out or the offsets are not contiguous, writable and in the "
      "executor's memory");
  static_assert(segments_on<S, Ex>,
                "split_within: segments is not a descriptor in the executor's memory");
  auto const& seq = detail::sequence_of(ex, "split_within", in);
  using From = element_t<decltype(seq)>;
  using To = element_t<Out>;
  static_assert(std::is_invocable_r_v<int, Digit const&, From const&> ||
                    std::is_invocable_r_v<int, Digit const&, From const&, index_t>,
                "split_within: digit is no function of an element, or of it and its segment");
  auto const src = view_of(seq);
  auto const dst = view_of(out);
  expects(dst.size() == src.size(), "split_within: out has ", dst.size(), " elements, and in has ",
          src.size());
  detail::readable_segments<Ex, S> const readable(ex, segments, src.size(), "split_within");
  expects(offsets.offsets.size() == Ways * segments.count() + 1, "split_within: there are ",
          offsets.offsets.size(), " offsets, and ", Ways, " parts of each of ", segments.count(),
          " segments need ", Ways * segments.count() + 1);
  using visit = detail::split_in_place_of_segments<Ways, Digit, From, To>;
  visit const split{{src.data(), digit, {}}, dst.data()};
  detail::verify_numbers(ex, "split_within", src.size(), readable.get(), split.by);
  split_within_on<Ways>(ex, src.size(), readable.get(), split,
                        detail::store_begins_within<Ways, O>{offsets.offsets.data()});
}

}  // namespace ravel::inline v0
