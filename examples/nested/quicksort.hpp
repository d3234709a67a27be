#pragma once

/// @file
/// Quicksort of every row at once: one call for both halves of all instances.

#include <ravel/flatten/flatten.hpp>

namespace ravel::examples {

/// Any number of sequences sorted together, in as many rounds as the deepest needs.
template <class T>
inline auto const quicksort = rec<nested<T>(nested<T>)>([](auto self, auto a) {
  return if_(
      len(a) < 2, [&] { return a; },
      [&] {
        auto const pivot = keep(at(a, len(a) / 2));
        auto const halves = list(filter(a, [&](auto e) { return e < pivot; }),
                                 filter(a, [&](auto e) { return e > pivot; }));
        auto const sorted = each(halves, self);
        return append(at(sorted, 0), filter(a, [&](auto e) { return e == pivot; }), at(sorted, 1));
      });
});

}  // namespace ravel::examples
