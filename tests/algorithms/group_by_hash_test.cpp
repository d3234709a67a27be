#include <ravel/algorithms/group_by_hash.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ravel::group_by_hash_test {
namespace {

using strings = std::vector<std::string>;

TEST(group_by_hash, does_what_its_examples_say) {
  cpu::sequential const ex;
  std::vector const keys{7, 4, 7, 4, 7}, values{3, 4, 1, 1, 2};
  std::vector out(2, 0), sums(2, 0);
  EXPECT_EQ(reduce_by_hash_sync(ex, keys, values, out, sums), 2);
  EXPECT_EQ(out, (std::vector{7, 4}));
  EXPECT_EQ(sums, (std::vector{6, 5}));

  strings const fruit{"fig", "pear", "fig"};
  strings names(2);
  std::vector<int> counts(2);
  EXPECT_EQ(histogram_by_key_sync(ex, fruit, names, counts), 2);
  EXPECT_EQ(names, (strings{"fig", "pear"}));
  EXPECT_EQ(counts, (std::vector{2, 1}));

  std::vector firsts(3, 0);
  EXPECT_EQ(remove_duplicates_sync(ex, std::vector{3, 1, 3, 2, 1}, firsts), 3);
  EXPECT_EQ(firsts, (std::vector{3, 1, 2}));

  std::vector<index_t> order(5);
  EXPECT_EQ(group_by_key_sync(ex, keys, order, counts), 2);
  EXPECT_EQ(order, (std::vector<index_t>{0, 2, 4, 1, 3}));
  EXPECT_EQ(counts, (std::vector{3, 2}));
}

TEST(group_by_hash, takes_keys_that_a_function_finds) {
  std::string const text = "b a b";
  auto const groups = group_by_hash_on<std::string_view, int>(
      cpu::sequential{}, std::ssize(text),
      [&](tile t, auto& add) {
        for (index_t i = t.begin; i < t.end; i += 2) add({text.data() + i, 1}, 1);
      },
      plus<int>{});
  ASSERT_EQ(groups.size(), 2);
  std::string found;
  groups.write(cpu::sequential{}, [&](index_t, std::string_view word, int count) {
    found += std::string(word) + std::to_string(count);
  });
  EXPECT_EQ(found, "b2a1");
}

/// Keeps the first and the last: associative, and not commutative.
struct ends {
  int first, last;
};
struct join {
  ends operator()(ends x, ends y) const { return {x.first, y.last}; }
  ends identity() const { return {-1, -1}; }
};

struct point {
  std::int64_t x, y, z;
};
struct is_same_point {
  bool operator()(point const& a, point const& b) const { return a.x == b.x && a.y == b.y; }
};

TEST(group_by_hash, combines_in_order_across_threads_and_growing_tables) {
  cpu::threads const ex(4);
  for (int const distinct : {1, 1000, 50'000}) {
    int const n = 70'000;
    std::vector<std::string> keys;
    std::vector<ends> values;
    std::map<std::string, ends> expected;
    std::vector<std::string> first;
    for (int i = 0; i < n; ++i) {
      keys.push_back("a key " +
                     std::to_string(std::uint64_t{2654435761u} * unsigned(i) % unsigned(distinct)));
      values.push_back({i, i});
      auto const [at, is_new] = expected.try_emplace(keys.back(), values.back());
      if (is_new) first.push_back(keys.back());
      at->second.last = i;
    }
    std::vector<std::string> out(first.size());
    std::vector<ends> sums(first.size());
    EXPECT_EQ(reduce_by_hash_sync(ex, keys, values, out, sums, join{}), std::ssize(first));
    EXPECT_EQ(out, first);
    for (std::size_t s = 0; s < first.size(); ++s) {
      ASSERT_EQ(sums[s].first, expected[first[s]].first);
      ASSERT_EQ(sums[s].last, expected[first[s]].last);
    }
    std::vector<index_t> order(keys.size()), lengths(first.size());
    group_by_key_sync(ex, keys, order, lengths);
    index_t k = 0;
    for (std::size_t s = 0; s < first.size(); ++s) {
      ASSERT_EQ(order[std::size_t(k)], expected[first[s]].first);
      for (index_t j = 1; j < lengths[s]; ++j) {
        ASSERT_LT(order[std::size_t(k + j - 1)], order[std::size_t(k + j)]);
        ASSERT_EQ(keys[std::size_t(order[std::size_t(k + j)])], first[s]);
      }
      k += lengths[s];
    }
    EXPECT_EQ(k, n);
  }
}

TEST(group_by_hash, finds_integers_that_lie_close_together_and_others) {
  for (std::int64_t const every : {2, 1000, 1'000'000}) {
    std::vector<std::int64_t> keys, expected_keys;
    std::map<std::int64_t, std::int64_t> expected;
    for (std::int64_t i = 0; i < 200'000; ++i) {
      keys.push_back(i % every == 1 ? i % 50'000 * 1'000'003 : i * 7919 % 20'000 - 100);
      if (expected[keys.back()]++ == 0) expected_keys.push_back(keys.back());
    }
    auto const groups = std::ssize(expected_keys);
    for (int const threads : {1, 4}) {
      std::vector<std::int64_t> out(expected_keys.size()), found(expected_keys.size());
      cpu::threads const ex(threads);
      EXPECT_EQ(histogram_by_key_sync(ex, keys, out, found), groups);
      EXPECT_EQ(out, expected_keys);
      std::vector<index_t> order(keys.size()), lengths(expected_keys.size());
      EXPECT_EQ(group_by_key_sync(ex, keys, order, lengths), groups);
      index_t k = 0;
      for (std::size_t s = 0; s < out.size(); ++s) {
        ASSERT_EQ(found[s], expected[out[s]]);
        ASSERT_EQ(lengths[s], expected[out[s]]);
        ASSERT_EQ(keys[std::size_t(order[std::size_t(k)])], out[s]);
        k += lengths[s];
      }
    }
  }
}

TEST(group_by_hash, takes_a_hash_that_collides_and_an_equality) {
  std::vector<point> keys;
  for (int i = 0; i < 40'000; ++i) keys.push_back({i % 30, i % 2, i});
  std::vector<point> out(30, {-1, -1, -1});
  cpu::threads const ex(2);
  int mod = 8;
  EXPECT_EQ(remove_duplicates_sync(ex, keys, view_of(out).slice(0, 29),
                                   hash_by([&mod](point const& p) { return p.x % mod; }),
                                   equal_by(is_same_point{})),
            30);
  for (int s = 0; s < 29; ++s) EXPECT_EQ(out[std::size_t(s)].z, s);
  EXPECT_EQ(out[29].z, -1);  // there was no room for it
}

TEST(group_by_hash, hashes_all_bytes) {
  std::vector<std::string_view> const all{"",
                                          "a",
                                          "ab",
                                          "ba",
                                          "abc",
                                          "abcd",
                                          "abcdefg",
                                          "abcdefgh",
                                          "abcdefghi",
                                          "bbcdefghi",
                                          "abcdefgiabcdefgh"};
  std::vector<std::string_view> out(all.size());
  EXPECT_EQ(remove_duplicates_sync(cpu::sequential{}, all, out, hash_by(hash_bytes)),
            std::ssize(all));
  EXPECT_EQ(out, all);
}

TEST(group_by_hash, of_nothing_is_nothing_and_refuses_unequal_sizes) {
  std::vector<int> none, one(1, 5);
  EXPECT_EQ(remove_duplicates_sync(cpu::threads{2}, none, one), 0);
  EXPECT_EQ(one[0], 5);
  EXPECT_THROW(reduce_by_hash_sync(cpu::sequential{}, one, none, one, one), contract_error);
}

}  // namespace
}  // namespace ravel::group_by_hash_test
