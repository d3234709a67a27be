#include <ravel/algorithms/spmspv.hpp>

#include "support/executors.hpp"
#include "support/sparse.hpp"

#include <cstdint>
#include <map>

namespace ravel::spmspv_test {
namespace {

using testing::affine;
using testing::composed;
using testing::first;
using testing::matrix_of;
using testing::then;
using testing::whole;

/// The reference: the reached rows, each with the sum of its products in the order of x.
template <class A, class Index, class T, class Add, class Multiply>
auto oracle(A const& columns, std::vector<Index> const& indices, std::vector<T> const& x, Add add,
            Multiply multiply) {
  std::map<index_t, T> y;
  for (std::size_t s = 0; s < indices.size(); ++s) {
    auto const column = static_cast<std::size_t>(indices[s]);
    for (auto k = columns.offsets[column]; k < columns.offsets[column + 1]; ++k) {
      auto const at = static_cast<std::size_t>(k);
      T const product = multiply(columns.values[at], x[s]);
      auto const [sum, is_new] =
          y.try_emplace(static_cast<index_t>(columns.columns[at]), add.identity());
      sum->second = add(sum->second, product);
    }
  }
  return y;
}

template <class Ex>
struct spmspv : testing::on_executor<Ex> {
  template <class A, class Index, class T, class R, class Add, class Multiply>
  void agrees(A const& columns, std::vector<Index> const& indices, std::vector<T> const& x, R ring,
              Add add, Multiply multiply) {
    auto const y =
        ravel::spmspv_sync(this->ex(), to(this->ex(), columns),
                           to(this->ex(), sparse_vector{columns.rows, indices, x}), ring);
    auto const expected = oracle(columns, indices, x, add, multiply);
    EXPECT_EQ(y.size, columns.cols);
    auto const rows = this->here(y.indices);
    auto const values = this->here(y.values);
    ASSERT_EQ(rows.size(), expected.size());
    std::size_t k = 0;
    for (auto const& [row, value] : expected) {
      EXPECT_EQ(static_cast<index_t>(rows[k]), row);
      EXPECT_EQ(values[k], value);
      ++k;
    }
  }
};
TYPED_TEST_SUITE(spmspv, testing::executors);

TYPED_TEST(spmspv, gives_the_example_in_the_header) {
  auto const columns = to(this->ex(), csr{3, 3, std::vector{0, 1, 2, 3}, std::vector{0, 2, 0},
                                          std::vector{1., 3., 2.}});
  auto const x = to(this->ex(), sparse_vector{3, std::vector{2}, std::vector{1.}});
  auto const y = to_host(this->ex(), ravel::spmspv_sync(this->ex(), columns, x));
  EXPECT_EQ(y.size, 3);
  EXPECT_EQ(y.indices, (std::vector{0}));
  EXPECT_EQ(y.values, (std::vector{2.}));
}

TYPED_TEST(spmspv, agrees_with_the_loop_whatever_the_column_lengths) {
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    auto const columns = matrix_of<int, std::int64_t>(shape, 500, whole);
    std::vector<std::uint32_t> indices;
    for (index_t j = 0; j < columns.rows; j += 3) indices.push_back(static_cast<std::uint32_t>(j));
    auto const x = first<double>(std::ssize(indices), whole);
    this->agrees(columns, indices, x, plus_times, plus<double>{}, multiplies<double>{});
  }
}

THOROUGH_TYPED_TEST(spmspv, relaxes_the_edges_of_a_frontier_over_min_plus) {
  testing::segment_shape const shape{"a few columns", {3, 0, 70, 1, 9, 200}};
  auto const columns =
      matrix_of<std::uint16_t, int>(shape, 64, [](index_t k) { return static_cast<int>(k % 41); });
  this->agrees(columns, std::vector{5, 0, 2}, std::vector{7, 0, 100}, min_plus, minimum<int>{},
               plus<int>{});
}

TYPED_TEST(spmspv, adds_in_the_order_of_x) {
  testing::segment_shape const shape{"a few columns", {300, 0, 70, 1, 9}};
  auto const map = [](index_t i) { return testing::nth_affine(static_cast<std::uint32_t>(i)); };
  auto const columns = matrix_of<int, int>(shape, 20, map);
  this->agrees(columns, std::vector{4, 0, 2, 0}, first<affine>(4, map),
               semiring{then{}, composed{}}, then{}, composed{});
}

TYPED_TEST(spmspv, of_nothing_is_nothing) {
  std::vector<int> const none;
  std::vector<double> const no_values;
  auto const agrees = [&](auto const& columns, std::vector<int> const& indices) {
    this->agrees(columns, indices, std::vector<double>(indices.size(), 1.), plus_times,
                 plus<double>{}, multiplies<double>{});
  };
  agrees(csr{0, 0, std::vector{0}, none, no_values}, none);
  agrees(csr{0, 5, std::vector{0}, none, no_values}, none);
  agrees(csr{2, 0, std::vector{0, 0, 0}, none, no_values}, {0, 1});
  agrees(csr{2, 4, std::vector{0, 1, 1}, std::vector{3}, std::vector{2.}}, none);
  agrees(csr{2, 4, std::vector{0, 1, 1}, std::vector{3}, std::vector{2.}}, {1});
}

THOROUGH_TYPED_TEST(spmspv, takes_rows_of_a_type_that_cannot_name_all) {
  this->agrees(csr{2, 1000, std::vector{0, 2, 3}, std::vector<std::int8_t>{100, 3, 3},
                   std::vector{1., 2., 3.}},
               std::vector{0, 1}, std::vector{1., 1.}, plus_times, plus<double>{},
               multiplies<double>{});
}

TYPED_TEST(spmspv, refuses_what_does_not_fit) {
  auto const& ex = this->ex();
  auto const columns = to(ex, csr{2, 4, std::vector{0, 1, 1}, std::vector{3}, std::vector{2.}});
  auto const index = this->there(std::vector{1});
  auto const one = this->there(std::vector{1.}), two = this->there(std::vector{1., 2.});
  EXPECT_THROW(ravel::spmspv_sync(ex, columns, sparse_vector{3, view_of(index), view_of(one)}),
               contract_error);
  EXPECT_THROW(ravel::spmspv_sync(ex, columns, sparse_vector{2, view_of(index), view_of(two)}),
               contract_error);
}

}  // namespace
}  // namespace ravel::spmspv_test
