/// Radix sort on the host: rows that are too many, or too large, for a cache.

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/cpu/executor.hpp>

#include "support/briefly.hpp"
#include "support/random_word.hpp"
#include "support/vector_widths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace ravel::radix_sort_host_test {
namespace {

using testing::random_word;

#ifdef RAVEL_TEST_BRIEFLY
constexpr std::size_t many = 70'001;
#else
constexpr std::size_t many = 300'007;
#endif

/// A value so large that few of them exceed a cache.
struct large {
  index_t place;
  char rest[112];
};

using word = std::uint64_t;
struct distribution {
  char const* name;
  std::function<word(word, word)> key;  // of i and a random word
};

/// Distributions that are hard for a sort by few of the highest bits first.
std::vector<distribution> const distributions{
    {"random", [](word, word r) { return r; }},
    {"equal", [](word, word) { return word{42}; }},
    {"ascending", [](word i, word) { return i; }},
    {"descending", [](word i, word) { return ~i; }},
    {"two keys that differ in the lowest bit", [](word, word r) { return r % 2; }},
    {"most of them in one part", [](word, word r) { return r % 8 == 0 ? r : r % 5; }},
    {"one part within another", [](word, word r) { return ~word{0} >> r % 64; }},
    {"a thousand random keys", [](word, word r) { return random_word(r % 1000); }},
    {"two hundred random keys", [](word, word r) { return random_word(r % 200); }},
    {"few values at first", [](word i, word r) { return i < 50000 ? random_word(r % 9) : r; }},
    {"alike in the middle", [](word, word r) { return r & 0xff000000000000ff; }},
    {"every ninth bit", [](word, word r) { return r & 0x8040201008040201; }},
    {"runs of equal prefixes", [](word i, word r) { return i / 100 * 100 % 1000 << 40 | r % 64; }},
    {"in order but for the last", [](word i, word) { return i + 1 == 40000 ? 0 : i; }},
};

template <class K, class Ex, class... Options>
void sorts_pairs(Ex const& ex, distribution const& d, std::size_t n, Options... options) {
  SCOPED_TRACE(std::string(d.name) + ", " + std::to_string(8 * sizeof(K)) + " bits");
  std::vector<K> keys(n);
  std::vector<large> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = static_cast<K>(d.key(i, random_word(i)));
    values[i].place = static_cast<index_t>(i);
  }
  auto const in = keys;
  radix_sort_pairs(ex, keys, values, options...);
  for (std::size_t i = 0; i < n; ++i) {
    auto const from = static_cast<std::size_t>(values[i].place);
    ASSERT_EQ(keys[i], in[from]) << "at " << i;
    if (i == 0) continue;
    bool const down = sizeof...(Options) > 0;
    ASSERT_FALSE(down ? keys[i - 1] < keys[i] : keys[i] < keys[i - 1]) << "at " << i;
    bool const stable = keys[i - 1] != keys[i] || values[i - 1].place < values[i].place;
    ASSERT_TRUE(stable) << "at " << i;
  }
}

THOROUGH_TEST(radix_sort_host, sorts_what_no_cache_holds_however_keys_are_distributed) {
  cpu::threads const ex{3};
  for (distribution const& d : distributions) {
    sorts_pairs<std::uint64_t>(ex, d, 40000);
    sorts_pairs<std::uint16_t>(ex, d, 40000, descending);
  }
  sorts_pairs<std::uint64_t>(cpu::sequential{}, distributions[5], 40000);
}

/// Keys without values, of every size between a sort by one thread and a split by many.
TEST(radix_sort_host, sorts_keys_of_any_number) {
  cpu::threads const ex{4};
  for (std::size_t const n : {16383u, 16384u, 70001u, 300007u}) {
    for (std::size_t const d : {0u, 5u, 9u}) {
      std::vector<std::uint32_t> in(n);
      for (std::size_t i = 0; i < n; ++i) {
        in[i] = static_cast<std::uint32_t>(distributions[d].key(i, random_word(i)));
      }
      std::vector<std::uint32_t> out(n), expected = in;
      std::sort(expected.begin(), expected.end());
      radix_sort(ex, in, out);
      ASSERT_EQ(out, expected) << n << " keys, " << distributions[d].name;
    }
  }
}

