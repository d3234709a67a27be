/// Borůvka's minimum spanning forests, compared with Kruskal's.

#include "nested/spanning_forest.hpp"
#include "flatten/programs.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <tuple>

namespace ravel::spanning_forest_test {
namespace {

using testing::numbers;
using edges = std::vector<std::tuple<index_t, index_t, int>>;

template <class Ex>
struct spanning_forest : testing::on_programs<Ex> {};
TYPED_TEST_SUITE(spanning_forest, testing::program_executors);

/// Edges by weight, stably, each kept if it joins two trees.
numbers by_kruskal(index_t n, edges const& all) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](auto i, auto j) { return std::get<2>(all[i]) < std::get<2>(all[j]); });
  numbers tree(static_cast<std::size_t>(n));
  std::iota(tree.begin(), tree.end(), index_t{0});
  numbers kept;
  for (auto const e : order) {
    auto const a = tree[static_cast<std::size_t>(std::get<0>(all[e]))];
    auto const b = tree[static_cast<std::size_t>(std::get<1>(all[e]))];
    if (a == b) continue;
    std::replace(tree.begin(), tree.end(), a, b);
    kept.push_back(static_cast<index_t>(e));
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

TYPED_TEST(spanning_forest, agrees_with_kruskal_on_many_graphs_at_once) {
  std::mt19937 random(7);
  numbers sizes{0, 1, 2, 5, 40, 9};
  std::vector<edges> graphs{{}, {}, {{0, 1, 3}, {1, 0, 2}, {0, 0, 1}}, {}, {}, {}};
  for (std::size_t g = 3; g < graphs.size(); ++g) {
    auto const below = [&](index_t k) { return static_cast<index_t>(random()) % k; };
    for (int k = 0; k < 70; ++k) {
      graphs[g].emplace_back(below(sizes[g]), below(sizes[g]), static_cast<int>(random() % 8));
    }
  }
  std::vector<numbers> wanted;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    wanted.push_back(by_kruskal(sizes[g], graphs[g]));
  }
  EXPECT_EQ(to_host(each(this->of(sizes), this->of(graphs), examples::spanning_forest)), wanted);
}

}  // namespace
}  // namespace ravel::spanning_forest_test
