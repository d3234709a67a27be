#pragma once

/// The matrices as loops of one thread.

#include "nested/serial/types.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace ravel::examples::serial {

inline matrix product(matrix const& a, matrix const& b) {
  auto const n = a.size();
  matrix c(n, reals(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

inline reals gauss_jordan(matrix a) {
  auto const n = a.size();
  for (std::size_t k = 0; k < n; ++k) {
    auto pivot = k;
    for (auto i = k; i < n; ++i) {
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    }
    std::swap(a[k], a[pivot]);
    double const scale = 1 / a[k][k];
    for (auto& x : a[k]) x *= scale;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      double const factor = a[i][k];
      for (std::size_t j = 0; j <= n; ++j) a[i][j] -= factor * a[k][j];
    }
  }
  reals x;
  for (auto const& row : a) x.push_back(row[n]);
  return x;
}

using sparse_matrix = std::vector<std::vector<std::pair<index_t, double>>>;
inline reals conjugate_gradients(sparse_matrix const& a, reals const& b, index_t rounds) {
  auto const n = b.size();
  reals x(n), r = b, p = b, ap(n);
  auto const dot = [](reals const& u, reals const& v) {
    return std::inner_product(u.begin(), u.end(), v.begin(), 0.0);
  };
  double rr = dot(r, r);
  for (; rounds > 0; --rounds) {
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (auto const& [k, v] : a[i]) sum += v * of(p, k);
      ap[i] = sum;
    }
    double const alpha = rr / dot(p, ap);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * ap[i];
    }
    double const next = dot(r, r), beta = next / rr;
    for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + beta * p[i];
    rr = next;
  }
  return x;
}

}  // namespace ravel::examples::serial
