#pragma once

/// Segmented split: the elements of each segment by a digit, in order, and the begins of each
/// digit.

#include <ravel/primitives/readable_segments.hpp>
#include <ravel/primitives/segmented_split/call.hpp>
#include <ravel/primitives/segmented_split/cpu.hpp>
#include <ravel/primitives/segmented_split/steps.hpp>
#include <ravel/primitives/split.hpp>
#include <ravel/primitives/split_parts.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/segmented_split.cuh>  // in one pass
#endif

namespace ravel::inline v0 {

namespace detail {

/// An output for each digit.
template <int Ways, class Digit, class In, class Out>
struct split_segments {
  In const* from;
  Digit digit_of;
  split_places<Ways, Out> to;

  RAVEL_HD index_t of_segment(index_t s, index_t) const { return s; }
  RAVEL_HD In load(index_t, index_t i) const { return from[i]; }
  RAVEL_HD int digit(index_t s, In const& x) const { return nearest_digit<Ways>(number(s, x)); }
  /// The result of the caller's function.
  RAVEL_HD int number(index_t s, In const& x) const {
    if constexpr (std::is_invocable_v<Digit const&, In const&, index_t>) {
      return static_cast<int>(digit_of(x, s));
    } else {
      return static_cast<int>(digit_of(x));
    }
  }
  RAVEL_HD void store(In const& x, int d, index_t place) const {
    if (place < to.room[d]) to.to[d][place] = detail::as_assigned<Out>(x);
  }
};
/// The function's result for each element, to be verified.
template <int Ways, class Segments, class Digit, class In, class Out>
struct number_in_segment {
  Segments segments;
  split_segments<Ways, Digit, In, Out> by;

  RAVEL_HD auto on(tile t) const {
    return number_in_segment<Ways, on_tile_t<Segments>, Digit, In, Out>{on_tile(segments, t), by};
  }
  RAVEL_HD int operator()(index_t i) const { return by.number(segments.segment(i), by.from[i]); }
};
template <class Ex, class Segments, int Ways, class Digit, class In, class Out>
void verify_numbers(Ex const& ex, char const* call, index_t n, Segments const& segments,
                    split_segments<Ways, Digit, In, Out> const& split) {
  verify_below(ex, call, "part", n,
               number_in_segment<Ways, Segments, Digit, In, Out>{segments, split}, Ways);
}

template <int Ways, class O>
struct store_begins {
  O* offsets[Ways];
  RAVEL_HD void operator()(int d, index_t s, index_t begin) const {
    offsets[d][s] = static_cast<O>(begin);
  }
};

}  // namespace detail

/// Splits [0, n) by digits: for each i it calls `visit.store` with the position of the element
/// among those of its digit.  It calls `begins` with where each segment begins among them.  In
/// segment s, with of = visit.of_segment(s, begin(s)) and x = visit.load(of, i),
///
///     d = visit.digit(of, x)                      in [0, Ways)
///     visit.store(x, d, #{j < i : digit(j) = d})
///     begins(d, s, #{j < begin(s) : digit(j) = d})      for each d, and s of [0, segments.count()]
///
/// The last begin, after all segments, is the number of elements with the digit.
///
/// Shapes   Segments of n elements, by offsets or uniform.  n may be 0.
/// Order    Calls are made in any order.  load and digit may be called any number of times, and
///          must return the same each time.
/// Cost     O(n + k) work for k segments, O(log n) span.  On the host loads each element twice, of at most
///          2^14 elements or on one thread once.  Elsewhere 8 (Ways - 1) bytes of scratch for each 8
///          elements, and loads each element twice, and up to seven again for each segment; on a
///          device, for up to four ways of fewer than 2^31 elements, once.
/// Source   Blelloch, "Vector Models for Data-Parallel Computing", 1990: split of a segmented
///          vector, as in his quicksort.
/// See also segmented_pack_on, which keeps one digit.
template <int Ways, executor Ex, class Segments, class Visit, class Begins>
void segmented_split_on(Ex const& ex, index_t n, Segments segments, Visit visit, Begins begins) {
  run_call(detail::own(ex), describe_segmented_split_on<Ways>(n, segments, visit, begins));
}

/// Writes the elements of each digit to an output of their own, in order, and where those of each
/// segment begin there:
///
///     in              3 1 2 | 5 4 | | 6
///     digit           x mod 2
///     even            2 4 6             offsets of even    0 1 2 2 3
///     odd             3 1 5             offsets of odd     0 2 3 3 3
///
///     segmented_split(ex, in, is_odd, by_offsets(offsets), parts(even, odd), parts(o, p))
///
/// `digit` is a function of an element, or of an element and the number of its segment, with
/// values in [0, Ways), as many as there are parts: from 2 to 8.  Any other value counts as
/// Ways - 1.
///
/// Shapes   in[n] in segments by offsets, by lengths or uniform, outputs of any size and one
///          element type, all in the memory of `ex`: elements that an output has no room for are
///          counted and not written.  Offsets have one element more than there are segments.  No
///          output overlaps anything.  n may be 0.
/// Cost     O(n + k) work for k segments, O(log n) span.  On a device up to four parts take one
///          pass, which moves 2 n elements and 1 + Ways sets of offsets.  Otherwise elements are
///          read twice.
/// Errors   contract_error if the sizes do not fit.  Issued, not awaited.
/// See also split, for one segment; segmented_pack, which keeps one part.
template <local_executor Ex, class In, class Digit, class S, int Ways, class T, class O,
          class Space>
void segmented_split(Ex const& ex, In const& in, Digit const& digit, S segments,
                     split_parts<Ways, T, Space> outs, split_parts<Ways, O, Space> offsets_out) {
  static_assert(range_on<In const&, Ex> && std::same_as<Space, space_of_t<Ex>>,
                "segmented_split: in, the parts or their offsets are not contiguous sequences in "
                "the executor's memory");
  static_assert(segments_on<S, Ex>,
                "segmented_split: segments is not a descriptor in the executor's memory");
  static_assert(std::integral<O>, "segmented_split: the offsets must be integers");
  auto const& seq = detail::sequence_of(ex, "segmented_split", in);
  using From = element_t<decltype(seq)>;
  static_assert(std::is_invocable_r_v<int, Digit const&, From const&> ||
                    std::is_invocable_r_v<int, Digit const&, From const&, index_t>,
                "segmented_split: digit is no function of an element, or of it and its segment");
  auto const src = view_of(seq);
  detail::readable_segments<Ex, S> const readable(ex, segments, src.size(), "segmented_split");
  detail::split_segments<Ways, Digit, From, T> visit{src.data(), digit, {}};
  detail::store_begins<Ways, O> begins{};
  for (int d = 0; d < Ways; ++d) {
    visit.to.to[d] = outs.of[d].data();
    visit.to.room[d] = outs.of[d].size();
    begins.offsets[d] = offsets_out.of[d].data();
    expects(offsets_out.of[d].size() == segments.count() + 1,
            "segmented_split: the offsets of part ", d, " have ", offsets_out.of[d].size(),
            " elements, and there are ", segments.count(), " segments");
  }
  detail::verify_numbers(ex, "segmented_split", src.size(), readable.get(), visit);
  segmented_split_on<Ways>(ex, src.size(), readable.get(), visit, begins);
}

}  // namespace ravel::inline v0
