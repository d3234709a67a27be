#pragma once

/// @file
/// The k-th smallest element, with k from 0: one recursive call serves both sides.

#include <ravel/flatten/flatten.hpp>

namespace ravel::examples {

template <class T>
inline auto const kth_smallest = rec<T(nested<T>, index_t)>([](auto self, auto s, auto k) {
  auto const pivot = at(s, len(s) / 2);
  auto const less = filter(s, [&](auto e) { return e < pivot; });
  auto const more = filter(s, [&](auto e) { return e > pivot; });
  auto const skipped = len(s) - len(more);
  auto const down = k < len(less);
  return if_(
      down || k >= skipped,
      [&] {
        auto const rest = if_(
            down, [&] { return less; }, [&] { return more; });
        return self(rest, select(down, k, k - skipped));
      },
      [&] { return pivot; });
});

}  // namespace ravel::examples
