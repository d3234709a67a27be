#pragma once

/// Histogram: the number of elements in each bin.

#include <ravel/core/atomic.hpp>
#include <ravel/core/member.hpp>
#include <ravel/core/search.hpp>
#include <ravel/primitives/histogram/call.hpp>
#include <ravel/primitives/histogram/cpu.hpp>
#include <ravel/primitives/histogram/steps.hpp>
#include <ravel/primitives/verify.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/histogram.cuh>  // defines the forms that histogram/cuda.hpp declares
#endif

namespace ravel::inline v0 {
namespace detail {

template <class T>
RAVEL_HD constexpr bool is_negative(T x) {
  if constexpr (std::is_signed_v<T>) {
    return x < T(0);
  } else {
    return false;
  }
}

/// floor((x + y) / width) where the sum overflows a word; -1 if it is no index.
inline RAVEL_HD index_t bin_of_long(std::uint64_t x, std::uint64_t y, std::uint64_t width) {
  if (width == 1) return -1;
  return static_cast<index_t>(x / width + y / width + (x % width + y % width) / width);
}

template <class T, class U>
struct edge_not_above {
  T const* edges;
  U const* x;
  RAVEL_HD bool operator()(index_t k) const { return !(*x < edges[k]); }
};

}  // namespace detail

/// The result of `by_width`.
template <class T>
struct width_bins {
  T lower;
  T width;

  template <class U>
  RAVEL_HD index_t operator()(U const& x) const {
    if constexpr (std::is_integral_v<T> && std::is_integral_v<U>) {
      using word = std::uint64_t;  // correct for integers of equal sign
      bool const negative = detail::is_negative(x);
      bool const below = negative == detail::is_negative(lower)
                             ? static_cast<word>(x) < static_cast<word>(lower)
                             : negative;
      word const above = static_cast<word>(x) - static_cast<word>(lower);
      if constexpr (std::is_signed_v<T> && std::is_unsigned_v<U> && sizeof(U) == sizeof(word)) {
        if (lower < T(0) && above < static_cast<word>(x)) {
          return detail::bin_of_long(x, word{0} - static_cast<word>(lower),
                                     static_cast<word>(width));
        }
      }
      return below ? -1 : static_cast<index_t>(above / static_cast<word>(width));
    } else {
      using real = std::common_type_t<T, U>;
      constexpr real limit = static_cast<real>(index_t{1} << 62);
      real const bin = (static_cast<real>(x) - static_cast<real>(lower)) / static_cast<real>(width);
      return bin >= 0 && bin < limit ? static_cast<index_t>(bin) : -1;  // NaN is in no bin
    }
  }
};

/// The result of `by_edges`.
template <class T, class Space>
struct edge_bins {
  using space = Space;
  view<T const, Space> edges;

  template <class U>
  RAVEL_HD index_t operator()(U const& x) const {
    detail::edge_not_above<T, U> const not_above{edges.data(), &x};
    return partition_point(0, edges.size(), not_above) - 1;
  }
  void expect_bins(index_t bins) const {
    expects(edges.size() == bins + 1, "histogram: by_edges has ", edges.size(), " edges, and ",
            bins, " bins have ", bins + 1);
  }
};

/// Bins of one width: x is in bin floor((x - lower) / width).
///
/// Integers are exact whatever their types; if either is floating, all is computed in their common
/// type, so an x within rounding of an edge may be counted on either side of it.
template <class T>
requires std::is_arithmetic_v<T>
auto by_width(T lower, std::type_identity_t<T> width) {
  expects(width > 0, "by_width: the width of bins is ", width);
  return width_bins<T>{lower, width};
}

/// Bins between edges: x is in bin k if edges[k] <= x < edges[k + 1].
///
/// Shapes   edges[bins + 1], ascending, in the memory of the executor.
/// Cost     Each element searches the edges: O(log bins).
template <sequence R>
auto by_edges(R&& edges) {
  static_assert(detail::outlives_the_call<R>, "by_edges: the edges are a temporary");
  return edge_bins<element_t<R>, space_of_t<R>>{view_of(edges)};
}

/// Counts the i of [0, n) in each bin:
///
///     counts[k] = #{i : bin(i) = k}
///
/// bin(i) is called once for each i, in any order; elements in no bin of `counts` are not counted.
/// If a bin has a member on(tile), each tile uses its result instead.
///
/// Shapes, order and cost are those of histogram.
template <executor Ex, class Bin, class Counts>
void histogram_on(Ex const& ex, index_t n, Bin bin, Counts&& counts) {
  RAVEL_EXPECT_WRITABLE(Counts, Ex, "histogram_on: counts");
  static_assert(counter<element_t<Counts>>,
                "histogram_on: the counts must be integers of 32 or 64 bits");
  run_call(detail::own(ex), describe_histogram_on(n, bin, counts));
}

/// Counts the elements of `in` in each bin:
///
///     counts[k] = #{i : bin(in[i]) = k}
///
///     in        3 1 0 3 3 7
///     counts    1 1 0 3                   7 is in none of the four bins
///
///     in        0.5 -2 3.9 1 nan
///     counts    1 1 0 1                   with by_width(0.0, 1.0)
///     counts    2 0 1                     with by_edges({0, 2, 3, 4})
///
/// An integer is its own bin where no other is given: by_width, by_edges, or any function from
/// elements to integers.  Elements in no bin of `counts` are not counted: their number is n less
/// the sum of counts.
///
/// Shapes   in[n]; counts, one for each bin, of any integer type of 32 or 64 bits; all in the
///          memory of `ex`.  The previous values of `counts` are overwritten.  `counts` overlaps
///          nothing.  n may be 0, and so may the number of bins.
/// Order    bin is called in any order, once for each element; a device may call it once for several
///          that are bitwise equal.  Counts are exact, and wrap around in their own width.
/// Cost     O(n + bins) work, and O(log n) span if elements spread over the bins: additions to one
///          bin are serialised.  Threads of the host, and blocks of a device with counters in shared
///          memory, count separately and add their counts at the end; a device does so for as many
///          counters of 2 bytes as its shared memory holds.  Moves n elements.
/// Errors   contract_error if by_edges does not have one edge more than there are bins; on a
///          checked executor, if its edges do not ascend.
/// See also run_length_encode after a sort, for many sparse keys.
template <executor Ex, class In, class Counts, class Bin = by_value>
void histogram(Ex const& ex, In const& in, Counts&& counts, Bin bin = {}) {
  RAVEL_EXPECT_RANGE(In, Ex, "histogram: in");
  RAVEL_EXPECT_WRITABLE(Counts, Ex, "histogram: counts");
  static_assert(counter<element_t<Counts>>,
                "histogram: the counts must be integers of 32 or 64 bits");
  auto const& src = detail::sequence_of(ex, "histogram", in);
  using T = element_t<decltype(src)>;
  static_assert(std::is_invocable_v<Bin&, T const&>,
                "histogram: bin cannot be called with an element of in; without one the elements "
                "must be integers");
  static_assert(std::integral<std::remove_cvref_t<std::invoke_result_t<Bin&, T const&>>>,
                "histogram: bin must return an integer");
  if constexpr (requires { typename Bin::space; }) {
    static_assert(std::same_as<typename Bin::space, space_of_t<Ex>>,
                  "histogram: the edges are not in the executor's memory");
  }
  if constexpr (requires { bin.edges; }) {
    bin.expect_bins(size_of(counts));
    detail::verify_ascending(ex, "histogram", "edge", bin.edges);
  }
  run_call(detail::own(ex), describe_histogram(src, counts, bin));
}

}  // namespace ravel::inline v0
