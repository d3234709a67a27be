#pragma once

/// Delta coding: a signal as its differences, and back.
///
/// Signals that change slowly have small differences, which need few bits.  Differences of order q
/// are taken q times; those of s-tuples separately for each of s interleaved channels.  Decoding is
/// a prefix sum of the same order and tuple size.

#include <ravel/primitives/map.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/scan.hpp>

namespace ravel::inline v0 {
namespace detail {

/// The difference of order Q at i: in[i] - Q in[i - S] + ..., with signed binomial coefficients.  All are
/// `there` for i of Q * S or more; loops without tests of i compile to vectors.
template <bool There, class Out, int Q, int S, class In>
struct difference_of_order {
  using value = wrapping_t<Out>;
  In const* in;
  RAVEL_HD Out operator()(index_t i) const {
    value sum = 0;
    int binomial = 1;
    for (int k = 0; k <= Q && (There || i >= index_t{S} * k); ++k) {
      sum += static_cast<value>(binomial) * static_cast<value>(in[i - index_t{S} * k]);
      binomial = -binomial * (Q - k) / (k + 1);
    }
    return static_cast<Out>(sum);
  }
};

template <class... Options>
inline constexpr bool are_delta_options =
    are_options<takes<option::order, option::tuples>, Options...>;

}  // namespace detail

/// Replaces a signal by its differences of order q, of tuples of size s:
///
///     out[i] = in[i] - in[i - s]                  applied q times, with in[i] = 0 for i < 0
///
///     in    10 12 15 19 24 30
///     out   10  2  3  4  5  6
///     out   10 -8  1  1  1  1                     of_order<2>
///     out   10 12  5  7  9 11                     of_tuples<2>
///
/// Shapes   in[n], out[n], in the memory of `ex`, of integers.  `out` overlaps nothing,
///          not even `in`, whose elements are read q + 1 times each.  n may be 0.
/// Order    Exact: what does not fit in an element of `out` wraps around, and
///          delta_decode with integers of that width restores the signal.
/// Cost     O(q n) work, O(1) span.  Moves 2 n elements, without scratch.
/// Errors   contract_error if the sizes differ.  Issued, not awaited.
/// See also adjacent_difference, for other differences, of order 1.
template <local_executor Ex, class In, class Out, class... Options>
void delta_encode(Ex const& ex, In const& in, Out&& out, Options...) {
  RAVEL_EXPECT_RANGE(In, Ex, "delta_encode: in");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "delta_encode: out");
  static_assert(detail::are_delta_options<Options...>,
                "delta_encode: the options are of_order<q> and of_tuples<s>, each once");
  auto const& source = detail::sequence_of(ex, "delta_encode", in);
  using X = element_t<decltype(source)>;
  using Y = element_t<Out>;
  static_assert(std::is_integral_v<X> && std::is_integral_v<Y>,
                "delta_encode: differences are exact of integers, and these are not");
  auto const signal = view_of(source);
  auto const deltas = view_of(out);
  expects(deltas.size() == signal.size(), "delta_encode: out has ", deltas.size(),
          " elements, and in has ", signal.size());
  constexpr int order = detail::order_of<Options...>, tuples = detail::tuples_of<Options...>;
  auto const& own = detail::own(ex);
  // On the host, where another step costs little, the first elements are apart.
  constexpr bool on_the_host = std::same_as<space_of_t<Ex>, host_space>;
  index_t const n = deltas.size(), first = on_the_host ? std::min(n, index_t{order} * tuples) : n;
  map_on(own, first, detail::difference_of_order<false, Y, order, tuples, X>{signal.data()},
         detail::store<Y>{deltas.data()});
  if constexpr (on_the_host) {
    map_on(own, n - first,
           detail::difference_of_order<true, Y, order, tuples, X>{signal.data() + first},
           detail::store<Y>{deltas.data() + first});
  }
}

/// Restores a signal from its differences:
///
///     out[i] = out[i - s] + in[i]                 applied q times
///
///     in    10 -8  1  1  1  1
///     out   10 12 15 19 24 30                     of_order<2>
///
/// Shapes   in[n], out[n], in the memory of `ex`, of integers.  `out` may be `in`, and may
///          overlap nothing else.  n may be 0.
/// Order    Exact, modulo what an element of `out` holds.
/// Cost     O(q n) work, O(log n) span.  Moves 2 n elements for any order, with the scratch of
///          inclusive_scan, a few KiB on the host.
/// Errors   contract_error if the sizes differ.  Issued, not awaited.
/// Source   Maleki, Yang and Burtscher, "Higher-Order and Tuple-Based Massively-Parallel
///          Prefix Sums", PLDI 2016.
template <executor Ex, class In, class Out, class... Options>
void delta_decode(Ex const& ex, In const& in, Out&& out, Options... options) {
  RAVEL_EXPECT_RANGE(In, Ex, "delta_decode: in");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "delta_decode: out");
  static_assert(detail::are_delta_options<Options...>,
                "delta_decode: the options are of_order<q> and of_tuples<s>, each once");
  using Y = element_t<Out>;
  auto const& source = detail::sequence_of(ex, "delta_decode", in);
  static_assert(std::is_integral_v<element_t<decltype(source)>> && std::is_integral_v<Y>,
                "delta_decode: differences are exact of integers, and these are not");
  expects(size_of(out) == size_of(source), "delta_decode: out has ", size_of(out),
          " elements, and in has ", size_of(source));
  inclusive_scan(ex, source, out, plus<Y>{}, options...);
}

}  // namespace ravel::inline v0
