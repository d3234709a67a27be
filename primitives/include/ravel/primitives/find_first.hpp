#pragma once

/// @file
/// Find first: the position of the first element for which a predicate is true.

#include <ravel/core/checked.hpp>
#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/member.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce.hpp>

#include <concepts>
#include <type_traits>

namespace ravel::inline v0 {
namespace detail {

/// i where the predicate is true, and n elsewhere.
template <class Holds>
struct place_where {
  Holds holds;
  index_t n;
  RAVEL_HD index_t operator()(index_t i) const { return holds(i) ? i : n; }
};
struct one_past_last {
  index_t n;
  RAVEL_HD index_t operator()() const { return n; }
};

}  // namespace detail

/// Calls found(min {i : holds(i)}) for the i of [0, n), or found(n) if there is none, once.
///
/// Order    Each holds(i) is called once at most, in any order.
/// Cost     O(n) work, O(log n) span.  On the host elements after the first match are not
///          evaluated, except for some thousands in progress when it was found.
template <executor Ex, class Holds, class Found>
void find_first_on(Ex const& ex, index_t n, Holds holds, Found found) {
  reduce_on(ex, n, detail::place_where<Holds>{holds, n}, minimum<index_t>{},
            detail::one_past_last{n}, found);
}

/// The same on a checked executor: there is nothing to verify.
template <executor Ex, class Holds, class Found>
void find_first_on(checked_executor<Ex> const& ex, index_t n, Holds holds, Found found) {
  find_first_on(ex.own(), n, holds, found);
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
/// Cost     O(n) work, O(log n) span.  Moves n sizeof(element) bytes; on the host those up to the
///          first match, and some after it.
/// Errors   contract_error if `out` is not one element.  Issued, not awaited.
/// See also find_first_sync, which waits and returns it; filter, which keeps all of them.
template <executor Ex, class In, class Holds, class Out>
void find_first(Ex const& ex, In const& in, Holds const& holds, Out&& out) {
  static_assert(sequence_on<In const&, Ex>,
                "find_first: in is not a contiguous sequence in the executor's memory");
  static_assert(writable_on<Out, Ex>,
                "find_first: out is not a writable contiguous sequence in the executor's memory");
  static_assert(std::integral<element_t<Out>>, "find_first: out must be of integers");
  static_assert(std::is_invocable_r_v<bool, Holds const&, element_t<In const&> const&>,
                "find_first: holds cannot be called with an element of in");
  auto const from = view_of(in);
  auto const to = view_of(out);
  expects(to.size() == 1, "find_first: out has ", to.size(), " elements and must have one");
  find_first_on(ex, from.size(),
                detail::keeps_element<element_t<In const&>, function_t<Holds>>{from.data(),
                                                                               as_function(holds)},
                detail::store_total<element_t<Out>>{to.data()});
}

/// find_first, on the host.  Waits for it.
///
///     if (find_first_sync(ex, in, is_negative{}) < std::ssize(in)) ...     // any is
template <executor Ex, class In, class Holds>
index_t find_first_sync(Ex const& ex, In const& in, Holds const& holds) {
  return detail::one_sync<index_t>(ex,
                                   [&](auto const& there) { find_first(ex, in, holds, there); });
}

}  // namespace ravel::inline v0

#include <ravel/primitives/cpu/find_first.hpp>  // as far as it must
