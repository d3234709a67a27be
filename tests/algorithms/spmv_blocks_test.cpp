#include <ravel/algorithms/spmv_blocks.hpp>

#include "support/executors.hpp"
#include "support/sparse.hpp"
#ifndef __CUDACC__
#  include <ravel/algorithms/cuda/spmv_blocks.cuh>
#endif

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ravel::spmv_blocks_test {
namespace {

using testing::affine;
using testing::composed;
using testing::first;
using testing::matrix_of;
using testing::then;
using testing::whole;
using ordered = semiring<then, composed>;

/// So many columns that a device cuts them into several slices, and tables pay.
#ifdef __CUDACC__
constexpr index_t some_columns = 150'001;
constexpr index_t many_columns = 3'500'017;
#else
constexpr index_t some_columns = 301;
constexpr index_t many_columns = 1'505;
#endif

template <class Ex>
struct spmv_blocks : testing::on_executor<Ex> {
  /// Whether the executor is a device, which cuts columns.
  static constexpr bool cuts = std::is_same_v<typename Ex::space, device_space>;

  /// Expects products with blocks to equal those without, with and without adding to y.
  template <class T, class A, class R>
  void expect_the_same(A const& a, std::vector<T> const& x, R ring) {
    auto const there = to(this->ex(), a);
    auto const x_there = this->there(x);
    ravel::spmv_blocks const blocks(this->ex(), there);
    auto const rows = static_cast<std::size_t>(a.rows);
    auto expected = this->there(std::vector<T>(rows, T{}));
    auto y = this->there(std::vector<T>(rows, T{}));
    ravel::spmv(this->ex(), there, x_there, expected, ring);
    ravel::spmv(this->ex(), blocks, x_there, y, ring);
    EXPECT_EQ(this->here(y), this->here(expected));
    T const alpha = x[x.size() / 3], beta = x[x.size() / 2];
    ravel::spmv(this->ex(), alpha, there, x_there, beta, expected, ring);
    ravel::spmv(this->ex(), alpha, blocks, x_there, beta, y, ring);
    EXPECT_EQ(this->here(y), this->here(expected));
  }
};
TYPED_TEST_SUITE(spmv_blocks, testing::executors_and_device);

TYPED_TEST(spmv_blocks, give_the_example_in_the_header_of_products) {
  auto const a = to(this->ex(), csr{3, 3, std::vector{0, 2, 2, 3}, std::vector{0, 2, 1},
                                    std::vector{1., 2., 3.}});
  ravel::spmv_blocks const blocks(this->ex(), a);
  auto const x = this->there(std::vector{1., 2., 3.});
  auto y = this->there(std::vector{1., 1., 1.});
  ravel::spmv(this->ex(), blocks, x, y);
  EXPECT_EQ(this->here(y), (std::vector{7., 0., 6.}));
  ravel::spmv(this->ex(), 2, blocks, x, 3, y);
  EXPECT_EQ(this->here(y), (std::vector{35., 0., 30.}));
}

TYPED_TEST(spmv_blocks, say_whether_they_are_cut_and_what_they_take) {
  auto const shape = testing::segment_shape{"uneven", {3, 400, 0, 1, 900}};
  auto const a = to(this->ex(), matrix_of<int, int>(shape, some_columns, whole));
  ravel::spmv_blocks const blocks(this->ex(), a);
  EXPECT_EQ(blocks.are_cut(), this->cuts);
  if (this->cuts) {
    EXPECT_GE(blocks.bytes(), 2 * a.nnz());
  } else {
    EXPECT_EQ(blocks.bytes(), 0);
  }
}

TYPED_TEST(spmv_blocks, give_the_same_whatever_the_row_lengths_and_types) {
  auto const agrees = [&]<class T, class Column, class Offset>(T, Column, Offset) {
    auto const x = first<T>(some_columns, [](index_t j) { return static_cast<T>(j % 23 - 11); });
    for (auto const& shape : testing::segment_shapes()) {
      SCOPED_TRACE(shape);
      this->expect_the_same(
          matrix_of<Column, Offset>(shape, some_columns, [](index_t k) { return T(whole(k)); }), x,
          plus_times);
    }
  };
  agrees(double{}, int{}, int{});
  agrees(std::int16_t{}, std::uint32_t{}, std::int64_t{});
#ifndef RAVEL_TEST_BRIEFLY
  agrees(float{}, std::int64_t{}, std::uint32_t{});
#endif
}

/// Many entries in few columns, unevenly over slices, and many in one row.
template <class T>
auto crowded(index_t rows, index_t cols, index_t each) {
  std::vector<int> offsets{0}, columns;
  std::vector<T> values;
  for (index_t row = 0; row < rows; ++row) {
    index_t const length = row == rows / 2 ? 50 * each : row % 3 * each;
    for (index_t k = 0; k < length; ++k) {
      index_t const at = row * 7919 + k * k * 31;
      columns.push_back(static_cast<int>(k % 4 == 0 ? at % cols : at % 7 + cols / 2));
      values.push_back(static_cast<T>(at % 17 - 8));
    }
    offsets.push_back(static_cast<int>(columns.size()));
  }
  return csr{rows, cols, offsets, columns, values};
}

TYPED_TEST(spmv_blocks, read_what_many_rows_want_once) {
  auto const x = first<float>(some_columns, [](index_t j) { return float(j % 29 - 14); });
  this->expect_the_same(crowded<float>(700, some_columns, 9), x, plus_times);
  this->expect_the_same(crowded<float>(1, some_columns, 40), x, plus_times);
}

TYPED_TEST(spmv_blocks, take_wide_and_high_matrices) {
  auto const x = first<double>(5 * some_columns, whole);
  auto const shape = testing::segment_shape{"two", {900, 700}};
  this->expect_the_same(matrix_of<int, int>(shape, 5 * some_columns, whole), x, plus_times);
  auto const high = testing::segment_shape{"high", std::vector<index_t>(4000, 1)};
  this->expect_the_same(matrix_of<int, int>(high, 40, whole), first<double>(40, whole), plus_times);
}

TYPED_TEST(spmv_blocks, take_vectors_that_multiprocessors_cannot_keep) {
  if constexpr (TestFixture::cuts) {
    auto const kept = gpu::spmv_blocks_policy<sizeof(double)>::kept_bytes;
    EXPECT_GT(many_columns * sizeof(double), this->ex().multiprocessors() * kept);
  }
  auto const shape = testing::segment_shape{"even", std::vector<index_t>(many_columns / 12, 12)};
  auto const a = matrix_of<int, int>(shape, many_columns, whole);  // each column at most once
  auto const there = to(this->ex(), a);
  EXPECT_EQ((ravel::spmv_blocks(this->ex(), there)).are_cut(), this->cuts);
  this->expect_the_same(a, first<double>(many_columns, whole), plus_times);
}

TYPED_TEST(spmv_blocks, leave_columns_as_they_are_where_entries_name_the_same) {
  auto const high = testing::segment_shape{"high", std::vector<index_t>(4000, 1)};
  auto const a = matrix_of<int, int>(high, 1, whole);
  auto const there = to(this->ex(), a);
  EXPECT_FALSE((ravel::spmv_blocks(this->ex(), there)).are_cut());
  this->expect_the_same(a, std::vector{3.}, plus_times);
}

TYPED_TEST(spmv_blocks, read_x_wherever_it_begins) {
  auto const a = matrix_of<int, int>({"even", std::vector<index_t>(60, 12)}, some_columns, whole);
  auto const there = to(this->ex(), a);
  ravel::spmv_blocks const blocks(this->ex(), there);
  auto const x = this->there(first<double>(some_columns + 1, whole));
  auto const from_second = view_of(x).slice(1, some_columns);
  auto expected = this->template allocate<double>(a.rows),
       y = this->template allocate<double>(a.rows);
  ravel::spmv(this->ex(), there, from_second, expected);
  ravel::spmv(this->ex(), blocks, from_second, y);
  EXPECT_EQ(this->here(y), this->here(expected));
}

TYPED_TEST(spmv_blocks, see_values_that_change) {
  auto a = matrix_of<int, int>({"even", std::vector<index_t>(60, 12)}, some_columns, whole);
  auto const there = to(this->ex(), a);
  ravel::spmv_blocks const blocks(this->ex(), there);
  for (double& v : a.values) v *= 3;
  this->ex().copy(a.values.data(), there.values.data(), std::ssize(a.values));
  auto const x = this->there(first<double>(some_columns, whole));
  auto expected = this->template allocate<double>(a.rows),
       y = this->template allocate<double>(a.rows);
  ravel::spmv(this->ex(), there, x, expected);
  ravel::spmv(this->ex(), blocks, x, y);
  EXPECT_EQ(this->here(y), this->here(expected));
}

TYPED_TEST(spmv_blocks, multiply_over_any_semiring) {
  auto const shape = testing::segment_shape{"uneven", {3, 0, 2000, 0, 1, 900, 12}};
  auto const far = first<float>(some_columns, [](index_t j) {
    return j % 3 == 0 ? std::numeric_limits<float>::infinity() : static_cast<float>(j);
  });
  auto const length = [](index_t k) { return static_cast<float>(k % 41); };
  this->expect_the_same(matrix_of<int, int>(shape, some_columns, length), far, min_plus);

  auto const marked = first<std::uint8_t>(
      some_columns, [](index_t j) { return static_cast<std::uint8_t>(j % 50 == 5); });
  auto const odd = [](index_t k) { return static_cast<std::uint8_t>(k % 2); };
  this->expect_the_same(matrix_of<int, int>(shape, some_columns, odd), marked, or_and);

  auto const map = [](index_t k) { return testing::nth_affine(static_cast<std::uint32_t>(k)); };
  this->expect_the_same(matrix_of<int, int>(shape, some_columns, map),
                        first<affine>(some_columns, map), ordered{});
}

TYPED_TEST(spmv_blocks, leave_columns_as_they_are_where_tables_would_not_fit) {
  auto const shape = testing::segment_shape{"uneven", {3, 40, 0, 1, 90}};
  auto const a =
      to(this->ex(),
         matrix_of<int, int>(shape, 50, [](index_t k) { return static_cast<std::int8_t>(k % 5); }));
  ravel::spmv_blocks const blocks(this->ex(), a);  // of bytes, with 4-byte sums
  auto const x = this->there(std::vector<std::int8_t>(50, 2));
  auto expected = this->template allocate<int>(a.rows), y = this->template allocate<int>(a.rows);
  ravel::spmv(this->ex(), a, x, expected);
  ravel::spmv(this->ex(), blocks, x, y);
  EXPECT_EQ(this->here(y), this->here(expected));

  index_t const far = index_t{1} << 31;  // so wide that tables would be mostly padding
  auto const wide = to(this->ex(), csr{1, far, std::vector{0, 2}, std::vector<std::uint32_t>{0, 1},
                                       std::vector{1., 2.}});
  EXPECT_FALSE((ravel::spmv_blocks(this->ex(), wide)).are_cut());
}

TYPED_TEST(spmv_blocks, take_matrices_without_rows_columns_or_entries) {
  std::vector<int> const none;
  std::vector<double> const no_values;
  auto const multiplied = [&](index_t rows, index_t cols) {
    auto const a = to(this->ex(),
                      csr{rows, cols, std::vector<int>(std::size_t(rows) + 1, 0), none, no_values});
    ravel::spmv_blocks const blocks(this->ex(), a);
    EXPECT_FALSE(blocks.are_cut());
    auto const x = this->there(std::vector<double>(std::size_t(cols), 1.));
    auto y = this->there(std::vector<double>(std::size_t(rows), 7.));
    ravel::spmv(this->ex(), blocks, x, y);
    return this->here(y);
  };
  EXPECT_EQ(multiplied(0, 0), no_values);
  EXPECT_EQ(multiplied(0, 5), no_values);
  EXPECT_EQ(multiplied(4, 0), (std::vector{0., 0., 0., 0.}));
}

TYPED_TEST(spmv_blocks, repeat_bit_for_bit) {
  auto const shape = testing::segment_shape{"uneven", {3, 9'000, 0, 1, 3'000}};
  auto const a =
      matrix_of<int, int>(shape, some_columns, [](index_t k) { return 1. / double(k + 1); });
  auto const there = to(this->ex(), a);
  ravel::spmv_blocks const blocks(this->ex(), there);
  auto const x =
      this->there(first<double>(some_columns, [](index_t j) { return 1. / double(j + 3); }));
  auto y = this->template allocate<double>(a.rows);
  ravel::spmv(this->ex(), blocks, x, y);
  auto const once = this->here(y);
  for (int i = 0; i < 3; ++i) {
    ravel::spmv(this->ex(), blocks, x, y);
    EXPECT_EQ(this->here(y), once);
  }
}

TYPED_TEST(spmv_blocks, refuse_sizes_that_do_not_fit) {
  auto const& ex = this->ex();
  auto const a = to(ex, csr{2, 3, std::vector{0, 1, 2}, std::vector{0, 1}, std::vector{1., 2.}});
  ravel::spmv_blocks const blocks(ex, a);
  auto const x = this->there(std::vector<double>(3));
  auto y = this->template allocate<double>(2);
  auto short_x = this->template allocate<double>(2);
  auto long_y = this->template allocate<double>(3);
  EXPECT_THROW(ravel::spmv(ex, blocks, short_x, y), contract_error);
  EXPECT_THROW(ravel::spmv(ex, blocks, x, long_y), contract_error);
  EXPECT_THROW(ravel::spmv(ex, 1, blocks, short_x, 1, y), contract_error);
  auto few_values = view_of(a);
  few_values.values = few_values.values.slice(0, 1);
  EXPECT_THROW((ravel::spmv_blocks(ex, few_values)), contract_error);
  auto few_offsets = view_of(a);
  few_offsets.offsets = few_offsets.offsets.slice(0, 2);
  EXPECT_THROW((ravel::spmv_blocks(ex, few_offsets)), contract_error);
}

}  // namespace
}  // namespace ravel::spmv_blocks_test
