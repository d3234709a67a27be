#include <ravel/core/atomic.hpp>

#include "support/executors.hpp"

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace ravel::atomic_test {
namespace {

template <class Ex>
struct atomic : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(atomic, testing::executors);

/// Stores a distinct number for each index.
struct hand_in {
  std::int64_t* least;
  index_t n;
  RAVEL_HD void operator()(index_t i) const { keep_least(least, 5 + i * 7919 % n); }
};
template <class F>
struct on_each_index {
  F f;
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    team.for_each(t, f);
  }
};

TYPED_TEST(atomic, keeps_the_least_of_many) {
  index_t const n = 40'000;
  auto const least = this->there(std::vector<std::int64_t>{n});
  this->ex().for_each_tile(n, on_each_index<hand_in>{{least.data(), n}});
  EXPECT_EQ(this->here(least), std::vector<std::int64_t>{5});
}

TYPED_TEST(atomic, keeps_what_is_less_already) {
  auto const least = this->there(std::vector<std::int64_t>{-1});
  this->ex().for_each_tile(100, on_each_index<hand_in>{{least.data(), 100}});
  EXPECT_EQ(this->here(least), std::vector<std::int64_t>{-1});
}

/// Sets the bit of each index.
struct set_bit {
  std::uint32_t* words;
  RAVEL_HD void operator()(index_t i) const {
    fetch_or(words + i / 32, std::uint32_t{1} << (i % 32));
  }
};

TYPED_TEST(atomic, sets_every_bit_of_many) {
  auto const words = this->there(std::vector<std::uint32_t>(1000, 0));
  this->ex().for_each_tile(31'999, on_each_index<set_bit>{{words.data()}});
  std::vector<std::uint32_t> expected(1000, 0xffffffff);
  expected[999] = 0x7fffffff;
  EXPECT_EQ(this->here(words), expected);
}

/// Adds each index to two sums, in several steps.
struct add_in_turn {
  std::uint32_t* busy;
  std::int64_t* sums;
  RAVEL_HD void operator()(index_t i) const {
    in_turn(busy, [&] {
      sums[0] += i;
      sums[1] += sums[0];
      sums[1] -= sums[0] - i;
    });
  }
};

TYPED_TEST(atomic, lets_one_at_a_time_in) {
  index_t const n = 5'000;
  auto const busy = this->there(std::vector<std::uint32_t>{0});
  auto const sums = this->there(std::vector<std::int64_t>{0, 0});
  this->ex().for_each_tile(n, on_each_index<add_in_turn>{{busy.data(), sums.data()}});
  EXPECT_EQ(this->here(sums), std::vector<std::int64_t>(2, n * (n - 1) / 2));
  EXPECT_EQ(this->here(busy), std::vector<std::uint32_t>{0});
}

TEST(atomic_on_the_host, says_what_was_there_before) {
  std::int64_t least = 3;
  EXPECT_EQ(keep_least(&least, 4), 3);
  EXPECT_EQ(keep_least(&least, 2), 3);
  EXPECT_EQ(keep_least(&least, 2), 2);
  EXPECT_EQ(least, 2);
}

#ifndef __CUDACC__  // nvcc's host and device functions cannot throw

TEST(atomic_on_the_host, ends_a_turn_that_throws) {
  std::uint32_t busy = 0;
  EXPECT_THROW(in_turn(&busy, [] { throw std::runtime_error("no"); }), std::runtime_error);
  bool had_a_turn = false;
  in_turn(&busy, [&] { had_a_turn = true; });
  EXPECT_TRUE(had_a_turn);
}

#endif

}  // namespace
}  // namespace ravel::atomic_test
