#include <ravel/algorithms/spmv.hpp>
#include <ravel/algorithms/spmv_plan.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/sparse.hpp"
#ifndef __CUDACC__
#  include <ravel/algorithms/cuda/spmv_plan.cuh>
#endif

#include <algorithm>
#include <cstdint>
#include <limits>

namespace ravel::spmv_test {
namespace {

using testing::affine;
using testing::composed;
using testing::first;
using testing::matrix_of;
using testing::then;
using testing::whole;

/// The reference.
template <class T, class A, class Add, class Multiply>
std::vector<T> oracle(A const& a, std::vector<T> const& x, Add add, Multiply multiply) {
  std::vector<T> y;
  for (std::size_t r = 0; r + 1 < a.offsets.size(); ++r) {
    T sum = add.identity();
    for (auto k = a.offsets[r]; k < a.offsets[r + 1]; ++k) {
      auto const at = static_cast<std::size_t>(k);
      auto const value = static_cast<T>(a.values[at]);
      sum = add(sum, multiply(value, x[static_cast<std::size_t>(a.columns[at])]));
    }
    y.push_back(sum);
  }
  return y;
}

/// A non-commutative semiring that detects reordering: affine maps.
using ordered = semiring<then, composed>;

template <class Ex>
struct spmv : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(spmv, testing::executors_and_device);

LOCAL_TYPED_TEST(spmv, gives_the_example_in_the_header) {
  auto const a = to(this->ex(), csr{3, 3, std::vector{0, 2, 2, 3}, std::vector{0, 2, 1},
                                    std::vector{1., 2., 3.}});
  auto const x = this->there(std::vector{1., 2., 3.});
  auto y = this->template allocate<double>(3);
  ravel::spmv(this->ex(), a, x, y);
  EXPECT_EQ(this->here(y), (std::vector{7., 0., 6.}));
}

LOCAL_TYPED_TEST(spmv, agrees_with_the_loop_whatever_the_row_lengths) {
  constexpr index_t cols = 1000;
  auto const x = first<double>(cols, [](index_t j) { return static_cast<double>(j % 23 - 11); });
  auto const x_there = this->there(x);
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    auto const agrees = [&](auto const& a) {
      auto const expected = oracle(a, x, plus<double>{}, multiplies<double>{});
      auto const there = to(this->ex(), a);
      auto y = this->template allocate<double>(a.rows);
      ravel::spmv(this->ex(), there, x_there, y);
      EXPECT_EQ(this->here(y), expected);
    };
    agrees(matrix_of<int, int>(shape, cols, whole));
    agrees(matrix_of<std::uint16_t, std::uint32_t>(shape, cols, whole));
#ifndef RAVEL_TEST_BRIEFLY
    agrees(matrix_of<std::int64_t, std::int64_t>(shape, cols, whole));
#endif
  }
}

/// A band matrix, with a full row in the middle.
template <class Value>
auto band(index_t n) {
  std::vector<int> offsets{0}, columns;
  std::vector<Value> values;
  for (index_t row = 0; row < n; ++row) {
    bool const whole = row == n / 2;
    for (index_t column = whole ? 0 : std::max<index_t>(0, row - 2);
         column < (whole ? n : std::min(n, row + 3)); ++column) {
      columns.push_back(static_cast<int>(column));
      values.push_back(static_cast<Value>((row + 3 * column) % 17 - 8));
    }
    offsets.push_back(static_cast<int>(columns.size()));
  }
  return csr{n, n, offsets, columns, values};
}

THOROUGH_LOCAL_TYPED_TEST(spmv, agrees_with_the_loop_where_rows_are_alike) {
  index_t const n = 3000;
  auto const agrees = [&]<class Value, class T>(Value, T) {
    auto const a = band<Value>(n);
    auto const x = first<T>(n, [](index_t j) { return static_cast<T>(j % 23 - 11); });
    auto y = this->template allocate<T>(n);
    ravel::spmv(this->ex(), to(this->ex(), a), this->there(x), y);
    auto const wide =
        csr{n, n, a.offsets, a.columns, std::vector<T>(a.values.begin(), a.values.end())};
    EXPECT_EQ(this->here(y), oracle(wide, x, plus<T>{}, multiplies<T>{}));
  };
  agrees(double{}, double{});
  agrees(std::int8_t{}, int{});
  agrees(double{}, float{});
}

LOCAL_TYPED_TEST(spmv, scales_and_adds_to_what_is_there) {
  constexpr index_t cols = 300;
  auto const x = first<double>(cols, whole);
  auto const x_there = this->there(x);
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    auto const a = matrix_of<int, index_t>(shape, cols, whole);
    auto const there = to(this->ex(), a);
    auto const before = first<double>(a.rows, [](index_t i) { return static_cast<double>(i); });
    auto expected = oracle(a, x, plus<double>{}, multiplies<double>{});
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = 3 * expected[i] - 2 * before[i];

    auto y = this->there(before);
    ravel::spmv(this->ex(), 3, there, x_there, -2, y);
    EXPECT_EQ(this->here(y), expected);
  }
}

