#pragma once

/// @file
/// Sequences as keys, such as words: their equality, their lexicographic order, and numbers for them
/// by which they are sorted, grouped and made distinct.

#include <ravel/flatten/each.hpp>
#include <ravel/flatten/fold.hpp>
#include <ravel/flatten/functions.hpp>
#include <ravel/flatten/lift.hpp>
#include <ravel/flatten/loop.hpp>
#include <ravel/flatten/order.hpp>
#include <ravel/flatten/place.hpp>
#include <ravel/flatten/record.hpp>
#include <ravel/flatten/scans.hpp>
#include <ravel/flatten/sequences.hpp>

namespace ravel::inline v0 {

/// Whether two sequences of scalars have the same elements.
///
///     equals("ab", "ab")      true                equals([1 2], [1 2 3])      false
///
/// Cost     One reduction over the elements of the shorter at each instance, which are copied.
template <sequence_operand X, sequence_operand Y>
auto equals(X const& x, Y const& y) {
  auto const n = keep(min(len(x), len(y)));
  auto const same =
      each(take(x, n), take(y, n), [](auto const& a, auto const& b) { return a == b; });
  return len(x) == len(y) && all(same);
}

/// Whether x is before y in lexicographic order.
///
///     precedes("ab", "b")      true               precedes("ab", "a")      false
///
/// Cost     As of equals.
template <sequence_operand X, sequence_operand Y>
auto precedes(X const& x, Y const& y) {
  auto const n = keep(min(len(x), len(y)));
  auto const differ =
      each(take(x, n), take(y, n), [](auto const& a, auto const& b) { return a != b; });
  auto const first = keep(find(differ, [](auto const& d) { return d; }));
  return select(first < 0, len(x) < len(y), at(x, first) < at(y, first));
}

/// A number for each element of x, sequences of numbers or characters, in lexicographic order: equal
/// elements have the same, and a greater one the next.
///
///     dense_rank(["b" "" "ab" "b"])      [2 0 1 2]
///
/// So sequences are keys by their numbers:
///
///     gather(words, sort_order(dense_rank(words)))        the words in order
///     collect(dense_rank(words), documents)               their documents
///     unique(dense_rank(words))                           one number for each distinct word
///
/// Cost     A sort for each position at which elements are compared: as many as the longest element has,
///          or fewer, if all are then known to differ.
template <sequence_operand X>
auto dense_rank(X const& x) {
  using T = flattening::inner_t<X>;
  using U = typename flattening::nested_type<T>::of;
  auto const n = len(x);
  auto const longest = keep(max_or(each(x, [](auto const& row) { return len(row); }), index_t{0}));
  auto const done = while_(
      [&](auto const&, auto const& place, auto const& most) {
        return place < longest && most < n - 1;
      },
      [&](auto const& rank, auto const& place, auto const&) {
        auto const keys = keep(each(x, rank, [&](auto const& row, auto const& r) {
          auto const is_inside = place < len(row);
          return tup(r, is_inside, select(is_inside, at(row, place), U{}));
        }));
        auto const order = sort_order(keys);
        auto const sorted = keep(gather(keys, order));
        auto const steps = each(indices(sorted), sorted, [&](auto const& i, auto const& key) {
          auto const before = [&](auto const& member) {
            return at(member(sorted), i - 1) != member(key);
          };
          return cast<index_t>(i > 0 && (before([](auto const& k) { return get<0>(k); }) ||
                                         before([](auto const& k) { return get<1>(k); }) ||
                                         before([](auto const& k) { return get<2>(k); })));
        });
        auto const next = keep(permute(inclusive_scan(steps), order));
        return tup(next, place + 1, max_or(next, index_t{0}));
      },
      tup(keep(each(x, [](auto const& row) { return len(row) * 0; })), n * 0, n * 0));
  return get<0>(done);
}

}  // namespace ravel::inline v0
