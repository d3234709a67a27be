#pragma once

/// Comparison of strings by a scan: the first difference decides, and *the first that is not 0* is
/// an associative operator.
///
///     out[i] = -1, 0 or 1, if the first i + 1 characters of a are less, equal or greater than b's
///
///     a        p  r  e  f  i  x             an absent character is less than all others
///     b        p  r  o
///     signs    0  0 -1  1  1  1
///     out      0  0 -1 -1 -1 -1             the scan by  x . y = x if x is not 0, else y
///
/// The last is that of the strings, for which the way up the tree, a reduction, is enough.
///
/// Work     n + m - 1, for n the longer length, and m = n rounded up to a power of two
/// Steps    log2 m + 1
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990, section 1.1.

#include "inclusive_scan_by_sweeps.hpp"

#include <string_view>

namespace textbook {

inline std::vector<int> signs_of(std::string_view a, std::string_view b) {
  auto const at = [](std::string_view s, size_t i) {
    return i < s.size() ? static_cast<unsigned char>(s[i]) : -1;
  };
  return tabulate(std::max(a.size(), b.size()), [&](size_t i) {
    return (at(a, i) > at(b, i) ? 1 : 0) - (at(a, i) < at(b, i) ? 1 : 0);
  });
}

inline int first_nonzero(int x, int y) { return x != 0 ? x : y; }

inline std::vector<int> compare_prefixes(std::string_view a, std::string_view b) {
  return inclusive_scan_by_sweeps(signs_of(a, b), first_nonzero);
}
inline int compare(std::string_view a, std::string_view b) {
  return reduce(signs_of(a, b), 0, first_nonzero);
}

}  // namespace textbook
