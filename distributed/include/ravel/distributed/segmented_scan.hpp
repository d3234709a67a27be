#pragma once

/// Segmented scan over all ranks: segmented_inclusive_scan and segmented_exclusive_scan of
/// distributed sequences.
///
///     segmented_inclusive_scan(ex, x, by_heads(flags), y);
///     segmented_exclusive_scan(ex, x, by_keys(keys), y, maximum{}, backward, from(3));
///     segmented_inclusive_scan(ex, x, by_head_bits(words, x.size()), y);
///
/// `x`, `flags` or `keys`, and `y` have the same pieces; each rank has the head bits of its piece, from
/// bit 0 of its words.  A segment may lie over any number of ranks.  It is the scan of values with
/// head flags, by the monoid lifted over them, so a rank's carry is the combination of its last, open
/// segment, and whether a head was seen.
///
/// Segments by heads, head bits and keys; distributed/segments.hpp has the other forms.  The test of
/// keys is also called on the host.
/// Options  from(...), backward.
/// Order    `m` is applied in the order of elements and need not be commutative.
/// Cost     Each rank reads its piece twice and writes it once; of numbers that hosts scan in vectors, only
///          what each 2^18 elements have of their last segment twice.  Waits for the first flag of each, or
///          the first key and the last.
/// Volume   One value of the monoid with a flag, and two bytes, or two keys and a flag, to each
///          other rank.

#include <ravel/core/cpu/flag_words.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/distributed/carries.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/primitives/segmented_scan.hpp>

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
inline constexpr bool has_heads = false;
template <class T, class Space>
inline constexpr bool has_heads<head_segments<nonzero<T>, Space>> = true;
template <class W, class Space>
inline constexpr bool has_heads<head_segments<bit_set<W>, Space>> = true;
template <class K, class Eq, class Space>
inline constexpr bool has_heads<head_segments<ravel::detail::key_changes<K, Eq>, Space>> =
    can_be_sent<K>;

/// Segments of one length over `all` elements, in the piece that begins at element `first`.
struct begins_uniformly {
  index_t first, length, all;
  RAVEL_HD bool operator()(index_t i) const {
    return (first + i) % length == 0 || first + i == all;
  }
};
template <class Space>
inline constexpr bool has_heads<head_segments<begins_uniformly, Space>> = true;

/// The segments of the piece, from what each rank has at the edges of its own: `is_there`, and
/// begins(a, b), whether a segment begins at the piece of b that follows the piece of a.
template <class Ex, class Segments, class Edges, class Begins>
auto join_segments(Ex const& ex, Segments const& piece, Edges const& edges, Begins const& begins) {
  auto const ends = gather_values(ex.ranks(), edges);
  auto const is_there = [](Edges const& e) { return e.is_there; };
  int const next = next_rank(ends, ex.ranks().rank(), is_there);
  int const last = previous_rank(ends, ex.ranks().rank(), is_there);
  return segments_of_piece<decltype(piece.begins)>{
      piece.begins, piece.elements, last < 0 || (edges.is_there && begins(ends[last], edges)),
      next == ex.ranks().size() || (edges.is_there && begins(edges, ends[next]))};
}

/// The same by flags or bits, of which `first` has the first of this rank's piece.
template <class Ex, class Segments, class T, class IsHead>
auto join_flagged(Ex const& ex, Segments const& piece, T const* first, IsHead is_head) {
  struct first_flag {
    bool is_there, is_head;
  } flag{piece.elements > 0, false};
  view<T const, typename Segments::space::local> const flags(first, 1);
  if (flag.is_there) flag.is_head = is_head(at_sync(ex.local(), flags));
  return join_segments(ex, piece, flag,
                       [](first_flag const&, first_flag const& next) { return next.is_head; });
}

template <class Ex, class T, class Space>
auto segments_here(Ex const& ex, head_segments<nonzero<T>, Space> const& piece) {
  return join_flagged(ex, piece, piece.begins.flags, [](T flag) { return flag != T(0); });
}

template <class Ex, class W, class Space>
auto segments_here(Ex const& ex, head_segments<bit_set<W>, Space> const& piece) {
  return join_flagged(ex, piece, piece.begins.words, [](W word) { return word % 2 != 0; });
}

