#pragma once

/// Merges of two sorted distributed sequences.

#include <ravel/core/transfer.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/operands.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/distributed/sort_orders.hpp>
#include <ravel/distributed/sorted_cuts.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/merge.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace ravel::inline v0 {
namespace distributed::detail {

/// The order of a merge: numbers other than integers have that of their digits, which places NaNs.
template <class T, class Before>
auto merge_order(Before const& before) {
  if constexpr (ravel::detail::by_digits<Before, T> && !std::integral<T>) {
    return comparison_order<T>("merge", before).before;
  } else {
    return before;
  }
}

/// The elements of x at these places of all ranks, in a buffer of each.
template <class Ex, class T>
auto elements_everywhere(Ex const& ex, sequence<T, Ex> const& x, std::vector<index_t> const& at) {
  auto const begins = x.begins();
  std::vector<std::vector<index_t>> of_rank(begins.size() - 1);
  for (index_t k = 0; k < std::ssize(at); ++k) {
    auto const r = std::ranges::upper_bound(begins, at[k]) - begins.begin() - 1;
    of_rank[r].push_back(k);
  }
  std::vector<index_t> indices, places(at.size());
  for (index_t const k : of_rank[ex.ranks().rank()]) indices.push_back(at[k] - x.first());
  index_t place = 0;
  for (auto const& positions : of_rank) {
    for (index_t const k : positions) places[k] = place++;
  }
  auto const& local = ex.local();
  auto const found = picked_of_all(ex, x.local(), indices);
  auto elements = local.template allocate<T>(std::ssize(at));
  gather(local, found, to(local, places), elements);
  return elements;
}

template <class Before>
struct second_precedes {
  Before before;
  template <class T>
  RAVEL_HD std::uint8_t operator()(T const& x, T const& y) const {
    return before(y, x);
  }
};

/// A search for how many of the first `target` elements of a merge are of its first sequence.
struct merge_point {
  index_t target, low, high;
};
/// About so many elements of each sequence are compared in a round, ...
inline constexpr index_t compared_in_a_round = 1024;
/// ... and at least as many for each rank.
inline constexpr index_t compared_for_a_rank = 8;

/// How many elements of `a` are among the first targets[k] of the merge of `a` and `b`, for each k: the
/// least i of which b[target - 1 - i] precedes a[i].
///
/// Each round compares elements at some places between the least and the greatest that i can be, on all
/// ranks alike.
template <class Ex, class T, class Before>
std::vector<index_t> points_of_merge(Ex const& ex, sequence<T, Ex> const& a,
                                     sequence<T, Ex> const& b, std::span<index_t const> targets,
                                     Before const& before) {
  auto const& local = ex.local();
  std::vector<merge_point> points;
  for (index_t const t : targets) {
    points.push_back({t, std::max<index_t>(0, t - b.total_size()), std::min(t, a.total_size())});
  }
  for (;;) {
    index_t const open =
        std::ranges::count_if(points, [](merge_point const& p) { return p.low < p.high; });
    if (open == 0) break;
    index_t const limit = std::max(compared_for_a_rank, compared_in_a_round / open);
    std::vector<index_t> of_a, of_b;
    std::vector<index_t> counts;
    for (merge_point const& p : points) {
      index_t const length = p.high - p.low, count = std::min(limit, length);
      for (index_t k = 0; k < count; ++k) {
        of_a.push_back(p.low + (2 * k + 1) * length / (2 * count));
        of_b.push_back(p.target - 1 - of_a.back());
      }
      counts.push_back(count);
    }
    auto const x = elements_everywhere(ex, a, of_a), y = elements_everywhere(ex, b, of_b);
    auto const precedes = local.template scratch<std::uint8_t>(std::ssize(of_a));
    map(local, second_precedes<Before>{before}, precedes, x, y);
    auto const found = to_host(local, precedes);
    index_t first = 0;
    for (std::size_t p = 0; p < points.size(); ++p) {
      auto const begin = found.begin() + first, end = begin + counts[p];
      expects(std::is_sorted(begin, end), "a sequence is not sorted, or ", not_strict);
      index_t const k = first + (std::find(begin, end, 1) - begin);
      if (k > first) points[p].low = of_a[k - 1] + 1;
      first += counts[p];
      if (k < first) points[p].high = of_a[k];
    }
  }
  std::vector<index_t> result;
  result.reserve(points.size());
  for (merge_point const& p : points) result.push_back(p.low);
  return result;
}

/// Where the parts of `a` and `b` begin that each rank merges to its piece of the output.
struct parts_of_merge {
  std::vector<index_t> of_a, of_b;
};
template <class Ex, class T, class Before>
parts_of_merge cut_merge(Ex const& ex, sequence<T, Ex> const& a, sequence<T, Ex> const& b,
                         sequence<T, Ex> const& out, Before const& before) {
  parts_of_merge parts{points_of_merge(ex, a, b, out.begins(), before), {}};
  for (std::size_t r = 0; r < parts.of_a.size(); ++r) {
    parts.of_b.push_back(out.begins()[r] - parts.of_a[r]);
  }
  return parts;
}

/// The elements of a sequence that a rank merges, in runs that follow one another.
template <class T, class Space, class Buffer>
struct part_in_runs {
  Buffer received;
  std::vector<view<T const, Space>> runs;
};
/// The elements of x from begins[rank] to begins[rank + 1], on each rank; on hosts those of its own piece
/// stay there.
template <class Ex, class T>
auto part_of(Ex const& ex, sequence<T, Ex> const& x, std::span<index_t const> begins) {
  using Space = typename Ex::space::local;
  int const rank = ex.ranks().rank();
  index_t const first = begins[rank], last = begins[rank + 1], end = x.first() + x.size();
  auto counts = shared_with(first, last, x.begins());
  index_t const own = std::same_as<Space, host_space> ? counts[rank] : 0;
  if (own > 0) counts[rank] = 0;
  index_t const size = last - first - own, before = std::max<index_t>(0, x.first() - first);
  auto received = ex.local().template allocate<T>(size);
  distributed::exchange(ex, x.local(), shared_with(x.first(), end, begins), received, counts);
  view<T const, Space> const arrived(received.data(), size);
  std::vector<view<T const, Space>> runs;
  if (own == 0) {
    runs = {arrived};
  } else {
    auto const kept = x.local().slice(std::max(first, x.first()) - x.first(), own);
    runs = {arrived.slice(0, before), kept, arrived.slice(before, size - before)};
  }
  std::erase_if(runs, [](auto const& run) { return run.empty(); });
  return part_in_runs<T, Space, decltype(received)>{std::move(received), std::move(runs)};
}

/// Elements of a run.
struct stretch {
  std::size_t run;
  index_t begin, size;

