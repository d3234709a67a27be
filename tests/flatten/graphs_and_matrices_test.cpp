/// Cases 41 to 44, 60, 72, 74 and 108 of flattening: sparse matrices and graphs.

#include "flatten/programs.hpp"
#include "nested/graph.hpp"
#include "nested/sparse.hpp"

namespace ravel::graphs_and_matrices_test {
namespace {

using testing::flags;
using testing::numbers;
using testing::rows;

template <class Ex>
struct graphs_and_matrices : testing::on_programs<Ex> {};
TYPED_TEST_SUITE(graphs_and_matrices, testing::program_executors);

TYPED_TEST(graphs_and_matrices, case_41_sparse_times_dense) {
  using matrix = std::vector<std::vector<std::pair<index_t, double>>>;
  matrix const tridiagonal{
      {{0, 2}, {1, -1}}, {{0, -1}, {1, 2}, {2, -1}}, {{1, -1}, {2, 2}, {3, -1}}, {{2, -1}, {3, 2}}};
  this->template expect<matrix, std::vector<double>>(
      examples::spmv,
      {{{tridiagonal, std::vector<double>{1, 2, 3, 4}}, "[0,0,0,5]"},
       {{tridiagonal, std::vector<double>{1, 1, 1, 1}}, "[1,0,0,1]"},
       {{matrix{{{0, 2}}, {}, {{1, 3}}}, std::vector<double>{5, 7}}, "[10,0,21]"}});  // case 72
}

TYPED_TEST(graphs_and_matrices, case_42_components) {
  rows const graph{{1, 2}, {0, 3, 5}, {0, 3}, {1, 2, 4, 5, 6}, {3, 6}, {1, 3, 6}, {3, 4, 5}};
  this->template expect<rows>(
      examples::components, {{{graph}, "[0,0,0,0,0,0,0]"},
                             {{rows{{1}, {0, 2}, {1}, {4}, {3}, {}}}, "[0,0,0,3,3,5]"},  // case 74
                             {{rows{}}, "[]"},
                             {{rows{{}}}, "[0]"}});
}

TYPED_TEST(graphs_and_matrices, case_43_breadth_first_search) {
  rows const graph{{1, 2}, {0, 3, 5}, {0, 3}, {1, 2, 4, 5, 6}, {3, 6}, {1, 3, 6}, {3, 4, 5}};
  this->template expect<rows, index_t>(examples::bfs, {{{graph, 0}, "[0,1,1,2,3,2,3]"},
                                                       {{graph, 6}, "[3,2,2,1,1,1,0]"},
                                                       {{graph, 3}, "[2,1,1,0,1,1,1]"},
                                                       {{rows{{}, {}}, 1}, "[-1,0]"}});
  auto const g = this->of(graph);
  EXPECT_EQ(this->show(each(this->of(numbers{0, 6, 3}),
                            [&](auto from) { return examples::bfs(g, from); })),
            "[[0,1,1,2,3,2,3],[3,2,2,1,1,1,0],[2,1,1,0,1,1,1]]");
}

TYPED_TEST(graphs_and_matrices, case_44_neighbour_max) {
  rows const graph{{1, 2}, {0, 3, 5}, {0, 3}, {1, 2, 4, 5, 6}, {3, 6}, {1, 3, 6}, {3, 4, 5}};
  this->template expect<rows, numbers>(
      examples::neighbour_max,
      {{{graph, numbers{10, 20, 30, 40, 50, 60, 70}}, "[30,60,40,70,70,70,60]"},
       {{rows{{0}}, numbers{4}}, "[4]"}});
}

TYPED_TEST(graphs_and_matrices, case_60_matrix_product) {
  this->template expect<rows, rows>(
      [](auto a, auto b) {
        return each(a, [&](auto row) {
          return each(iota(len(at(b, 0))), [&](auto j) {
            return sum(each(row, b, [&](auto x, auto other) { return x * at(other, j); }));
          });
        });
      },
      {{{rows{{1, 2}, {3, 4}, {5, 6}}, rows{{1, 0, 2}, {0, 1, 3}}}, "[[1,2,8],[3,4,18],[5,6,28]]"},
       {{rows{}, rows{{1}}}, "[]"}});
}

TYPED_TEST(graphs_and_matrices, case_108_sparse_times_sparse) {
  using matrix = std::vector<std::vector<std::pair<index_t, double>>>;
  matrix const tridiagonal{
      {{0, 2}, {1, -1}}, {{0, -1}, {1, 2}, {2, -1}}, {{1, -1}, {2, 2}, {3, -1}}, {{2, -1}, {3, 2}}};
  using vector = std::vector<std::pair<index_t, double>>;
  this->template expect<matrix, vector>(
      examples::spmspv, {{{tridiagonal, vector{{1, 10}, {3, 1}}}, "[(0,-10),(1,20),(2,-11),(3,2)]"},
                         {{tridiagonal, vector{}}, "[]"}});  // case 72
}

}  // namespace
}  // namespace ravel::graphs_and_matrices_test
