/// The peak of memory of the programs of the examples: docs/flattening.md states the bound.

#include "flatten/space.hpp"
#include "nested/clusters.hpp"
#include "nested/graph.hpp"
#include "nested/kth_smallest.hpp"
#include "nested/multi_pivot_quicksort.hpp"
#include "nested/primes.hpp"
#include "nested/queens.hpp"
#include "nested/quickhull.hpp"
#include "nested/quicksort.hpp"
#include "nested/spanning_forest.hpp"
#include "nested/sparse.hpp"
#include "nested/text.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ravel::space_test {
namespace {

using namespace examples;
using numbers = std::vector<index_t>;

using program_space = testing::program_space;

TEST_F(program_space, of_segments_and_clusters) {
  std::vector<numbers> const rows(500, numbers_below(10, 100));
  auto const segments = from(ex, rows);
  expect_bounded("histograms", [&] { return histograms(segments, 10); });
  std::vector<std::vector<point>> const clusters(50, std::vector<point>(50, point{1, 2}));
  auto const points = from(ex, clusters);
  expect_bounded("nearest", [&] { return nearest(points); });
}

/// f(r, c) for all pairs of rows, each pair with captured sequences that steps read.
template <class X, class F>
auto of_pairs(X const& rows, F const& f) {
  return each(rows, [&](auto r) { return each(rows, [&](auto c) { return f(r, c); }); });
}
TEST_F(program_space, of_captured_sequences) {
  std::size_t const n = 60;
  std::vector<numbers> even, ragged;
  for (std::size_t i = 0; i < n; ++i) {
    even.push_back(numbers_below(100, n));
    ragged.push_back(numbers_below(100, 1 + static_cast<std::size_t>(below(2 * n))));
  }
  auto const matrix = from(ex, even), rows = from(ex, ragged);
  expect_bounded("products",
                 [&] { return of_pairs(matrix, [](auto r, auto c) { return sum(r * c); }); });
  expect_bounded("products of ragged rows", [&] {
    return of_pairs(rows, [](auto r, auto c) {
      auto const common = min(len(r), len(c));
      return sum(take(r, common) * take(c, common));
    });
  });
  expect_bounded("scans", [&] {
    return of_pairs(matrix, [](auto r, auto c) { return max(inclusive_scan(r * c)); });
  });
  expect_bounded("scans of ragged rows", [&] {
    return of_pairs(rows, [](auto r, auto c) { return max(inclusive_scan(r * at(c, 0))); });
  });
  auto const above_first = [](auto r, auto c) {
    return filter(r, [&](auto x) { return x > at(c, 0); });
  };
  expect_bounded("filters", [&] {
    return of_pairs(matrix, [&](auto r, auto c) { return sum(above_first(r, c)); });
  });
  expect_bounded("filters of ragged rows, with a name", [&] {
    return of_pairs(rows, [&](auto r, auto c) {
      auto const kept = above_first(r, c);
      return tup(sum(kept), max_or(kept, 0));
    });
  });
}

TEST_F(program_space, of_text) {
  std::string line;
  for (int i = 0; i < 60; ++i) line += below(6) > 0 ? 'a' : ' ';
  std::string all;
  for (int i = 0; i < 500; ++i) all += line + '\n';
  auto const text = from(ex, all), word = from(ex, std::string("aaa"));
  expect_bounded("words", [&] { return each(lines(text), words); });
  expect_bounded("words_per_line", [&] { return words_per_line(text); });
  expect_bounded("string_search", [&] { return string_search(word, text); });
}

TEST_F(program_space, of_sparse_matrices) {
  index_t const n = 3000;
  std::vector<std::vector<std::pair<index_t, double>>> rows(n);
  for (auto& row : rows) {
    for (int i = 0; i < 10; ++i) row.emplace_back(below(n), 1);
  }
  auto const a = from(ex, rows);
  auto const x = from(ex, std::vector<double>(n, 1));
  auto const few = from(ex, rows.front());
  expect_bounded("spmv", [&] { return spmv(a, x); });
  expect_bounded("spmspv", [&] { return spmspv(a, few); });
}

TEST_F(program_space, of_graphs) {
  index_t const n = 2000;
  std::vector<numbers> edges(n);
  std::vector<std::tuple<index_t, index_t, int>> weighted;
  for (index_t i = 0; i < n; ++i) {
    for (index_t const k : numbers_below(n, 5)) {
      edges[static_cast<std::size_t>(i)].push_back(k);
      edges[static_cast<std::size_t>(k)].push_back(i);
      weighted.emplace_back(i, k, static_cast<int>(below(1000)));
    }
  }
  auto const graph = from(ex, edges);
  auto const roads = from(ex, weighted);
  auto const starts = from(ex, numbers_below(n, 8));
  expect_bounded("neighbour_max", [&] { return neighbour_max(graph, indices(graph)); });
  expect_bounded("bfs", [&] { return bfs(graph, at(starts, 0)); });
  expect_bounded("bfs of 8",
                 [&] { return each(starts, [&](auto from) { return bfs(graph, from); }); });
  expect_bounded("components", [&] { return components(graph); });
  expect_bounded("spanning_forest", [&] { return spanning_forest(n, roads); });
}

TEST_F(program_space, of_recursions) {
  auto const keys = from(ex, numbers_below(1 << 30, 20'000));
  expect_bounded("quicksort", [&] { return quicksort<index_t>(keys); });
  expect_bounded("multi_pivot_quicksort", [&] { return multi_pivot_quicksort<index_t>(keys); });
  auto const few = from(ex, numbers_below(1 << 30, 200));
  expect_bounded("kth_smallest of every k", [&] {
    return each(indices(few), [&](auto k) { return kth_smallest<index_t>(few, k); });
  });
  std::vector<point> cloud(20'000);
  for (auto& p : cloud) {
    p = {static_cast<double>(below(1 << 20)), static_cast<double>(below(1 << 20))};
  }
  auto const points = from(ex, cloud);
  expect_bounded("quickhull", [&] { return quickhull(points); });
  auto const sizes = from(ex, numbers{10, 20'000, 1000});
  expect_bounded("primes", [&] { return each(sizes, primes); });
}

TEST_F(program_space, of_a_search) {
  auto const n = from(ex, index_t{8});
  expect_bounded("queens", [&] { return queens(n); });
  expect_bounded("queens of 1 to 7", [&] { return each(range(1, n), queens); });
}

}  // namespace
}  // namespace ravel::space_test
