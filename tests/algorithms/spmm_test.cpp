#include <ravel/algorithms/spmm.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/sparse.hpp"

#include <ravel/algorithms/cuda/spmm.cuh>

#include <cstdint>

namespace ravel::spmm_test {
namespace {

using testing::affine;
using testing::composed;
using testing::first;
using testing::matrix_of;
using testing::then;
using testing::whole;

/// The reference.
template <class T, class A, class Add, class Multiply>
std::vector<T> oracle(A const& a, index_t k, std::vector<T> const& x, Add add, Multiply multiply) {
  std::vector<T> y;
  for (std::size_t r = 0; r + 1 < a.offsets.size(); ++r) {
    for (index_t j = 0; j < k; ++j) {
      T sum = add.identity();
      for (auto e = a.offsets[r]; e < a.offsets[r + 1]; ++e) {
        auto const at = static_cast<std::size_t>(e);
        sum = add(sum, multiply(a.values[at], x[static_cast<std::size_t>(a.columns[at] * k + j)]));
      }
      y.push_back(sum);
    }
  }
  return y;
}

template <class Ex>
struct spmm : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(spmm, testing::executors_and_device);

TYPED_TEST(spmm, gives_the_example_in_the_header) {
  auto const a = to(this->ex(), csr{3, 3, std::vector{0, 2, 2, 3}, std::vector{0, 2, 1},
                                    std::vector{1., 2., 3.}});
  auto const x = this->there(std::vector{1., 10., 2., 20., 3., 30.});
  auto y = this->template allocate<double>(6);
  ravel::spmm(this->ex(), a, 2, x, y);
  EXPECT_EQ(this->here(y), (std::vector{7., 70., 0., 0., 6., 60.}));
}

TYPED_TEST(spmm, agrees_with_the_loop_whatever_the_row_lengths) {
  constexpr index_t cols = 50, k = 3;
  auto const x = first<double>(cols * k, whole);
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    auto const a = matrix_of<index_t, index_t>(shape, cols, whole);
    auto y = this->template allocate<double>(a.rows * k);
    ravel::spmm(this->ex(), to(this->ex(), a), k, this->there(x), y);
    EXPECT_EQ(this->here(y), oracle(a, k, x, plus<double>{}, multiplies<double>{}));
  }
}

TYPED_TEST(spmm, takes_any_number_of_vectors) {
  constexpr index_t cols = 40;
  testing::segment_shape const shape{"a few rows", {3, 0, 70, 1, 9, 0, 0, 300, 33, 2, 0}};
  auto const a = matrix_of<index_t, index_t>(shape, cols,
                                             [](index_t e) { return static_cast<int>(e % 7 - 3); });
  auto const there = to(this->ex(), a);
  for (index_t const k : {0, 1, 2, 4, 7, 8, 15, 17, 32, 36, 70}) {
    SCOPED_TRACE(k);
    auto const x = first<int>(cols * k, [](index_t i) { return static_cast<int>(i * 5 % 23); });
    auto y = this->template allocate<int>(a.rows * k);
    ravel::spmm(this->ex(), there, k, this->there(x), y);
    EXPECT_EQ(this->here(y), oracle(a, k, x, plus<int>{}, multiplies<int>{}));
  }
}

TYPED_TEST(spmm, adds_in_the_order_of_the_entries_over_any_semiring) {
  constexpr index_t cols = 20;
  testing::segment_shape const shape{"a few rows", {300, 0, 70, 1, 9, 800, 40}};
  auto const map = [](index_t i) {
    return affine{static_cast<std::uint32_t>(i % 5 + 1), static_cast<std::uint32_t>(i % 7)};
  };
  auto const a = matrix_of<index_t, index_t>(shape, cols, map);
  for (index_t const k : {5, 9}) {
    auto const x = first<affine>(cols * k, map);
    auto y = this->template allocate<affine>(a.rows * k);
    ravel::spmm(this->ex(), to(this->ex(), a), k, this->there(x), y, semiring{then{}, composed{}});
    EXPECT_EQ(this->here(y), oracle(a, k, x, then{}, composed{}));
  }
}

THOROUGH_TYPED_TEST(spmm, reads_rows_of_any_alignment) {
  constexpr index_t cols = 40, k = 32;
  testing::segment_shape const shape{"a few rows", {3, 0, 70, 1, 9}};
  auto const a = matrix_of<std::int32_t, std::int32_t>(shape, cols, whole);
  auto const there = to(this->ex(), a);
  auto const x = first<float>(cols * k + 1, [](index_t i) { return static_cast<float>(i % 23); });
  auto const in = this->there(x);
  using space = space_of_t<decltype(in)>;
  for (index_t const past : {0, 1}) {
    auto const y = this->there(std::vector<float>(static_cast<std::size_t>(a.rows * k + past)));
    ravel::spmm(this->ex(), there, k, view<float const, space>{in.data() + past, cols * k},
                view<float, space>{y.data() + past, a.rows * k});
    auto const got = this->here(y);
    std::vector<float> const from(x.begin() + past, x.begin() + past + cols * k);
    EXPECT_EQ(std::vector<float>(got.begin() + past, got.end()),
              oracle(a, k, from, plus<float>{},
                     [](double v, float e) { return static_cast<float>(v) * e; }));
  }
}

TYPED_TEST(spmm, refuses_what_does_not_fit) {
  auto const& ex = this->ex();
  auto const a = to(ex, csr{1, 2, std::vector{0, 1}, std::vector{1}, std::vector{1.}});
  auto const x = this->there(std::vector{1., 2., 3., 4.});
  auto y = this->template allocate<double>(2);
  ravel::spmm(ex, a, 2, x, y);
  EXPECT_EQ(this->here(y), (std::vector{3., 4.}));
  EXPECT_THROW(ravel::spmm(ex, a, -1, x, y), contract_error);
  EXPECT_THROW(ravel::spmm(ex, a, 1, x, y), contract_error);
  auto narrow = this->template allocate<double>(1);
  EXPECT_THROW(ravel::spmm(ex, a, 2, x, narrow), contract_error);
  auto const empty =
      to(ex, csr{4, 4, std::vector<int>(5, 0), std::vector<int>{}, std::vector<double>{}});
  auto none = this->template allocate<double>(0);
  EXPECT_THROW(ravel::spmm(ex, empty, index_t{1} << 62, none, none), contract_error);
}

}  // namespace
}  // namespace ravel::spmm_test
