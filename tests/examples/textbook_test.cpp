#include "textbook/exclusive_scan_by_sweeps.hpp"
#include "textbook/inclusive_scan_by_sweeps.hpp"
#include "textbook/naive_scan.hpp"
#include "textbook/reduction.hpp"
#include "textbook/scan_by_doubling.hpp"
#include "textbook/segmented_scan_by_mindex.hpp"
#include "textbook/segmented_scan_by_pairs.hpp"

#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace {

namespace book = textbook;
using std::size_t;
using ints = std::vector<int>;
using words = std::vector<std::uint64_t>;
ravel::cpu::sequential const ex;

/// The function x -> a x + b, modulo 2^64; their composition does not commute.
struct affine {
  std::uint64_t a = 1, b = 0;
  friend bool operator==(affine const&, affine const&) = default;
};
auto const then = [](affine f, affine g) { return affine{g.a * f.a, g.a * f.b + g.b}; };
ravel::monoid const composition{then, affine{}};

size_t floor_log2(size_t n) { return n == 0 ? 0 : static_cast<size_t>(std::bit_width(n)) - 1; }
size_t ceil_log2(size_t n) { return floor_log2(std::bit_ceil(n)); }

struct cost {
  size_t steps, work;
  friend bool operator==(cost const&, cost const&) = default;
  friend std::ostream& operator<<(std::ostream& out, cost const& c) {
    return out << c.steps << " steps, work " << c.work;
  }
};

/// What the machine counts while f runs, in either order of processors; checks that both give
/// `expected`.
template <class T, class F>
cost cost_of(T const& expected, F f) {
  cost counted[2];
  for (bool const backward : {false, true}) {
    book::machine = {0, 0, backward};
    EXPECT_EQ(f(), expected) << "backward: " << backward;
    counted[backward] = {book::machine.steps, book::machine.work};
  }
  EXPECT_EQ(counted[0], counted[1]);
  return counted[0];
}

/// Calls check(n, random) for sizes from 0 to 300.
template <class Check>
void for_sizes(Check check) {
  std::mt19937 random(1);
  for (size_t n = 0; n <= 300; n += n < 40 ? 1 : 13) {
    SCOPED_TRACE(n);
    check(n, random);
  }
}

template <class Random>
std::vector<affine> random_maps(size_t n, Random& random) {
  std::vector<affine> x(n);
  for (auto& f : x) f = {random(), random()};
  return x;
}

/// n numbers below `bound`.
template <class T = int, class Random>
std::vector<T> random_numbers(size_t n, size_t bound, Random& random) {
  std::vector<T> x(n);
  for (auto& v : x) v = static_cast<T>(random() % bound);
  return x;
}

TEST(textbook_scans, give_the_examples_in_the_headers) {
  ints const x{3, 1, 2, 4, 1, 5}, sums{3, 4, 6, 10, 11, 16};
  EXPECT_EQ(book::naive_scan(x, std::plus{}), sums);
  EXPECT_EQ(book::scan_by_doubling(x, std::plus{}), sums);

  ints eight{3, 1, 2, 4, 1, 5, 2, 3};
  EXPECT_EQ(book::reduce(eight, 0, std::plus{}), 21);
  EXPECT_EQ(book::exclusive_scan_by_sweeps(eight, 0, std::plus{}),
            (ints{0, 3, 4, 6, 10, 11, 16, 18}));
  EXPECT_EQ(book::inclusive_scan_by_sweeps(eight, std::plus{}),
            (ints{3, 4, 6, 10, 11, 16, 18, 21}));
  book::up_sweep(eight, std::plus{});
  EXPECT_EQ(eight, (ints{3, 4, 2, 10, 1, 6, 2, 21}));

  ints const heads{1, 0, 0, 1, 0, 1}, segmented{3, 4, 6, 4, 5, 5};
  EXPECT_EQ(book::segmented_scan_by_pairs(heads, x, std::plus{}), segmented);
  EXPECT_EQ(book::segmented_scan_by_mindex(heads, x, std::plus{}), segmented);
}

TEST(textbook_scans, give_the_results_of_ravel_at_the_cost_that_they_claim) {
  for_sizes([](size_t n, auto& random) {
    auto const x = random_maps(n, random);
    auto through = x, before = x;
    ravel::inclusive_scan(ex, x, through, composition);
    ravel::exclusive_scan(ex, x, before, composition);
    size_t const rounds = ceil_log2(n), m = std::bit_ceil(n);

    EXPECT_EQ(cost_of(through, [&] { return book::naive_scan(x, then); }),
              (cost{n, n * (n + 1) / 2}));
    EXPECT_EQ(cost_of(through, [&] { return book::scan_by_doubling(x, then); }),
              (cost{rounds, n * rounds}));
    EXPECT_EQ(cost_of(before, [&] { return book::exclusive_scan_by_sweeps(x, affine{}, then); }),
              (cost{2 * rounds, 2 * (m - 1)}));
    EXPECT_EQ(cost_of(ravel::reduce_sync(ex, x, composition),
                      [&] { return book::reduce(x, affine{}, then); }),
              (cost{rounds, m - 1}));

    auto const sweeps = cost_of(through, [&] { return book::inclusive_scan_by_sweeps(x, then); });
    EXPECT_EQ(sweeps.steps, floor_log2(n) + (n < 3 ? 0 : floor_log2(n / 3) + 1));
    EXPECT_LE(sweeps.work, 2 * n);
    if (std::has_single_bit(n)) {
      EXPECT_EQ(sweeps.work, 2 * n - 2 - floor_log2(n));
    }
  });
}

TEST(textbook_scans, by_doubling_call_the_operator_less_often_than_they_work) {
  for_sizes([](size_t n, auto& random) {
    size_t calls = 0;
    book::scan_by_doubling(random_maps(n, random), [&](affine f, affine g) {
      ++calls;
      return then(f, g);
    });
    EXPECT_EQ(calls, n == 0 ? 0 : n * ceil_log2(n) - std::bit_ceil(n) + 1);
  });
}

TEST(textbook_scans, of_segments_give_the_results_of_ravel_at_the_cost_that_they_claim) {
  for_sizes([](size_t n, auto& random) {
    auto const x = random_maps(n, random);
    for (size_t const length : {1, 2, 7, 1000}) {
      SCOPED_TRACE(length);
      ints heads(n);
      for (size_t i = 0; i < n; ++i) heads[i] = i == 0 || random() % length == 0;
      auto expected = x;
      ravel::segmented_inclusive_scan(ex, x, ravel::by_heads(heads), expected, composition);

      auto const pairs =
          cost_of(expected, [&] { return book::segmented_scan_by_pairs(heads, x, then); });
      EXPECT_EQ(pairs.steps, n == 0 ? 0 : floor_log2(n) + (n < 3 ? 2 : floor_log2(n / 3) + 3));
      EXPECT_LE(pairs.work, 4 * n);
      size_t const steps = n == 0 ? 0 : 2 * ceil_log2(n) + 1;
      EXPECT_EQ(cost_of(expected, [&] { return book::segmented_scan_by_mindex(heads, x, then); }),
                (cost{steps, n * steps}));
    }
  });
}

}  // namespace
