#pragma once

/// Segmented split on any executor: a scan of the counts of digits, some of which are stored for
/// the begins of segments.

#include <ravel/primitives/map.hpp>
#include <ravel/primitives/scan_on.hpp>
#include <ravel/primitives/segment_visits.hpp>
#include <ravel/primitives/segmented_split/call.hpp>
#include <ravel/primitives/split/steps.hpp>

namespace ravel::inline v0 {

namespace detail {

/// The number of preceding elements of each digit is stored once for every so many elements.
inline constexpr index_t elements_of_split_note = 8;

/// The load of that scan: a count of one for the digit of an element.
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

/// The visit of that scan: stores each element, and, before each group of elements, the number of
/// preceding elements of each digit.
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
    auto const opened = elements.of(i);
    auto const x = elements.visit.load(opened, i);
    int const d = elements.visit.digit(opened, x);
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

}  // namespace detail

struct segmented_split_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why = "Any executor: a scan of counts, and a pass.";
  template <class Ex, int Ways, class Segments, class Visit, class Begins>
  static void run(Ex const& ex, segmented_split_call<Ways, Segments, Visit, Begins> const& c) {
    using counts = detail::digit_counts<Ways - 1>;
    using sum = detail::add_digit_counts<Ways - 1>;
    using elements = detail::digit_in_segment<Ways, Segments, Visit>;
    elements const all{c.segments, c.visit};
    index_t const of_total = div_up(c.n, detail::elements_of_split_note);
    auto const notes = ex.template scratch<counts>(of_total + 1);
    scan_on(ex, c.n, all, detail::store_by_digit<Ways, elements>{all, notes.data()}, sum{},
            detail::seed_identity<sum>{{}}, detail::note_digits<Ways - 1>{notes.data() + of_total});
    for_each_index(ex, c.segments.count() + 1,
                   detail::pass_begins_of_digits<Ways, Segments, elements, Begins>{
                       c.segments, all, c.begins, c.n, notes.data()});
  }
};

/// The family of calls of segmented splits.
struct segmented_split_family : call_family_with_devices<segmented_split_by_steps> {};

}  // namespace ravel::inline v0
