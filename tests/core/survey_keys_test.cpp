/// A survey of keys, beside loops over their radix bits, for every vector width.

#include <ravel/core/cpu/simd_survey.hpp>

#include "support/random_word.hpp"
#include "support/vector_widths.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace ravel::cpu {
namespace {

template <class K>
key_survey<radix_bits_t<K>> surveyed_one_by_one(std::vector<K> const& keys) {
  using U = radix_bits_t<K>;
  key_survey<U> seen;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    U const x = radix_key<K>::bits(keys[i]);
    seen.least = std::min(seen.least, x);
    seen.greatest = std::max(seen.greatest, x);
    seen.any |= x;
    seen.all &= x;
    if (i > 0) seen.rises |= radix_key<K>::bits(keys[i - 1]) < x;
    if (i > 0) seen.falls |= x < radix_key<K>::bits(keys[i - 1]);
    if constexpr (std::floating_point<K>) {
      seen.are_ambiguous |= std::isnan(keys[i]) || (keys[i] == 0 && std::signbit(keys[i]));
    }
  }
  return seen;
}

template <class K>
void expects_the_same(std::vector<K> const& keys) {
  auto const seen = survey_keys(keys.data(), static_cast<index_t>(keys.size()));
  auto const expected = surveyed_one_by_one(keys);
  ASSERT_EQ(seen.least, expected.least);
  ASSERT_EQ(seen.greatest, expected.greatest);
  ASSERT_EQ(seen.any, expected.any);
  ASSERT_EQ(seen.all, expected.all);
  ASSERT_EQ(seen.rises, expected.rises);
  ASSERT_EQ(seen.falls, expected.falls);
  ASSERT_EQ(seen.are_ambiguous, expected.are_ambiguous);
}

/// A key of any bits but those of a NaN.
template <class K>
K key_of(std::uint64_t word) {
  K key;
  std::memcpy(&key, &word, sizeof(key));
  return key == key ? key : K(1);
}

template <class K>
void surveys_keys() {
  for (std::uint64_t n = 0; n < 100; ++n) {
    std::vector<K> random(n), equal(n, K(5)), rising(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      random[i] = key_of<K>(testing::random_word(n << 32 | i));
      rising[i] = static_cast<K>(i) - static_cast<K>(3);
    }
    SCOPED_TRACE(::testing::Message() << n << " keys");
    expects_the_same(random);
    expects_the_same(equal);
    expects_the_same(rising);
    for (std::uint64_t i = 0; i < n; ++i) {  // one key of each place differs
      auto const was = equal[i];
      equal[i] = K(4);
      expects_the_same(equal);
      equal[i] = was;
      if constexpr (std::floating_point<K>) {
        for (K const other :
             {K(0), -K(0), std::numeric_limits<K>::infinity(), std::numeric_limits<K>::quiet_NaN(),
              -std::numeric_limits<K>::quiet_NaN()}) {
          random[i] = other;
          expects_the_same(random);
        }
        random[i] = K(2);
      }
    }
  }
}

TEST(survey_keys, is_that_of_a_loop) {
  testing::in_each_width([] {
    surveys_keys<std::int32_t>();
    surveys_keys<std::uint32_t>();
    surveys_keys<float>();
    surveys_keys<std::int64_t>();
    surveys_keys<unsigned long long>();
    surveys_keys<double>();
    surveys_keys<char32_t>();
  });
}

TEST(survey_keys, is_reversed_with_the_order) {
  std::vector<std::int32_t> const keys = {3, -7, -7, 12};
  auto const up = survey_keys(keys.data(), 4), down = up.reversed();
  EXPECT_EQ(up.least, 0x80000000u - 7);
  EXPECT_EQ(up.greatest, 0x80000000u + 12);
  EXPECT_EQ(down.least, ~up.greatest);
  EXPECT_EQ(down.greatest, ~up.least);
  EXPECT_EQ(down.any, ~up.all);
  EXPECT_EQ(down.all, ~up.any);
  EXPECT_TRUE(up.rises && up.falls && down.rises && down.falls);
  auto const sorted = survey_keys(keys.data() + 1, 3);
  EXPECT_TRUE(sorted.rises && !sorted.falls);
  EXPECT_TRUE(sorted.reversed().falls && !sorted.reversed().rises);
}

}  // namespace
}  // namespace ravel::cpu
