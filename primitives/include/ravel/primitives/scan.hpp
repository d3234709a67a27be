#pragma once

/// Scan: the combination of everything before each element.  Of any load: scan_on.hpp.

#include <ravel/primitives/options.hpp>
#include <ravel/primitives/scan/call.hpp>
#include <ravel/primitives/scan_on.hpp>
#include <ravel/primitives/scan_visits.hpp>

namespace ravel::inline v0 {
namespace detail {

/// Runs a call by its table, or by a named algorithm, which overloads scan_by.
template <class By, class Ex, class Call>
[[gnu::always_inline]] inline void run_scan(By tag, Ex const& ex, Call const& c) {
  if constexpr (std::same_as<By, the_executors_own>) {
    run_call(ex, c);
  } else {
    scan_by(tag, ex, c.n, c.load, c.visit, c.m, c.seed, c.total);
  }
}

template <class M>
inline constexpr bool is_sum = std::same_as<std::remove_cv_t<M>, plus<carrier_t<M>>>;

}  // namespace detail

/// Combines everything up to and including each element:
///
///     out[i] = init * in[0] * ... * in[i]              writing * for `m`
///     out[i] = in[i] * ... * in[n - 1] * init          with the option `backward`
///
///     in     3  1  2  4  1  5
///     out    3  4  6 10 11 16                          with plus
///     out   16 13 12 10  6  5                          with plus, backward
///
/// where init is the identity of `m`, or the value of the option `from`.  The option `total_to`
/// receives the total.  An option of scan_algorithm:: (scan_algorithm.hpp) selects that algorithm.
///
/// With the option `of_tuples<s>` every s-th element is scanned by itself, s times; with
/// `of_order<q>` the result is that of q consecutive scans, the last of which is the call:
///
///     out[i] = out[i - s] * in[i]                      of_tuples<s>
///     in     1  2  3  4  5  6
///     out    1  2  4  6  9 12                          of_tuples<2>
///     out    1  4 10 20 35 56                          of_order<2>
///     out    1  2  5  8 14 20                          of_order<2>, of_tuples<2>
///
/// Shapes   in[n], out[n], in the memory of `ex`; `in` may be a source over sequences there
///          (core/structure.hpp), and on the host any range (core/readable.hpp).  `out` may be `in`, and may overlap nothing else.  n may be 0.
///          Orders and tuples up to 8; orders with plus alone, on a type that also multiplies; n
///          need not be a multiple of s.
/// Order    `m` is applied left to right and need not be commutative.  The grouping is fixed by n
///          and the executor's tile width, independent of the number of threads and of the vector
///          width.  So a floating-point result repeats exactly on the same executor, and differs
///          between executors by rounding: cpu::sequential groups from the left throughout,
///          cpu::threads by tiles if there are several.  Sums are in the type of the monoid: plus{}
///          is on the elements of `out`, so bytes may be summed to ints.  Integer sums of any order
///          wrap around exactly.  In floating point, tiles are joined by binomials, which adds
///          rounding to that of q scans; results after an infinity may be NaN.
/// Cost     O(n) work, O(log n) span.  Moves 2 n elements; executors that run the generic steps
///          move 3 n, and a total for each tile.  Order q takes O(q n) work, and moves 2 n as well.
/// Errors   contract_error if the sizes differ.  Issued, not awaited: a device
///          fault is thrown as cuda_error by the next wait().
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990; for
///          orders and tuples Maleki, Yang and Burtscher, "Higher-Order and Tuple-Based
///          Massively-Parallel Prefix Sums", PLDI 2016.
/// See also algorithms/delta.hpp, whose decoding is this scan.
template <executor Ex, class In, class Out, class M = plus<>, class... Options>
void inclusive_scan(Ex const& ex, In const& in, Out&& out, M m = {}, Options... options) {
  RAVEL_EXPECT_READABLE(In, Ex, "inclusive_scan: in");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "inclusive_scan: out");
  RAVEL_EXPECT_OPTIONS(
      "inclusive_scan: the options are from(...), backward, total_to(...), of_order<q>, "
      "of_tuples<s> and one of scan_algorithm::",
      Ex, detail::scan_options);
  static_assert(
      detail::total_is_one<Options...>,
      "inclusive_scan: of tuples there is a total each, and total_to(...) has room for one");
  auto const monoid = monoid_on<element_t<Out>>(m);
  RAVEL_EXPECT_MONOID(decltype(monoid), "inclusive_scan");
  static_assert(detail::order_of<Options...> == 1 || detail::is_sum<decltype(monoid)>,
                "inclusive_scan: an order is of sums: m is not plus");

