#pragma once

/// Quicksort of all rows: one recursive call for both parts of all instances, the pseudomedian of
/// nine as pivot, and insertion sort for short rows, as in Bentley and McIlroy, "Engineering a Sort
/// Function", 1993.

#include <ravel/flatten/flatten.hpp>

#include <utility>

namespace ravel::examples {

/// The median of three.
struct middle_of_three {
  template <class T>
  RAVEL_HD T operator()(T a, T b, T c) const {
    T const low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : high < c ? high : c;
  }
};
/// Divides by a compile-time constant: a division by a variable takes as long as a hundred additions.
struct ninth {
  RAVEL_HD index_t operator()(index_t n) const { return n / 9; }
};
struct sort_by_insertion {
  template <class T>
  RAVEL_HD void operator()(T* first, index_t n) const {
    for (index_t i = 1; i < n; ++i) {
      T const x = first[i];
      index_t k = i;
      for (; k > 0 && x < first[k - 1]; --k) first[k] = first[k - 1];
      first[k] = x;
    }
  }
};

/// Sorts any number of sequences together, in as many rounds as the deepest needs until all
/// parts are short.
template <class T, index_t Short = 32>
inline auto const quicksort = rec<nested<T>(nested<T>)>([](auto self, auto a) {
  return if_(
      len(a) < Short, [&] { return serially(a, sort_by_insertion{}); },
      [&] {
        auto const middle = lift(middle_of_three{});
        auto const step = lift(ninth{})(len(a));
        auto const of_nine = [&](int k) { return at(a, step * k); };
        auto const of_three = [&](int k) {
          return middle(of_nine(k), of_nine(k + 3), of_nine(k + 6));
        };
        auto const pivot = keep(middle(of_three(0), of_three(1), of_three(2)));
        auto halves = list(filter(a, [&](auto e) { return e < pivot; }),
                           filter(a, [&](auto e) { return e > pivot; }));
        auto const equal = filter(a, [&](auto e) { return e == pivot; });
        discard(a);  // so that a level holds only what it reads after the call
        auto const sorted = each(std::move(halves), self);
        return append(at(sorted, 0), equal, at(sorted, 1));
      });
});

}  // namespace ravel::examples
