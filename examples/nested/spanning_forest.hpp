#pragma once

/// Minimum spanning forests: in each round each component takes its lightest edge.

#include <ravel/flatten/flatten.hpp>

namespace ravel::examples {

/// The root of the tree of every vertex, given the parents.
inline constexpr auto roots = [](auto parents) {
  auto const done = while_([](auto, auto changing) { return changing; },
                           [](auto root, auto) {
                             auto const next = keep(gather(root, root));
                             return tup(next, any(next != root));
                           },
                           tup(parents, len(parents) > 0));
  return get<0>(done);
};

/// The indices, ascending, of the edges of a minimum spanning forest of the vertices [0, n); an
/// edge
/// is (one end, the other, its weight).
///
/// Edges are sorted by weight once, stably, so that an edge's index is its rank,
/// and ties are broken by position.  In each round every component hooks
/// onto the component at the other end of its lightest edge; of two that hook onto each other
/// the lesser remains a root; and edges within a component are dropped.
///
/// Source   Borůvka, "O jistém problému minimálním", 1926.
inline constexpr auto spanning_forest = [](auto n, auto edges) {
  auto const order = sort_order(get<2>(edges));
  auto const done = while_(
      [](auto edge, auto, auto, auto) { return len(edge) > 0; },
      [&](auto edge, auto from, auto to, auto chosen) {
        auto const none = bounds<index_t>::highest();
        auto const lightest =
            reduce_by_index(append(from, to), append(indices(edge), indices(edge)), n, minimum{});
        auto const other = keep(each(indices(lightest), lightest, [&](auto c, auto k) {
          auto const end = at(from, k);
          return select(k == none, c, select(end == c, at(to, k), end));
        }));
        auto const parents = keep(each(indices(other), other, [&](auto c, auto p) {
          return select(at(other, p) == c && c < p, c, p);
        }));
        auto const hooking = pack(lightest, parents != indices(parents));
        auto const root = roots(parents);
        auto const a = keep(gather(root, from)), b = keep(gather(root, to));
        auto const apart = keep(a != b);
        return tup(pack(edge, apart), pack(a, apart), pack(b, apart),
                   append(chosen, gather(edge, hooking)));
      },
      tup(order, gather(get<0>(edges), order), gather(get<1>(edges), order), take(order, 0)));
  return sort(get<3>(done));
};

}  // namespace ravel::examples
