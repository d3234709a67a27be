#pragma once

/// Segmented scan of any values on the host: one thread's work on a tile, one by one.

#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/std_algorithm.hpp>
#include <ravel/primitives/cpu/scan_numbers.hpp>

namespace ravel::inline v0::cpu::detail {

/// The work of one thread on tiles, which are numbered in the order of the scan: that of memory or
/// its reverse.  Segments that have numbers are scanned one after another, by a loop that tests no
/// head; others by a loop that tests whether each element is the first of its segment.
template <class Call>
struct scan_of_any_segments {
  using T = typename Call::value_type;
  using monoid_of_values = std::remove_const_t<decltype(Call::m)>;
  static constexpr bool back = Call::backward;
  static constexpr bool numbered = bool{decltype(Call::segments)::numbered};
  using M = std::conditional_t<back, flipped<monoid_of_values>, monoid_of_values>;
  static constexpr index_t width = std::min(scan_width<T>, index_t{1} << 14);  // of a tile
  static constexpr index_t tiles_of_one = 4;

  Call c;

  segmented<M> monoid() const { return {M{c.m}}; }
  nanoseconds least() const { return nanoseconds{c.n}; }

  // The members that a chained scan over tiles calls (core/cpu/chained_scan.hpp).
  flagged<T> total(index_t t) const {
    tile const here = in_memory(nth_tile(t, width, c.n));
    auto const segments = ravel::detail::on_tile(c.segments, here);
    // the elements of the tile in its last segment
    tile open = here;
    bool begins = false;
    if constexpr (numbered && back) {
      index_t const end = segments.begin(segments.segment(here.begin) + 1);
      begins = end <= here.end;
      open.end = std::clamp(end, here.begin, here.end);
    } else if constexpr (numbered) {
      index_t const begin = segments.begin(segments.segment(here.end - 1));
      begins = begin >= here.begin;
      open.begin = std::clamp(begin, here.begin, here.end);
    } else if constexpr (back) {
      for (open.end = here.begin; !begins && open.end < here.end;) {
        begins = segments.tail(open.end++);
      }
    } else {
      for (open.begin = here.end; !begins && open.begin > here.begin;) {
        begins = segments.head(--open.begin);
      }
    }
    auto const load = ravel::detail::on_tile(c.load, open);
    auto const no_visit = [](index_t, T const&, T const&) {};
    return {scan_one(load, no_visit, open, begins ? T(c.seed()) : T(c.m.identity())), begins};
  }
  auto visit(index_t t, flagged<T> const& before, index_t) const {
    flagged<T> const through = scan(nth_tile(t, width, c.n), before, {});
    if constexpr (groups_freely<M>) return through;
  }

  /// Scans a tile, after elements whose open segment has the total `before`, and returns that of the
  /// segment that is open at its end.
  flagged<T> scan(tile t, flagged<T> const& before, tile) const {
    tile const here = in_memory(t);
    auto const load = ravel::detail::on_tile(c.load, here);
    auto const segments = ravel::detail::on_tile(c.segments, here);
    auto const visit = ravel::detail::on_tile(c.visit, here);
    if constexpr (numbered) {
      return {scan_each(load, segments, visit, here, before.value), true};
    } else {
      T carry = before.value;
      for (index_t k = 0; k < here.end - here.begin; ++k) {
        index_t const i = back ? here.end - 1 - k : here.begin + k;
        if (back ? segments.tail(i) : segments.head(i)) carry = T(c.seed());
        carry = scan_one(load, visit, {t.id, i, i + 1}, carry);
      }
      return {carry, true};
    }
  }

 private:
  tile in_memory(tile t) const { return back ? tile{t.id, c.n - t.end, c.n - t.begin} : t; }

  /// Scans elements of one segment.
  template <class Load, class Visit>
  [[gnu::always_inline]] T scan_one(Load const& load, Visit const& visit, tile part,
                                    T carry) const {
    index_t const n = part.end - part.begin;
    for (index_t k = 0; k < n; ++k) {
      index_t const i = back ? part.end - 1 - k : part.begin + k;
      T const through = c.then(carry, T(load(i)));
      visit(i, carry, through);
      carry = through;
    }
    return carry;
  }

  /// Scans a tile by its segments.  Where most are empty, they are skipped by a search.  Nothing
  /// outside of the tile is written if offsets descend.
  template <class Load, class Segments, class Visit>
  T scan_each(Load const& load, Segments const& segments, Visit const& visit, tile here,
              T carry) const {
    bool const searches = c.segments.count() > 4 * c.n;
    index_t const last = segments.segment(back ? here.begin : here.end - 1);
    index_t s = segments.segment(back ? here.end - 1 : here.begin);
    for (tile rest = here; rest.begin < rest.end;) {
      tile part = rest;
      if constexpr (back) {
        if (segments.begin(s + 1) == rest.end) carry = T(c.seed());
        if (s > last) part.begin = std::clamp(segments.begin(s), rest.begin, rest.end);
        rest.end = part.begin;
        s = searches && rest.begin < rest.end ? segments.segment(rest.end - 1) : s - 1;
      } else {
        if (segments.begin(s) == rest.begin) carry = T(c.seed());
        if (s < last) part.end = std::clamp(segments.begin(s + 1), rest.begin, rest.end);
        rest.begin = part.end;
        s = searches && rest.begin < rest.end ? segments.segment(rest.begin) : s + 1;
      }
      carry = scan_one(load, visit, part, carry);
    }
    return carry;
  }
};

}  // namespace ravel::inline v0::cpu::detail
