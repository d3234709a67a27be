#pragma once

/// Split: a stable partition of elements by a digit.

#include <ravel/primitives/split/call.hpp>
#include <ravel/primitives/split/cpu.hpp>
#include <ravel/primitives/split/steps.hpp>
#include <ravel/primitives/verify.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/split.cuh>  // long ones, by tile rings
#endif

namespace ravel::inline v0 {

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

/// What a split reads: of flags and ranges a sequence.
template <class Ex, class X>
[[gnu::always_inline]] inline decltype(auto) split_operand(Ex const& ex, char const* call,
                                                           X const& x) {
  RAVEL_EXPECT_RANGE(X, Ex, "split: an input");
  return sequence_of(ex, call, x);
}
template <class Ex, class In, class Out>
auto place_in(char const* call, In const& in, Out&& out) {
  RAVEL_EXPECT_WRITABLE(Out, Ex, "split: an output");
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

/// Visits each element of [0, n) with its position in the stable order of digits.
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
  run_call(detail::own(ex), describe_split_on<Ways>(n, digit, visit, starts));
}

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
  auto const& src = detail::split_operand(ex, "split", in);
  auto const& digits = detail::flags_of(ex, "split", which);
  auto const move = detail::place_in<Ex>("split", src, out);
  auto const digit = detail::digit_of<Ways>(ex, "split", src, digits);
  split_on<Ways>(ex, size_of(src), digit, move, detail::starts_of<Ways, Ex>("split", options...));
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
  auto const& src = detail::split_operand(ex, "split_pairs", keys);
  auto const& beside = detail::split_operand(ex, "split_pairs", values);
  auto const& digits = detail::flags_of(ex, "split_pairs", which);
  auto const move_key = detail::place_in<Ex>("split_pairs", src, keys_out);
  auto const move_value = detail::place_in<Ex>("split_pairs", beside, values_out);
  expects(size_of(src) == size_of(beside), "split_pairs: there are ", size_of(src), " keys and ",
          size_of(beside), " values");
  auto const digit = detail::digit_of<Ways>(ex, "split_pairs", src, digits);
  split_on<Ways>(ex, size_of(src), digit, detail::place_both{move_key, move_value},
                 detail::starts_of<Ways, Ex>("split_pairs", options...));
}

}  // namespace ravel::inline v0