  template <class Runs>
  auto of(Runs const& runs) const {
    return run < runs.size() ? runs[run].slice(begin, size) : decltype(runs[run].slice(0, 0)){};
  }
};
/// The stretches of two parts that are merged, one pair after another: each ends a run.
template <class Part, class Before, class Merge>
void merge_runs(Part const& a, Part const& b, Before const& before, Merge const& merge_stretches) {
  auto const next = [](Part const& part, stretch s) {
    s.begin += s.size;
    if (s.run < part.runs.size() && s.begin == part.runs[s.run].size()) s = {s.run + 1, 0, 0};
    s.size = s.run < part.runs.size() ? part.runs[s.run].size() - s.begin : 0;
    return s;
  };
  index_t done = 0;
  for (auto x = next(a, {}), y = next(b, {}); x.size + y.size > 0;) {
    bool const is_last = x.run + 1 >= a.runs.size() && y.run + 1 >= b.runs.size();
    if (!is_last && x.size > 0 && y.size > 0) {
      auto const in_a = x.of(a.runs);
      auto const in_b = y.of(b.runs);
      auto const &last_a = in_a[x.size - 1], &last_b = in_b[y.size - 1];
      if (before(last_b, last_a)) {
        x.size = std::upper_bound(in_a.begin(), in_a.end(), last_b, before) - in_a.begin();
      } else {
        y.size = std::lower_bound(in_b.begin(), in_b.end(), last_a, before) - in_b.begin();
      }
    }
    merge_stretches(x, y, done);
    done += x.size + y.size;
    x = next(a, x);
    y = next(b, y);
  }
}

}  // namespace distributed::detail

