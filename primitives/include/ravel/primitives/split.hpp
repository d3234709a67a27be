#pragma once

/// @file
/// Split: a stable partition of elements by a digit.

#include <ravel/core/checked.hpp>
#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/flags.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/readable.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/verify.hpp>

#include <concepts>
#include <type_traits>

namespace ravel::inline v0 {

/// The receiver of the starts of parts that ignores them.
struct no_starts {
  RAVEL_HD void operator()(int, index_t) const {}
};

namespace detail {

/// The number of elements of each of some digits.
template <int Many>
struct digit_counts {
  index_t of[Many];
};
template <int Many>
struct add_digit_counts {
  static RAVEL_HD digit_counts<Many> identity() { return {}; }
  RAVEL_HD digit_counts<Many> operator()(digit_counts<Many> const& x,
                                         digit_counts<Many> const& y) const {
    digit_counts<Many> sum;
    for (int d = 0; d < Many; ++d) sum.of[d] = x.of[d] + y.of[d];
    return sum;
  }
};

/// The count of each digit in a tile.  The matrix of counts has a row for each digit, so that its
/// scan gives each tile the first position of each digit.
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
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    team.template count<Ways>(t, on_tile(digit, t), put_count{counts + t.id, tiles});
  }
};

/// Each tile again, with its first position of each digit.
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
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    team.template rank<Ways>(t, on_tile(digit, t), get_start{starts + t.id, tiles},
                             on_tile(visit, t));
  }
};

/// Keeps the scanned counts, and passes on where each part begins: the first position of tile 0.
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

template <int Many>
inline constexpr bool commutes<detail::add_digit_counts<Many>> = true;

/// Visits [0, n) with the position of each element in the order of digits.
///
/// For each i, calls visit(i, d, place) once, in any order, with
///
///     d     = digit(i), in [0, Ways)
///     place = #{j : digit(j) < d} + #{j < i : digit(j) = d}
///
/// and starts(d, #{j : digit(j) < d}) for each d in [0, Ways], so that part d is [start(d), start(d
/// + 1)).  Each digit(i) is called twice and must return the same both times: visit(i, ...) must
/// not overwrite what it reads.  If a digit or a visit has a member on(tile), each tile uses its
/// result instead.
///
/// Cost     O(n + Ways tiles) work, O(log n) span, and 8 Ways bytes of scratch for each tile.
///          Reads the input of `digit` twice.
/// Source   Blelloch, "Vector Models for Data-Parallel Computing", 1990, for the split; Zagha and
///          Blelloch, "Radix Sort for Vector Multiprocessors", Supercomputing 1991, for many ways
///          at once, with a tile in place of a processor.
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
  scan_on(ex, Ways * tiles, contiguous<index_t>{counts.data()},
          detail::write_starts<Starts>{counts.data(), tiles, starts}, plus<index_t>{},
          detail::seed_identity<plus<index_t>>{}, detail::end_of<Ways>(starts));
  ex.for_each_tile(n, detail::place_digits<Ways, Digit, Visit>{digit, visit, counts.data(), tiles});
}

/// The same on a checked executor: there is nothing to verify.
template <int Ways, executor Ex, class Digit, class Visit, class Starts>
void split_on(checked_executor<Ex> const& ex, index_t n, Digit digit, Visit visit, Starts starts) {
  split_on<Ways>(ex.own(), n, digit, visit, starts);
}

/// The result of `offsets_to`.
template <class T, class Space>
struct offsets_to_elements {
  using space = Space;
  view<T, Space> offsets;
};

/// Write the begin of each part, and the end of the last one, to the elements of `offsets`, one
/// more than there are parts: `by_offsets(offsets)` describes the parts.
template <sequence R>
auto offsets_to(R&& offsets) {
  static_assert(detail::outlives_the_call<R>, "offsets_to: the offsets go to a temporary");
  return offsets_to_elements<element_t<R>, space_of_t<R>>{view_of(offsets)};
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

/// A digit in [0, Ways): any other number becomes the last, so that no position is outside of the
/// output.
template <int Ways>
RAVEL_HD constexpr int nearest_digit(int d) {
  return static_cast<unsigned>(d) < static_cast<unsigned>(Ways) ? d : Ways - 1;
}
template <int Ways, class Digit>
struct nearest_digit_by {
  Digit digit;
  RAVEL_MAY_CALL_HOST
  template <class T>
  RAVEL_HD constexpr int operator()(T const& x) const {
    return nearest_digit<Ways>(static_cast<int>(digit(x)));
  }
};

/// The digit of each i from `which`: a function of the elements of `in`, or flags.
template <int Ways, class Ex, class In, class Which>
auto digit_of(Ex const& ex, char const* call, In const& in, Which const& which) {
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
    verify_below(ex, call, "part", size_of(in),
                 digit_of_element<T, Which>{view_of(in).data(), which}, Ways);
    using digit = nearest_digit_by<Ways, Which>;
    return digit_of_element<T, digit>{view_of(in).data(), digit{which}};
  }
}

