#pragma once

/// The description of a search for the least or the greatest element.

#include <ravel/core/table.hpp>

namespace ravel::inline v0 {

struct extremum_family;

/// Writes to `out` the position of the element that none after it wins against; the number of elements if
/// there are none.
template <class E, class Wins, class Out>
struct extremum_call {
  using family = extremum_family;
  E elements;
  Wins wins;
  Out* out;
};

/// Calls store(first, last) with the positions of the first of the least elements and of the last of the
/// greatest.
template <class E, class Before, class Store>
struct extrema_call {
  using family = extremum_family;
  E elements;
  Before before;
  Store store;
};

namespace detail {

template <class E, class Before, class Store>
extrema_call<E, Before, Store> extrema_of(E const& elements, Before before, Store store) {
  return {elements, before, store};
}
template <class E, class Wins, class Out>
extremum_call<E, Wins, Out> extremum_of(E const& elements, Wins wins, Out* out) {
  return {elements, wins, out};
}

}  // namespace detail
}  // namespace ravel::inline v0
