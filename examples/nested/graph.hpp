#pragma once

/// Graphs as nested sequences, one of neighbours for each vertex: neighbour reduction,
/// breadth-first search, connected components.

#include <ravel/flatten/flatten.hpp>

#include <utility>

namespace ravel::examples {

/// The greatest weight among the neighbours of each vertex.
inline constexpr auto neighbour_max = [](auto graph, auto weights) {
  return each(graph, [&](auto neighbours) { return max(gather(weights, neighbours)); });
};

/// The number of edges from `from` to each vertex, or -1 if no path leads there.
///
/// Each round keeps one copy of each newly found vertex: the one whose mark remained in `level` after
/// all had written theirs.  The level is updated in place, so that a round costs the edges that leave
/// its front.
inline constexpr auto bfs = [](auto graph, auto from) {
  auto const done =
      while_([](auto front, auto, auto) { return len(front) > 0; },
             [&](auto front, auto level, auto distance) {
               auto const seen = flat_each(front, [&](auto v) { return at(graph, v); });
               auto const fresh = filter(seen, [&](auto v) { return at(level, v) < 0; });
               auto const marks = -2 - indices(fresh);
               auto marked = write(std::move(level), fresh, marks);
               auto const next = pack(fresh, gather(marked, fresh) == marks);
               return tup(next, write(std::move(marked), next, dist(distance + 1, len(next))),
                          distance + 1);
             },
             tup(list(from), write(keep(dist(index_t{-1}, len(graph))), list(from), list(from * 0)),
                 from * 0));
  return get<1>(done);
};

/// The least vertex connected with each vertex, in an undirected graph.
///
/// Every vertex takes the least label of its neighbours, and the label of that label,
/// until none changes.
inline constexpr auto components = [](auto graph) {
  auto const done = while_([](auto, auto changing) { return changing; },
                           [&](auto label, auto) {
                             auto const around =
                                 each(graph, label, [&](auto neighbours, auto mine) {
                                   auto const least = min(gather(label, neighbours));
                                   return select(least < mine, least, mine);
                                 });
                             auto const jumped = keep(gather(around, around));
                             return tup(jumped, any(jumped != label));
                           },
                           tup(keep(indices(graph)), len(graph) > 0));
  return get<0>(done);
};

}  // namespace ravel::examples
