#pragma once

/// The k-th smallest element, with k from 0: one recursive call serves both sides.

#include <ravel/flatten/flatten.hpp>

#include <utility>

namespace ravel::examples {

template <class T>
inline auto const kth_smallest = rec<T(nested<T>, index_t)>([](auto self, auto s, auto k) {
  auto const pivot = keep(at(s, len(s) / 2));
  auto less = filter(s, [&](auto e) { return e < pivot; });
  auto more = filter(s, [&](auto e) { return e > pivot; });
  auto const skipped = keep(len(s) - len(more));
  auto const down = k < len(less);
  return if_(
      down || k >= skipped,
      [&] {
        auto rest = if_(
            down, [&] { return less; }, [&] { return more; });
        discard(s, less, more);  // so that no level holds them while deeper ones run
        return self(std::move(rest), select(down, k, k - skipped));
      },
      [&] { return pivot; });
});

}  // namespace ravel::examples
