#pragma once

/// Networks of 2^k elements: the fast Fourier transform, and bitonic sort.

#include <ravel/flatten/flatten.hpp>
#include <ravel/flatten/serial_body.hpp>

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

inline constexpr auto product_of_complex = [](auto a, auto b) {
  return keep(tup(fst(a) * fst(b) - snd(a) * snd(b), fst(a) * snd(b) + snd(a) * fst(b)));
};

/// The discrete Fourier transform of (real, imaginary), whose length is a power of two, by its roots of unity.
///
/// Each round combines an element a and the element b, `stride` after it, to a + w b, in the
/// first half of the result, and a - w b, in the second.
/// Source   Stockham's form: Cochran et al., "What is the fast Fourier transform?", 1967.
inline constexpr auto fft_by_roots = [](auto x, auto const& root) {
  auto const half = keep(len(x) / 2);
  auto const done = while_([](auto const&, auto stride) { return stride > 0; },
                           [&](auto const& now, auto stride) {
                             auto const both = each(iota(half), [&](auto i) {
                               auto const block = keep(lift(multiple_below{})(i, stride));
                               auto const a = keep(at(now, block + i));
                               auto const b = keep(at(now, block + i + stride));
                               auto const turned = product_of_complex(root(block), b);
                               return tup(tup(fst(a) + fst(turned), snd(a) + snd(turned)),
                                          tup(fst(a) - fst(turned), snd(a) - snd(turned)));
                             });
                             return tup(append(fst(both), snd(both)), stride / 2);
                           },
                           tup(x, half));
  return get<0>(done);
};
inline constexpr auto fft = [](auto x) {
  auto const n = len(x);
  auto const roots = keep(each(iota(n / 2), [&](auto k) { return root_of_unity(k, n); }));
  return fft_by_roots(x, [&](auto k) { return at(roots, k); });
};

/// The power of two next to the square root of one.
struct power_near_root {
  RAVEL_HD index_t operator()(index_t power) const {
    index_t root = 1;
    while (root * root < power) root *= 2;
    return root;
  }
};
struct transposed_place {
  RAVEL_HD index_t operator()(index_t place, index_t height, index_t width) const {
    return place % height * width + place / height;
  }
};
/// The transform of column i of (re, im), in rows of `width`; (w_re, w_im) are the first half of the roots.
inline constexpr auto fft_of_column = [](auto i, auto width, auto re, auto im, auto w_re,
                                         auto w_im) {
  auto const column = keep(each(iota(len(re) / width), [&](auto k) {
    auto const place = k * width + i;
    return tup(at(re, place), at(im, place));
  }));
  return fft_by_roots(column,
                      [&](auto k) { return tup(at(w_re, k * width), at(w_im, k * width)); });
};
/// The same, of which element k is multiplied by root i k.
inline constexpr auto turned_fft_of_column = [](auto i, auto width, auto re, auto im, auto w_re,
                                                auto w_im) {
  auto const transformed = fft_of_column(i, width, re, im, w_re, w_im);
  auto const half = len(w_re);
  return each(transformed, indices(transformed), [&](auto x, auto k) {
    auto const place = keep(i * k);
    auto const is_first = place < half;
    auto const root = keep(select(is_first, place, place - half));
    auto const sign = select(is_first, 1.0, -1.0);
    return product_of_complex(tup(at(w_re, root) * sign, at(w_im, root) * sign), x);
  });
};
/// The same as fft, of two elements or more: those of the columns of a square, and of its rows, each in one thread.
/// Source   Bailey, "FFTs in external or hierarchical memory", 1990.
inline constexpr auto fft_by_columns = [](auto x) {
  auto const n = len(x);
  auto const roots = keep(each(iota(n / 2), [&](auto k) { return root_of_unity(k, n); }));
  auto const width = keep(lift(power_near_root{})(n));
  auto const height = keep(n / width);
  auto const turned = flatten(each(iota(width), [&](auto i) {
    return serially(turned_fft_of_column)(i, width, fst(x), snd(x), fst(roots), snd(roots));
  }));
  auto const all = flatten(each(iota(height), [&](auto i) {
    return serially(fft_of_column)(i, height, fst(turned), snd(turned), fst(roots), snd(roots));
  }));
  return each(iota(n), [&](auto k) { return at(all, lift(transposed_place{})(k, height, width)); });
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