template <class K, class... Options>
void sorts_keys(cpu::threads const& ex, distribution const& d, std::size_t n, Options... options) {
  std::vector<K> in(n);
  for (std::size_t i = 0; i < n; ++i) {
    word const bits = d.key(i, random_word(i));
    if constexpr (std::is_floating_point_v<K>) {
      in[i] = static_cast<K>(static_cast<std::int64_t>(bits) >> bits % 64) / 1024;
    } else {
      in[i] = static_cast<K>(bits >> bits % 2 * (64 - 8 * sizeof(K)));
    }
  }
  auto const sorts = [&] {
    auto expected = in;
    std::stable_sort(expected.begin(), expected.end(), [](K x, K y) {
      return sizeof...(Options) > 0 ? radix_key<K>::bits(y) < radix_key<K>::bits(x)
                                    : radix_key<K>::bits(x) < radix_key<K>::bits(y);
    });
    testing::in_each_width([&] {
      auto out = in;
      radix_sort(ex, out, options...);
      auto const is_right = [&] {
        // Compared as bits, which differ for zeros of either sign and for NaNs.
        ASSERT_EQ(std::memcmp(out.data(), expected.data(), n * sizeof(K)), 0)
            << n << " keys, " << d.name << ", " << typeid(K).name();
      };
      is_right();
      out.assign(n, K(1));
      radix_sort(ex, in, out, options...);
      is_right();
    });
  };
  sorts();
  if constexpr (std::is_floating_point_v<K>) {
    in[n / 2] = -K(0);
    in[n / 3] = K(0);
    sorts();
    in[n / 5] = std::numeric_limits<K>::quiet_NaN();
    in[n / 7] = -std::numeric_limits<K>::quiet_NaN();
    sorts();
  }
}

/// Keys of few values, which are counted: all of them, or those of a part.
TEST(radix_sort_host, counts_keys_of_few_values) {
  cpu::threads const ex{3};
  distribution const near{"of 4096 values",
                          [](word, word r) { return (word{0x9abcdef} << 20) + r % 4096; }};
  distribution const few{"of 100 values", [](word, word r) { return word{77} + r * r % 100; }};
  for (std::size_t const n : {std::size_t{300}, std::size_t{5000}, many}) {
    sorts_keys<std::uint32_t>(ex, near, n);
    sorts_keys<std::int64_t>(ex, near, n, descending);
    sorts_keys<float>(ex, few, n);
#ifndef RAVEL_TEST_BRIEFLY
    sorts_keys<std::uint8_t>(ex, near, n);
    sorts_keys<std::int16_t>(ex, near, n, descending);
    sorts_keys<std::int32_t>(ex, few, n, descending);
    sorts_keys<std::uint64_t>(ex, few, n);
#endif
  }
}