LOCAL_TYPED_TEST(spmv, does_not_read_y_if_beta_is_zero) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const a = to(this->ex(), csr{2, 1, std::vector{0, 1, 1}, std::vector{0}, std::vector{5.}});
  auto const x = this->there(std::vector{2.});
  auto y = this->there(std::vector{nan, nan});
  ravel::spmv(this->ex(), 3., a, x, 0., y);
  EXPECT_EQ(this->here(y), (std::vector{30., 0.}));
}

THOROUGH_LOCAL_TYPED_TEST(spmv, works_in_the_type_of_y) {
  auto const a = to(this->ex(), csr{1, 2, std::vector{0, 2}, std::vector{0, 1},
                                    std::vector<std::int8_t>{100, 100}});
  auto const x = this->there(std::vector<std::uint8_t>{200, 200});
  auto y = this->template allocate<int>(1);
  ravel::spmv(this->ex(), a, x, y);
  EXPECT_EQ(this->here(y), (std::vector{40000}));
}

THOROUGH_LOCAL_TYPED_TEST(spmv, relaxes_paths_over_min_plus) {
  constexpr index_t cols = 100;
  auto const x = first<float>(cols, [](index_t j) {
    return j % 3 == 0 ? std::numeric_limits<float>::infinity() : static_cast<float>(j);
  });
  auto const x_there = this->there(x);
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    auto const a =
        matrix_of<int, int>(shape, cols, [](index_t k) { return static_cast<float>(k % 41); });
    auto const there = to(this->ex(), a);
    auto y = this->template allocate<float>(a.rows);
    ravel::spmv(this->ex(), there, x_there, y, min_plus);
    auto expected = oracle(a, x, minimum<float>{}, plus<float>{});
    EXPECT_EQ(this->here(y), expected);

    // The zero of min_plus is infinity: with a finite beta the old distance is included.
    for (float& e : expected) e = std::min(e + 1, 20.f);
    auto old = this->there(std::vector<float>(expected.size(), 15.f));
    ravel::spmv(this->ex(), 1, there, x_there, 5, old, min_plus);
    EXPECT_EQ(this->here(old), expected);
  }
}

LOCAL_TYPED_TEST(spmv, reaches_neighbours_over_or_and) {
  constexpr index_t cols = 64;
  auto const x =
      first<std::uint8_t>(cols, [](index_t j) { return static_cast<std::uint8_t>(j == 5); });
  auto const x_there = this->there(x);
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    auto const a = matrix_of<int, int>(shape, cols, [](index_t k) { return std::uint8_t(k % 2); });
    auto const there = to(this->ex(), a);
    auto y = this->template allocate<std::uint8_t>(a.rows);
    ravel::spmv(this->ex(), there, x_there, y, or_and);
    EXPECT_EQ(this->here(y), oracle(a, x, logical_or<std::uint8_t>{}, logical_and<std::uint8_t>{}));
  }
}

LOCAL_TYPED_TEST(spmv, adds_in_the_order_of_the_entries) {
  constexpr index_t cols = 50;
  auto const x = first<affine>(
      cols, [](index_t j) { return testing::nth_affine(static_cast<std::uint32_t>(j)); });
  auto const x_there = this->there(x);
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    auto const a = matrix_of<int, int>(
        shape, cols, [](index_t k) { return testing::nth_affine(static_cast<std::uint32_t>(k)); });
    auto const there = to(this->ex(), a);
    auto y = this->template allocate<affine>(a.rows);
    ravel::spmv(this->ex(), there, x_there, y, ordered{});
    EXPECT_EQ(this->here(y), oracle(a, x, then{}, composed{}));
  }
}

