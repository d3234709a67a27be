#pragma once

/// The transforms as loops of one thread.

#include "nested/serial/types.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace ravel::examples::serial {

inline points fft(points now) {
  auto const n = now.size(), half = n / 2;
  points roots(half), next(n);
  for (std::size_t k = 0; k < half; ++k) {
    double const t = static_cast<double>(k) * (-2 * std::numbers::pi) / static_cast<double>(n);
    roots[k] = {std::cos(t), std::sin(t)};
  }
  for (std::size_t stride = 1; stride < n; stride *= 2) {
    for (std::size_t p = 0; p < half; p += stride) {
      auto const w = roots[p];
      for (std::size_t q = 0; q < stride; ++q) {
        auto const a = now[p + q], b = now[p + q + half];
        double const re = a.first - b.first, im = a.second - b.second;
        next[2 * p + q] = {a.first + b.first, a.second + b.second};
        next[2 * p + q + stride] = {re * w.first - im * w.second, re * w.second + im * w.first};
      }
    }
    now.swap(next);
  }
  return now;
}

inline numbers bitonic_sort(numbers x) {
  index_t const n = static_cast<index_t>(x.size());
  for (index_t block = 2; block <= n; block *= 2) {
    for (index_t distance = block / 2; distance > 0; distance /= 2) {
      for (index_t i = 0; i < n; ++i) {
        index_t const k = i ^ distance;
        if (k > i && (of(x, k) < of(x, i)) == ((i & block) == 0)) std::swap(of(x, i), of(x, k));
      }
    }
  }
  return x;
}

}  // namespace ravel::examples::serial
