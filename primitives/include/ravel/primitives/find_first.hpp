#pragma once

/// Find first: the position of the first element for which a predicate is true.

#include <ravel/core/transfer.hpp>
#include <ravel/primitives/find_first/call.hpp>
#include <ravel/primitives/find_first/cpu.hpp>
#include <ravel/primitives/find_first/steps.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/find_first.cuh>  // defines what find_first/cuda.hpp declares
#endif

namespace ravel::inline v0 {

/// Calls found(min {i : holds(i)}) for the i of [0, n), or found(n) if there is none, once.
///
/// Order    Each holds(i) is called once at most, in any order.
/// Cost     O(n) work, O(log n) span.  Elements after the first match are not evaluated, except for
///          those in progress when it was found: some thousands on the host, four million on an H100.
template <executor Ex, class Holds, class Found>
void find_first_on(Ex const& ex, index_t n, Holds holds, Found found) {
  run_call(detail::own(ex), describe_find_first_on(n, holds, found));
}

/// Writes the position of the first element for which `holds` is true, or n if there is none:
///
///     out[0] = min ({i : holds(in[i])} and n)
///
///     in     3  1  2  4  1  5
///     out    2                                with holds(x) = x is even
///
/// Shapes   in[n], and out[1] of integers, in the memory of `ex`.  n may be 0.
/// Order    `holds` is called once for each element at most, in any order.
/// Cost     O(n) work, O(log n) span.  Reads the elements up to the first match, and some after it.
/// Errors   contract_error if `out` is not one element.  Issued, not awaited.
/// See also find_first_sync, which waits and returns it; filter, which keeps all of them.
template <local_executor Ex, class In, class Holds, class Out>
void find_first(Ex const& ex, In const& in, Holds const& holds, Out&& out) {
  RAVEL_EXPECT_READABLE(In, Ex, "find_first: in");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "find_first: out");
  static_assert(std::integral<element_t<Out>>, "find_first: out must be of integers");
  auto const& src = detail::operand_of(ex, "find_first", in);
  using T = element_of_t<decltype(source_of(src))>;
  static_assert(std::is_invocable_r_v<bool, Holds const&, T const&>,
                "find_first: holds cannot be called with an element of in");
  expects(size_of(out) == 1, "find_first: out has ", size_of(out), " elements and must have one");
  run_call(detail::own(ex), describe_find_first(src, holds, out));
}

/// find_first, on the host.  Waits for it.
///
///     if (find_first_sync(ex, in, is_negative{}) < std::ssize(in)) ...     // any is
template <executor Ex, class In, class Holds>
index_t find_first_sync(Ex const& ex, In const& in, Holds const& holds) {
  return detail::one_sync<index_t>(ex, [&](auto const& out) { find_first(ex, in, holds, out); });
}

}  // namespace ravel::inline v0
