// Algorithms as one writes them without a using-directive, with elements, orders and keys of another
// namespace.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/coordinates.hpp>
#include <ravel/algorithms/csr.hpp>
#include <ravel/algorithms/delta.hpp>
#include <ravel/algorithms/duplicates.hpp>
#include <ravel/algorithms/list_ranking.hpp>
#include <ravel/algorithms/merge_segments.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/segmented_comparison_sort.hpp>
#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/algorithms/selection.hpp>
#include <ravel/algorithms/sparse_vector.hpp>
#include <ravel/algorithms/spmm.hpp>
#include <ravel/algorithms/spmspv.hpp>
#include <ravel/algorithms/spmv.hpp>
#include <ravel/algorithms/string_sort.hpp>
#include <ravel/algorithms/transpose.hpp>
#include <ravel/core/cpu/executor.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace stranger {
namespace {

struct money {
  int cents = 0;
};
struct cheaper {
  bool operator()(money x, money y) const { return x.cents < y.cents; }
};
struct cents {
  int operator()(money x) const { return x.cents; }
};

using ints = std::vector<int>;
using monies = std::vector<money>;

ravel::cpu::sequential const ex;
monies const six{{3}, {1}, {2}, {4}, {1}, {5}};
ints const numbers{3, 1, 2, 4, 1, 5};
ints const lengths{3, 2, 1};

/// The output of call(out) for n elements, in cents.
template <class T = int, class Call>
ints written(std::size_t n, Call const& call) {
  std::vector<T> out(n);
  call(out);
  ints result;
  for (auto const& x : out) {
    if constexpr (std::is_same_v<T, money>) {
      result.push_back(x.cents);
    } else {
      result.push_back(static_cast<int>(x));
    }
  }
  return result;
}

TEST(qualified, sorts) {
  ints const sorted{1, 1, 2, 3, 4, 5}, each_sorted{1, 2, 3, 1, 4, 5};
  auto const segments = ravel::by_lengths(lengths);
  EXPECT_EQ(written<money>(6, [](auto& out) { ravel::comparison_sort(ex, six, out, cheaper{}); }),
            sorted);
  EXPECT_EQ(
      written<money>(6, [](auto& out) { ravel::radix_sort(ex, six, out, ravel::by(cents{})); }),
      sorted);
  EXPECT_EQ(written<money>(6,
                           [](auto& out) {
                             ravel::radix_sort(ex, six, out, ravel::by(&money::cents),
                                               ravel::descending);
                           }),
            (ints{5, 4, 3, 2, 1, 1}));
  EXPECT_EQ(written(6, [](auto& out) { ravel::radix_argsort(ex, numbers, out); }),
            (ints{1, 4, 2, 0, 3, 5}));
  EXPECT_EQ(
      written<money>(
          6, [&](auto& out) { ravel::segmented_sort(ex, six, segments, out, ravel::by(cents{})); }),
      each_sorted);
  EXPECT_EQ(written<money>(6,
                           [&](auto& out) {
                             ravel::segmented_comparison_sort(ex, six, segments, out, cheaper{});
                           }),
            each_sorted);
  EXPECT_EQ(written(6,
                    [](auto& out) {
                      ravel::merge_segments(ex, ints{1, 5, 2, 6, 3, 4}, ravel::uniform(3, 2), out);
                    }),
            (ints{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(written(2, [](auto& out) { ravel::top_k(ex, numbers, out); }), (ints{1, 1}));
  EXPECT_EQ(written(1, [](auto& out) { ravel::nth_element(ex, numbers, 3, out); }), (ints{3}));
}

TEST(qualified, sparse_products) {
  ints const rows{0, 0, 1}, columns{0, 1, 1}, values{2, 3, 4}, x{10, 100};
  auto const a = ravel::csr_from_coordinates(ex, 2, 2, rows, columns, values);
  EXPECT_EQ(written(2, [&](auto& y) { ravel::spmv(ex, a, x, y); }), (ints{320, 400}));
  EXPECT_EQ(written(2, [&](auto& y) { ravel::spmv(ex, ravel::transpose(ex, a), x, y); }),
            (ints{20, 430}));
  EXPECT_EQ(written(2, [&](auto& y) { ravel::spmm(ex, a, 1, x, y); }), (ints{320, 400}));
  auto const y =
      ravel::spmspv_sync(ex, ravel::transpose(ex, a), ravel::sparse_vector{2, ints{1}, ints{10}});
  EXPECT_EQ(y.size, 2);
  EXPECT_EQ(ravel::count_duplicates_sync(ex, a), 0);
}

TEST(qualified, lists_and_differences) {
  ints const next{1, 2, 2};
  EXPECT_EQ(written(3, [&](auto& out) { ravel::list_rank(ex, next, out); }), (ints{0, 1, 2}));
  EXPECT_EQ(written(6, [](auto& out) { ravel::delta_encode(ex, numbers, out); }),
            (ints{3, -2, 1, 2, -3, 4}));
  EXPECT_EQ(written(6,
                    [](auto& out) {
                      ravel::delta_decode(ex, ints{3, -2, 1, 2, -3, 4}, out);
                    }),
            numbers);
}

}  // namespace
}  // namespace stranger
