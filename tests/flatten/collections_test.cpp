/// Programs of the collections of NESL, Futhark and Data Parallel Haskell, several instances at
/// once, compared with loops of one thread.

#include "nested/components.hpp"
#include "nested/games_and_words.hpp"
#include "nested/geometry.hpp"
#include "nested/lists_and_indices.hpp"
#include "nested/matrices.hpp"
#include "nested/serial/games_and_words.hpp"
#include "nested/serial/geometry.hpp"
#include "nested/serial/graphs.hpp"
#include "nested/serial/lists_and_indices.hpp"
#include "nested/serial/matrices.hpp"
#include "nested/serial/transforms.hpp"
#include "nested/transforms.hpp"

#include "flatten/programs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ravel::collections_test {
namespace {

using testing::numbers;
using testing::rows;
namespace serial = examples::serial;
using serial::points;
using serial::reals;

template <class Ex>
struct collections : testing::on_programs<Ex> {
  std::mt19937_64 random{7};

  index_t below(index_t n) { return static_cast<index_t>(random() % static_cast<unsigned>(n)); }
  double in_square() { return static_cast<double>(below(2'000'000)) / 1e6 - 1; }
  numbers numbers_below(index_t limit, index_t n) {
    numbers all;
    for (index_t i = 0; i < n; ++i) all.push_back(below(limit));
    return all;
  }
  points some_points(index_t n) {
    points all;
    for (index_t i = 0; i < n; ++i) all.emplace_back(in_square(), in_square());
    return all;
  }
  /// Undirected, without loops, neighbours ascending.
  rows some_graph(index_t n, index_t edges) {
    std::vector<std::set<index_t>> all(static_cast<std::size_t>(n));
    for (index_t e = 0; e < edges; ++e) {
      index_t const v = below(n), w = below(n);
      if (v == w) continue;
      serial::of(all, v).insert(w);
      serial::of(all, w).insert(v);
    }
    rows graph;
    for (auto const& of_vertex : all) graph.emplace_back(of_vertex.begin(), of_vertex.end());
    return graph;
  }
  std::string some_text(index_t n) {
    std::string all;
    for (index_t i = 0; i < n; ++i) all += static_cast<char>('a' + below(3));
    return all;
  }

  static void expect_close(double got, double wanted) {
    EXPECT_NEAR(got, wanted, 1e-9 * std::max(1.0, std::abs(wanted)));
  }
  template <class T>
  static void expect_close(std::vector<T> const& got, std::vector<T> const& wanted) {
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) expect_close(got[i], wanted[i]);
  }
  template <class A, class B, class T>
  static void expect_close(A const& got, std::pair<B, T> const& wanted) {
    expect_close(std::get<0>(got), wanted.first);
    expect_close(std::get<1>(got), wanted.second);
  }
};
TYPED_TEST_SUITE(collections, testing::program_executors);

TYPED_TEST(collections, fourier_transforms) {
  std::vector<points> const in{this->some_points(1), this->some_points(64), this->some_points(2),
                               this->some_points(16)};
  auto const got = to_host(each(this->of(in), examples::fft));
  for (std::size_t k = 0; k < in.size(); ++k) {
    auto const wanted = serial::fft(in[k]);
    ASSERT_EQ(got[k].size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) this->expect_close(got[k][i], wanted[i]);
  }
}
TYPED_TEST(collections, fourier_transforms_by_columns) {
  std::vector<points> const in{this->some_points(2), this->some_points(64), this->some_points(128)};
  auto const got = to_host(each(this->of(in), examples::fft_by_columns));
  for (std::size_t k = 0; k < in.size(); ++k) {
    auto const wanted = serial::fft(in[k]);
    ASSERT_EQ(got[k].size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) this->expect_close(got[k][i], wanted[i]);
  }
}

TYPED_TEST(collections, bitonic_sorts) {
  rows in{this->numbers_below(100, 64), {}, this->numbers_below(9, 1), this->numbers_below(9, 16)};
  auto const got = to_host(each(this->of(in), examples::bitonic_sort));
  for (auto& row : in) {
    row = serial::bitonic_sort(row);
    EXPECT_TRUE(std::is_sorted(row.begin(), row.end()));
  }
  EXPECT_EQ(got, in);
}

TYPED_TEST(collections, points_in_the_plane) {
  std::vector<points> const in{this->some_points(300), this->some_points(2), this->some_points(9),
                               this->some_points(40)};
  auto const closest = to_host(each(this->of(in), examples::closest_pair));
  for (std::size_t k = 0; k < in.size(); ++k) {
    this->expect_close(closest[k], serial::closest_pair(in[k]));
  }
  auto const queries = this->some_points(5);
  EXPECT_EQ(to_host(flatten(examples::nearest_k(this->of(queries), this->of(in[0]), 3))),
            serial::nearest_k(queries, in[0], 3));
}

