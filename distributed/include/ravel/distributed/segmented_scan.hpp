#pragma once

/// @file
/// Segmented scan over all ranks: segmented_inclusive_scan and segmented_exclusive_scan of
/// distributed sequences.
///
///     segmented_inclusive_scan(ex, x, by_heads(flags), y);
///     segmented_exclusive_scan(ex, x, by_heads(flags), y, maximum{}, backward, from(3));
///
/// `x`, `flags` and `y` have the same pieces.  A segment may lie over any number of ranks.  It is the
/// scan of values with head flags, by the monoid lifted over them, so a rank's carry is the
/// combination of its last, open segment, and whether a head was seen.
///
/// Segments by heads alone: offsets, lengths and keys have no form for several ranks.
/// Options  from(...), backward.
/// Order    `m` is applied in the order of elements and need not be commutative.
/// Cost     Each rank reads its piece twice and writes it once.  Waits for the first flag of each.
/// Volume   One value of the monoid with a flag, and two bytes, to each other rank.

#include <ravel/core/config.hpp>
#include <ravel/core/flags.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/core/table.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/distributed/carries.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/refused.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include <algorithm>

namespace ravel::inline v0 {
namespace distributed {
namespace detail {

/// The segments of a rank's piece: its first element begins one only if the flags say so, and so
/// does the first element after it.
template <class Begins>
struct segments_of_piece {
  static constexpr bool numbered = false;
  Begins begins;
  index_t elements;
  bool first_is_head, next_is_head;

  RAVEL_HD segments_of_piece on(tile) const { return *this; }
  RAVEL_HD bool head(index_t i) const { return i == 0 ? first_is_head : begins(i); }
  RAVEL_HD bool tail(index_t i) const { return i + 1 == elements ? next_is_head : begins(i + 1); }
};

template <class S>
inline constexpr bool is_by_flags = false;
template <class T, class Space>
inline constexpr bool is_by_flags<head_segments<nonzero<T>, Space>> = true;

/// The segments of the piece, from the flags of the first elements of all ranks.
template <class Ex, class T, class Space>
auto segments_here(Ex const& ex, head_segments<nonzero<T>, Space> const& all) {
  struct first {
    bool is_there, is_head;
  } mine{all.elements > 0, false};
  using local_flags = view<T const, typename Space::local>;
  if (mine.is_there) mine.is_head = at_sync(ex.local(), local_flags(all.begins.flags, 1)) != T(0);
  auto const firsts = gather_values(ex.ranks(), mine);
  auto const is_there = [](first const& f) { return f.is_there; };
  auto const here = firsts.begin() + ex.ranks().rank();
  bool const begins_all = std::none_of(firsts.begin(), here, is_there);
  auto const next = std::find_if(here + 1, firsts.end(), is_there);
  return segments_of_piece<nonzero<T>>{all.begins, all.elements, begins_all || mine.is_head,
                                       next == firsts.end() || next->is_head};
}

}  // namespace detail

struct segmented_scan_by_carries {
  static constexpr auto name = "by_carries";
  static constexpr auto why =
      "A scan of values with head flags over all ranks: a carry is that of the open segment.";
  template <class Call>
  static constexpr auto types() {
    return needs(
        need{detail::is_elementwise<decltype(Call::load)>, detail::elementwise_needs},
        need{detail::is_by_flags<decltype(Call::segments)>, "segments by heads, in a sequence"},
        need{can_be_sent<typename Call::value_type>, detail::can_be_sent_needs});
  }
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    together(ex, "segmented_scan", [&] {
      auto const here = detail::segments_here(ex, c.segments);
      scan_pieces<Call::backward>(
          ex, "segmented_scan",
          ravel::detail::scan_of_flagged(ravel::detail::make_segmented_scan_call<Call::backward>(
              c.n, c.load, here, c.visit, c.m, c.seed)));
    });
  }
};

}  // namespace distributed

template <>
struct form_table<segmented_scan_family, distributed::machine> {
  using type = forms<distributed::segmented_scan_by_carries, distributed::not_distributed>;
};

}  // namespace ravel::inline v0