/// Moves each element to its position.
template <class In, class Out>
struct place_element {
  In const* from;
  Out* to;
  RAVEL_HD void operator()(index_t i, int, index_t place) const {
    to[place] = static_cast<Out>(from[i]);
  }
};
/// What a split reads: of flags and ranges a sequence.
template <class Ex, class X>
[[gnu::always_inline]] inline decltype(auto) split_operand(Ex const& ex, char const* call,
                                                           X const& x) {
  static_assert(range_on<X const&, Ex>, "split: an input is no range in the executor's memory");
  return sequence_of(ex, call, x);
}
template <class Ex, class In, class Out>
auto place_in(char const* call, In const& in, Out&& out) {
  static_assert(writable_on<Out, Ex>,
                "split: an output is not a writable contiguous sequence in the executor's memory");
  expects(size_of(out) == size_of(in), call, ": an output has ", size_of(out),
          " elements, and its input has ", size_of(in));
  return place_element<element_t<In const&>, element_t<Out>>{view_of(in).data(),
                                                             view_of(out).data()};
}

/// Moves each key and its value.
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

template <class T>
struct store_starts {
  T* to;
  RAVEL_HD void operator()(int d, index_t start) const { to[d] = static_cast<T>(start); }
};

/// The receiver of starts, from the options.
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

}  // namespace detail

/// Moves the unflagged elements first and the flagged ones after them; or, with more than two ways,
/// the elements of digit 0, then those of digit 1, and so on:
///
///     out[place(i)] = in[i]     place(i) = #{j : digit(j) < digit(i)}
///                                        + #{j < i : digit(j) = digit(i)}
///
/// `which` defines the digit: flags, one for each element, or a predicate of an element, or a
/// function of an element with values in [0, Ways).  Any other value counts as Ways - 1.
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
/// Cost     O(n) work, O(log n) span.  Moves 3 n elements, and several times the 8 Ways bytes of
///          scratch of each tile.
/// Errors   contract_error if the sizes do not fit; on a checked executor, if a digit is
///          outside of [0, Ways).  Issued, not awaited.
/// Source   Blelloch, "Vector Models for Data-Parallel Computing", 1990: `split`, the step of his
///          radix sort.
/// See also split to parts(...) in split_parts.hpp, which moves less on a device.
template <int Ways = 2, executor Ex, class In, class Which, class Out, class... Options>
void split(Ex const& ex, In const& in, Which const& which, Out&& out, Options... options) {
  auto const& from = detail::split_operand(ex, "split", in);
  auto const& by = detail::flags_of(ex, "split", which);
  auto const move = detail::place_in<Ex>("split", from, out);
  auto const digit = detail::digit_of<Ways>(ex, "split", from, by);
  split_on<Ways>(ex, size_of(from), digit, move, detail::starts_of<Ways, Ex>("split", options...));
}

/// Splits keys, and moves the value of each, of any type.
///
///     keys    3  1  2       keys_out     1  2  3      split_pairs<3>(ex, keys, values, around{2},
///     values  a  b  c       values_out   b  c  a                     keys_out, values_out)
///
/// See also split, whose description applies here too.
template <int Ways = 2, executor Ex, class Keys, class Values, class Which, class KeysOut,
          class ValuesOut, class... Options>
void split_pairs(Ex const& ex, Keys const& keys, Values const& values, Which const& which,
                 KeysOut&& keys_out, ValuesOut&& values_out, Options... options) {
  auto const& from = detail::split_operand(ex, "split_pairs", keys);
  auto const& beside = detail::split_operand(ex, "split_pairs", values);
  auto const& by = detail::flags_of(ex, "split_pairs", which);
  auto const move_key = detail::place_in<Ex>("split_pairs", from, keys_out);
  auto const move_value = detail::place_in<Ex>("split_pairs", beside, values_out);
  expects(size_of(from) == size_of(beside), "split_pairs: there are ", size_of(from), " keys and ",
          size_of(beside), " values");
  auto const digit = detail::digit_of<Ways>(ex, "split_pairs", from, by);
  split_on<Ways>(ex, size_of(from), digit, detail::place_both{move_key, move_value},
                 detail::starts_of<Ways, Ex>("split_pairs", options...));
}

}  // namespace ravel::inline v0

#include <ravel/primitives/cpu/split.hpp>  // few counts, and rows by the line
#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/split.cuh>  // long ones, by tile rings
#endif
