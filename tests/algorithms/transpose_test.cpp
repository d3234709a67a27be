#include <ravel/algorithms/transpose.hpp>

#include "support/executors.hpp"
#include "support/segment_shapes.hpp"

#include <cstdint>

namespace ravel::transpose_test {
namespace {

/// The reference: each entry moves to the row of its column, in the order of rows.
template <class A>
auto oracle(A const& a) {
  A t = a;
  t.rows = a.cols;
  t.cols = a.rows;
  t.offsets.assign(1, 0);
  t.columns.clear();
  t.values.clear();
  for (index_t column = 0; column < a.cols; ++column) {
    for (std::size_t row = 0; row + 1 < a.offsets.size(); ++row) {
      for (auto k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
        if (static_cast<index_t>(a.columns[static_cast<std::size_t>(k)]) != column) continue;
        t.columns.push_back(static_cast<typename decltype(t.columns)::value_type>(row));
        t.values.push_back(a.values[static_cast<std::size_t>(k)]);
      }
    }
    t.offsets.push_back(static_cast<typename decltype(t.offsets)::value_type>(t.columns.size()));
  }
  return t;
}

template <class Ex>
struct transpose : testing::on_executor<Ex> {
  template <class A>
  void agrees(A const& a) {
    auto const expected = oracle(a);
    auto const t = ravel::transpose(this->ex(), to(this->ex(), a));
    EXPECT_EQ(t.rows, a.cols);
    EXPECT_EQ(t.cols, a.rows);
    EXPECT_EQ(this->here(t.offsets), expected.offsets);
    EXPECT_EQ(this->here(t.columns), expected.columns);
    EXPECT_EQ(this->here(t.values), expected.values);
  }
};
TYPED_TEST_SUITE(transpose, testing::executors);

TYPED_TEST(transpose, gives_the_example_in_the_header) {
  auto const a = to(this->ex(), csr{3, 3, std::vector{0, 2, 2, 3}, std::vector{0, 2, 1},
                                    std::vector{1., 2., 3.}});
  auto const t = ravel::transpose(this->ex(), a);
  EXPECT_EQ(this->here(t.offsets), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(this->here(t.columns), (std::vector{0, 2, 0}));
  EXPECT_EQ(this->here(t.values), (std::vector{1., 3., 2.}));
}

TYPED_TEST(transpose, agrees_with_the_loop_whatever_the_row_lengths) {
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    auto const offsets = testing::offsets_of(shape);
    std::vector<std::uint16_t> columns;
    std::vector<index_t> values;  // original index of each entry
    for (index_t k = 0; k < offsets.back(); ++k) {
      columns.push_back(static_cast<std::uint16_t>(k * 7919 % 13));
      values.push_back(k);
    }
    this->agrees(csr{std::ssize(shape.lengths), 13,
                     std::vector<int>(offsets.begin(), offsets.end()), columns, values});
  }
}

TYPED_TEST(transpose, of_matrices_without_rows_or_columns) {
  std::vector<int> const none;
  std::vector<double> const no_values;
  this->agrees(csr{0, 0, std::vector{0}, none, no_values});
  this->agrees(csr{0, 4, std::vector{0}, none, no_values});
  this->agrees(csr{3, 0, std::vector{0, 0, 0, 0}, none, no_values});
  this->agrees(csr{2, 1, std::vector{0, 2, 3}, std::vector{0, 0, 0}, std::vector{1., 2., 3.}});
}

THOROUGH_TYPED_TEST(transpose, takes_columns_of_a_type_that_cannot_name_all) {
  this->agrees(csr{2, 1000, std::vector{0, 2, 3}, std::vector<std::uint8_t>{250, 3, 3},
                   std::vector{1., 2., 3.}});
}

TYPED_TEST(transpose, refuses_more_rows_than_a_column_can_name) {
  csr const a{300, 2, std::vector<int>(301, 0), std::vector<std::int8_t>{}, std::vector<double>{}};
  EXPECT_THROW(ravel::transpose(this->ex(), to(this->ex(), a)), contract_error);
}

}  // namespace
}  // namespace ravel::transpose_test