TYPED_TEST(collections, gravity) {
  std::vector<std::vector<serial::body>> in(3);
  for (int i = 0; i < 200; ++i) in[0].emplace_back(this->in_square(), this->in_square(), 1 + i % 3);
  for (int i = 0; i < 30; ++i) in[2].emplace_back(this->in_square(), this->in_square(), 1);
  auto const got = to_host(each(this->of(in), examples::barnes_hut));
  for (std::size_t k = 0; k < in.size(); ++k) {
    this->expect_close(got[k], serial::barnes_hut(in[k]));
  }
}

TYPED_TEST(collections, components_of_graphs) {
  numbers const sizes{0, 60, 1, 9};
  std::vector<serial::edges> graphs(4);
  for (int i = 0; i < 50; ++i) graphs[1].emplace_back(this->below(60), this->below(60));
  for (int i = 0; i < 5; ++i) graphs[3].emplace_back(this->below(9), this->below(9));
  rows wanted;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    wanted.push_back(serial::components(sizes[k], graphs[k]));
  }
  auto const n = this->of(sizes);
  auto const edges = this->of(graphs);
  EXPECT_EQ(to_host(each(n, edges, examples::random_mate)), wanted);
  EXPECT_EQ(to_host(each(n, edges, examples::awerbuch_shiloach)), wanted);
}

