#include <ravel/algorithms/coordinates.hpp>

#include "support/executors.hpp"
#include "support/stable_order.hpp"

#include <cstdint>
#include <numeric>

namespace ravel::coordinates_test {
namespace {

/// The reference: entries sorted stably by position.
struct sorted_entries {
  std::vector<index_t> offsets, columns, order;
};
template <class R, class C>
sorted_entries oracle(index_t rows, std::vector<R> const& row, std::vector<C> const& column) {
  sorted_entries s;
  s.order = testing::stable_order(row.size(), [&](index_t a, index_t b) {
    auto const i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    return row[i] != row[j] ? row[i] < row[j] : column[i] < column[j];
  });
  s.offsets.assign(static_cast<std::size_t>(rows) + 1, 0);
  for (auto const r : row) ++s.offsets[static_cast<std::size_t>(r) + 1];
  std::partial_sum(s.offsets.begin(), s.offsets.end(), s.offsets.begin());
  for (auto const k : s.order) s.columns.push_back(column[static_cast<std::size_t>(k)]);
  return s;
}

template <class T>
std::vector<index_t> widened(std::vector<T> const& v) {
  return {v.begin(), v.end()};
}

template <class Ex>
struct coordinates : testing::on_executor<Ex> {
  /// Entry k has the value k, so that the values of the result show the order.
  template <class Index, class R, class C>
  void agrees(index_t rows, index_t cols, std::vector<R> const& row, std::vector<C> const& column) {
    std::vector<index_t> value(row.size());
    std::iota(value.begin(), value.end(), 0);
    auto const r = this->there(row);
    auto const c = this->there(column);
    auto const v = this->there(value);
    auto const a = csr_from_coordinates<Index>(this->ex(), rows, cols, r, c, v);
    auto const expected = oracle(rows, row, column);
    EXPECT_EQ(a.rows, rows);
    EXPECT_EQ(a.cols, cols);
    EXPECT_EQ(widened(this->here(a.offsets)), expected.offsets);
    EXPECT_EQ(widened(this->here(a.columns)), expected.columns);
    EXPECT_EQ(this->here(a.values), expected.order);
  }
};
TYPED_TEST_SUITE(coordinates, testing::executors);

/// `n` pseudo-random positions, with many duplicates.
template <class T>
std::vector<T> scattered(index_t n, index_t below, std::uint64_t seed) {
  std::vector<T> all;
  for (index_t k = 0; k < n; ++k) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    all.push_back(static_cast<T>((seed >> 33) % static_cast<std::uint64_t>(below)));
  }
  return all;
}

TYPED_TEST(coordinates, gives_the_example_in_the_header) {
  auto const row = this->there(std::vector{2, 0, 0});
  auto const column = this->there(std::vector{1, 2, 0});
  auto const value = this->there(std::vector{3., 2., 1.});
  auto const a = csr_from_coordinates<int>(this->ex(), 3, 3, row, column, value);
  EXPECT_EQ(this->here(a.offsets), (std::vector{0, 2, 2, 3}));
  EXPECT_EQ(this->here(a.columns), (std::vector{0, 2, 1}));
  EXPECT_EQ(this->here(a.values), (std::vector{1., 2., 3.}));
}

TYPED_TEST(coordinates, agrees_with_a_stable_sort) {
  this->template agrees<index_t>(100, 50, scattered<int>(10'000, 100, 1),
                                 scattered<int>(10'000, 50, 2));
  this->template agrees<int>(3, 2000, scattered<index_t>(5000, 3, 3),
                             scattered<std::uint16_t>(5000, 2000, 4));
  this->template agrees<std::uint32_t>(3000, 1, scattered<std::int16_t>(2000, 3000, 5),
                                       scattered<index_t>(2000, 1, 6));
  this->template agrees<int>(1, 1, std::vector<int>(100, 0), std::vector<int>(100, 0));
}

TYPED_TEST(coordinates, may_lie_far_apart) {
  index_t const far = index_t{1} << 40;
  this->template agrees<index_t>(2, far, std::vector{1, 0, 1}, std::vector<index_t>{far - 1, 7, 5});
}

TYPED_TEST(coordinates, makes_matrices_without_rows_columns_or_entries) {
  std::vector<int> const none;
  this->template agrees<int>(0, 0, none, none);
  this->template agrees<int>(0, 9, none, none);
  this->template agrees<int>(5, 0, none, none);
  this->template agrees<int>(5000, 7, none, none);
}

TYPED_TEST(coordinates, refuses_what_does_not_fit) {
  auto const& ex = this->ex();
  auto const two = this->there(std::vector{0, 1});
  auto const three = this->there(std::vector{0, 1, 1});
  EXPECT_THROW(csr_from_coordinates(ex, 2, 2, two, three, three), contract_error);
  EXPECT_THROW(csr_from_coordinates(ex, 2, 2, three, two, three), contract_error);
  EXPECT_THROW(csr_from_coordinates(ex, -2, 2, two, two, two), contract_error);
  EXPECT_THROW(csr_from_coordinates<std::int8_t>(ex, 2, 1000, two, two, two), contract_error);
  index_t const vast = index_t{1} << 33;
  EXPECT_THROW(csr_from_coordinates(ex, vast, vast, two, two, two), contract_error);
  if constexpr (std::same_as<space_of_t<TypeParam>, host_space>) {
    auto const negative = this->there(std::vector{0, -1});
    EXPECT_THROW(csr_from_coordinates(ex, 1, 2, two, two, two), contract_error);
    EXPECT_THROW(csr_from_coordinates(ex, 2, 1, two, two, two), contract_error);
    EXPECT_THROW(csr_from_coordinates(ex, 2, 2, negative, two, two), contract_error);
    EXPECT_THROW(csr_from_coordinates(ex, 2, 2, two, negative, two), contract_error);
  }
}

}  // namespace
}  // namespace ravel::coordinates_test
