#pragma once

/// Quicksort by segmented scan: all calls of one depth of the recursion are segments of one vector,
/// and split together.
///
///     out = the keys in ascending order; the pivot of a segment is its first key
///
///     level 0    3  1  5  4  1  6  2 |      one segment, with pivot 3
///     level 1    1  1  2 | 3 | 5  4  6 |    less than, equal to and greater than 3
///     level 2    1  1 | 2 | 3 | 4 | 5 | 6   by the pivots 1, 3 and 5: in order, so it ends
///
/// A key goes to the beginning of its segment, plus the keys of the parts before its own, plus the
/// keys of its own part before it: counts that one segmented scan gives for all segments.
///
/// Work     less than 8 n + m a level, for m = n rounded up to a power of two
/// Steps    at most 2 log2 n + log2 m + 6 a level
///          There are O(log n) levels expected for keys in random order, and less than n always.
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990, section 1.5.

#include "segmented_scan_by_pairs.hpp"

#include <array>
#include <functional>

namespace textbook {

template <class T>
std::vector<T> quicksort_by_levels(std::vector<T> const& keys) {
  struct row {
    T key;
    size_t begin, end;  // its segment
  };
  using counts = std::array<size_t, 3>;  // of keys less than, equal to and greater than the pivot
  size_t const n = keys.size();
  auto rows = tabulate(n, [&](size_t i) { return row{keys[i], 0, n}; });
  auto const descends = [&](size_t i) { return int{i > 0 && rows[i].key < rows[i - 1].key}; };
  while (reduce(tabulate(n, descends), 0, std::bit_or{})) {
    auto const ones = tabulate(n, [&](size_t i) {
      T const &key = rows[i].key, &pivot = rows[rows[i].begin].key;
      return counts{key < pivot, key == pivot, pivot < key};
    });
    auto const heads = tabulate(n, [&](size_t i) { return rows[i].begin == i ? 1 : 0; });
    auto const sums = segmented_scan_by_pairs(heads, ones, [](counts const& a, counts const& b) {
      return counts{a[0] + b[0], a[1] + b[1], a[2] + b[2]};
    });
    std::vector<row> split(n);
    for_all(n, [&](size_t i) {
      counts const& total = sums[rows[i].end - 1];
      size_t const part = ones[i][1] + 2 * ones[i][2];
      size_t const begin = rows[i].begin + (part > 0 ? total[0] : 0) + (part > 1 ? total[1] : 0);
      split[begin + sums[i][part] - 1] = {rows[i].key, begin, begin + total[part]};
    });
    rows = std::move(split);
  }
  return tabulate(n, [&](size_t i) { return rows[i].key; });
}

}  // namespace textbook
