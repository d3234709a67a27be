#pragma once

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

/// The places of the suffixes of a text in lexicographic order: ranks by their first four letters, and by
/// twice the length in each round.
/// Source   Manber and Myers, "Suffix arrays", 1993.
inline constexpr auto suffix_array = [](auto text) {
  auto const n = len(text);
  // Each number and the one `width` places after it, below `base`, as one; that is 0 after the end.
  auto const pairs = [&](auto numbers, auto width, auto base) {
    return keep(each(numbers, indices(numbers), [&](auto x, auto i) {
      return x * base + select(i + width < n, at(numbers, i + width), index_t{0});
    }));
  };
  // The rank of each key, from 1 on, the same for equal ones, and the greatest.
  auto const ranks_of = [&](auto keys) {
    auto const order = sort_order(keys);
    auto sorted = keep(gather(keys, order));
    auto const ranks = inclusive_scan(each(indices(sorted), sorted, [&](auto i, auto key) {
      return select(i > 0, select(at(sorted, i - 1) == key, index_t{0}, index_t{1}), index_t{1});
    }));
    auto const most = keep(select(n > 0, at(ranks, n - 1), index_t{0}));
    return tup(write(std::move(sorted), order, ranks), most);
  };
  auto const done = while_(
      [&](auto const&, auto width, auto most) { return width < n && most < n; },
      [&](auto rank, auto width, auto) {
        auto const next = ranks_of(pairs(rank, width, n + 1));
        return tup(fst(next), width * 2, snd(next));
      },
      [&] {
        auto const letters = each(text, [](auto c) { return cast<index_t>(c) + 129; });
        auto const first = ranks_of(pairs(pairs(letters, 1, index_t{512}), 2, index_t{512 * 512}));
        return tup(fst(first), n * 0 + 4, snd(first));
      }());
  return permute(indices(text), get<0>(done) - 1);
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
