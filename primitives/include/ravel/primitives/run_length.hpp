#pragma once

/// Run-length encoding: each run of equal elements as one of them and a length.

#include <ravel/primitives/expand.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/runs/call.hpp>
#include <ravel/primitives/runs/cpu.hpp>
#include <ravel/primitives/runs/cuda.hpp>
#include <ravel/primitives/runs/steps.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/reduce_by_key.cuh>
#  include <ravel/primitives/cuda/run_length.cuh>  // defines the forms that runs/cuda.hpp declares
#endif

namespace ravel::inline v0 {

/// Visits each run of equal adjacent elements with its length and its begin.
///
/// For each run [b, e) of `in`, number s of all, calls visit(s, x) once, in any order, with
///
///     x.first = e - b          x.second = b
///
/// and total(k) once, with their number k.
template <executor Ex, class In, class Eq, class Visit, class Total = detail::no_total>
void encode_runs_on(Ex const& ex, In const& in, Eq equal, Visit visit, Total total = {}) {
  RAVEL_EXPECT_READABLE(In, Ex, "encode_runs_on: in");
  run_call(detail::own(ex),
           describe_encode_runs(detail::operand_of(ex, "encode_runs_on", in), equal, visit, total));
}

/// Writes the value and the length of each run of equal elements:
///
///     in         7 7 7 4 4 7
///     values     7     4   7
///     lengths    3     2   1
///
/// The value is the first element of the run.  Adjacent elements are in one run if x == y, or as
/// the option `equal_by` defines.  The option `total_to` receives the number of runs.
///
/// Shapes   in[n], in the memory of `ex`, or a source over sequences there (core/structure.hpp).
///          `values`, and `lengths` of any integer type, are there too, of any sizes: runs that
///          they have no room for are counted and not written, and elements after the last one are
///          not changed.  They overlap nothing.  n may be 0.
/// Order    The equality is called with adjacent elements (left, right) and need not be transitive:
///          on the host once for each pair, or twice if it is stateless and the elements are numbers.
/// Cost     O(n) work, O(log n) span.  Reads `in` twice, a long one on devices once, and
///          writes a value and a length for each run.
/// Errors   Only those of memory.
/// See also run_length_decode, its inverse; by_lengths(lengths), the runs as segments.
template <local_executor Ex, class In, class Values, class Lengths, class... Options>
void run_length_encode(Ex const& ex, In const& in, Values&& values, Lengths&& lengths,
                       Options... options) {
  RAVEL_EXPECT_READABLE(In, Ex, "run_length_encode: in");
  RAVEL_EXPECT_WRITABLE(Values, Ex, "run_length_encode: values");
  RAVEL_EXPECT_WRITABLE(Lengths, Ex, "run_length_encode: lengths");
  static_assert(std::integral<element_t<Lengths>>,
                "run_length_encode: the lengths must be integers");
  RAVEL_EXPECT_OPTIONS("run_length_encode: the options are equal_by(...) and total_to(...)", Ex,
                       detail::run_options);
  auto const& src = detail::operand_of(ex, "run_length_encode", in);
  static_assert(detail::compares<decltype(detail::equality_of(options...)),
                                 element_of_t<decltype(source_of(src))>>,
                "run_length_encode: equal_by(...) cannot be called with two elements of in");
  run_call(detail::own(ex), describe_run_lengths(src, values, lengths, options...));
}

/// run_length_encode, and the number of runs.  Waits for it.
template <executor Ex, class In, class Values, class Lengths, class... Options>
index_t run_length_encode_sync(Ex const& ex, In const& in, Values&& values, Lengths&& lengths,
                               Options... options) {
  static_assert(!detail::has<detail::option::total, Options...>,
                "run_length_encode_sync: it returns the total");
  return detail::total_sync(
      ex, [&](auto total) { run_length_encode(ex, in, values, lengths, total, options...); });
}

/// Writes each value as many times as its length:
///
///     values     7     4   9   7
///     lengths    3     2   0   1
///     out        7 7 7 4 4     7
///
/// Shapes   values[k]; lengths[k] of any integer type, none negative, and their
///          sum is the size of `out`; all in the memory of `ex`.  `out` overlaps
///          nothing.
/// Cost     O(n + k) work, O(log n) span, for an `out` of n elements, whatever
///          the lengths.  Moves k values, k lengths and n elements, besides 24 k
///          bytes for the offsets of the runs.
/// Errors   contract_error if there are not as many lengths as values, and, where
///          memory is the host's, if their sum is not the size of `out`.
/// See also run_length_encode.
template <local_executor Ex, class Values, class Lengths, class Out>
void run_length_decode(Ex const& ex, Values const& values, Lengths const& lengths, Out&& out) {
  RAVEL_EXPECT_RANGE(Values, Ex, "run_length_decode: values");
  RAVEL_EXPECT_RANGE(Lengths, Ex, "run_length_decode: lengths");
  auto const& src = detail::sequence_of(ex, "run_length_decode", values);
  auto const& repeats = detail::sequence_of(ex, "run_length_decode", lengths);
  static_assert(std::integral<element_t<decltype(repeats)>>,
                "run_length_decode: the lengths must be integers");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "run_length_decode: out");
  expects(size_of(repeats) == size_of(src), "run_length_decode: there are ", size_of(repeats),
          " lengths, and ", size_of(src), " values");
  detail::expand_for(ex, "run_length_decode", detail::the_value{}, src, by_lengths(repeats), out);
}

}  // namespace ravel::inline v0
