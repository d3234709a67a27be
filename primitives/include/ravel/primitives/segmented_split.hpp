#pragma once

/// @file
/// Segmented split: the elements of each segment by a digit, in order, and the begins of each
/// digit.

#include <ravel/core/checked.hpp>
#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/readable.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/readable_segments.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/split.hpp>
#include <ravel/primitives/split_parts.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace ravel::inline v0 {

/// A visit of a segmented split.  Data common to all elements of a segment is computed once where
/// possible:
///
///     of = visit.of_segment(s, begin(s))       x = visit.load(of, i)
///     visit.digit(of, x)                       visit.store(x, d, place)
///
/// No load reads what a store writes.
template <class Visit>
concept visits_split = requires(Visit const& visit, index_t i, int d) {
  {
    visit.digit(visit.of_segment(i, i), visit.load(visit.of_segment(i, i), i))
    } -> std::convertible_to<int>;
  visit.store(visit.load(visit.of_segment(i, i), i), d, i);
};

namespace detail {

/// One count per digit of preceding elements is stored for every so many elements.
inline constexpr index_t elements_of_split_note = 8;

/// The digit of an element, as a count of one.
template <int Ways, class Segments, class Visit>
struct digit_in_segment {
  using of_segment = decltype(std::declval<Visit const&>().of_segment(index_t{}, index_t{}));
  Segments segments;
  Visit visit;

  RAVEL_HD auto on(tile t) const {
    return digit_in_segment<Ways, on_tile_t<Segments>, Visit>{on_tile(segments, t), visit};
  }
  RAVEL_HD of_segment of(index_t i) const {
    index_t const s = segments.segment(i);
    return visit.of_segment(s, segments.begin(s));
  }
  RAVEL_HD digit_counts<Ways - 1> operator()(index_t i) const {
    auto const of_i = of(i);
    int const d = visit.digit(of_i, visit.load(of_i, i));
    digit_counts<Ways - 1> one{};
    if (d > 0) one.of[d - 1] = 1;
    return one;
  }
};

template <int Ways>
RAVEL_HD index_t ahead_of_digit(digit_counts<Ways - 1> const& before, index_t i, int d) {
  if (d > 0) return before.of[d - 1];
  for (int k = 0; k < Ways - 1; ++k) i -= before.of[k];
  return i;
}

/// Stores each element, and the count of each digit before each group of elements.
template <int Ways, class Elements>
struct store_by_digit {
  Elements elements;
  digit_counts<Ways - 1>* notes;

  RAVEL_HD auto on(tile t) const {
    return store_by_digit<Ways, on_tile_t<Elements>>{on_tile(elements, t), notes};
  }
  RAVEL_HD void operator()(index_t i, digit_counts<Ways - 1> const& before,
                           digit_counts<Ways - 1> const&) const {
    if (i % elements_of_split_note == 0) notes[i / elements_of_split_note] = before;
    auto const of = elements.of(i);
    auto const x = elements.visit.load(of, i);
    int const d = elements.visit.digit(of, x);
    elements.visit.store(x, d, ahead_of_digit<Ways>(before, i, d));
  }
};
template <int Many>
struct note_digits {
  digit_counts<Many>* note;
  RAVEL_HD void operator()(digit_counts<Many> const& total) const { *note = total; }
};

template <int Ways, class Segments, class Elements, class Begins>
struct pass_begins_of_digits {
  Segments segments;
  Elements all;
  Begins begins;
  index_t n;
  digit_counts<Ways - 1> const* notes;

  RAVEL_HD void operator()(index_t s) const {
    index_t const begin = segments.begin(s);
    bool const at_end = begin == n;
    auto ahead = notes[at_end ? div_up(n, elements_of_split_note) : begin / elements_of_split_note];
    if (!at_end) {
      index_t const first = begin / elements_of_split_note * elements_of_split_note;
      auto const elements = on_tile(all, {0, first, begin + 1});
      for (index_t i = first; i < begin; ++i) {
        ahead = add_digit_counts<Ways - 1>{}(ahead, elements(i));
      }
    }
    for (int d = 0; d < Ways; ++d) begins(d, s, ahead_of_digit<Ways>(ahead, begin, d));
  }
};

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
    if (place < to.room[d]) to.to[d][place] = static_cast<Out>(x);
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
                    split_segments<Ways, Digit, In, Out> const& by) {
  verify_below(ex, call, "part", n, number_in_segment<Ways, Segments, Digit, In, Out>{segments, by},
               Ways);
}

template <int Ways, class O>
struct store_begins {
  O* offsets[Ways];
  RAVEL_HD void operator()(int d, index_t s, index_t begin) const {
    offsets[d][s] = static_cast<O>(begin);
  }
};

}  // namespace detail

