#include <ravel/algorithms/csr.hpp>

#include "support/executors.hpp"

#include <span>

namespace ravel::csr_test {
namespace {

template <class Ex>
struct csr_matrix : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(csr_matrix, testing::executors);

TYPED_TEST(csr_matrix, goes_to_an_executor_and_back) {
  csr const a{3, 3, std::vector{0, 2, 2, 3}, std::vector{0, 2, 1}, std::vector{1., 2., 3.}};
  auto const there = to(this->ex(), a);
  EXPECT_EQ(there.nnz(), 3);
  auto const back = to_host(this->ex(), there);
  EXPECT_EQ(back.rows, a.rows);
  EXPECT_EQ(back.cols, a.cols);
  EXPECT_EQ(back.offsets, a.offsets);
  EXPECT_EQ(back.columns, a.columns);
  EXPECT_EQ(back.values, a.values);

  // The view of a matrix is a matrix of views, of the same memory.
  auto const seen = view_of(there);
  EXPECT_EQ(seen.values.data(), view_of(there.values).data());
  EXPECT_EQ(to_host(this->ex(), seen).columns, a.columns);
}

TEST(csr_matrix_on_the_host, holds_what_it_is_given) {
  std::vector<int> offsets{0, 1};
  std::vector<int> columns{0};
  std::vector<float> values{5};
  csr const spans{1, 1, std::span(offsets), std::span(columns), std::span(values)};
  csr const copies{1, 1, offsets, columns, values};
  values[0] = 6;
  EXPECT_EQ(spans.values[0], 6);
  EXPECT_EQ(copies.values[0], 5);
}

TEST(csr_matrix_on_the_host, has_its_rows_as_segments) {
  csr const a{3, 3, std::vector{0, 2, 2, 3}, std::vector{0, 2, 1}, std::vector{1., 2., 3.}};
  auto const rows = rows_of(a);
  EXPECT_EQ(rows.count(), 3);
  EXPECT_EQ(rows.begin(2), 2);
}

}  // namespace
}  // namespace ravel::csr_test