LOCAL_TYPED_TEST(spmv, repeats_bit_for_bit) {
  auto const shape = testing::segment_shape{"uneven", {3, 20'000, 0, 1, 9'000}};
  auto const a = matrix_of<int, int>(shape, 77, [](index_t k) { return 1. / double(k + 1); });
  auto const there = to(this->ex(), a);
  auto const x = this->there(first<double>(77, [](index_t j) { return 1. / double(j + 3); }));
  auto y = this->template allocate<double>(a.rows);
  ravel::spmv(this->ex(), there, x, y);
  auto const once = this->here(y);
  for (int i = 0; i < 3; ++i) {
    ravel::spmv(this->ex(), there, x, y);
    EXPECT_EQ(this->here(y), once);
  }
}

TYPED_TEST(spmv, with_a_plan_gives_the_same) {
  constexpr index_t cols = 300;
  auto const agrees = [&]<class T>(T) {
    auto const x = first<T>(cols, [](index_t i) { return T(whole(i)); });
    auto const x_there = this->there(x);
    for (auto const& shape : testing::segment_shapes()) {
      SCOPED_TRACE(shape);
      auto const a = matrix_of<int, int>(shape, cols, whole);
      auto const there = testing::matrix_there(*this, a);
      ravel::spmv_plan const plan(this->ex(), there);
      auto expected = oracle(a, x, plus<T>{}, multiplies<T>{});
      auto y = this->there(std::vector<T>(expected.size(), T(1)));
      ravel::spmv(this->ex(), plan, x_there, y);
      EXPECT_EQ(this->here(y), expected);
      ravel::spmv(this->ex(), 3, plan, x_there, 2, y);
      for (T& e : expected) e *= 5;
      EXPECT_EQ(this->here(y), expected);
    }
  };
  agrees(double{});
#ifndef RAVEL_TEST_BRIEFLY
  agrees(float{});
#endif
}

/// A product by a plan, with values that do not commute.
template <class Fixture>
void expect_product_by_a_plan(Fixture& on, testing::segment_shape const& shape) {
  auto const map = [](index_t k) { return testing::nth_affine(static_cast<std::uint32_t>(k)); };
  auto const a = matrix_of<int, int>(shape, 50, map);
  auto const x = first<affine>(50, map);
  auto const there = testing::matrix_there(on, a);
  ravel::spmv_plan const plan(on.ex(), there);
  auto y = on.template allocate<affine>(a.rows);
  ravel::spmv(on.ex(), plan, on.there(x), y, ordered{});
  EXPECT_EQ(on.here(y), oracle(a, x, then{}, composed{}));
}
TYPED_TEST(spmv, with_a_plan_of_short_rows) {
  expect_product_by_a_plan(*this, {"short", {3, 0, 8, 1, 5, 5, 0, 7}});
}
TYPED_TEST(spmv, with_a_plan_of_other_widths) {
  expect_product_by_a_plan(*this, {"uneven", {3, 2000, 0, 1, 900}});
}

LOCAL_TYPED_TEST(spmv, with_a_plan_refuses_what_does_not_fit) {
  auto const& ex = this->ex();
  auto const a = to(ex, csr{2, 3, std::vector{0, 1, 2}, std::vector{0, 1}, std::vector{1., 2.}});
  ravel::spmv_plan const plan(ex, a);
  auto x = this->template allocate<double>(2), y = this->template allocate<double>(2);
  EXPECT_THROW(ravel::spmv(ex, plan, x, y), contract_error);
  auto few_values = view_of(a);
  few_values.values = few_values.values.slice(0, 1);
  EXPECT_THROW((ravel::spmv_plan(ex, few_values)), contract_error);
}

