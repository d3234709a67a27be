#pragma once

/// @file
/// Networks of 2^k elements: the fast Fourier transform, and bitonic sort.

#include <ravel/flatten/flatten.hpp>

#include <numbers>
#include <utility>

namespace ravel::examples {

/// (cos t, sin t) for t = -2 pi k / n.
inline constexpr auto root_of_unity = [](auto k, auto n) {
  auto const t = cast<double>(k) * (-2 * std::numbers::pi) / cast<double>(n);
  return tup(cos(t), sin(t));
};
/// The greatest multiple of a power of two up to i.
struct multiple_below {
  RAVEL_HD index_t operator()(index_t i, index_t power) const { return i & -power; }
};

/// The discrete Fourier transform of (real, imaginary), whose length is a power of two.
///
/// Each round combines an element a and the element b, `stride` after it, to a + w b, in the
/// first half of the result, and a - w b, in the second.
/// Source   Stockham's form: Cochran et al., "What is the fast Fourier transform?", 1967.
inline constexpr auto fft = [](auto x) {
  auto const n = len(x);
  auto const half = keep(n / 2);
  auto const roots = keep(each(iota(half), [&](auto k) { return root_of_unity(k, n); }));
  auto const done = while_([](auto const&, auto stride) { return stride > 0; },
                           [&](auto const& now, auto stride) {
                             auto const both = each(iota(half), [&](auto i) {
                               auto const block = keep(lift(multiple_below{})(i, stride));
                               auto const a = keep(at(now, block + i));
                               auto const b = keep(at(now, block + i + stride));
                               auto const w = at(roots, block);
                               auto const turned = keep(tup(fst(w) * fst(b) - snd(w) * snd(b),
                                                            fst(w) * snd(b) + snd(w) * fst(b)));
                               return tup(tup(fst(a) + fst(turned), snd(a) + snd(turned)),
                                          tup(fst(a) - fst(turned), snd(a) - snd(turned)));
                             });
                             return tup(append(fst(both), snd(both)), stride / 2);
                           },
                           tup(x, half));
  return get<0>(done);
};

/// The number of the element to compare with, and which of the two remains.
struct bitonic_partner {
  RAVEL_HD index_t operator()(index_t i, index_t distance) const { return i ^ distance; }
};
struct bitonic_step {
  template <class T>
  RAVEL_HD T operator()(index_t i, index_t distance, index_t block, T mine, T other) const {
    bool const lesser = ((i & distance) == 0) == ((i & block) == 0);
    return (other < mine) == lesser ? other : mine;
  }
};
/// Sorts sequences whose length is a power of two.
/// Source   Batcher, "Sorting networks and their applications", 1968.
inline constexpr auto bitonic_sort = [](auto x) {
  auto const n = len(x);
  auto const done = while_([&](auto const&, auto block, auto) { return block <= n; },
                           [&](auto now, auto block, auto distance) {
                             auto const next = each(indices(now), now, [&](auto i, auto mine) {
                               auto const other = at(now, lift(bitonic_partner{})(i, distance));
                               return lift(bitonic_step{})(i, distance, block, mine, other);
                             });
                             auto const is_last = distance == 1;
                             return tup(next, select(is_last, block * 2, block),
                                        select(is_last, block, distance / 2));
                           },
                           tup(x, n * 0 + 2, n * 0 + 1));
  return get<0>(done);
};

}  // namespace ravel::examples
