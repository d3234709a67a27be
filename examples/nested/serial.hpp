#pragma once

/// @file
/// The same programs as loops of one thread, without the library: for tests and benchmarks.

#include <ravel/core/tile.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ravel::examples::serial {

using numbers = std::vector<index_t>;
using rows = std::vector<numbers>;
using reals = std::vector<double>;
using matrix = std::vector<reals>;
using point = std::pair<double, double>;
using points = std::vector<point>;
using edges = std::vector<std::pair<index_t, index_t>>;

template <class T, class I>
auto& of(std::vector<T>& x, I i) {
  return x[static_cast<std::size_t>(i)];
}
template <class T, class I>
auto const& of(std::vector<T> const& x, I i) {
  return x[static_cast<std::size_t>(i)];
}

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

inline double distance2(point p, point q) {
  double const x = p.first - q.first, y = p.second - q.second;
  return x * x + y * y;
}
/// Sorts [first, last) by the second coordinate, and returns the least squared distance.
inline double closest_of_sorted(point* first, point* last, points& strip) {
  auto const by_height = [](point p, point q) { return p.second < q.second; };
  double least = 1e300;
  if (last - first <= 8) {
    for (point* p = first; p < last; ++p) {
      for (point* q = p + 1; q < last; ++q) least = std::min(least, distance2(*p, *q));
    }
    std::sort(first, last, by_height);
    return least;
  }
  point* const middle = first + (last - first) / 2;
  double const x = middle->first;
  double const before = closest_of_sorted(first, middle, strip);
  least = std::min(before, closest_of_sorted(middle, last, strip));
  strip.resize(static_cast<std::size_t>(last - first));
  std::merge(first, middle, middle, last, strip.begin(), by_height);
  std::copy(strip.begin(), strip.end(), first);
  strip.clear();
  for (point* p = first; p < last; ++p) {
    if ((p->first - x) * (p->first - x) >= least) continue;
    for (std::size_t k = strip.size(); k-- > 0;) {
      double const up = p->second - strip[k].second;
      if (up * up >= least) break;
      least = std::min(least, distance2(*p, strip[k]));
    }
    strip.push_back(*p);
  }
  return least;
}
inline double closest_pair(points all) {
  points strip;
  std::sort(all.begin(), all.end());
  return closest_of_sorted(all.data(), all.data() + all.size(), strip);
}

inline numbers nearest_k(points const& queries, points const& all, index_t k) {
  numbers result;
  std::vector<std::pair<double, index_t>> far(all.size());
  for (auto const& q : queries) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      far[i] = {distance2(all[i], q), static_cast<index_t>(i)};
    }
    std::partial_sort(far.begin(), far.begin() + k, far.end());
    for (index_t i = 0; i < k; ++i) result.push_back(of(far, i).second);
  }
  return result;
}

using body = std::tuple<double, double, double>;

class square {
  std::vector<body> bodies_;
  std::vector<square> parts_;
  double mass_ = 0, x_ = 0, y_ = 0, half_;

 public:
  square(std::vector<body> bodies, double x, double y, double half)
      : bodies_(std::move(bodies)), half_(half) {
    if (bodies_.size() <= 8) return;
    std::array<std::vector<body>, 4> quarters;
    for (auto const& b : bodies_) {
      auto const [bx, by, m] = b;
      mass_ += m;
      x_ += bx * m;
      y_ += by * m;
      quarters[static_cast<std::size_t>(bx >= x) + 2 * static_cast<std::size_t>(by >= y)].push_back(
          b);
    }
    x_ /= mass_;
    y_ /= mass_;
    for (std::size_t k = 0; k < 4; ++k) {
      parts_.emplace_back(std::move(quarters[k]), x + (k % 2 == 1 ? half / 2 : -half / 2),
                          y + (k / 2 == 1 ? half / 2 : -half / 2), half / 2);
    }
  }
  double potential(double x, double y) const {
    double sum = 0;
    if (parts_.empty()) {
      for (auto const& [bx, by, m] : bodies_) {
        double const d = (bx - x) * (bx - x) + (by - y) * (by - y);
        sum += d == 0 ? 0 : m / std::sqrt(d);
      }
      return sum;
    }
    double const d = (x_ - x) * (x_ - x) + (y_ - y) * (y_ - y);
    if (d >= 16 * half_ * half_) return mass_ / std::sqrt(d);
    for (auto const& part : parts_) sum += part.potential(x, y);
    return sum;
  }
};
inline reals barnes_hut(std::vector<body> const& bodies) {
  square const all(bodies, 0, 0, 1);
  reals result;
  for (auto const& [x, y, m] : bodies) result.push_back(all.potential(x, y));
  return result;
}

