#pragma once

/// The description of a search for the first position where a predicate is true.

#include <ravel/core/member.hpp>
#include <ravel/core/readable.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/pack/call.hpp>

namespace ravel::inline v0 {

struct find_first_family;

/// found(min {i : holds(i)}) for the i of [0, n), or found(n).
template <class Holds, class Found>
struct find_first_call {
  using family = find_first_family;
  index_t n;
  Holds holds;
  Found found;
};

namespace detail {

/// Whether `holds` is true of the element at a position of an operand.
template <class In, class Holds>
auto holds_of(In const& in, Holds const& holds) {
  if constexpr (sequence<In const&>) {
    return keeps_element<element_t<In const&>, Holds>{view_of(in).data(), holds};
  } else {
    return by_predicate<source_t<In>, Holds>{source_of(in), holds};
  }
}

}  // namespace detail

/// The call of find_first_on with the same arguments.
template <class Holds, class Found>
auto describe_find_first_on(index_t n, Holds holds, Found found) {
  return find_first_call<Holds, Found>{n, holds, found};
}

/// The call of find_first with the same arguments.
template <class In, class Holds, class Out>
auto describe_find_first(In const& in, Holds const& holds, Out&& out) {
  detail::store_total<element_t<Out>> const store{view_of(out).data()};
  return describe_find_first_on(operand_size(in), detail::holds_of(in, as_function(holds)), store);
}

}  // namespace ravel::inline v0
