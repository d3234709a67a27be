#pragma once

/// Quicksort of all rows with fifteen pivots: a quarter of the rounds of one pivot,
/// each of which reads and writes every key.  As in Aumüller, Dietzfelbinger and Klaue, "How Good
/// Is Multi-Pivot Quicksort?", ACM Transactions on Algorithms 13(1), 2016.

#include <ravel/flatten/flatten.hpp>

namespace ravel::examples {

/// Shellsort, with the increments of Ciura, "Best Increments for the Average Case of Shellsort",
/// 2001.
struct sort_few {
  template <class T>
  RAVEL_HD void operator()(T* first, index_t many) const {
    auto const n = static_cast<int>(many);
    for (int step = n > 20 ? 10 : n > 8 ? 4 : 1; step > 0; step = step > 4 ? 4 : step / 4) {
      for (int i = step; i < n; ++i) {
        T const x = first[i];
        int k = i;
        for (; k >= step && x < first[k - step]; k -= step) first[k] = first[k - step];
        first[k] = x;
      }
    }
  }
};
/// 0 for keys less than the least pivot, 1 for keys equal to it, and for others 2 plus the number
/// of other pivots that they exceed.
struct among_pivots {
  template <class T, class... Pivots>
  RAVEL_HD int operator()(T x, T least, Pivots... more) const {
    return (x < least ? 0 : 1) + (least < x ? 1 : 0) + (0 + ... + (more < x ? 1 : 0));
  }
};
/// Divides by a compile-time constant: a division by a variable takes as long as a hundred additions.
struct fifteenth {
  RAVEL_HD index_t operator()(index_t n) const { return n / 15; }
};

/// Sorts sequences, except those known to have equal keys only.  Keys equal to the least pivot form
/// such a sequence, so that every other part is smaller than its input.
template <class T, index_t Short>
inline auto const sort_unless_same = rec<nested<T>(nested<T>, bool)>([](auto self, auto a,
                                                                        auto is_same) {
  auto const what = select(len(a) < Short, 0, select(is_same, 1, 2));
  return switch_(
      what, [&] { return serially(a, sort_few{}); }, [&] { return a; },
      [&] {
        auto const step = lift(fifteenth{})(len(a));
        auto const some = each(indices(dist(step, 15)), [&](auto k) { return at(a, k * step); });
        auto const pivots = serially(some, sort_few{});
        auto const p = [&](int k) { return at(pivots, k); };
        auto const parts = split<17>(a, among_pivots{}, p(0), p(1), p(2), p(3), p(4), p(5), p(6),
                                     p(7), p(8), p(9), p(10), p(11), p(12), p(13), p(14));
        return flatten(
            each(parts, indices(parts), [&](auto part, auto k) { return self(part, k == 1); }));
      });
});

/// Sorts any number of sequences together.
template <class T, index_t Short = 48>
inline auto const multi_pivot_quicksort = [](auto a) {
  static_assert(Short >= 15, "pivots are keys that there are");
  return sort_unless_same<T, Short>(a, false);
};

}  // namespace ravel::examples