  auto const& src = detail::operand_of(ex, "inclusive_scan", in);
  expects(size_of(out) == operand_size(src), "inclusive_scan: out has ", size_of(out),
          " elements, and in has ", operand_size(src));
  detail::run_scan(detail::algorithm_of(options...), detail::own(ex),
                   describe_inclusive_scan(src, out, monoid, options...));
}

/// Combines everything before each element:
///
///     out[i] = init * in[0] * ... * in[i - 1]          writing * for `m`
///     out[i] = in[i + 1] * ... * in[n - 1] * init      with the option `backward`
///
///     in     3  1  2  4  1  5
///     out    0  3  4  6 10 11                          with plus
///     out    0  3  4  6 10 11 16                       if out has one element more
///     out   13 12 10  6  5  0                          with plus, backward
///     out   16 13 12 10  6  5  0                       and one element more
///
/// where init is the identity of `m`, or the value of the option `from`.  An `out` of n + 1
/// elements receives the total in its last element (backward: its first), which turns lengths into
/// offsets in one call.  The option `total_to` receives the total too.  Orders and tuples are as
/// for inclusive_scan: for order q, the last of q scans is exclusive.
///
/// Shapes   in[n], out[n] or out[n + 1], in the memory of `ex`; `in` may be a source over sequences
///          there.  `out` of n elements may be `in`, and may overlap nothing else.  n may be 0.
///          For tuples, out[n].
/// Order    As for inclusive_scan.
/// Cost     As for inclusive_scan.
/// Errors   contract_error if the sizes do not fit.  Issued, not awaited.
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990.
template <executor Ex, class In, class Out, class M = plus<>, class... Options>
void exclusive_scan(Ex const& ex, In const& in, Out&& out, M m = {}, Options... options) {
  RAVEL_EXPECT_READABLE(In, Ex, "exclusive_scan: in");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "exclusive_scan: out");
  RAVEL_EXPECT_OPTIONS(
      "exclusive_scan: the options are from(...), backward, total_to(...), of_order<q>, "
      "of_tuples<s> and one of scan_algorithm::",
      Ex, detail::scan_options);
  static_assert(
      detail::total_is_one<Options...>,
      "exclusive_scan: of tuples there is a total each, and total_to(...) has room for one");
  using U = element_t<Out>;
  auto const monoid = monoid_on<U>(m);
  RAVEL_EXPECT_MONOID(decltype(monoid), "exclusive_scan");
  static_assert(detail::order_of<Options...> == 1 || detail::is_sum<decltype(monoid)>,
                "exclusive_scan: an order is of sums: m is not plus");

  auto const& src = detail::operand_of(ex, "exclusive_scan", in);
  auto const dst = view_of(out);
  index_t const n = operand_size(src);
  bool constexpr has_far_end = detail::tuples_of<Options...> == 1;
  expects(dst.size() == n || (has_far_end && dst.size() == n + 1), "exclusive_scan: out has ",
          dst.size(), " elements, and in has ", n);
  auto const run = [&](auto const& call) {
    detail::run_scan(detail::algorithm_of(options...), detail::own(ex), call);
  };
  if (dst.size() == n) {
    run(describe_exclusive_scan(src, dst, monoid, options...));
  } else if constexpr (has_far_end) {
    bool constexpr back = detail::is_backward<Options...>;
    auto total = detail::total_of(options...);
    detail::store_total<U> const far_end{dst.data() + (back ? 0 : n)};
    run(detail::describe_scan_with(
        n, source_of(src), write_before<U>{dst.data() + (back ? 1 : 0)}, monoid,
        detail::both_totals<detail::store_total<U>, decltype(total)>{far_end, total}, options...));
  }
}

}  // namespace ravel::inline v0
