#pragma once

/// The description of a split with an output for each part.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0 {

struct split_parts_family;

/// The outputs of a split, one for each part, and the number of elements that fit in each.
template <int Ways, class T>
struct split_places {
  T* to[Ways];
  index_t room[Ways];
};

/// Elements in[i], with d = digit(i), to part d of `to`, in order, and counts(d, elements of part
/// d): see split_apart_on.
template <int Ways, class Digit, class In, class Out, class Counts>
struct split_parts_call {
  using family = split_parts_family;
  static constexpr int ways = Ways;
  index_t n;
  Digit digit;
  In const* in;
  split_places<Ways, Out> to;
  Counts counts;
};

namespace detail {

/// The elements that a call moves unchanged: void if it converts them.
template <class Call>
struct moved_to_parts {
  using element = void;
};
template <int Ways, class Digit, class T, class Counts>
struct moved_to_parts<split_parts_call<Ways, Digit, T, T, Counts>> {
  using element = T;
};
template <class Call>
using moved_to_parts_t = typename moved_to_parts<Call>::element;

}  // namespace detail

/// The call of split_apart_on with the same arguments.
template <int Ways, class Digit, class In, class Out, class Counts>
auto describe_split_apart_on(index_t n, Digit digit, In const* in,
                             split_places<Ways, Out> const& places, Counts counts) {
  return split_parts_call<Ways, Digit, In, Out, Counts>{n, digit, in, places, counts};
}

}  // namespace ravel::inline v0