/// The least vertex connected with each, by union-find.
inline numbers components(index_t n, edges const& all) {
  numbers up(static_cast<std::size_t>(n));
  std::iota(up.begin(), up.end(), index_t{0});
  auto const root = [&](index_t v) {
    while (of(up, v) != v) v = of(up, v) = of(up, of(up, v));
    return v;
  };
  for (auto const& [v, w] : all) {
    index_t const a = root(v), b = root(w);
    of(up, std::max(a, b)) = std::min(a, b);
  }
  for (auto& v : up) v = root(v);
  return up;
}

/// Greedy, in the order of `rank`.
template <class Rank>
std::vector<bool> independent_set(rows const& graph, Rank const& rank) {
  numbers order(graph.size());
  std::iota(order.begin(), order.end(), index_t{0});
  std::vector<std::uint64_t> ranks;
  for (auto const v : order) ranks.push_back(rank(v));
  std::sort(order.begin(), order.end(),
            [&](auto v, auto w) { return of(ranks, v) < of(ranks, w); });
  std::vector<bool> in(graph.size()), out(graph.size());
  for (auto const v : order) {
    auto const k = static_cast<std::size_t>(v);
    if (out[k]) continue;
    in[k] = true;
    for (auto const w : graph[k]) out[static_cast<std::size_t>(w)] = true;
  }
  return in;
}

inline index_t cliques_within(rows const& graph, numbers p, numbers x) {
  if (p.empty()) return x.empty() ? 1 : 0;
  index_t sum = 0;
  while (!p.empty()) {
    index_t const v = p.front();
    p.erase(p.begin());
    auto const& around = of(graph, v);
    auto const common = [&](numbers const& set) {
      numbers both;
      std::set_intersection(set.begin(), set.end(), around.begin(), around.end(),
                            std::back_inserter(both));
      return both;
    };
    sum += cliques_within(graph, common(p), common(x));
    x.insert(std::lower_bound(x.begin(), x.end(), v), v);
  }
  return sum;
}
inline index_t maximal_cliques(rows const& graph) {
  numbers all(graph.size());
  std::iota(all.begin(), all.end(), index_t{0});
  return cliques_within(graph, all, {});
}

inline index_t triangles(rows const& graph) {
  index_t sum = 0;
  for (auto const& a : graph) {
    for (auto const w : a) {
      auto const& b = of(graph, w);
      for (auto p = a.begin(), q = b.begin(); p < a.end() && q < b.end();) {
        sum += *p == *q;
        auto const p_moves = *p <= *q, q_moves = *q <= *p;
        p += p_moves;
        q += q_moves;
      }
    }
  }
  return sum;
}

/// Dijkstra's.
inline numbers shortest_paths(std::vector<edges> const& graph, index_t start) {
  numbers far(graph.size(), std::numeric_limits<index_t>::max());
  using entry = std::pair<index_t, index_t>;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> next;
  of(far, start) = 0;
  next.emplace(0, start);
  while (!next.empty()) {
    auto const [so_far, v] = next.top();
    next.pop();
    if (so_far > of(far, v)) continue;
    for (auto const& [w, length] : of(graph, v)) {
      if (so_far + length >= of(far, w)) continue;
      of(far, w) = so_far + length;
      next.emplace(so_far + length, w);
    }
  }
  return far;
}

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

