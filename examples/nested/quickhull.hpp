#pragma once

/// The convex hull of points in the plane, by the point farthest from each edge.

#include <ravel/flatten/flatten.hpp>

#include <tuple>
#include <utility>

namespace ravel::examples {

using point = std::tuple<double, double>;

/// Twice the signed area of the triangle o a b, positive if b is left of o a.
inline constexpr auto cross = [](auto o, auto a, auto b) {
  return (fst(a) - fst(o)) * (snd(b) - snd(o)) - (snd(a) - snd(o)) * (fst(b) - fst(o));
};

/// The hull of the points left of a b, from a up to but without b.
inline auto const hull_above =
    rec<nested<point>(nested<point>, point, point)>([](auto self, auto points, auto a, auto b) {
      auto distance = keep(each(points, [&](auto p) { return cross(p, a, b); }));
      auto above = pack(points, distance > 0.0);
      return if_(
          len(above) < 2, [&] { return append(list(a), above); },
          [&] {
            auto const farthest = keep(at(points, max_index(distance)));
            discard(points, distance);  // so that no level holds them while deeper ones run
            return flat_each(zip(list(a, farthest), list(farthest, b)), [&](auto edge) {
              return self(std::move(above), fst(edge), snd(edge));
            });
          });
    });

/// Clockwise from the leftmost point.
inline constexpr auto quickhull = [](auto points) {
  auto const left = at(points, min_index(fst(points)));
  auto const right = at(points, max_index(fst(points)));
  return append(hull_above(points, left, right), hull_above(points, right, left));
};

}  // namespace ravel::examples
