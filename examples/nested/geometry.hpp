#pragma once

/// Points in the plane: the closest pair, nearest neighbours, and gravity by Barnes and Hut.

#include <ravel/flatten/flatten.hpp>
#include <ravel/flatten/serial_body.hpp>

#include <tuple>
#include <utility>

namespace ravel::examples {

using place_in_plane = std::tuple<double, double>;

inline constexpr auto distance2 = [](auto p, auto q) {
  auto const x = fst(p) - fst(q);
  auto const y = snd(p) - snd(q);
  return x * x + y * y;
};
/// The least squared distance of each point to one of the next `reach`, or `far`.
inline constexpr auto least_to_next = [](auto points, int reach, auto far) {
  return min_or(each(indices(points), points,
                     [&](auto i, auto p) {
                       auto const next =
                           take(drop(points, i + 1), min(len(points) - i - 1, index_t{reach}));
                       return min_or(each(next, [&](auto q) { return distance2(p, q); }), far);
                     }),
                far);
};

/// The least squared distance between points that are sorted by their first coordinate.
inline auto const closest_of_sorted =
    rec<double(nested<place_in_plane>)>([](auto self, auto points) {
      return if_(
          len(points) <= 8,
          [&] {
            auto const far = cast<double>(len(points)) * 0.0 + 1e300;
            return least_to_next(points, 8, far);
          },
          [&] {
            auto const middle = len(points) / 2;
            auto const x = keep(fst(at(points, middle)));
            auto halves = list(take(points, middle), drop(points, middle));
            auto const apart = keep(min(each(std::move(halves), self)));
            auto const strip =
                filter(points, [&](auto p) { return (fst(p) - x) * (fst(p) - x) < apart; });
            auto const by_height = gather(strip, sort_order(snd(strip)));
            return min(apart, least_to_next(by_height, 7, apart));
          });
    });
/// Source   Shamos and Hoey, "Closest-point problems", 1975.
inline constexpr auto closest_pair = [](auto points) {
  return closest_of_sorted(gather(points, sort_order(fst(points))));
};

/// The k points nearest to each query, nearest first, by all distances.
inline constexpr auto nearest_k = [](auto queries, auto points, auto k) {
  return each(queries, [&](auto q) {
    return top_k_order(each(points, [&](auto p) { return distance2(p, q); }), k);
  });
};

using body = std::tuple<double, double, double>;  // x, y, mass

/// The potential at each target of the bodies in the square of side 2 half around (x, y).
inline auto const potential_of_square =
    rec<nested<double>(nested<body>, double, double, double, nested<place_in_plane>)>(serially(
        [](auto self, auto bodies, auto x, auto y, auto half, auto targets) {
          return if_(
              len(bodies) <= 8,
              [&] {
                return each(targets, [&](auto t) {
                  return sum(each(bodies, [&](auto b) {
                    auto const dx = get<0>(b) - fst(t);
                    auto const dy = get<1>(b) - snd(t);
                    auto const d = dx * dx + dy * dy;
                    return select(d == 0.0, 0.0, get<2>(b) / sqrt(d));
                  }));
                });
              },
              [&] {
                auto const mass = keep(sum(get<2>(bodies)));
                auto const cx = keep(sum(get<0>(bodies) * get<2>(bodies)) / mass);
                auto const cy = keep(sum(get<1>(bodies) * get<2>(bodies)) / mass);
                auto const squared = keep(each(targets, [&](auto t) {
                  auto const dx = cx - fst(t);
                  auto const dy = cy - snd(t);
                  return dx * dx + dy * dy;
                }));
                auto const is_near = keep(squared < 16.0 * half * half);
                auto const near = pack(targets, is_near);
                auto const quarter = keep(half * 0.5);
                auto const parts = each(iota(len(bodies) * 0 + 4), [&](auto k) {
                  auto const right = k % 2 == 1;
                  auto const above = k / 2 == 1;
                  auto const inside = filter(bodies, [&](auto b) {
                    return ((get<0>(b) >= x) == right) && ((get<1>(b) >= y) == above);
                  });
                  return self(inside, x + select(right, quarter, -quarter),
                              y + select(above, quarter, -quarter), quarter, near);
                });
                auto const of_near = each(indices(near), [&](auto i) {
                  return sum(each(parts, [&](auto part) { return at(part, i); }));
                });
                auto const of_far = each(squared, [&](auto d) { return mass / sqrt(d); });
                return write(of_far, pack(indices(targets), is_near), of_near);
              });
        },
        1));
/// The potential of all bodies at each of them, whose coordinates are in [-1, 1).
/// Source   Barnes and Hut, "A hierarchical O(N log N) force-calculation algorithm", 1986.
inline constexpr auto barnes_hut = [](auto bodies) {
  auto const zero = cast<double>(len(bodies)) * 0.0;
  return potential_of_square(bodies, zero, zero, zero + 1.0, zip(get<0>(bodies), get<1>(bodies)));
};

}  // namespace ravel::examples
