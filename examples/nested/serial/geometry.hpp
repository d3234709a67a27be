#pragma once

/// The geometry as loops of one thread.

#include "nested/serial/types.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

namespace ravel::examples::serial {

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

}  // namespace ravel::examples::serial
