#pragma once

/// Segmented reduce: the combination of all elements of each segment.

#include <ravel/primitives/options.hpp>
#include <ravel/primitives/readable_segments.hpp>
#include <ravel/primitives/segmented_reduce/call.hpp>
#include <ravel/primitives/segmented_reduce/cpu.hpp>
#include <ravel/primitives/segmented_reduce/cuda.hpp>
#include <ravel/primitives/segmented_reduce/steps.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/segmented_reduce.cuh>  // the kernels
#endif

namespace ravel::inline v0 {
namespace detail {

/// segmented_reduce_on, whose errors name `call`.  By reference: clang copies larger
/// descriptors through memory, where vector loads stall.
template <class Ex, class Load, class S, class M, class Seed, class Visit, class Total>
inline void segmented_reduce_for(Ex const& ex, char const* call, index_t n, Load load,
                                 S const& segments, M m, Seed seed, Visit const& visit,
                                 Total total) {
  readable_segments<Ex, S> const readable(ex, segments, n, call);
  static_assert(
      !std::remove_cvref_t<decltype(readable.get())>::numbered || std::same_as<Total, no_total>,
      "the number of segments goes to a total of heads, head bits and keys; of these "
      "segments it is known");
  run_call(own(ex), describe_segmented_reduce_on(n, load, readable.get(), m, seed, visit, total));
}

}  // namespace detail

/// Visits each segment of [0, n) with the combination of its elements.
///
/// For each segment s, calls visit(s, x) once, in any order, with
///
///     x = seed() * load(begin of s) * ... * load(end of s - 1)
///
/// writing * for `m`, so that x is seed() for an empty segment.  Segments by heads, head bits and
/// keys are numbered from 0, and total(k) is called once with their number k.  A map before the
/// reduction is a different `load`, and a map after it a different `visit`: with products as the
/// load, and alpha x + beta y as the visit, this is a sparse matrix-vector product.
///
/// load(i) may be called more than once and must return the same value each time; if a load has a
/// member on(tile), each tile uses its result instead.  visit(s, ...) must not change what a load
/// reads.
///
/// Order, cost and errors are those of segmented_reduce.
template <executor Ex, class Load, class S, class M, class Seed, class Visit,
          class Total = detail::no_total>
void segmented_reduce_on(Ex const& ex, index_t n, Load load, S segments, M m, Seed seed,
                         Visit visit, Total total = {}) {
  RAVEL_EXPECT_SEGMENTS(S, Ex, "segmented_reduce_on");
  RAVEL_EXPECT_MONOID(M, "segmented_reduce_on");
  detail::segmented_reduce_for(ex, "segmented_reduce_on", n, load, segments, m, seed, visit, total);
}

/// Combines the elements of each segment of `in`:
///
///     out[s] = init * in[begin of s] * ... * in[end of s - 1]    writing * for `m`
///
///     in        3  1  2 | 4  1 | | 5
///     lengths   3         2     0  1                   by_lengths(lengths)
///     out       6         5     0  5                   with plus
///
/// where init is the identity of `m`, or the value of the option `from`; it is the result of an
/// empty segment.
///
/// Shapes   in[n], and segments of n elements in any form of core/segments.hpp, all in the memory
///          of `ex`; `in` may be a source over sequences there (core/structure.hpp).  For offsets,
///          lengths and uniform, out[k] for k segments.  For heads, head
///          bits and keys the number of segments is known only when the call is done: the option
///          `total_to` receives it, and segments beyond the size of `out` are counted and not
///          written.  n may be 0.  `out` overlaps nothing.
/// Order    `m` is applied left to right and need not be commutative; the grouping is fixed by n,
///          the executor's tile width and the segments.
/// Cost     O(n + k) work, O(log n) span, whatever the lengths; with offsets O(n log k') for k'
///          segments in a tile.  Moves 2 n elements, the descriptor three times, and k results; for
///          segments with numbers, on the host and for plain numbers on a device, n elements and
///          the descriptor once.
/// Source   Blelloch, "Scans as Primitive Parallel Operations", IEEE Trans.
///          Computers 38(11), 1989.
template <executor Ex, class In, class S, class Out, class M = plus<>, class... Options>
void segmented_reduce(Ex const& ex, In const& in, S segments, Out&& out, M m = {},
                      Options... options) {
  RAVEL_EXPECT_READABLE(In, Ex, "segmented_reduce: in");
  RAVEL_EXPECT_SEGMENTS(S, Ex, "segmented_reduce");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "segmented_reduce: out");
  RAVEL_EXPECT_OPTIONS("segmented_reduce: the options are from(...) and total_to(...)", Ex,
                       detail::takes<detail::option::from, detail::option::total>);
  using U = element_t<Out>;
  auto const monoid = monoid_on<U>(m);
  RAVEL_EXPECT_MONOID(decltype(monoid), "segmented_reduce");
  using T = carrier_t<decltype(monoid)>;

  auto const dst = view_of(out);
  if constexpr (requires { segments.count(); }) {
    static_assert(
        !detail::has<detail::option::total, Options...>,
        "segmented_reduce: total_to(...) is for heads, head bits and keys; of these segments the "
        "number is known");
    expects(dst.size() == segments.count(), "segmented_reduce: out has ", dst.size(),
            " elements, and there are ", segments.count(), " segments");
  }
  auto const& src = detail::operand_of(ex, "segmented_reduce", in);
  detail::segmented_reduce_for(ex, "segmented_reduce", operand_size(src), source_of(src), segments,
                               monoid, detail::seed_of<T>(monoid, options...),
                               detail::write_segment<U>{dst.data(), dst.size()},
                               detail::total_of(options...));
}

}  // namespace ravel::inline v0
