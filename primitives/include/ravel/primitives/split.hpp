#pragma once

/// @file
/// Split: stably put elements into parts, by a digit that each of them has.

#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/scan.hpp>

#include <concepts>
#include <type_traits>

namespace ravel::inline v0 {

/// A receiver of the starts of parts, for who does not want them.
struct no_starts {
  RAVEL_HD void operator()(int, index_t) const {}
};

namespace detail {

/// How many of each digit a tile has.  The matrix of counts has a row for each
/// digit, so that its scan gives each tile the place of its first of each digit.
template <int Ways, class Digit>
struct count_digits {
  Digit digit;
  index_t* counts;
  index_t tiles;

  struct put_count {
    index_t* column;
    index_t tiles;
    RAVEL_HD void operator()(int d, index_t count) const { column[d * tiles] = count; }
  };
  RAVEL_HD void operator()(auto const& team, tile t) const {
    team.template count<Ways>(t, on_tile(digit, t), put_count{counts + t.id, tiles});
  }
};

/// Each tile again, now knowing where its first of each digit goes.
template <int Ways, class Digit, class Visit>
struct place_digits {
  Digit digit;
  Visit visit;
  index_t const* starts;
  index_t tiles;

  struct get_start {
    index_t const* column;
    index_t tiles;
    RAVEL_HD index_t operator()(int d) const { return column[d * tiles]; }
  };
  RAVEL_HD void operator()(auto const& team, tile t) const {
    team.template rank<Ways>(t, on_tile(digit, t), get_start{starts + t.id, tiles},
                             on_tile(visit, t));
  }
};

/// Keeps the scanned counts, and tells where each part begins: where tile 0
/// puts its first.
template <class Starts>
struct write_starts {
  index_t* counts;
  index_t tiles;
  Starts starts;
  RAVEL_HD void operator()(index_t i, index_t before, index_t) const {
    counts[i] = before;
    if (i % tiles == 0) starts(static_cast<int>(i / tiles), before);
  }
};
template <int Ways, class Starts>
struct write_end {
  Starts starts;
  RAVEL_HD void operator()(index_t n) const { starts(Ways, n); }
};
template <int Ways, class Starts>
auto end_of(Starts starts) {
  if constexpr (std::same_as<Starts, no_starts>) {
    return no_total{};
  } else {
    return write_end<Ways, Starts>{starts};
  }
}
template <class Starts>
struct start_of_none {
  Starts starts;
  RAVEL_HD void operator()(index_t d) const { starts(static_cast<int>(d), index_t{0}); }
};

}  // namespace detail

/// Visits [0, n) knowing where each element goes when they are ordered by digit.
///
/// For each i, calls visit(i, d, place) once, in any order, with
///
///     d     = digit(i), in [0, Ways)
///     place = #{j : digit(j) < d} + #{j < i : digit(j) = d}
///
/// and starts(d, #{j : digit(j) < d}) for each d in [0, Ways], so that part d is
/// [start(d), start(d + 1)).  Each digit(i) is called twice and must give the
/// same both times: visit(i, ...) may overwrite nothing that it reads.  A digit
/// or a visit with a member on(tile) is replaced, in each tile, by what that
/// returns.
///
/// Cost     O(n + Ways tiles) work, O(log n) span, and 8 Ways bytes of scratch
///          for each tile.  Reads what `digit` reads twice.
/// Source   Blelloch, "Vector Models for Data-Parallel Computing", 1990, for the
///          split; Zagha and Blelloch, "Radix Sort for Vector Multiprocessors",
///          Supercomputing 1991, for many ways at once, with a tile where they
///          have a processor.
template <int Ways, executor Ex, class Digit, class Visit, class Starts>
void split_on(Ex const& ex, index_t n, Digit digit, Visit visit, Starts starts) {
  static_assert(1 <= Ways && Ways <= 256, "split_on: the ways are from 1 to 256");
  index_t const tiles = ex.tile_count(n);
  if (tiles == 0) {
    if constexpr (!std::same_as<Starts, no_starts>) {
      for_each_index(ex, Ways + 1, detail::start_of_none<Starts>{starts});
    }
    return;
  }
  auto const counts = ex.template scratch<index_t>(Ways * tiles);
  ex.for_each_tile(n, detail::count_digits<Ways, Digit>{digit, counts.data(), tiles});
  scan_on(ex, Ways * tiles, detail::read<index_t>{counts.data()},
          detail::write_starts<Starts>{counts.data(), tiles, starts}, plus<index_t>{},
          detail::seed_identity<plus<index_t>>{}, detail::end_of<Ways>(starts));
  ex.for_each_tile(n, detail::place_digits<Ways, Digit, Visit>{digit, visit, counts.data(), tiles});
}

/// Where the elements of each part of a split go: to the `room` elements there are.
template <int Ways, class T>
struct split_places {
  T* to[Ways];
  index_t room[Ways];
};

namespace detail {

/// Moves each element to its place in its part, if there is room.
template <int Ways, class In, class Out>
struct place_in_part {
  In const* from;
  split_places<Ways, Out> parts;
  index_t const* starts;
  RAVEL_HD void operator()(index_t i, int d, index_t place) const {
    index_t const of_part = place - starts[d];
    if (of_part < parts.room[d]) parts.to[d][of_part] = static_cast<Out>(from[i]);
  }
};
template <class Counts>
struct count_part {
  index_t const* starts;
  Counts counts;
  RAVEL_HD void operator()(index_t d) const {
    counts(static_cast<int>(d), starts[d + 1] - starts[d]);
  }
};

template <class T>
struct store_starts {
  T* to;
  RAVEL_HD void operator()(int d, index_t start) const { to[d] = static_cast<T>(start); }
};

}  // namespace detail

/// Moves in[i] of [0, n), each i with digit(i) = d in order, to the places of part d:
///
///     to.to[d][#{j < i : digit(j) = d}] = in[i]     if there is room
///
/// and calls counts(d, #{i : digit(i) = d}) for each d.  All else is as for split_on.
template <executor Ex, int Ways, class Digit, class In, class Out, class Counts>
void split_apart_on(Ex const& ex, index_t n, Digit digit, In const* in,
                    split_places<Ways, Out> const& to, Counts counts) {
  auto const starts = ex.template scratch<index_t>(Ways + 1);
  split_on<Ways>(ex, n, digit, detail::place_in_part<Ways, In, Out>{in, to, starts.data()},
                 detail::store_starts<index_t>{starts.data()});
  if constexpr (!std::same_as<Counts, no_starts>) {
    for_each_index(ex, Ways, detail::count_part<Counts>{starts.data(), counts});
  }
}

template <class T, class Space>
struct offsets_to_elements {
  using space = Space;
  view<T, Space> offsets;
};

/// Write where each part begins, and where the last one ends, to the elements of
/// `offsets`, one more than there are parts: `by_offsets(offsets)` are the parts.
template <sequence R>
auto offsets_to(R&& offsets) {
  return offsets_to_elements<element_t<R>, space_of_t<R>>{view_of(offsets)};
}

/// An output for each part of a split.
template <int Ways, class T, class Space>
struct split_parts {
  view<T, Space> of[Ways];
};

/// Outputs, one for each part, in place of the one output of split: sequences of one type,
/// each of any size.
template <sequence R, sequence... Rs>
auto parts(R&& first, Rs&&... others) {
  using T = element_t<R>;
  using Space = space_of_t<R>;
  static_assert((std::same_as<T, element_t<Rs>> && ...),
                "parts: the outputs have elements of different types");
  static_assert((std::same_as<Space, space_of_t<Rs>> && ...),
                "parts: the outputs are in different memories");
  return split_parts<1 + sizeof...(Rs), T, Space>{{view_of(first), view_of(others)...}};
}

template <class T, class Space>
struct counts_to_elements {
  view<T, Space> counts;
};

/// Write how many elements each part has to the elements of `counts`, as many as there are parts.
template <sequence R>
auto counts_to(R&& counts) {
  return counts_to_elements<element_t<R>, space_of_t<R>>{view_of(counts)};
}

/// The digit of x around a pivot: 0 if x < pivot, 2 if pivot < x, else 1.
template <class T>
struct around {
  T pivot;
  RAVEL_HD constexpr int operator()(T const& x) const { return x < pivot ? 0 : pivot < x ? 2 : 1; }
};
template <class T>
around(T) -> around<T>;

namespace detail {

template <class T, class Digit>
struct digit_of_element {
  T const* from;
  Digit digit;
  RAVEL_HD int operator()(index_t i) const { return static_cast<int>(digit(from[i])); }
};
template <class T>
struct digit_of_flag {
  T const* flags;
  RAVEL_HD int operator()(index_t i) const { return flags[i] ? 1 : 0; }
};

/// The digit of each i that `which` says: a function of the elements of `in`, or flags.
template <int Ways, class Ex, class In, class Which>
auto digit_of(char const* call, In const& in, Which const& which) {
  if constexpr (sequence<Which const&>) {
    static_assert(Ways == 2, "split: flags split two ways; more need a digit of each element");
    static_assert(sequence_on<Which const&, Ex>,
                  "split: the flags are not a contiguous sequence in the executor's memory");
    expects(size_of(which) == size_of(in), call, ": there are ", size_of(which), " flags for ",
            size_of(in), " elements");
    return digit_of_flag<element_t<Which const&>>{view_of(which).data()};
  } else {
    using T = element_t<In const&>;
    static_assert(std::is_invocable_r_v<int, Which const&, T const&>,
                  "split: what splits is neither flags nor a predicate or digit of an element");
    return digit_of_element<T, Which>{view_of(in).data(), which};
  }
}

/// Moves each element to its place.
template <class In, class Out>
struct place_element {
  In const* from;
  Out* to;
  RAVEL_HD void operator()(index_t i, int, index_t place) const {
    to[place] = static_cast<Out>(from[i]);
  }
};
template <class Ex, class In, class Out>
auto place_in(char const* call, In const& in, Out&& out) {
  static_assert(sequence_on<In const&, Ex>,
                "split: an input is not a contiguous sequence in the executor's memory");
  static_assert(sequence_on<Out, Ex>,
                "split: an output is not a contiguous sequence in the executor's memory");
  expects(size_of(out) == size_of(in), call, ": an output has ", size_of(out),
          " elements, and its input has ", size_of(in));
  return place_element<element_t<In const&>, element_t<Out>>{view_of(in).data(),
                                                             view_of(out).data()};
}

/// Moves each key, and its value.
template <class Keys, class Values>
struct place_both {
  Keys keys;
  Values values;
  RAVEL_HD void operator()(index_t i, int d, index_t place) const {
    keys(i, d, place);
    values(i, d, place);
  }
};
template <class Keys, class Values>
place_both(Keys, Values) -> place_both<Keys, Values>;

/// The receiver of starts that the options ask for.
template <int Ways, class Ex>
no_starts starts_of(char const*) {
  return {};
}
template <int Ways, class Ex, class T, class Space>
auto starts_of(char const* call, offsets_to_elements<T, Space> option) {
  static_assert(std::same_as<Space, space_of_t<Ex>>,
                "split: offsets_to(...) is not in the executor's memory");
  expects(option.offsets.size() == Ways + 1, call, ": offsets_to has ", option.offsets.size(),
          " elements, and ", Ways, " parts need ", Ways + 1);
  return store_starts<T>{option.offsets.data()};
}

/// The receiver of counts that the options ask for.
template <int Ways, class Ex>
no_starts counts_of() {
  return {};
}
template <int Ways, class Ex, class T, class Space>
auto counts_of(counts_to_elements<T, Space> option) {
  static_assert(std::same_as<Space, space_of_t<Ex>>,
                "split: counts_to(...) is not in the executor's memory");
  expects(option.counts.size() == Ways, "split: counts_to has ", option.counts.size(),
          " elements, and there are ", Ways, " parts");
  return store_starts<T>{option.counts.data()};
}

template <class Out>
inline constexpr bool is_parts = false;
template <int Ways, class T, class Space>
inline constexpr bool is_parts<split_parts<Ways, T, Space>> = true;

}  // namespace detail

/// Puts the unflagged elements first and the flagged ones behind; or, with more
/// ways than two, the elements of digit 0, then those of digit 1, and so on:
///
///     out[place(i)] = in[i]     place(i) = #{j : digit(j) < digit(i)}
///                                        + #{j < i : digit(j) = digit(i)}
///
/// `which` says the digit: flags, one for each element, or a predicate of an
/// element, or a function of an element with values in [0, Ways).
///
///     in         3  1  2  4  1  5
///     flags      1  0  0  1  0  1      split(ex, in, flags, out)
///     out        1  2  1  3  4  5
///     offsets    0  3  6               with the option offsets_to(offsets)
///
///     out        1  2  1  3  4  5      split<3>(ex, in, around{3}, out):
///     offsets    0  3  4  6            less, equal, greater
///
///     out        3  1  4  1  2  5      split<3>(ex, in, digit, out)
///     offsets    0  1  4  6            with digit(x) = x mod 3
///
/// Shapes   in[n], out[n], flags[n], offsets[Ways + 1], in the memory of `ex`;
///          `out` overlaps nothing.  n may be 0.  Ways is from 1 to 256.
/// Order    Stable.  A function is called twice for each element, in any order.
/// Cost     O(n) work, O(log n) span.  Moves 3 n elements, and a few times the
///          8 Ways bytes of scratch of each tile.
/// Errors   contract_error if the sizes do not fit.  Issued, not awaited.
/// Source   Blelloch, "Vector Models for Data-Parallel Computing", 1990: `split`,
///          with which his radix sort goes bit by bit.
/// See also split to parts(...), which on a device moves less.
template <int Ways = 2, executor Ex, class In, class Which, class Out, class... Options>
requires(!detail::is_parts<std::remove_cvref_t<Out>>) void split(Ex const& ex, In const& in,
                                                                 Which const& which, Out&& out,
                                                                 Options... options) {
  auto const move = detail::place_in<Ex>("split", in, out);
  split_on<Ways>(ex, size_of(in), detail::digit_of<Ways, Ex>("split", in, which), move,
                 detail::starts_of<Ways, Ex>("split", options...));
}

/// Puts the elements of each digit into an output of their own, in order:
///
///     outs[d][#{j < i : digit(j) = d}] = in[i]     d = digit(i), outs = parts(out_0, out_1, ...)
///
///     in         3  1  2  4  1  5      split(ex, in, is_odd, parts(even, odd), counts_to(counts))
///     even       2  4
///     odd        3  1  1  5
///     counts     2  4
///
/// `which` says the digit, as above; there are as many as parts.
///
/// Shapes   in[n], and outputs of any size and one type of element, in the memory of `ex`: elements
///          that one has no room for are counted and not written, and what is behind its last one
///          stays as it was.  No output overlaps anything.  n may be 0.  counts[parts].
/// Order    Stable.  A function is called two or three times for each element, in any order.
/// Cost     O(n) work, O(log n) span.  On a device that streams, up to 8 parts of elements of 4 or 8
///          bytes, by a function of an element, are one pass: 2 n elements are moved, where one
///          output takes 3 n, for there the first part's length must be known first.  Otherwise 3 n.
/// Errors   contract_error if the sizes do not fit.  Issued, not awaited.
/// See also split to one output; filter, which keeps one part.
template <executor Ex, class In, class Which, int Ways, class T, class Space, class... Options>
void split(Ex const& ex, In const& in, Which const& which, split_parts<Ways, T, Space> outs,
           Options... options) {
  static_assert(sequence_on<In const&, Ex>,
                "split: an input is not a contiguous sequence in the executor's memory");
  static_assert(std::same_as<Space, space_of_t<Ex>>,
                "split: parts(...) are not in the executor's memory");
  split_places<Ways, T> to;
  for (int d = 0; d < Ways; ++d) {
    to.to[d] = outs.of[d].data();
    to.room[d] = outs.of[d].size();
  }
  split_apart_on(ex, size_of(in), detail::digit_of<Ways, Ex>("split", in, which),
                 view_of(in).data(), to, detail::counts_of<Ways, Ex>(options...));
}

/// Splits keys, and moves with each its value, of any type.
///
///     keys    3  1  2       keys_out     1  2  3      split_pairs<3>(ex, keys, values, around{2},
///     values  a  b  c       values_out   b  c  a                     keys_out, values_out)
///
/// See also split, whose every word holds here too.
template <int Ways = 2, executor Ex, class Keys, class Values, class Which, class KeysOut,
          class ValuesOut, class... Options>
void split_pairs(Ex const& ex, Keys const& keys, Values const& values, Which const& which,
                 KeysOut&& keys_out, ValuesOut&& values_out, Options... options) {
  auto const move_key = detail::place_in<Ex>("split_pairs", keys, keys_out);
  auto const move_value = detail::place_in<Ex>("split_pairs", values, values_out);
  expects(size_of(keys) == size_of(values), "split_pairs: there are ", size_of(keys), " keys and ",
          size_of(values), " values");
  split_on<Ways>(ex, size_of(keys), detail::digit_of<Ways, Ex>("split_pairs", keys, which),
                 detail::place_both{move_key, move_value},
                 detail::starts_of<Ways, Ex>("split_pairs", options...));
}

}  // namespace ravel::inline v0

#include <ravel/primitives/cpu/split.hpp>  // few counts, and rows by the line
#ifdef __CUDACC__
#  include <ravel/primitives/cuda/split.cuh>         // long ones, by rings of tiles
#  include <ravel/primitives/cuda/stream_split.cuh>  // to parts, at the speed of a copy
#endif
