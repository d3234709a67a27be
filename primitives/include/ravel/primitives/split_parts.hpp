#pragma once

/// Split to parts: writes the elements of each digit to an output of their own, in order.

#include <ravel/primitives/split.hpp>
#include <ravel/primitives/split_parts/call.hpp>
#include <ravel/primitives/split_parts/cpu.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/stream_split.cuh>  // at the speed of a copy
#endif

namespace ravel::inline v0 {

/// The result of `parts`: an output for each part of a split.
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
  static_assert((detail::outlives_the_call<R> && ... && detail::outlives_the_call<Rs>),
                "parts: an output is a temporary");
  static_assert((std::same_as<T, element_t<Rs>> && ...),
                "parts: the outputs have elements of different types");
  static_assert((std::same_as<Space, space_of_t<Rs>> && ...),
                "parts: the outputs are in different memories");
  return split_parts<1 + sizeof...(Rs), T, Space>{{view_of(first), view_of(others)...}};
}

/// The result of `counts_to`.
template <class T, class Space>
struct counts_to_elements {
  view<T, Space> counts;
};

/// Write the number of elements of each part to the elements of `counts`, as many as there are
/// parts.
template <sequence R>
auto counts_to(R&& counts) {
  static_assert(detail::outlives_the_call<R>, "counts_to: the counts go to a temporary");
  return counts_to_elements<element_t<R>, space_of_t<R>>{view_of(counts)};
}

namespace detail {

/// The receiver of counts, from the options.
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

}  // namespace detail

/// Moves each element in[i], i in [0, n), with d = digit(i), to its position in part d, in order:
///
///     places.to[d][#{j < i : digit(j) = d}] = in[i]     if there is room
///
/// and calls counts(d, #{i : digit(i) = d}) for each d.  All else is as for split_on.
template <executor Ex, int Ways, class Digit, class In, class Out, class Counts>
void split_apart_on(Ex const& ex, index_t n, Digit digit, In const* in,
                    split_places<Ways, Out> const& places, Counts counts) {
  run_call(detail::own(ex), describe_split_apart_on(n, digit, in, places, counts));
}

/// Writes the elements of each digit to an output of their own, in order:
///
///     outs[d][#{j < i : digit(j) = d}] = in[i]     d = digit(i), outs = parts(out_0, out_1, ...)
///
///     in         3  1  2  4  1  5      split(ex, in, is_odd, parts(even, odd), counts_to(counts))
///     even       2  4
///     odd        3  1  1  5
///     counts     2  4
///
/// `which` defines the digit, as for split to one output; the number of ways is that of the parts.
///
/// Shapes   in[n], and outputs of any size and one element type, in the memory of `ex`: elements
///          that an output has no room for are counted and not written, and elements after its last
///          one are not changed.  No output overlaps anything.  n may be 0.  counts[parts].
/// Order    Stable.  A function is called two or three times for each element, in any order.
/// Cost     O(n) work, O(log n) span.  On a device that streams, up to 8 parts of elements of 4 or
///          8 bytes, by a function of an element, take one pass, which moves 2 n elements; one
///          output takes 3 n, since the length of the first part must be known first.  Otherwise 3
///          n.
/// Errors   contract_error if the sizes do not fit.  Issued, not awaited.
/// See also split to one output; filter, which keeps one part.
template <executor Ex, class In, class Which, int Ways, class T, class Space, class... Options>
void split(Ex const& ex, In const& in, Which const& which, split_parts<Ways, T, Space> outs,
           Options... options) {
  RAVEL_EXPECT_RANGE(In, Ex, "split: an input");
  static_assert(std::same_as<Space, space_of_t<Ex>>,
                "split: parts(...) are not in the executor's memory");
  split_places<Ways, T> places;
  for (int d = 0; d < Ways; ++d) {
    places.to[d] = outs.of[d].data();
    places.room[d] = outs.of[d].size();
  }
  auto const& src = detail::sequence_of(ex, "split", in);
  auto const& digits = detail::flags_of(ex, "split", which);
  auto const digit = detail::digit_of<Ways>(ex, "split", src, digits);
  split_apart_on(ex, size_of(src), digit, view_of(src).data(), places,
                 detail::counts_of<Ways, Ex>(options...));
}

}  // namespace ravel::inline v0
