/// The peak of memory of the programs of the collections of NESL, Futhark and Data Parallel Haskell.

#include "flatten/space.hpp"
#include "nested/components.hpp"
#include "nested/games_and_words.hpp"
#include "nested/geometry.hpp"
#include "nested/lists_and_indices.hpp"
#include "nested/matrices.hpp"
#include "nested/transforms.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ravel::collections_space_test {
namespace {

using numbers = std::vector<index_t>;
using reals = std::vector<double>;

class collections_space : public testing::program_space {
 protected:
  double in_square() { return static_cast<double>(below(2'000'000)) / 1e6 - 1; }
  std::vector<std::pair<double, double>> some_points(index_t n) {
    std::vector<std::pair<double, double>> all;
    for (index_t i = 0; i < n; ++i) all.emplace_back(in_square(), in_square());
    return all;
  }
  /// Undirected, without loops, neighbours ascending.
  std::vector<numbers> some_graph(index_t n, index_t edges) {
    std::vector<std::set<index_t>> all(static_cast<std::size_t>(n));
    for (index_t e = 0; e < edges; ++e) {
      index_t const v = below(n), w = below(n);
      if (v == w) continue;
      all[static_cast<std::size_t>(v)].insert(w);
      all[static_cast<std::size_t>(w)].insert(v);
    }
    std::vector<numbers> graph;
    for (auto const& ends : all) graph.emplace_back(ends.begin(), ends.end());
    return graph;
  }
  std::vector<reals> some_matrix(std::size_t n, std::size_t width) {
    std::vector<reals> m(n, reals(width));
    for (auto& row : m) {
      for (auto& x : row) x = in_square();
    }
    return m;
  }
  std::string some_text(index_t n) {
    std::string all;
    for (index_t i = 0; i < n; ++i) all += static_cast<char>('a' + below(3));
    return all;
  }
};

TEST_F(collections_space, of_transforms) {
  auto const x = from(ex, some_points(1 << 12));
  expect_bounded("fft", [&] { return keep(examples::fft(x)); });
  auto const keys = from(ex, numbers_below(1 << 30, 1 << 10));
  expect_bounded("bitonic_sort", [&] { return examples::bitonic_sort(keys); });
}

TEST_F(collections_space, of_geometry) {
  auto const x = from(ex, some_points(5'000));
  expect_bounded("closest_pair", [&] { return examples::closest_pair(x); });
  auto const queries = from(ex, some_points(50));
  expect_bounded("nearest_k", [&] { return examples::nearest_k(queries, x, index_t{8}); });
}

TEST_F(collections_space, of_gravity) {
  std::vector<examples::body> all;
  for (int i = 0; i < 2'000; ++i) all.emplace_back(in_square(), in_square(), 1 + i % 3);
  auto const bodies = from(ex, all);
  expect_bounded("barnes_hut", [&] { return examples::barnes_hut(bodies); });
}

TEST_F(collections_space, of_components) {
  index_t const n = 5'000;
  std::vector<std::pair<index_t, index_t>> all;
  for (index_t e = 0; e < 2 * n; ++e) all.emplace_back(below(n), below(n));
  auto const edges = from(ex, all);
  auto const many = from(ex, n);
  expect_bounded("random_mate", [&] { return examples::random_mate(many, edges); });
  expect_bounded("awerbuch_shiloach", [&] { return examples::awerbuch_shiloach(many, edges); });
}

TEST_F(collections_space, of_graphs) {
  auto const graph = from(ex, some_graph(3'000, 9'000));
  expect_bounded("independent_set", [&] { return keep(examples::independent_set(graph)); });
  expect_bounded("triangles", [&] { return examples::triangles(graph); });
  auto const few = from(ex, some_graph(300, 3'000));
  expect_bounded("maximal_cliques", [&] { return examples::maximal_cliques(few); });
  std::vector<std::vector<std::pair<index_t, index_t>>> roads(3'000);
  for (auto& ends : roads) {
    for (int k = 0; k < 4; ++k) ends.emplace_back(below(3'000), below(100));
  }
  auto const map = from(ex, roads);
  auto const start = from(ex, index_t{0});
  expect_bounded("shortest_paths", [&] { return examples::shortest_paths(map, start); });
}

TEST_F(collections_space, of_matrices) {
  auto const a = from(ex, some_matrix(128, 128)), b = from(ex, some_matrix(128, 128));
  expect_bounded("product_of_rows", [&] { return examples::product_of_rows(a, b); });
  expect_bounded("strassen", [&] { return examples::strassen(a, b); });
}

TEST_F(collections_space, of_linear_systems) {
  std::vector<std::vector<reals>> all;
  for (int k = 0; k < 50; ++k) all.push_back(some_matrix(8, 9));
  auto const systems = from(ex, all);
  expect_bounded("gauss_jordan", [&] { return each(systems, examples::gauss_jordan); });

  index_t const n = 3'000;
  std::vector<std::vector<std::pair<index_t, double>>> rows;
  for (index_t i = 0; i < n; ++i)
    rows.push_back({{(i + n - 1) % n, -1}, {i, 3}, {(i + 1) % n, -1}});
  auto const a = from(ex, rows);
  auto const b = from(ex, reals(static_cast<std::size_t>(n), 1));
  auto const rounds = from(ex, index_t{10});
  expect_bounded("conjugate_gradients",
                 [&] { return examples::conjugate_gradients(a, b, rounds); });
}

TEST_F(collections_space, of_games_and_words) {
  auto const first = from(ex, std::vector<int>{1 + 2 * 2 + 16 * 4, 16 + 8 * 4 + 2});
  auto const second = from(ex, std::vector<int>{8 + 16, 1 + 64});
  expect_bounded("minimax", [&] { return each(first, second, examples::minimax); });
  std::vector<std::string> a, b;
  for (int i = 0; i < 50; ++i) {
    a.push_back(some_text(20 + below(40)));
    b.push_back(some_text(20 + below(40)));
  }
  auto const left = from(ex, a), right = from(ex, b);
  expect_bounded("edit_distance", [&] { return each(left, right, examples::edit_distance); });
  auto const x = from(ex, some_matrix(1, 10'000)[0]), y = from(ex, some_matrix(1, 10'000)[0]);
  expect_bounded("mandelbrot", [&] {
    return each(x, y, [](auto re, auto im) { return examples::mandelbrot(re, im, 64); });
  });
}

TEST_F(collections_space, of_lists_and_trees) {
  index_t const n = 10'000;
  numbers order;
  for (index_t i = 0; i < n; ++i) order.push_back(i);
  std::shuffle(order.begin(), order.end(), random);
  numbers next(order.size()), parent;
  for (std::size_t i = 0; i < order.size(); ++i) {
    next[static_cast<std::size_t>(order[i])] = order[std::min(i + 1, order.size() - 1)];
  }
  for (index_t i = 0; i < n; ++i) parent.push_back(i == 0 ? 0 : below(i));
  auto const list = from(ex, next), tree = from(ex, parent);
  expect_bounded("list_rank", [&] { return examples::list_rank(list); });
  auto const values = from(ex, numbers_below(10, order.size()));
  expect_bounded("leaffix", [&] { return examples::leaffix(tree, values); });
}

TEST_F(collections_space, of_texts) {
  auto const text = from(ex, some_text(10'000));
  expect_bounded("suffix_array", [&] { return examples::suffix_array(text); });
  std::vector<numbers> all;
  for (int d = 0; d < 300; ++d) all.push_back(numbers_below(200, 50));
  auto const documents = from(ex, all);
  expect_bounded("inverted_index", [&] { return examples::inverted_index(documents); });
}

}  // namespace
}  // namespace ravel::collections_space_test