#ifndef RAVEL_TEST_ON_RANKS
TEST(spmv_on_the_host, adds_to_the_same_bits_with_any_number_of_threads) {
  auto const shape = testing::segment_shape{"uneven", {3, 70'000, 0, 1, 9'000}};
  for (index_t const cols : {77, 150'000}) {  // x in a cache, and scattered in memory
    auto const a = matrix_of<int, int>(shape, cols, [](index_t k) { return 1. / double(k + 1); });
    auto const x = first<double>(cols, [](index_t j) { return 1. / double(j + 3); });
    std::vector<double> expected(5), y(5);
    ravel::spmv(cpu::threads(1), a, x, expected);
    auto const serial = oracle(a, x, plus<double>{}, multiplies<double>{});
    for (std::size_t r = 0; r < 5; ++r) EXPECT_NEAR(expected[r], serial[r], 1e-12);
    for (int const count : {2, 5}) {
      ravel::spmv(cpu::threads(count), a, x, y);
      EXPECT_EQ(y, expected) << count << " threads, " << cols << " columns";
    }
  }
}

/// Rows of every length up to some vectors, and a long one, with columns far apart.
template <class Column, class T>
void expect_sums_of_scattered_rows(index_t cols) {
  testing::segment_shape shape{"all lengths", {}};
  for (index_t row = 0; row < 2000; ++row) shape.lengths.push_back(row * 7 % 41);
  shape.lengths[300] = 70'000;
  auto const a = matrix_of<Column, int>(shape, cols, [](index_t k) { return T(whole(k)); });
  auto const x = first<T>(cols, [](index_t j) { return static_cast<T>(j % 23 - 11); });
  auto const expected = oracle(a, x, plus<T>{}, multiplies<T>{});
  std::vector<T> y(expected.size());
  ravel::spmv(cpu::sequential{}, a, x, y);
  EXPECT_EQ(y, expected);
  ravel::spmv(cpu::threads(3), 2, a, x, -1, y);
  EXPECT_EQ(y, expected);
}
TEST(spmv_on_the_host, adds_up_scattered_rows_of_any_length) {
  expect_sums_of_scattered_rows<int, double>(150'000);
  expect_sums_of_scattered_rows<std::uint32_t, float>(300'000);
  expect_sums_of_scattered_rows<std::int64_t, double>(150'000);
}
#endif

LOCAL_TYPED_TEST(spmv, takes_matrices_without_rows_columns_or_entries) {
  std::vector<int> const none;
  std::vector<double> const no_values;
  auto const multiplied = [&](index_t rows, index_t cols) {
    auto const a = to(this->ex(),
                      csr{rows, cols, std::vector<int>(std::size_t(rows) + 1, 0), none, no_values});
    auto const x = this->there(std::vector<double>(std::size_t(cols), 1.));
    auto y = this->there(std::vector<double>(std::size_t(rows), 7.));
    ravel::spmv(this->ex(), a, x, y);
    return this->here(y);
  };
  EXPECT_EQ(multiplied(0, 0), no_values);
  EXPECT_EQ(multiplied(0, 5), no_values);
  EXPECT_EQ(multiplied(4, 0), (std::vector{0., 0., 0., 0.}));
  EXPECT_EQ(multiplied(10'000, 3), std::vector<double>(10'000, 0.));
}

LOCAL_TYPED_TEST(spmv, refuses_sizes_that_do_not_fit) {
  auto const& ex = this->ex();
  auto const a = to(ex, csr{2, 3, std::vector{0, 1, 2}, std::vector{0, 1}, std::vector{1., 2.}});
  auto const x = this->there(std::vector<double>(3));
  auto y = this->template allocate<double>(2);
  auto short_x = this->template allocate<double>(2);
  auto long_y = this->template allocate<double>(3);
  EXPECT_THROW(ravel::spmv(ex, a, short_x, y), contract_error);
  EXPECT_THROW(ravel::spmv(ex, a, x, long_y), contract_error);
  EXPECT_THROW(ravel::spmv(ex, 1, a, short_x, 1, y), contract_error);

  auto few_offsets = view_of(a);
  few_offsets.offsets = few_offsets.offsets.slice(0, 2);
  EXPECT_THROW(ravel::spmv(ex, few_offsets, x, y), contract_error);
  auto few_values = view_of(a);
  few_values.values = few_values.values.slice(0, 1);
  EXPECT_THROW(ravel::spmv(ex, few_values, x, y), contract_error);
}

}  // namespace
}  // namespace ravel::spmv_test
