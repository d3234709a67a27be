/// Calls of the archive ravel::device, as a program that nvcc does not compile makes them.  Here the archive
/// is compiled for the device in software.

#include <ravel/device/calls.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace ravel::compiled_executor_test {
namespace {

using gpu::compiled_executor;

/// What call(out) writes to `n` elements of type T.
template <class T, class Call>
std::vector<T> result_of(compiled_executor const& ex, index_t n, Call call) {
  auto const out = ex.allocate<T>(n);
  call(out);
  return to_host(ex, out);
}

template <class T>
struct compiled_calls : ::testing::Test {
  compiled_executor const ex;
  gpu::array<T> const in = to(ex, std::vector<T>{3, 1, 2, 4, 1, 5});

  template <class Call>
  std::vector<T> results(index_t n, Call call) const {
    return result_of<T>(ex, n, call);
  }
};
#ifdef RAVEL_TEST_THOROUGH
using types = ::testing::Types<std::int32_t, double>;
#else
using types = ::testing::Types<std::int32_t>;
#endif
TYPED_TEST_SUITE(compiled_calls, types);

TYPED_TEST(compiled_calls, scan) {
  using row = std::vector<TypeParam>;
  auto const& ex = this->ex;
  auto const& in = this->in;
  EXPECT_EQ(this->results(6, [&](auto& out) { inclusive_scan(ex, in, out); }),
            (row{3, 4, 6, 10, 11, 16}));
  EXPECT_EQ(this->results(6, [&](auto& out) { inclusive_scan(ex, in, out, maximum{}); }),
            (row{3, 3, 3, 4, 4, 5}));
  EXPECT_EQ(this->results(6, [&](auto& out) { exclusive_scan(ex, in, out, plus<TypeParam>{}); }),
            (row{0, 3, 4, 6, 10, 11}));
  EXPECT_EQ(this->results(7, [&](auto& out) { exclusive_scan(ex, in, out); }),
            (row{0, 3, 4, 6, 10, 11, 16}));
}

TYPED_TEST(compiled_calls, reduce) {
  auto const& ex = this->ex;
  auto const& in = this->in;
  EXPECT_EQ(reduce_sync(ex, in), 16);
  EXPECT_EQ(reduce_sync(ex, in, minimum{}), 1);
  EXPECT_EQ(reduce_sync(ex, ex.template allocate<TypeParam>(0)), 0);
}

TYPED_TEST(compiled_calls, segments) {
  using row = std::vector<TypeParam>;
  auto const& ex = this->ex;
  auto const& in = this->in;
  auto const check = [&](auto const& offsets) {
    auto const segments = by_offsets(offsets);
    EXPECT_EQ(this->results(6, [&](auto& out) { segmented_inclusive_scan(ex, in, segments, out); }),
              (row{3, 4, 6, 4, 5, 5}));
    EXPECT_EQ(this->results(6, [&](auto& out) { segmented_exclusive_scan(ex, in, segments, out); }),
              (row{0, 3, 4, 0, 4, 0}));
    EXPECT_EQ(this->results(4, [&](auto& out) { segmented_reduce(ex, in, segments, out); }),
              (row{6, 5, 0, 5}));
    EXPECT_EQ(
        this->results(4, [&](auto& out) { segmented_reduce(ex, in, segments, out, maximum{}); }),
        (row{3, 4, maximum<TypeParam>::identity(), 5}));
  };
  check(to(ex, std::vector<std::int32_t>{0, 3, 5, 5, 6}));
  check(to(ex, std::vector<std::int64_t>{0, 3, 5, 5, 6}));
}

TYPED_TEST(compiled_calls, sort) {
  using row = std::vector<TypeParam>;
  auto const& ex = this->ex;
  auto const& in = this->in;
  EXPECT_EQ(this->results(6, [&](auto& out) { radix_sort(ex, in, out); }), (row{1, 1, 2, 3, 4, 5}));
  EXPECT_EQ(this->results(6, [&](auto& out) { radix_sort(ex, in, out, descending); }),
            (row{5, 4, 3, 2, 1, 1}));

  auto const keys = ex.template allocate<TypeParam>(6);
  auto const values = to(ex, std::vector<float>{0, 1, 2, 3, 4, 5});  // 4 bytes
  EXPECT_EQ(
      result_of<float>(ex, 6, [&](auto& out) { radix_sort_pairs(ex, in, values, keys, out); }),
      (std::vector<float>{1, 4, 2, 0, 3, 5}));
  auto const wide = to(ex, std::vector<std::int64_t>{0, 1, 2, 3, 4, 5});
  EXPECT_EQ(result_of<std::int64_t>(
                ex, 6, [&](auto& out) { radix_sort_pairs(ex, in, wide, keys, out, descending); }),
            (std::vector<std::int64_t>{5, 3, 0, 2, 1, 4}));
}

TYPED_TEST(compiled_calls, sparse_product) {
  using row = std::vector<TypeParam>;
  auto const& ex = this->ex;
  auto const x = to(ex, row{1, 2, 3});
  auto const check = [&]<class I>(I) {
    auto const a =
        to(ex, csr{3, 3, std::vector<I>{0, 2, 2, 3}, std::vector{0, 2, 1}, row{1, 2, 3}});
    EXPECT_EQ(this->results(3, [&](auto& y) { spmv(ex, a, x, y); }), (row{7, 0, 6}));
  };
  check(std::int32_t{});
  check(std::int64_t{});
}

TEST(compiled_executor, has_memory_and_a_stream) {
  compiled_executor const ex;
  EXPECT_EQ(compiled_executor(0, ex.stream()).stream(), ex.stream());

  auto x = to(ex, std::vector{1, 2, 3});
  auto y = std::move(x);
  EXPECT_EQ(x.size(), 0);  // NOLINT(bugprone-use-after-move): it is empty
  EXPECT_EQ(to_host(ex, y), (std::vector{1, 2, 3}));
  EXPECT_EQ(to_host(ex, view_of(y).slice(1, 2)), (std::vector{2, 3}));

  EXPECT_THROW(ex.allocate<int>(-1), contract_error);
  EXPECT_THROW(ex.allocate<int>(std::numeric_limits<index_t>::max()), allocation_error);
  EXPECT_THROW(inclusive_scan(ex, y, ex.allocate<int>(2)), contract_error);
}

/// Whether the archive takes such operands.
template <class In, class Out, class M>
concept scans = requires(compiled_executor const& ex, In const& in, Out& out, M m) {
  inclusive_scan(ex, in, out, m);
};
static_assert(scans<gpu::array<int>, gpu::array<int>, plus<>>);
static_assert(!scans<gpu::array<int>, gpu::array<double>, plus<>>);
static_assert(!scans<gpu::array<int>, gpu::array<int>, multiplies<>>);
static_assert(!scans<gpu::array<bool>, gpu::array<bool>, plus<>>);
static_assert(!scans<std::vector<int>, std::vector<int>, plus<>>);
static_assert(has_memory<compiled_executor> && !executor<compiled_executor>);

}  // namespace
}  // namespace ravel::compiled_executor_test
