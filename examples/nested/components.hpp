#pragma once

/// Graphs by rounds: components, independent sets, cliques, triangles and shortest paths.

#include <ravel/flatten/flatten.hpp>

#include "nested/spanning_forest.hpp"

#include <utility>

namespace ravel::examples {

/// The least vertex with the same root, for each vertex.
inline constexpr auto least_of_root = [](auto root) {
  return gather(reduce_by_index(root, indices(root), len(root), minimum{}), root);
};

/// The least vertex connected with each of [0, n), by edges (from, to).
///
/// In each round every vertex throws a coin, and tails hook onto a neighbour with heads.
/// Source   Reif, "Optimal parallel algorithms for graph connectivity", 1985.
inline constexpr auto random_mate = [](auto n, auto edges) {
  auto const done = while_(
      [](auto from, auto, auto, auto) { return len(from) > 0; },
      [](auto from, auto to, auto parent, auto round) {
        auto const is_head = [&](auto v) { return random_bits(round, v) % 2u == 0u; };
        auto const hooks =
            keep(each(from, to, [&](auto v, auto w) { return !is_head(v) && is_head(w); }));
        auto const next = write(std::move(parent), pack(from, hooks), pack(to, hooks));
        auto const a = keep(gather(next, from));
        auto const b = keep(gather(next, to));
        auto const apart = keep(a != b);
        return tup(pack(a, apart), pack(b, apart), next, round + 1);
      },
      tup(append(fst(edges), snd(edges)), append(snd(edges), fst(edges)), keep(iota(n)), n * 0));
  return least_of_root(roots(get<2>(done)));
};

/// Whether each vertex is in a tree of height one.
inline constexpr auto in_stars = [](auto parent) {
  auto const above = keep(gather(parent, parent));
  auto const deep = pack(indices(parent), parent != above);
  auto const no = dist(false, len(deep));
  auto const flat = write(write(keep(each(parent, [](auto p) { return p == p; })), deep, no),
                          pack(above, parent != above), no);
  return keep(gather(flat, parent));
};
/// The same by stars that hook onto lesser neighbours, and, where they do not, onto greater ones: not onto any, as
/// in the source, since two stars that took single vertices might then hook onto each other, again and again.
/// Source   Awerbuch and Shiloach, "New connectivity and MSF algorithms", 1987.
inline constexpr auto awerbuch_shiloach = [](auto n, auto edges) {
  auto const from = keep(append(fst(edges), snd(edges)));
  auto const to = keep(append(snd(edges), fst(edges)));
  auto const hooked = [&](auto parent, auto takes) {
    auto const star = in_stars(parent);
    auto const a = keep(gather(parent, from));
    auto const b = keep(gather(parent, to));
    auto const hooks = keep(each(zip(from, a, b), [&](auto e) {
      return at(star, get<0>(e)) && takes(get<1>(e), get<2>(e));
    }));
    return write(parent, pack(a, hooks), pack(b, hooks));
  };
  auto const done =
      while_([](auto const&, auto changing) { return changing; },
             [&](auto parent, auto) {
               auto const lesser = hooked(parent, [](auto a, auto b) { return a > b; });
               auto const greater = hooked(lesser, [](auto a, auto b) { return a < b; });
               auto const next = keep(gather(greater, greater));
               return tup(next, any(next != parent));
             },
             tup(keep(iota(n)), n > 0));
  return least_of_root(get<0>(done));
};

/// A maximal independent set, as a flag for each vertex: in each round those enter whose random
/// number is the least among their undecided neighbours.  A neighbour of the set has the greatest number.
/// Source   Luby, "A simple parallel algorithm for the maximal independent set problem", 1986.
inline constexpr auto independent_set = [](auto graph) {
  auto const greatest = bounds<std::uint64_t>::highest();
  auto const done = while_(
      [](auto vertex, auto const&) { return len(vertex) > 0; },
      [&](auto vertex, auto number) {
        auto const enters = keep(each(
            vertex, [&](auto v) { return at(number, v) < min(gather(number, at(graph, v))); }));
        auto const beside = flat_each(pack(vertex, enters), [&](auto v) { return at(graph, v); });
        auto const next = write(std::move(number), beside, dist(greatest, len(beside)));
        auto const stays = each(
            vertex, enters, [&](auto v, auto enter) { return !enter && at(next, v) != greatest; });
        return tup(pack(vertex, stays), next);
      },
      tup(keep(indices(graph)),
          keep(each(indices(graph), [](auto v) { return random_bits(1, v); }))));
  return get<1>(done) != greatest;
};

/// The number of maximal cliques that contain some of p, all of a set that is connected with all of
/// p and x, and none of x.
template <class Graph>
auto cliques_within(Graph const& graph) {
  return rec<index_t(nested<index_t>, nested<index_t>)>([&graph](auto self, auto p, auto x) {
    return if_(
        len(p) == 0, [&] { return select(len(x) == 0, index_t{1}, index_t{0}); },
        [&] {
          return sum(each(p, indices(p), [&](auto v, auto i) {
            auto const around = at(graph, v);
            return self(intersect(drop(p, i + 1), around),
                        intersect(union_(x, take(p, i)), around));
          }));
        });
  });
}
/// The number of maximal cliques of an undirected graph, whose neighbours ascend.
/// Source   Bron and Kerbosch, "Algorithm 457", 1973.
inline constexpr auto maximal_cliques = [](auto graph) {
  auto const all = keep(indices(graph));
  return cliques_within(graph)(all, take(all, 0));
};

/// The number of triangles, of edges (from, to) to greater vertices, whose ends ascend.
inline constexpr auto triangles = [](auto graph) {
  return sum(each(graph, [&](auto ends) {
    return sum(each(ends, [&](auto w) { return len(intersect(ends, at(graph, w))); }));
  }));
};

/// The end and the length of a path as one number, in whose order the shortest path to an end is first.
struct path_to {
  RAVEL_HD index_t operator()(index_t end, index_t length) const { return end << 32 | length; }
};
struct end_of_path {
  RAVEL_HD index_t operator()(index_t path) const { return path >> 32; }
};
struct length_of_path {
  RAVEL_HD index_t operator()(index_t path) const { return path & 0xffff'ffff; }
};

/// The length of a shortest path from `start` to each vertex, by (end, length) of edges; the
/// greatest number if there is none.  Paths are shorter than 2^32.
/// Source   Bellman, "On a routing problem", 1958, from the vertices that became nearer only.
inline constexpr auto shortest_paths = [](auto graph, auto start) {
  auto const none = bounds<index_t>::highest();
  auto const to = lift(path_to{});
  auto const end = lift(end_of_path{});
  auto const length = lift(length_of_path{});
  auto const done = while_(
      [](auto front, auto const&) { return len(front) > 0; },
      [&](auto front, auto far) {
        auto const reached = flat_each(front, [&](auto v) {
          auto const so_far = keep(at(far, v));
          return keep(each(at(graph, v), [&](auto e) { return to(fst(e), so_far + snd(e)); }));
        });
        auto const nearer =
            sort(filter(reached, [&](auto path) { return length(path) < at(far, end(path)); }));
        auto const least = pack(nearer, each(nearer, indices(nearer), [&](auto path, auto i) {
                                  return i == 0 || end(at(nearer, i - 1)) != end(path);
                                }));
        auto const next = keep(each(least, end));
        return tup(next, write(std::move(far), next, each(least, length)));
      },
      tup(list(start), write(keep(dist(none, len(graph))), list(start), list(start * 0))));
  return get<1>(done);
};

}  // namespace ravel::examples
