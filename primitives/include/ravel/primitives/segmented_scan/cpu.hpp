#pragma once

/// Segmented scan on the host: the table of forms, and the forms.
///
/// Sums, minima, maxima and bit operations of numbers are scanned in vector registers, in chained
/// tiles as in a scan, with the head flags of segments as words of bits.  Few elements are scanned
/// serially.

#include <ravel/core/cpu/chained_scan.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/primitives/cpu/scan_any_segments.hpp>
#include <ravel/primitives/cpu/scan_segments.hpp>
#include <ravel/primitives/scan/cpu.hpp>
#include <ravel/primitives/segmented_scan/call.hpp>
#include <ravel/primitives/segmented_scan/steps.hpp>

namespace ravel::inline v0 {
namespace cpu {
namespace detail {

/// Whether segments can be scanned one after another: they have numbers, and the scan is forward.
template <class Call>
inline constexpr bool scans_by_segment =
    bool{decltype(Call::segments)::numbered} && !Call::backward;
template <class Call>
inline constexpr bool scans_in_vectors = loops::known_of_segments<decltype(Call::m)>;
[[gnu::always_inline]] inline bool has_many_empty_segments(auto const& c) {
  return c.segments.count() > 4 * c.n;
}
/// A copy made member by member: g++ keeps a call that is copied as a whole in memory, for other
/// forms too.
template <class Call>
[[gnu::always_inline]] inline Call copied(Call const& c) {
  return {c.n, c.load, c.segments, c.visit, c.m, c.seed};
}
template <class Call>
inline constexpr index_t most_of_few = scans_in_vectors<Call> ? 31 : 63;

/// Scans element by element, with a test whether each is the first of its segment.
template <class Call>
[[gnu::always_inline]] inline void scan_flagged_in_turn(Call const& c) {
  using T = typename Call::value_type;
  tile const whole{0, 0, c.n};
  auto const load = ravel::detail::on_tile(c.load, whole);
  auto const segments = ravel::detail::on_tile(c.segments, whole);
  auto const visit = ravel::detail::on_tile(c.visit, whole);
  T through = T(c.seed());
  auto const scan = [&](index_t i) __attribute__((always_inline)) {
    bool const first = Call::backward ? segments.tail(i) : segments.head(i);
    T const before = first ? T(c.seed()) : through;
    through = c.then(before, T(load(i)));
    visit(i, before, through);
  };
  if constexpr (Call::backward) {
    for (index_t i = c.n; i-- > 0;) scan(i);
  } else {
    for (index_t i = 0; i < c.n; ++i) scan(i);
  }
}
/// scan_flagged_in_turn, out of line, since it is rarely called: so that more frequent forms are
/// inlined.
[[gnu::noinline]] void scan_flagged_out_of_line(auto const& c) { scan_flagged_in_turn(c); }

/// Scans in tiles, after elements whose open segment has the total `before`.  Out of line, so that the
/// forms of few elements inline into their callers.
template <class Ex, class Scan, class T = typename Scan::T>
[[gnu::noinline]] void scan_segments_in_tiles(Ex const& ex, Scan const& scan, flagged<T> before) {
  index_t const n = scan.c.n;
  if (std::same_as<Ex, sequential> || n < Scan::width * Scan::tiles_of_one) {
    scan.scan({0, 0, n}, before, {0, n, n});
    fence_results(n);
  } else {
    chained_scan(ex, div_up(n, Scan::width), before, scan.monoid(), scan, scan.least());
  }
}

}  // namespace detail

/// Whether a segmented scan can be one of several pieces, by the two functions below: whether it is made
/// in vectors.
template <class Call>
inline constexpr bool scans_pieces_of_segments = detail::scans_in_vectors<Call>;

/// The total of the last segment of a scan, which pieces after this one may continue, and whether it
/// begins in this one.
///
/// Cost     Reads each block of 2^18 elements from its last segment on.
template <class Ex, class Call>
requires scans_pieces_of_segments<Call>
auto total_of_open_segment(Ex const& ex, Call const& c) {
  using scan_type = detail::scan_of_segments<Call>;
  scan_type const scan{detail::copied(c), false};
  constexpr index_t width = index_t{1} << 18;
  auto const totals = ex.template scratch<flagged<typename scan_type::T>>(div_up(c.n, width));
  ex.for_each_tile_of(width, c.n, [&](worker, tile t) { totals[t.id] = scan.total_of(t); });
  auto const m = scan.monoid();
  auto sum = m.identity();
  for (auto const& total : totals) sum = m(sum, total);
  return sum;
}
/// Scans a piece after others, whose open segment has the total `before`.  Segments may say that the
/// first element, backward the last, begins none.
template <class Ex, class Call, class T = typename Call::value_type>
requires scans_pieces_of_segments<Call>
void scan_piece_of_segments(Ex const& ex, Call const& c, flagged<T> before) {
  if (c.n == 0) return;
  detail::scan_segments_in_tiles(
      ex, detail::scan_of_segments<Call>{detail::copied(c), detail::streams_results(c)}, before);
}

struct scan_few_segments {
  static constexpr auto name = "few_segments";
  static constexpr auto why =
      "A loop over the elements of each segment, which needs no heads.  Short segments that are "
      "not scanned in vectors take no longer in it than their heads take to be found.";
  template <class Call>
  static constexpr auto types =
      needs(detail::fits_cache<Call>,
            need{detail::scans_by_segment<Call>,
                 "a scan forward of segments that have numbers, as those of offsets"});
  template <class Call>
  [[gnu::always_inline]] static auto now(Call const& c, host const&) {
    bool const few = detail::are_one_tile(c.n, detail::most_of_few<Call>);
    bool const short_ones = !detail::scans_in_vectors<Call> && detail::are_one_tile(c.n, 4096) &&
                            8 * c.segments.count() > c.n;
    return needs(
        need{few || short_ones,
             "1 to 63 elements, 31 of numbers that vectors scan; else up to 4096 in segments "
             "of fewer than 8 on average"},
        need{!detail::has_many_empty_segments(c), "at most 4 times as many segments"});
  }
  template <class Ex, class Call>
  [[gnu::always_inline]] static void run(Ex const&, Call const& c) {
    using T = typename Call::value_type;
    ravel::detail::assume(c.n > 0);
    auto const load = ravel::detail::on_tile(c.load, {0, 0, c.n});
    auto const visit = ravel::detail::on_tile(c.visit, {0, 0, c.n});
    for (index_t s = 0, i = 0; i < c.n; ++s) {
      index_t const end = c.segments.begin(s + 1);
      T before = T(c.seed());
      for (; i < end; ++i) {
        T const through = c.m(before, T(load(i)));
        visit(i, before, through);
        before = through;
      }
    }
  }
};

struct scan_few_among_empty_segments {
  static constexpr auto name = "few_among_empty_segments";
  static constexpr auto why =
      "One by one: it takes longer to go through empty segments than to search for the heads of "
      "elements.";
  template <class Call>
  static constexpr auto types = scan_few_segments::types<Call>;
  [[gnu::always_inline]] static auto now(auto const& c, host const&) {
    return needs(need{detail::are_one_tile(c.n, 4096) && detail::has_many_empty_segments(c),
                      "1 to 4096 elements, and 4 times as many segments"});
  }
  [[gnu::always_inline]] static void run(auto const&, auto const& c) {
    auto const copy = detail::copied(c);
    detail::scan_flagged_out_of_line(copy);
  }
};

struct scan_few_flagged {
  static constexpr auto name = "few";
  static constexpr auto why =
      "One by one, inlined into the caller: nothing need be made ready.  More than 31 heads of "
      "segments are mispredicted too often.";
  template <class Call>
  static constexpr auto types = needs(detail::fits_cache<Call>,
                                      need{!detail::scans_by_segment<Call>,
                                           "heads, or a scan backward"});
  template <class Call>
  [[gnu::always_inline]] static constexpr auto now(Call const& c, host const&) {
    return needs(need{detail::are_one_tile(c.n, detail::most_of_few<Call>),
                      "1 to 63 elements, 31 of numbers that vectors scan"});
  }
  template <class Ex, class Call>
  [[gnu::always_inline]] static void run(Ex const&, Call const& c) {
    ravel::detail::assume(detail::are_one_tile(c.n, detail::most_of_few<Call>));
    detail::scan_flagged_in_turn(c);
  }
};

struct scan_segments {
  static constexpr auto name = "segments_of_numbers";
  static constexpr auto why =
      "Chained tiles in vector registers, where 64 heads are a word of bits, which mask the steps "
      "of a scan in a register: 2^27 i32 by two threads of an EPYC in 33 ms.";
  template <class Call>
  static constexpr auto types = needs(need{
      detail::scans_in_vectors<Call>,
      "plus, a minimum, a maximum or a bit operation of numbers of 4 or 8 bytes"});
  template <class Ex, class Call>
  [[gnu::always_inline]] static void run(Ex const& ex, Call const& c) {
    detail::scan_of_segments<Call> const scan{detail::copied(c), detail::streams_results(c)};
    detail::scan_segments_in_tiles(ex, scan, scan.monoid().identity());
  }
};

struct scan_any_segments {
  static constexpr auto name = "any";
  static constexpr auto why =
      "Any load, visit and monoid, one by one in chained tiles, by a loop over each segment.";
  template <class Call>
  static constexpr auto types = needs(detail::fits_cache<Call>);
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    detail::scan_of_any_segments<Call> const scan{detail::copied(c)};
    detail::scan_segments_in_tiles(ex, scan, scan.monoid().identity());
  }
};

}  // namespace cpu

template <>
struct form_table<segmented_scan_family, cpu::host>
    : forms<cpu::scan_few_segments, cpu::scan_few_among_empty_segments, cpu::scan_few_flagged,
            segmented_scan_no_elements, cpu::scan_segments, cpu::scan_any_segments,
            segmented_scan_by_flags> {};

}  // namespace ravel::inline v0
