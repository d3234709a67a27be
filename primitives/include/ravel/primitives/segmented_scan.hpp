#pragma once

/// Segmented scan: a scan that restarts at every segment.

#include <ravel/primitives/options.hpp>
#include <ravel/primitives/readable_segments.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/segmented_scan/call.hpp>
#include <ravel/primitives/segmented_scan/cpu.hpp>
#include <ravel/primitives/segmented_scan/cuda.hpp>
#include <ravel/primitives/segmented_scan/steps.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/segmented_scan.cuh>  // the kernel
#endif

namespace ravel::inline v0 {
namespace detail {

/// segmented_scan_on, whose errors name `call`: by its table, or by a named algorithm.  Segments by
/// reference: clang copies larger descriptors through memory, where vector loads stall.
template <class Ex, class Load, class S, class Visit, class M, class... Options>
void segmented_scan_for(Ex const& ex, char const* call, index_t n, Load load, S const& segments,
                        Visit visit, M m, Options... options) {
  readable_segments<Ex, S> const readable(ex, segments, n, call);
  auto const described = describe_segmented_scan_on(n, load, readable.get(), visit, m, options...);
  auto const tag = algorithm_of(options...);
  if constexpr (std::same_as<decltype(tag), the_executors_own const>) {
    run_call(own(ex), described);
  } else {
    run_scan(tag, own(ex), scan_of_flagged(described));
  }
}

/// The common part of both segmented scans.
template <bool Before, class Ex, class In, class S, class Out, class M, class... Options>
[[gnu::always_inline]] inline void segmented_scan(Ex const& ex, char const* call, In const& in,
                                                  S const& segments, Out& out, M m,
                                                  Options... options) {
  index_t const n = operand_size(in);
  expects(size_of(out) == n, call, ": out has ", size_of(out), " elements, and in has ", n);
  segmented_scan_for(ex, call, n, source_of(in), segments,
                     normal_scan_visit(result_into<Before, sink_t<Out&>>{sink_of(out)}), m,
                     options...);
}

}  // namespace detail

/// Visits each element with the scan of its segment: calls visit(i, before, through) once for each
/// i of [0, n), in any order, where
///
///     before  = init * load(s(i)) * ... * load(i - 1)            writing * for `m`
///     through = init * load(s(i)) * ... * load(i)
///
/// and s(i) is the first element of the segment that contains i; with the option `backward` as for
/// segmented_inclusive_scan.  A map before the scan is a different `load`, and a map of its results
/// a different `visit`; faster forms exist for those of scan_visits.hpp (docs/forms.md).  If a load
/// or a visit has a member on(tile), each tile uses its result instead.
///
/// Each load(i) is called at most twice and must return the same value both times; visit(i, ...)
/// may overwrite what load(i) reads, but nothing that another load reads.
///
/// The options are from(...) and backward.  Order, cost and errors are those of
/// segmented_inclusive_scan.
template <executor Ex, class Load, class S, class Visit, class M, class... Options>
void segmented_scan_on(Ex const& ex, index_t n, Load load, S segments, Visit visit, M m,
                       Options... options) {
  RAVEL_EXPECT_SEGMENTS(S, Ex, "segmented_scan_on");
  RAVEL_EXPECT_MONOID(M, "segmented_scan_on");
  RAVEL_EXPECT_OPTIONS("segmented_scan_on: the options are from(...) and backward", Ex,
                       detail::takes<detail::option::from, detail::option::backward>);
  expects(n >= 0, "segmented_scan_on: n is ", n);
  detail::segmented_scan_for(ex, "segmented_scan_on", n, load, segments, visit, m, options...);
}

/// Scans each segment of `in` on its own, inclusively.
///
/// With s(i) and e(i) the first and last element of the segment that contains i,
///
///     out[i] = init * in[s(i)] * ... * in[i]           writing * for `m`
///     out[i] = in[i] * ... * in[e(i)] * init           with the option `backward`
///
///     in        3  1  2 | 4  1 | 5
///     lengths   3         2      1                     by_lengths(lengths)
///     out       3  4  6   4  5   5                     with plus
///     out       6  3  2   5  1   5                     with plus, backward
///
/// where init is the identity of `m`, or the value of the option `from`.  An option of
/// segmented_algorithm:: or scan_algorithm:: (scan_algorithm.hpp) selects that algorithm.
///
/// Shapes   in[n], out[n], and segments of n elements in any form of
///          core/segments.hpp, all in the memory of `ex`; `in` may be a source over sequences
///          there (core/structure.hpp).  `out` may be `in`, and may overlap nothing else.  n may
///          be 0.
/// Order    `m` is applied left to right and need not be commutative.  The grouping is fixed by n
///          and the executor's tile width, so a floating-point result repeats exactly on the same
///          executor, with any number of threads, and differs between executors by rounding, as for
///          scans.
/// Cost     O(n) work, O(log n) span; with offsets O(n log k) work for k
///          segments in a tile, whatever their lengths.  Moves 3 n elements and
///          twice the descriptor.
/// Errors   contract_error if the sizes differ.  Issued, not awaited: a device
///          fault is thrown as cuda_error by the next wait().
/// Source   Blelloch, "Scans as Primitive Parallel Operations", IEEE Trans.
///          Computers 38(11), 1989, for the operator lifted over head flags.
/// See also segmented_reduce, if only the last result of each segment is needed.
template <executor Ex, class In, class S, class Out, class M = plus<>, class... Options>
void segmented_inclusive_scan(Ex const& ex, In const& in, S segments, Out&& out, M m = {},
                              Options... options) {
  RAVEL_EXPECT_READABLE(In, Ex, "segmented_inclusive_scan: in");
  RAVEL_EXPECT_SEGMENTS(S, Ex, "segmented_inclusive_scan");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "segmented_inclusive_scan: out");
  RAVEL_EXPECT_OPTIONS(
      "segmented_inclusive_scan: the options are from(...), backward and one of "
      "segmented_algorithm:: or scan_algorithm::",
      Ex, detail::segmented_scan_options);
  auto const monoid = monoid_on<element_t<Out>>(m);
  RAVEL_EXPECT_MONOID(decltype(monoid), "segmented_inclusive_scan");
  detail::segmented_scan<false>(ex, "segmented_inclusive_scan",
                                detail::operand_of(ex, "segmented_inclusive_scan", in), segments,
                                out, monoid, options...);
}