/// Threads write in any order, in which stars may take single vertices.
TYPED_TEST(collections, components_of_large_graphs) {
  index_t const n = 20'000;
  for (int graph = 0; graph < 6; ++graph) {
    serial::edges edges;
    for (int i = 0; i < 12'000; ++i) edges.emplace_back(this->below(n), this->below(n));
    EXPECT_EQ(to_host(examples::awerbuch_shiloach(this->of(n), this->of(edges))),
              serial::components(n, edges));
  }
}

TYPED_TEST(collections, sets_and_cliques_of_graphs) {
  std::vector<rows> const graphs{
      this->some_graph(40, 120), {}, this->some_graph(3, 9), this->some_graph(20, 100)};
  auto const all = this->of(graphs);
  auto const sets = to_host(each(all, examples::independent_set));
  auto const triangles = to_host(each(all, [](auto graph) {
    return examples::triangles(each(graph, indices(graph), [](auto ends, auto v) {
      return filter(ends, [&](auto w) { return w > v; });
    }));
  }));
  for (std::size_t k = 0; k < graphs.size(); ++k) {
    auto const rank = [](index_t v) { return flattening::mixed_bits{}(1, v); };
    EXPECT_EQ(sets[k], serial::independent_set(graphs[k], rank));
    auto const one = this->of(graphs[k]);
    if (!graphs[k].empty()) {
      EXPECT_EQ(to_host(examples::maximal_cliques(one)), serial::maximal_cliques(graphs[k]));
    }
    auto greater = graphs[k];
    for (std::size_t v = 0; v < greater.size(); ++v) {
      std::erase_if(greater[v], [&](index_t w) { return w < static_cast<index_t>(v); });
    }
    EXPECT_EQ(triangles[k], serial::triangles(greater));
  }
}

TYPED_TEST(collections, shortest_paths) {
  std::vector<std::vector<serial::edges>> graphs(2);
  graphs[0].resize(50);
  graphs[1].resize(4);
  for (auto& graph : graphs) {
    index_t const n = static_cast<index_t>(graph.size());
    for (index_t e = 0; e < 3 * n; ++e) {
      serial::of(graph, this->below(n)).emplace_back(this->below(n), this->below(100));
    }
  }
  numbers const starts{3, 0};
  rows wanted;
  for (std::size_t k = 0; k < 2; ++k) {
    wanted.push_back(serial::shortest_paths(graphs[k], starts[k]));
  }
  EXPECT_EQ(to_host(each(this->of(graphs), this->of(starts), examples::shortest_paths)), wanted);
}

TYPED_TEST(collections, dense_matrices) {
  auto const some_matrix = [&](std::size_t n, std::size_t width) {
    serial::matrix m(n, reals(width));
    for (auto& row : m) {
      for (auto& x : row) x = this->in_square();
    }
    return m;
  };
  std::vector<serial::matrix> const a{some_matrix(64, 64), some_matrix(2, 2)};
  std::vector<serial::matrix> const b{some_matrix(64, 64), some_matrix(2, 2)};
  auto const products = to_host(each(this->of(a), this->of(b), examples::strassen));
  std::vector<serial::matrix> const systems{
      some_matrix(12, 13), some_matrix(1, 2), {}, some_matrix(5, 6)};
  auto const solutions = to_host(each(this->of(systems), examples::gauss_jordan));
  for (std::size_t k = 0; k < 2; ++k) {
    this->expect_close(products[k], serial::product(a[k], b[k]));
  }
  for (std::size_t k = 0; k < systems.size(); ++k) {
    auto const wanted = serial::gauss_jordan(systems[k]);
    ASSERT_EQ(solutions[k].size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_NEAR(solutions[k][i], wanted[i], 1e-6 * std::max(1.0, std::abs(wanted[i])));
    }
  }
}

TYPED_TEST(collections, conjugate_gradients) {
  index_t const n = 60;
  serial::sparse_matrix a(n);
  reals b;
  for (index_t i = 0; i < n; ++i) {
    if (i > 0) serial::of(a, i).emplace_back(i - 1, -1);
    serial::of(a, i).emplace_back(i, 3);
    if (i + 1 < n) serial::of(a, i).emplace_back(i + 1, -1);
    b.push_back(this->in_square());
  }
  auto const rounds = this->of(index_t{20});
  this->expect_close(to_host(examples::conjugate_gradients(this->of(a), this->of(b), rounds)),
                     serial::conjugate_gradients(a, b, 20));
}

TYPED_TEST(collections, games_and_words) {
  std::vector<int> const mine{0007, 0100, 0003}, other{0070, 0020, 0100};
  std::vector<int> wanted;
  for (std::size_t k = 0; k < mine.size(); ++k) {
    wanted.push_back(serial::minimax(mine[k], other[k]));
  }
  EXPECT_EQ(to_host(each(this->of(mine), this->of(other), examples::minimax)), wanted);
  std::vector<std::string> const a{"kitten", "", "abc", this->some_text(40)};
  std::vector<std::string> const b{"sitting", "ab", "", this->some_text(50)};
  numbers distances;
  for (std::size_t k = 0; k < a.size(); ++k) {
    distances.push_back(serial::edit_distance(a[k], b[k]));
  }
  EXPECT_EQ(to_host(each(this->of(a), this->of(b), examples::edit_distance)), distances);
  reals const x{0, -2, 0.3}, y{0, 0, 0.6};
  std::vector<int> rounds;
  for (std::size_t k = 0; k < x.size(); ++k) rounds.push_back(serial::mandelbrot(x[k], y[k], 99));
  EXPECT_EQ(to_host(each(this->of(x), this->of(y),
                         [](auto re, auto im) { return examples::mandelbrot(re, im, 99); })),
            rounds);
}

TYPED_TEST(collections, lists_and_trees) {
  rows parents{{}, {0}, {0, 0, 0, 1, 3, 3, 2}}, lists{{}, {0}, {2, 1, 3, 1, 4, 0}};
  auto& deep = parents.emplace_back(1, 0);
  for (index_t i = 1; i < 200; ++i) deep.push_back(std::max<index_t>(0, i - 1 - this->below(3)));
  rows values, sums, ranks;
  for (auto const& tree : parents) {
    values.push_back(this->numbers_below(10, static_cast<index_t>(tree.size())));
    sums.push_back(serial::leaffix(tree, values.back()));
  }
  for (auto const& list : lists) ranks.push_back(serial::list_rank(list));
  EXPECT_EQ(to_host(each(this->of(parents), this->of(values), examples::leaffix)), sums);
  EXPECT_EQ(to_host(each(this->of(lists), examples::list_rank)), ranks);
}

TYPED_TEST(collections, indices_of_texts) {
  std::vector<std::string> const texts{"banana", "", "x", "aaaaaaa", this->some_text(120)};
  rows arrays;
  for (auto const& text : texts) arrays.push_back(serial::suffix_array(text));
  EXPECT_EQ(to_host(each(this->of(texts), examples::suffix_array)), arrays);
  std::vector<rows> const documents{{{1, 2, 1}, {}, {2}, {3, 1}}, {}, {this->numbers_below(9, 20)}};
  auto const got = to_host(each(this->of(documents), examples::inverted_index));
  for (std::size_t k = 0; k < documents.size(); ++k) {
    auto const wanted = serial::inverted_index(documents[k]);
    ASSERT_EQ(got[k].size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ(std::get<0>(got[k][i]), wanted[i].first);
      EXPECT_EQ(std::get<1>(got[k][i]), wanted[i].second);
    }
  }
}

}  // namespace
}  // namespace ravel::collections_test