template <class Ex, class Space>
auto segments_here(Ex const&, head_segments<begins_uniformly, Space> const& piece) {
  bool const any = piece.elements > 0;
  return segments_of_piece<begins_uniformly>{piece.begins, piece.elements, any && piece.begins(0),
                                             any && piece.begins(piece.elements)};
}

template <class Ex, class K, class Eq, class Space>
auto segments_here(Ex const& ex,
                   head_segments<ravel::detail::key_changes<K, Eq>, Space> const& piece) {
  struct end_keys {
    bool is_there;
    K first, last;
  } ends{piece.elements > 0, {}, {}};
  view<K const, typename Space::local> const keys(piece.begins.keys, piece.elements);
  if (ends.is_there) {
    ends.first = at_sync(ex.local(), keys);
    ends.last = at_sync(ex.local(), keys, piece.elements - 1);
  }
  return join_segments(ex, piece, ends, [&piece](end_keys const& before, end_keys const& next) {
    return !piece.begins.eq(before.last, next.first);
  });
}

template <class Local, class Call>
inline constexpr bool scans_segments_in_vectors = false;
template <cpu::host_executor Local, class Call>
inline constexpr bool scans_segments_in_vectors<Local const&, Call const> =
    cpu::scans_pieces_of_segments<Call>;

inline constexpr char const* segmented_scan_names[] = {
    "segmented_inclusive_scan", "segmented_exclusive_scan", "segmented_scan"};

}  // namespace detail

struct segmented_scan_by_carries {
  static constexpr auto name = "by_carries";
  static constexpr auto why =
      "A scan of values with head flags over all ranks: a carry is that of the open segment, which "
      "hosts "
      "that scan numbers in vectors read alone for it.";
  template <class Call>
  static constexpr auto types = needs(
      need{detail::is_elementwise<decltype(Call::load)>, detail::elementwise_needs},
      need{detail::has_heads<decltype(Call::segments)>,
           "segments by heads, head bits, or keys that are trivially copyable, in a sequence"},
      need{can_be_sent<typename Call::value_type>, detail::can_be_sent_needs});
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    auto const name = detail::segmented_scan_names[detail::kind_of_scan<decltype(c.visit)>];
    together(ex, name, [&] {
      auto const call = ravel::detail::make_segmented_scan_call<Call::backward>(
          c.n, c.load, detail::segments_here(ex, c.segments), c.visit, c.m, c.seed);
      auto const flagged_scan = ravel::detail::scan_of_flagged(call);
      if constexpr (detail::scans_segments_in_vectors<decltype(ex.local()), decltype(call)>) {
        using T = flagged<typename Call::value_type>;
        T before{};
        combine_before_piece<Call::backward>(
            ex, c.n, flagged_scan.m, flagged_scan.seed, &before, [&](T* total, index_t n) {
              auto segments = call;
              segments.n = n;
              *total = cpu::total_of_open_segment(ex.local(), segments);
            });
        cpu::scan_piece_of_segments(ex.local(), call, before);
      } else {
        scan_pieces<Call::backward>(ex, name, flagged_scan);
      }
    });
  }
};

}  // namespace distributed

namespace cpu {

template <class Begins>
struct flag_words<distributed::detail::segments_of_piece<Begins>> {
  distributed::detail::segments_of_piece<Begins> segments;

  std::uint64_t operator()(index_t i, index_t n) const {
    using heads = head_segments<Begins, host_space>;
    std::uint64_t const word = flag_words<heads>{{segments.begins, segments.elements}}(i, n);
    return i == 0 && !segments.first_is_head ? word & ~std::uint64_t{1} : word;
  }
};
template <>
struct flag_words<distributed::detail::begins_uniformly> {
  distributed::detail::begins_uniformly begins;

  std::uint64_t operator()(index_t i, index_t n) const {
    index_t const at = begins.first + i, rest = begins.all - at;
    std::uint64_t const word = flag_words<uniform_segments>{{0, begins.length, begins.all}}(at, n);
    return 0 <= rest && rest < n ? word | std::uint64_t{1} << rest : word;
  }
};

}  // namespace cpu

template <>
struct form_table<segmented_scan_family, distributed::machine>
    : forms<distributed::segmented_scan_by_carries, distributed::not_distributed> {};

}  // namespace ravel::inline v0