/// Visits each i of [0, n) with its position among the elements of its digit, and passes on where
/// the elements of each digit of each segment begin among all of that digit:
///
///     d = visit.digit(of, x)                      in [0, Ways), where of and x are as above
///     visit.store(x, d, #{j < i : digit(j) = d})
///     begins(d, s, #{j < begin(s) : digit(j) = d})      for each d, and s of [0, segments.count()]
///
/// The last begin, after all segments, is the number of elements with the digit.
///
/// Shapes   Segments of n elements, by offsets or uniform.  n may be 0.
/// Order    Calls are made in any order.  load and digit may be called any number of times, and
///          must return the same each time.
/// Cost     O(n + k) work for k segments, O(log n) span, and 8 (Ways - 1) bytes of scratch for each
///          8 elements.  Loads each element twice, and up to seven again for each segment; on a
///          device, for up to four ways of fewer than 2^31 elements, once.
/// Source   Blelloch, "Vector Models for Data-Parallel Computing", 1990: split of a segmented
///          vector, as in his quicksort.
/// See also segmented_pack_on, which keeps one digit.
template <int Ways, executor Ex, class Segments, class Visit, class Begins>
void segmented_split_on(Ex const& ex, index_t n, Segments segments, Visit visit, Begins begins) {
  static_assert(2 <= Ways && Ways <= 8, "segmented_split_on: the ways are from 2 to 8");
  static_assert(Segments::numbered, "segmented_split_on: the segments are by offsets or uniform");
  static_assert(visits_split<Visit>,
                "segmented_split_on: the visit has of_segment, load, digit and store");
  using counts = detail::digit_counts<Ways - 1>;
  using sum = detail::add_digit_counts<Ways - 1>;
  using elements = detail::digit_in_segment<Ways, Segments, Visit>;
  elements const all{segments, visit};
  index_t const of_total = div_up(n, detail::elements_of_split_note);
  auto const notes = ex.template scratch<counts>(of_total + 1);
  scan_on(ex, n, all, detail::store_by_digit<Ways, elements>{all, notes.data()}, sum{},
          detail::seed_identity<sum>{{}}, detail::note_digits<Ways - 1>{notes.data() + of_total});
  for_each_index(ex, segments.count() + 1,
                 detail::pass_begins_of_digits<Ways, Segments, elements, Begins>{
                     segments, all, begins, n, notes.data()});
}

/// The same on a checked executor: there is nothing to verify.
template <int Ways, executor Ex, class Segments, class Visit, class Begins>
void segmented_split_on(checked_executor<Ex> const& ex, index_t n, Segments segments, Visit visit,
                        Begins begins) {
  segmented_split_on<Ways>(ex.own(), n, segments, visit, begins);
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
template <executor Ex, class In, class Digit, class S, int Ways, class T, class O, class Space>
void segmented_split(Ex const& ex, In const& in, Digit const& digit, S segments,
                     split_parts<Ways, T, Space> outs, split_parts<Ways, O, Space> offsets_out) {
  static_assert(range_on<In const&, Ex> && std::same_as<Space, space_of_t<Ex>>,
                "segmented_split: in, the parts or their offsets are not contiguous sequences in "
                "the executor's memory");
  static_assert(segments_on<S, Ex>,
                "segmented_split: segments is not a descriptor in the executor's memory");
  static_assert(std::integral<O>, "segmented_split: the offsets must be integers");
  auto const& all = detail::sequence_of(ex, "segmented_split", in);
  using From = element_t<decltype(all)>;
  static_assert(std::is_invocable_r_v<int, Digit const&, From const&> ||
                    std::is_invocable_r_v<int, Digit const&, From const&, index_t>,
                "segmented_split: digit is no function of an element, or of it and its segment");
  auto const from = view_of(all);
  detail::readable_segments<Ex, S> const readable(ex, segments, from.size(), "segmented_split");
  detail::split_segments<Ways, Digit, From, T> visit{from.data(), digit, {}};
  detail::store_begins<Ways, O> begins{};
  for (int d = 0; d < Ways; ++d) {
    visit.to.to[d] = outs.of[d].data();
    visit.to.room[d] = outs.of[d].size();
    begins.offsets[d] = offsets_out.of[d].data();
    expects(offsets_out.of[d].size() == segments.count() + 1,
            "segmented_split: the offsets of part ", d, " have ", offsets_out.of[d].size(),
            " elements, and there are ", segments.count(), " segments");
  }
  detail::verify_numbers(ex, "segmented_split", from.size(), readable.get(), visit);
  segmented_split_on<Ways>(ex, from.size(), readable.get(), visit, begins);
}

}  // namespace ravel::inline v0

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/segmented_split.cuh>  // in one pass
#endif
