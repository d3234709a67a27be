#include <ravel/algorithms/group_by_hash.hpp>
#include "support/executors.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

namespace ravel::group_by_hash_steps_test {
namespace {

template <class Ex>
struct group_by_hash_steps : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(group_by_hash_steps, testing::executors);

TYPED_TEST(group_by_hash_steps, does_what_its_examples_say) {
  auto const& ex = this->ex();
  auto const keys = ravel::to(ex, std::vector{7, 4, 7, 4, 7}),
             values = ravel::to(ex, std::vector{3, 4, 1, 1, 2});
  auto const out = ex.template allocate<int>(3), sums = ex.template allocate<int>(2);
  EXPECT_EQ(reduce_by_hash_sync(ex, keys, values, out, sums), 2);
  EXPECT_EQ(this->here(view_of(out).slice(0, 2)), (std::vector{7, 4}));
  EXPECT_EQ(this->here(sums), (std::vector{6, 5}));

  EXPECT_EQ(histogram_by_key_sync(ex, keys, out, sums), 2);
  EXPECT_EQ(this->here(view_of(out).slice(0, 2)), (std::vector{7, 4}));
  EXPECT_EQ(this->here(sums), (std::vector{3, 2}));

  EXPECT_EQ(remove_duplicates_sync(ex, ravel::to(ex, std::vector{3, 1, 3, 2, 1}), out), 3);
  EXPECT_EQ(this->here(out), (std::vector{3, 1, 2}));

  auto const order = ex.template allocate<index_t>(5);
  EXPECT_EQ(group_by_key_sync(ex, keys, order, sums), 2);
  EXPECT_EQ(this->here(order), (std::vector<index_t>{0, 2, 4, 1, 3}));
  EXPECT_EQ(this->here(sums), (std::vector{3, 2}));
}

/// Of composed functions x -> a x + b, which do not commute.
struct compose {
  RAVEL_HD std::uint64_t operator()(std::uint64_t f, std::uint64_t g) const {
    auto const a = [](std::uint64_t h) { return h & 0xffff'ffff; };
    auto const b = [](std::uint64_t h) { return h >> 32; };
    return (a(f) * a(g) & 0xffff'ffff) | (a(g) * b(f) + b(g)) << 32;
  }
  RAVEL_HD std::uint64_t identity() const { return 1; }
};

struct remainder_by_seven {  // of many keys the same
  RAVEL_HD int operator()(std::int64_t key) const { return static_cast<int>(key % 7); }
};

TYPED_TEST(group_by_hash_steps, combines_in_the_order_of_the_input) {
  auto const& ex = this->ex();
  std::uint64_t state = 1;
  for (int const distinct : {1, 3, 40}) {
    for (index_t const n : {0, 1, 1000}) {
      std::vector<std::int64_t> keys(n), found;
      std::vector<std::uint64_t> values(n);
      std::map<std::int64_t, std::uint64_t> expected;
      for (index_t i = 0; i < n; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        keys[i] = static_cast<std::int64_t>(state >> 40) % distinct - distinct / 2;
        values[i] = state >> 7;
        auto const [at, is_new] = expected.emplace(keys[i], 1);
        at->second = compose{}(at->second, values[i]);
        if (is_new) found.push_back(keys[i]);
      }
      auto const out = ex.template allocate<std::int64_t>(std::ssize(found));
      auto const composed = ex.template allocate<std::uint64_t>(std::ssize(found));
      std::vector<std::uint64_t> in_order;
      for (auto const key : found) in_order.push_back(expected[key]);
      auto const check = [&](auto... options) {
        EXPECT_EQ(reduce_by_hash_sync(ex, ravel::to(ex, keys), ravel::to(ex, values), out, composed,
                                      compose{}, options...),
                  std::ssize(found));
        EXPECT_EQ(this->here(out), found);
        EXPECT_EQ(this->here(composed), in_order);
      };
      check();
      check(hash_by(remainder_by_seven{}));
    }
  }
}

struct same_hash {
  RAVEL_HD int operator()(std::int64_t) const { return 3; }
};

TYPED_TEST(group_by_hash_steps, of_more_keys_of_one_hash_than_a_table_probes_are_sorted) {
  auto const& ex = this->ex();
  std::vector<std::int64_t> keys(200), values(200);
  for (index_t i = 0; i < 200; ++i) {
    keys[i] = i * 37 % 200 - 100;
    values[i] = i;
  }
  auto const check = [&](std::vector<std::int64_t> const& found,
                         std::vector<std::int64_t> const& sums) {
    auto const out = ex.template allocate<std::int64_t>(std::ssize(found));
    auto const summed = ex.template allocate<std::int64_t>(std::ssize(found));
    EXPECT_EQ(reduce_by_hash_sync(ex, ravel::to(ex, keys), ravel::to(ex, values), out, summed,
                                  plus<>{}, hash_by(same_hash{})),
              std::ssize(found));
    EXPECT_EQ(this->here(out), found);
    EXPECT_EQ(this->here(summed), sums);
  };
  check(keys, values);  // all distinct
  auto found = keys, sums = values;
  keys.back() = keys[1], found.pop_back(), sums.pop_back();
  sums[1] += 199;
  check(found, sums);
}

TYPED_TEST(group_by_hash_steps, number_groups_by_their_first_elements) {
  auto const& ex = this->ex();
  constexpr index_t n = 1000;
  std::vector<int> keys(n), expected(n), firsts;
  std::map<int, int> number_of;
  for (index_t i = 0; i < n; ++i) {
    keys[i] = static_cast<int>(i * i % 61);
    auto const [at, is_new] = number_of.emplace(keys[i], static_cast<int>(number_of.size()));
    expected[i] = at->second;
    if (is_new) firsts.push_back(keys[i]);
  }
  auto const all = ravel::to(ex, keys);
  auto const number = [&](int log_most, auto const& numbers, auto const& to_keys) {
    return detail::number_groups_sync<true>(ex, view_of(all).data(), n,
                                            detail::word_of_hash<detail::radix_bits>{}, equal_to{},
                                            view_of(numbers), view_of(to_keys), false, log_most);
  };
  auto const groups = std::ssize(firsts);
  for (int const log_most : {6, 8, 20}) {  // of fewer slots than elements, and of more
    auto const numbers = ex.template allocate<int>(n),
               first_keys = ex.template allocate<int>(groups);
    EXPECT_EQ(number(log_most, numbers, first_keys), groups);
    EXPECT_EQ(this->here(numbers), expected);
    EXPECT_EQ(this->here(first_keys), firsts);
  }
  auto const numbers = ex.template allocate<int>(n);
  auto const unwritten = ravel::to(ex, std::vector{-5, -5});
  EXPECT_EQ(number(4, numbers, unwritten), 0);  // 31 keys have no room in 16 slots
  EXPECT_EQ(this->here(unwritten), (std::vector{-5, -5}));
}

struct place {
  int row, column;
  RAVEL_HD friend bool operator==(place const& a, place const& b) {
    return a.row == b.row && a.column == b.column;
  }
};
struct is_same_place {
  RAVEL_HD bool operator()(place const& a, place const& b) const {
    return a.row == b.row && a.column == b.column;
  }
};
struct row_of_place {  // those of a row collide
  RAVEL_HD int operator()(place const& p) const { return p.row; }
};

TYPED_TEST(group_by_hash_steps, takes_a_hash_that_collides_and_an_equality) {
  auto const& ex = this->ex();
  std::vector<place> const places{{1, 2}, {0, 5}, {1, 3}, {1, 2}, {0, 5}, {1, 4}, {1, 3}};
  auto const out = ex.template allocate<place>(4);
  EXPECT_EQ(remove_duplicates_sync(ex, ravel::to(ex, places), out, hash_by(row_of_place{}),
                                   equal_by(is_same_place{})),
            4);
  EXPECT_EQ(this->here(out), (std::vector<place>{{1, 2}, {0, 5}, {1, 3}, {1, 4}}));
}

TYPED_TEST(group_by_hash_steps, writes_no_further_than_there_is_room) {
  auto const& ex = this->ex();
  auto const keys = ravel::to(ex, std::vector{-0.0f, 2.0f, 0.0f, 5.0f});
  auto const out = ravel::to(ex, std::vector{1.0f, 1.0f, 1.0f});
  auto const counts = ravel::to(ex, std::vector{9, 9, 9, 9});
  EXPECT_EQ(histogram_by_key_sync(ex, keys, view_of(out).slice(0, 1), view_of(counts).slice(0, 2)),
            3);
  EXPECT_EQ(this->here(out), (std::vector{0.0f, 1.0f, 1.0f}));
  EXPECT_EQ(this->here(counts), (std::vector{2, 1, 9, 9}));
}

}  // namespace
}  // namespace ravel::group_by_hash_steps_test
