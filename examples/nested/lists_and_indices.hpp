#pragma once

/// @file
/// Lists, trees and texts by doubling: list ranking, sums of subtrees, suffix arrays; and inverted
/// indices.

#include <ravel/flatten/flatten.hpp>

#include <utility>

namespace ravel::examples {

/// The number of links from each node to the end of its list, whose link is to itself.
/// Source   Wyllie, "The complexity of parallel computations", 1979.
inline constexpr auto list_rank = [](auto next) {
  auto const done = while_(
      [](auto const&, auto const&, auto changing) { return changing; },
      [](auto to, auto rank, auto) {
        auto const far = keep(each(to, rank, [&](auto k, auto r) { return r + at(rank, k); }));
        auto const jumped = keep(gather(to, to));
        return tup(jumped, far, any(jumped != to));
      },
      tup(next,
          keep(each(next, indices(next),
                    [](auto k, auto i) { return select(k == i, index_t{0}, index_t{1}); })),
          len(next) > 0));
  return get<1>(done);
};

/// The sum of the values of each subtree, by the parents of nodes; a root is its own.
///
/// In round k each node adds the sum of its nearest 2^k descendants to the node 2^k above.
inline constexpr auto leaffix = [](auto parent, auto values) {
  auto const n = len(parent);
  auto const done = while_([](auto node, auto const&, auto const&) { return len(node) > 0; },
                           [&](auto node, auto up, auto so_far) {
                             auto const more = reduce_by_index(up, gather(so_far, node), n, plus{});
                             // The node above a root is none: those leave.
                             auto const jump = write(keep(dist(index_t{-1}, n)), node, up);
                             auto const further = keep(gather(jump, up));
                             auto const stay = keep(further >= 0);
                             return tup(pack(node, stay), pack(further, stay), keep(so_far + more));
                           },
                           tup(pack(indices(parent), parent != indices(parent)),
                               pack(parent, parent != indices(parent)), values));
  return get<2>(done);
};

/// The places of the suffixes of a text in lexicographic order, by ranks of twice the length in
/// each round.
/// Source   Manber and Myers, "Suffix arrays", 1993.
inline constexpr auto suffix_array = [](auto text) {
  auto const n = len(text);
  auto const ranks_of = [](auto keys) {
    auto const order = sort_order(keys);
    auto const sorted = keep(gather(keys, order));
    auto const steps = each(indices(sorted), sorted, [&](auto i, auto key) {
      return select(i > 0, select(at(sorted, i - 1) == key, index_t{0}, index_t{1}), index_t{0});
    });
    return permute(inclusive_scan(steps), order);
  };
  auto const done = while_(
      [&](auto const&, auto width, auto most) { return width < n && most < n - 1; },
      [&](auto rank, auto width, auto) {
        auto const keys = keep(each(indices(rank), rank, [&](auto i, auto r) {
          auto const next = i + width;
          return r * (n + 1) + select(next < n, at(rank, next) + 1, index_t{0});
        }));
        auto const next = keep(ranks_of(keys));
        return tup(next, width * 2, max_or(next, 0));
      },
      [&] {
        auto const first = keep(ranks_of(each(text, [](auto c) { return cast<index_t>(c); })));
        return tup(first, n * 0 + 1, max_or(first, 0));
      }());
  return permute(indices(text), get<0>(done));
};

/// The documents that contain each word, ascending: (word, documents).
inline constexpr auto inverted_index = [](auto documents) {
  auto const entries = flat_each(zip(indices(documents), documents), [](auto d) {
    auto const number = fst(d);
    return each(unique(snd(d)), [&](auto word) { return tup(word, number); });
  });
  return collect(fst(entries), snd(entries));
};

}  // namespace ravel::examples