inline int minimax(int mine, int other) {
  for (int const line : {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124}) {
    if ((other & line) == line) return -1;
  }
  if (mine + other == 511) return 0;
  int best = -1;
  for (int k = 0; k < 9; ++k) {
    if (((mine + other) >> k & 1) == 0) best = std::max(best, -minimax(other, mine + (1 << k)));
  }
  return best;
}

inline index_t edit_distance(std::string const& a, std::string const& b) {
  numbers row(b.size() + 1);
  std::iota(row.begin(), row.end(), index_t{0});
  for (char const letter : a) {
    index_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      index_t const replaced = diagonal + (b[j - 1] == letter ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

inline int mandelbrot(double x, double y, int rounds) {
  double a = 0, b = 0;
  int k = 0;
  for (; a * a + b * b < 4 && k < rounds; ++k) {
    double const next = a * a - b * b + x;
    b = 2 * a * b + y;
    a = next;
  }
  return k;
}

/// By a walk of each list against its links.
inline numbers list_rank(numbers const& next) {
  auto const n = static_cast<index_t>(next.size());
  numbers before(next.size(), -1), rank(next.size());
  for (index_t i = 0; i < n; ++i) {
    if (of(next, i) != i) of(before, of(next, i)) = i;
  }
  for (index_t i = 0; i < n; ++i) {
    if (of(next, i) != i) continue;
    index_t k = 0;
    for (index_t v = i; v >= 0; v = of(before, v)) of(rank, v) = k++;
  }
  return rank;
}

/// Of parents that precede their children.
inline numbers leaffix(numbers const& parent, numbers sums) {
  for (auto v = static_cast<index_t>(parent.size()) - 1; v > 0; --v) {
    if (of(parent, v) != v) of(sums, of(parent, v)) += of(sums, v);
  }
  return sums;
}

/// By ranks of twice the length in each round.
inline numbers suffix_array(std::string const& text) {
  auto const n = static_cast<index_t>(text.size());
  numbers order(text.size()), rank(text.begin(), text.end()), next(text.size());
  std::iota(order.begin(), order.end(), index_t{0});
  for (index_t width = 0;; width = std::max<index_t>(1, 2 * width)) {
    auto const key = [&](index_t i) {
      index_t const k = i + width;
      return std::pair{of(rank, i), width > 0 && k < n ? of(rank, k) : index_t{-1}};
    };
    std::sort(order.begin(), order.end(), [&](auto i, auto k) { return key(i) < key(k); });
    for (index_t i = 0; i < n; ++i) {
      of(next, of(order, i)) =
          i == 0 ? 0
                 : of(next, of(order, i - 1)) + (key(of(order, i - 1)) < key(of(order, i)) ? 1 : 0);
    }
    rank = next;
    if (width >= n || n == 0 || of(rank, of(order, n - 1)) == n - 1) return order;
  }
}

using entries = std::vector<std::pair<index_t, numbers>>;
/// (word, documents), by a sort of all words.
inline entries inverted_index(rows const& documents) {
  edges all;
  for (std::size_t d = 0; d < documents.size(); ++d) {
    for (auto const word : documents[d]) all.emplace_back(word, static_cast<index_t>(d));
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  entries result;
  for (auto const& [word, d] : all) {
    if (result.empty() || result.back().first != word) result.emplace_back(word, numbers{});
    result.back().second.push_back(d);
  }
  return result;
}

/// The number of edges from `from` to each vertex, or -1.
inline numbers bfs(rows const& graph, index_t from) {
  numbers level(graph.size(), -1), queue{from};
  of(level, from) = 0;
  for (std::size_t k = 0; k < queue.size(); ++k) {
    for (auto const w : of(graph, queue[k])) {
      if (of(level, w) >= 0) continue;
      of(level, w) = of(level, queue[k]) + 1;
      queue.push_back(w);
    }
  }
  return level;
}

}  // namespace ravel::examples::serial
