#pragma once

/// Reduce: the combination of all elements.

#include <ravel/core/transfer.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/reduce/call.hpp>
#include <ravel/primitives/reduce/cpu.hpp>
#include <ravel/primitives/reduce/cuda.hpp>
#include <ravel/primitives/reduce/steps.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/reduce.cuh>  // defines the form that reduce/cuda.hpp declares
#endif

namespace ravel::inline v0 {

/// Calls total(seed() * load(0) * ... * load(n - 1)), once, writing * for `m`.
///
/// Order    Left to right; `m` need not be commutative.  The grouping is fixed
///          by n, the executor's tile width and, on a device, whether a load of elements of
///          memory begins at a multiple of 16 bytes.
/// Cost     O(n) work, O(log n) span.  Calls each load(i) once.
template <executor Ex, class Load, class M, class Seed, class Total>
[[gnu::always_inline]] inline void reduce_on(Ex const& ex, index_t n, Load load, M m, Seed seed,
                                             Total total) {
  run_call(detail::own(ex), describe_reduce_on(n, load, m, seed, total));
}

/// Combines all elements of `in`:
///
///     out[0] = init * in[0] * ... * in[n - 1]          writing * for `m`
///
///     in     3  1  2  4  1  5
///     out    16                                        with plus
///
/// where init is the identity of `m`, or the value of the option `from`.
///
/// Shapes   in[n], out[1], in the memory of `ex`; `in` may be a source over sequences there
///          (core/structure.hpp), and on the host any range (core/readable.hpp).  n may be 0.
/// Order    `m` is applied left to right and need not be commutative.  The
///          grouping is fixed by n, the executor's tile width and, on a device, whether `in`
///          begins at a multiple of 16 bytes, so a result in floating point repeats exactly
///          on the same executor, of the same memory.
/// Cost     O(n) work, O(log n) span.  Moves n sizeof(element) bytes.
/// Errors   contract_error if `out` is not one element.
/// See also reduce_sync, which waits and returns the result.
template <executor Ex, class In, class Out, class M = plus<>, class... Options>
requires(sequence<Out>) void reduce(Ex const& ex, In const& in, Out&& out, M m = {},
                                    Options... options) {
  RAVEL_EXPECT_READABLE(In, Ex, "reduce: in");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "reduce: out");
  RAVEL_EXPECT_OPTIONS("reduce: the only option is from(...)", Ex,
                       detail::takes<detail::option::from>);
  auto const monoid = monoid_on<element_t<Out>>(m);
  RAVEL_EXPECT_MONOID(decltype(monoid), "reduce");
  expects(size_of(out) == 1, "reduce: out has ", size_of(out), " elements and must have one");
  run_call(detail::own(ex),
           describe_reduce(detail::operand_of(ex, "reduce", in), out, monoid, options...));
}

/// The combination of all elements of `in`, on the host.  Waits for it.
///
///     int const sum = reduce_sync(ex, in);
///     int const most = reduce_sync(ex, in, maximum{});
template <executor Ex, class In, class M = plus<>, class... Options>
auto reduce_sync(Ex const& ex, In const& in, M m = {}, Options... options) {
  RAVEL_EXPECT_READABLE(In, Ex, "reduce_sync: in");
  auto const& src = detail::operand_of(ex, "reduce_sync", in);
  using monoid = decltype(monoid_on<element_of_t<decltype(source_of(src))>>(m));
  if constexpr (some_monoid<monoid>) {
    return detail::one_sync<carrier_t<monoid>>(
        ex, [&](auto const& out) { reduce(ex, src, out, m, options...); });
  } else {
    static_assert(some_monoid<monoid>,
                  "reduce_sync: m is not a monoid: monoid{f, identity} is that of a function");
  }
}

}  // namespace ravel::inline v0
