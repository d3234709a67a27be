#include <ravel/core/radix_key.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace ravel::radix_key_test {
namespace {

template <class T>
using limits = std::numeric_limits<T>;

/// Expects strictly ascending keys to have ascending bits.
template <class T>
void keeps_order(std::vector<T> const& ascending) {
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    EXPECT_LT(radix_key<T>::bits(ascending[i - 1]), radix_key<T>::bits(ascending[i])) << i;
  }
}

enum class direction : signed char { down = -1, level, up };

TEST(radix_key, gives_the_examples_in_the_header) {
  EXPECT_EQ(radix_key<int>::bits(-1), 0x7fffffffu);
  EXPECT_EQ(radix_key<int>::bits(0), 0x80000000u);
  EXPECT_EQ(radix_key<float>::bits(0.0f), 0x80000000u);
  EXPECT_EQ(radix_key<float>::bits(-0.0f), 0x80000000u);
  EXPECT_EQ(radix_key<float>::bits(limits<float>::quiet_NaN()), 0xffffffffu);
}

TEST(radix_key, keeps_the_order_of_whole_numbers) {
  keeps_order<bool>({false, true});
  keeps_order<char>({limits<char>::min(), 'a', limits<char>::max()});
  keeps_order<char8_t>({0, 127, 128, 255});
  keeps_order<char16_t>({0, 0x7fff, 0x8000, 0xffff});
  keeps_order<wchar_t>({limits<wchar_t>::min(), 7, limits<wchar_t>::max()});
  keeps_order<std::int8_t>({-128, -1, 0, 1, 127});
  keeps_order<std::uint8_t>({0, 1, 127, 128, 255});
  keeps_order<std::int16_t>({-32768, -256, -1, 0, 255, 32767});
  keeps_order<std::uint16_t>({0, 255, 256, 65535});
  keeps_order<int>({limits<int>::min(), -65536, -1, 0, 65535, limits<int>::max()});
  keeps_order<unsigned>({0, 1u << 31, limits<unsigned>::max()});
  keeps_order<long>({limits<long>::min(), -1, 0, 1l << 32, limits<long>::max()});
  keeps_order<unsigned long long>({0, 1ull << 63, limits<unsigned long long>::max()});
  keeps_order<direction>({direction::down, direction::level, direction::up});
}

template <class T>
void keeps_the_order_of_numbers() {
  std::vector<T> ascending{-limits<T>::infinity(), limits<T>::lowest(), -1, -limits<T>::min(),
                           -limits<T>::denorm_min()};
  for (std::size_t i = ascending.size(); i-- > 0;) {
    if (i + 1 == ascending.size()) ascending.push_back(0);
    ascending.push_back(-ascending[i]);
  }
  ascending.push_back(limits<T>::quiet_NaN());
  keeps_order(ascending);

  auto const bits = [](T x) { return radix_key<T>::bits(x); };
  EXPECT_EQ(bits(T(-0.0)), bits(T(0.0)));
  EXPECT_EQ(bits(std::copysign(limits<T>::quiet_NaN(), T(-1))), bits(limits<T>::quiet_NaN()));
  EXPECT_EQ(bits(limits<T>::signaling_NaN()), bits(limits<T>::quiet_NaN()));
}

TEST(radix_key, keeps_the_order_of_numbers_in_floating_point) {
  keeps_the_order_of_numbers<float>();
  keeps_the_order_of_numbers<double>();
}

#ifdef __SIZEOF_INT128__
TEST(radix_key, keeps_the_order_of_128_bits) {
  using detail::int128;
  using detail::uint128;
  auto const power = [](int k) { return static_cast<int128>(uint128{1} << k); };
  keeps_order<int128>({power(127), -power(64), -1, 0, 1, power(64), power(126)});
  keeps_order<uint128>({0, 1, uint128{1} << 64, uint128{1} << 127, ~uint128{0}});
}
#endif

TEST(radix_key, knows_what_it_does_not_know) {
  EXPECT_FALSE(radix_sortable<void*>);
  EXPECT_FALSE(radix_sortable<std::vector<int>>);
  EXPECT_EQ(radix_sortable<long double>, sizeof(long double) <= 8);
}

}  // namespace
}  // namespace ravel::radix_key_test