/// Merges two sequences, each sorted over all ranks:
///
///     ranks      0     1     2
///     a          1 3 | 5   |
///     b          2   |     | 3
///     out        1 2 | 3 3 | 5             pieces of any sizes
///
/// Shapes   a[m], b[n] and out[m + n], each in pieces of any sizes; `out` overlaps nothing.  Elements
///          are trivially copyable.
/// Order    Stable: equal elements of `a` precede those of `b`.  Numbers ordered by < or > are in the
///          order of comparison_sort, in which equal ones have the same bits.
/// Cost     O(log n / log s) rounds that find which elements each rank merges, each of which compares s
///          pairs on every rank: 1024 / p for each rank, but at least 8; one exchange; and local merges,
///          on hosts up to five, one on devices.  Scratch for the elements that other ranks have, on
///          devices for all that a rank merges.
/// Volume   Each element that another rank gets, once; in a round, s elements of each sequence, and 16
///          bytes, to each other rank.
/// Errors   contract_error if the sizes do not fit; `error` if `before` is found not to be a strict
///          weak order, or a sequence is found not to be sorted.
/// Source   Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path - Parallel Merging Made Simple",
///          IPDPSW 2012: each rank merges what the path of the merge crosses in its piece of `out`.
template <distributed::some_executor Ex, distributed::operand_of<Ex> A,
          distributed::operand_of<Ex> B, class T, class Before = less>
void merge(Ex const& ex, A const& from_a, B const& from_b, distributed::sequence<T, Ex>& out,
           Before before = {}) {
  using namespace distributed::detail;
  auto const& a = written<T>(ex, from_a);
  auto const& b = written<T>(ex, from_b);
  expects(a.total_size() + b.total_size() == out.total_size(), "merge: a has ", a.total_size(),
          " elements, b ", b.total_size(), ", and out ", out.total_size());
  auto const order = merge_order<T>(before);
  together(ex, "merge", [&] {
    auto const parts = cut_merge(ex, a, b, out, order);
    auto const x = part_of(ex, a, parts.of_a), y = part_of(ex, b, parts.of_b);
    merge_runs(x, y, order, [&](stretch const& in_a, stretch const& in_b, index_t done) {
      merge(ex.local(), in_a.of(x.runs), in_b.of(y.runs),
            out.local().slice(done, in_a.size + in_b.size), order);
    });
  });
}

/// Merges keys as merge does, and moves the value of each key with it:
///
///     keys_a     1 3 | 5        keys_b      2 | 3        keys_out      1 2 | 3 3 5
///     values_a   a b | c        values_b    d | e        values_out    a d | b e c
///
/// Shapes   As for merge; values are in the pieces of their keys.  Values are trivially copyable.
/// Volume   Each key that another rank gets, and its value, once; in the rounds as merge.
template <distributed::some_executor Ex, distributed::operand_of<Ex> KeysA,
          distributed::operand_of<Ex> ValuesA, distributed::operand_of<Ex> KeysB,
          distributed::operand_of<Ex> ValuesB, class K, class V, class Before = less>
void merge_pairs(Ex const& ex, KeysA const& from_keys_a, ValuesA const& from_values_a,
                 KeysB const& from_keys_b, ValuesB const& from_values_b,
                 distributed::sequence<K, Ex>& keys_out, distributed::sequence<V, Ex>& values_out,
                 Before before = {}) {
  using namespace distributed::detail;
  auto const& keys_a = written<K>(ex, from_keys_a);
  auto const& values_a = written<V>(ex, from_values_a);
  auto const& keys_b = written<K>(ex, from_keys_b);
  auto const& values_b = written<V>(ex, from_values_b);
  expects(keys_a.total_size() + keys_b.total_size() == keys_out.total_size(), "merge_pairs: a has ",
          keys_a.total_size(), " elements, b ", keys_b.total_size(), ", and out ",
          keys_out.total_size());
  expect_same_pieces("merge_pairs", keys_a, values_a);
  expect_same_pieces("merge_pairs", keys_b, values_b);
  expect_same_pieces("merge_pairs", keys_out, values_out);
  auto const order = merge_order<K>(before);
  together(ex, "merge_pairs", [&] {
    auto const parts = cut_merge(ex, keys_a, keys_b, keys_out, order);
    auto const x = part_of(ex, keys_a, parts.of_a), y = part_of(ex, keys_b, parts.of_b);
    auto const with_x = part_of(ex, values_a, parts.of_a),
               with_y = part_of(ex, values_b, parts.of_b);
    merge_runs(x, y, order, [&](stretch const& in_a, stretch const& in_b, index_t done) {
      index_t const n = in_a.size + in_b.size;
      merge_pairs(ex.local(), in_a.of(x.runs), in_a.of(with_x.runs), in_b.of(y.runs),
                  in_b.of(with_y.runs), keys_out.local().slice(done, n),
                  values_out.local().slice(done, n), order);
    });
  });
}

}  // namespace ravel::inline v0