/// Scans each segment of `in` on its own, exclusively.
///
///     out[i] = init * in[s(i)] * ... * in[i - 1]       writing * for `m`
///     out[i] = in[i + 1] * ... * in[e(i)] * init       with the option `backward`
///
///     in        3  1  2 | 4  1 | 5
///     out       0  3  4   0  4   0                     with plus
///     out       3  2  0   1  0   0                     with plus, backward
///
/// All else is as for segmented_inclusive_scan.
template <executor Ex, class In, class S, class Out, class M = plus<>, class... Options>
void segmented_exclusive_scan(Ex const& ex, In const& in, S segments, Out&& out, M m = {},
                              Options... options) {
  RAVEL_EXPECT_READABLE(In, Ex, "segmented_exclusive_scan: in");
  RAVEL_EXPECT_SEGMENTS(S, Ex, "segmented_exclusive_scan");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "segmented_exclusive_scan: out");
  RAVEL_EXPECT_OPTIONS(
      "segmented_exclusive_scan: the options are from(...), backward and one of "
      "segmented_algorithm:: or scan_algorithm::",
      Ex, detail::segmented_scan_options);
  auto const monoid = monoid_on<element_t<Out>>(m);
  RAVEL_EXPECT_MONOID(decltype(monoid), "segmented_exclusive_scan");
  detail::segmented_scan<true>(ex, "segmented_exclusive_scan",
                               detail::operand_of(ex, "segmented_exclusive_scan", in), segments,
                               out, monoid, options...);
}

}  // namespace ravel::inline v0