/// Keys without values of all types, in registers and in bins, with unique and ambiguous bits.
/// Half of the keys are `often`: keys before and after it are sorted apart.
template <class K>
void sort_around(K often) {
  cpu::threads const ex(3);
  for (index_t const n : {index_t{1} << 16, index_t{200'001}}) {
    std::vector<K> in(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < in.size(); ++i) {
      auto const r = random_word(i);
      in[i] = r % 2 == 0 ? often : static_cast<K>(r >> 8);
    }
    auto want = in;
    std::sort(want.begin(), want.end());
    std::vector<K> out(in.size());
    radix_sort(ex, in, out);
    EXPECT_EQ(out, want) << n << " around " << +often;
    std::reverse(want.begin(), want.end());
    radix_sort(ex, in, out, descending);
    EXPECT_EQ(out, want) << "in descending order";
    radix_sort(ex, in, descending);
    EXPECT_EQ(in, want) << "in place";
  }
}

/// Keys that descend are reversed, unless one rises: anywhere, also between two tiles of threads.
template <class K>
void sorts_descending_keys(std::vector<std::size_t> const& sizes) {
  for (int const threads : {1, 2, 5}) {
    cpu::threads const ex(threads);
    for (std::size_t const n : sizes) {
      std::vector<K> in(n);
      for (std::size_t i = 0; i < n; ++i) {
        std::size_t const third = (n - i) / 3;
        in[i] = static_cast<K>(third);
      }
      auto const sorts = [&] {
        auto want = in;
        std::sort(want.begin(), want.end());
        std::vector<K> out(n);
        radix_sort(ex, in, out);
        ASSERT_EQ(out, want) << n << " keys, " << threads << " threads";
        out = in;
        radix_sort(ex, out);
        ASSERT_EQ(out, want) << "in place";
      };
      sorts();
      for (std::size_t const at : {std::size_t{1}, n / 2, n - 1}) {
        auto const was = in[at];
        in[at] = static_cast<K>(n);
        sorts();
        in[at] = was;
      }
    }
  }
}

TEST(radix_sort_host, reverses_keys_that_descend) {
  sorts_descending_keys<std::uint32_t>({1000, 40'001});
  sorts_descending_keys<float>({40'001});
#ifndef RAVEL_TEST_BRIEFLY
  sorts_descending_keys<std::uint32_t>({300'006});
  sorts_descending_keys<std::int64_t>({1000, 40'001, 300'006});
  sorts_descending_keys<float>({1000, 300'006});
#endif
}

/// Of two to twenty values, and another one somewhere.
THOROUGH_TEST(radix_sort_host, counts_keys_of_few_values_and_one_other) {
  cpu::threads const ex(2);
  for (word const values : {2, 8, 9, 16, 17}) {
    for (std::size_t const n : {40'000u, 200'001u}) {
      std::vector<std::uint32_t> in(n), out(n);
      for (std::size_t i = 0; i < n; ++i) {
        in[i] = static_cast<std::uint32_t>(random_word(random_word(i) % values));
      }
      for (std::size_t const at : {std::size_t{0}, n / 2 + 7, n - 1}) {
        auto const was = std::exchange(in[at], 5);
        auto want = in;
        std::sort(want.begin(), want.end());
        radix_sort(ex, in, out);
        ASSERT_EQ(out, want) << values << " values of " << n << " keys, another at " << at;
        in[at] = was;
      }
    }
  }
}

TEST(radix_sort_host, sorts_around_a_frequent_key) {
  sort_around(std::uint32_t{0});
  sort_around(std::numeric_limits<std::int64_t>::min());
#ifndef RAVEL_TEST_BRIEFLY
  sort_around(std::uint32_t{1} << 31);
  sort_around(std::int32_t{-5});
  sort_around(~std::uint64_t{0});
  sort_around(std::uint16_t{9});
#endif
}

TEST(radix_sort_host, sorts_keys_in_vectors_of_every_width) {
  cpu::threads const ex{2};
  std::vector<std::size_t> sizes{5, 9, 31, 128, 129, 256, 257, 1000, 20000};
#ifndef RAVEL_TEST_BRIEFLY
  sizes.push_back(70000);
#endif
  for (std::size_t const n : sizes) {
    for (distribution const& d : distributions) {
      sorts_keys<std::uint32_t>(ex, d, n);
      sorts_keys<std::int64_t>(ex, d, n);
      sorts_keys<float>(ex, d, n, descending);
#ifndef RAVEL_TEST_BRIEFLY
      sorts_keys<std::int32_t>(ex, d, n, descending);
      sorts_keys<float>(ex, d, n);
      sorts_keys<double>(ex, d, n);
#endif
    }
  }
}

/// Keys without values that fit in no cache: two threads divide them, and three split them first.
TEST(radix_sort_host, divides_keys_that_no_cache_holds) {
  for (std::size_t const d : {0u, 3u, 4u, 5u, 6u, 13u}) {
    cpu::threads const ex{d % 2 == 0 ? 2 : 3};
    sorts_keys<std::uint32_t>(ex, distributions[d], 300'007);
    sorts_keys<std::int64_t>(ex, distributions[d], 140'001, descending);
#ifndef RAVEL_TEST_BRIEFLY
    sorts_keys<float>(ex, distributions[d], 270'000);
    sorts_keys<std::int32_t>(ex, distributions[d], 1'000'003, descending);
    sorts_keys<double>(ex, distributions[d], 200'003);
#endif
  }
}

struct throws_at_last {
  std::atomic<int>* calls;
  std::uint32_t operator()(std::uint32_t x) const {
    if (++*calls == 90000) throw std::runtime_error("a key that cannot be had");
    return x;
  }
};

TEST(radix_sort_host, passes_on_what_a_key_throws) {
  cpu::threads const ex{2};
  std::vector<std::uint32_t> in(20000), out(20000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint32_t>(random_word(i));
  std::atomic<int> calls = 0;
  EXPECT_THROW(radix_sort(ex, in, out, by(throws_at_last{&calls})), std::runtime_error);
  radix_sort(ex, in, out);
  EXPECT_TRUE(std::is_sorted(out.begin(), out.end()));
}

TEST(radix_sort_host, serves_several_threads_at_once) {
  cpu::threads const ex{2};
  std::vector<std::jthread> users;
  std::atomic<int> sorted = 0;
  for (word user = 0; user < 3; ++user) {
    users.emplace_back([&ex, &sorted, user] {
      std::vector<std::uint32_t> data(30000);
      for (word i = 0; i < 30000; ++i) {
        data[i] = static_cast<std::uint32_t>(random_word(user << 32 | i));
      }
      auto expected = data;
      std::sort(expected.begin(), expected.end());
      radix_sort(ex, data);
      sorted += data == expected;
    });
  }
  users.clear();
  EXPECT_EQ(sorted, 3);
}

/// Sorted keys but for one adjacent pair, which may be in different blocks of the
/// survey.
template <class K, class Ex>
void sees_neighbours_out_of_order(Ex const& ex) {
  for (std::size_t const n : {2048u, 10'000u, 140'000u}) {
    for (std::size_t const at :
         {1u, 512u, 1023u, 1024u, 1025u, 2048u, 4096u, 8192u, 65536u, 131072u, 139'264u}) {
      if (at >= n) continue;
      SCOPED_TRACE(std::to_string(n) + " keys, " + std::to_string(at));
      std::vector<K> keys(n), out(n);
      for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<K>(3 * i);
      auto const expected = keys;
      std::swap(keys[at - 1], keys[at]);
      radix_sort(ex, keys, out);
      ASSERT_TRUE(out == expected);
      std::vector<std::size_t> places(n);
      std::iota(places.begin(), places.end(), std::size_t{0});
      radix_sort_pairs(ex, keys, places);
      ASSERT_TRUE(keys == expected);
      ASSERT_EQ(places[at - 1], at);
      ASSERT_EQ(places[at], at - 1);
    }
  }
}

THOROUGH_TEST(radix_sort_host, sees_neighbours_out_of_order_wherever_they_are) {
  sees_neighbours_out_of_order<std::uint32_t>(cpu::threads(3));
  sees_neighbours_out_of_order<double>(cpu::sequential());
  sees_neighbours_out_of_order<std::uint32_t>(cpu::sequential());
  sees_neighbours_out_of_order<double>(cpu::threads(3));
}

}  // namespace
}  // namespace ravel::radix_sort_host_test
