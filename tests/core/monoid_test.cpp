#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/monoid.hpp>

#include "laws/monoid.hpp"
#include "support/monoids.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

namespace ravel::monoid_test {
namespace {

using testing::expect_monoid_laws;

double constexpr infinity = std::numeric_limits<double>::infinity();

TEST(monoid, arithmetic) {
  expect_monoid_laws<int>(plus<int>{}, {-2, 0, 1, 7});
  expect_monoid_laws<std::uint8_t>(plus<std::uint8_t>{}, {0, 1, 200, 255});
  expect_monoid_laws<int>(multiplies<int>{}, {-2, 0, 1, 7});
}

TEST(monoid, of_strings) { expect_monoid_laws<std::string>(plus<std::string>{}, {"", "a", "bc"}); }

TEST(monoid, order) {
  expect_monoid_laws<int>(minimum<int>{}, {-2, 0, 1, std::numeric_limits<int>::max()});
  expect_monoid_laws<int>(maximum<int>{}, {-2, 0, 1, std::numeric_limits<int>::min()});
  expect_monoid_laws<double>(minimum<double>{}, {-infinity, -1, 0, 1e300, infinity});
  expect_monoid_laws<double>(maximum<double>{}, {-infinity, -1, 0, 1e300, infinity});
}

TEST(monoid, a_nan_wins_over_every_number_on_either_side) {
  double const nan = std::nan("");
  for (double const x : {-infinity, 0.0, infinity}) {
    EXPECT_TRUE(std::isnan(minimum<double>{}(x, nan)));
    EXPECT_TRUE(std::isnan(minimum<double>{}(nan, x)));
    EXPECT_TRUE(std::isnan(maximum<double>{}(x, nan)));
    EXPECT_TRUE(std::isnan(maximum<double>{}(nan, x)));
  }
  EXPECT_EQ((arg_min<double>{}({1, 0}, {nan, 3}).index), 3);
  EXPECT_EQ((arg_max<double>{}({nan, 3}, {nan, 2}).index), 2);
}

TEST(monoid, logic_and_bits) {
  expect_monoid_laws<bool>(logical_and<bool>{}, {false, true});
  expect_monoid_laws<bool>(logical_or<bool>{}, {false, true});
  expect_monoid_laws<unsigned>(bit_and<unsigned>{}, {0u, 1u, 6u, ~0u});
  expect_monoid_laws<unsigned>(bit_or<unsigned>{}, {0u, 1u, 6u, ~0u});
  expect_monoid_laws<unsigned>(bit_xor<unsigned>{}, {0u, 1u, 6u, ~0u});
}

TEST(monoid, where_the_extremes_are) {
  std::vector<indexed<int>> const samples{{3, 0}, {1, 1}, {1, 2}, {3, 5}, {-2, 4}};
  expect_monoid_laws<indexed<int>>(arg_min<int>{}, samples);
  expect_monoid_laws<indexed<int>>(arg_max<int>{}, samples);
  EXPECT_EQ((arg_min<int>{}({1, 2}, {1, 1})), (indexed<int>{1, 1}));
}

TEST(monoid, composition_of_affine_maps) {
  expect_monoid_laws<testing::affine>(testing::then{}, {{1, 0}, {2, 3}, {5, 7}, {0, 4}});
}

TEST(monoid, made_of_an_operator_and_its_identity) {
  expect_monoid_laws<int>(monoid{[](int x, int y) { return x > y ? x : y; }, -100}, {-100, 3, 7});
}

TEST(monoid, made_of_an_operator_without_identity) {
  auto const last = adjoin_identity<int>([](int, int y) { return y; });
  expect_monoid_laws<maybe<int>>(last, {maybe<int>{}, maybe<int>{3}, maybe<int>{7}});
}

TEST(monoid, pairs) {
  expect_monoid_laws<paired<int, int>>(pair_of{plus<int>{}, maximum<int>{}},
                                       {{0, 0}, {1, -3}, {-5, 7}});
}

TEST(monoid, the_same_side_by_side) {
  using three = side_by_side<testing::affine, 3>;
  three const f{{{1, 0}, {2, 3}, {5, 7}}}, g{{{0, 4}, {5, 7}, {2, 3}}};
  expect_monoid_laws<three>(each_of<testing::then, 3>{}, {f, g});
  EXPECT_EQ(
      (each_of<testing::then, 3>{}(f, g)),
      (three{{{0, 4}, testing::then{}(f.of[1], g.of[1]), testing::then{}(f.of[2], g.of[2])}}));
}

TEST(monoid, flipped_takes_its_operands_in_the_other_order) {
  testing::affine const f{2, 3};
  testing::affine const g{5, 7};
  EXPECT_EQ(flipped{testing::then{}}(f, g), testing::then{}(g, f));
  expect_monoid_laws<testing::affine>(flipped{testing::then{}}, {{1, 0}, {2, 3}, {5, 7}});
}

TEST(monoid, segmented_lifts_a_monoid_to_a_monoid) {
  expect_monoid_laws<flagged<int>>(segmented{plus<int>{}},
                                   {{0, false}, {3, false}, {3, true}, {-1, true}});
}

TEST(monoid, integers_wrap_around) {
  static_assert(plus<int>{}(bounds<int>::highest(), 1) == bounds<int>::lowest());
  static_assert(multiplies<std::uint16_t>{}(65535, 65535) == 1);
}

TEST(monoid, may_leave_its_type_to_the_call) {
  static_assert(std::is_same_v<decltype(monoid_on<int>(plus{})), plus<int>>);
  static_assert(std::is_same_v<decltype(monoid_on<indexed<int>>(arg_min{})), arg_min<int>>);
  static_assert(std::is_same_v<decltype(monoid_on<int>(plus<double>{})), plus<double>>);
  EXPECT_EQ(monoid_on<int>(plus{})(2, 3), 5);
}

template <class T, class M, class Op>
constexpr bool is_on(Op op) {
  return std::is_same_v<decltype(monoid_on<T>(op)), M>;
}
TEST(monoid, may_be_a_function_object_of_std_without_a_type) {
  static_assert(is_on<int, plus<int>>(std::plus{}));
  static_assert(is_on<float, multiplies<float>>(std::multiplies{}));
  static_assert(is_on<bool, logical_and<bool>>(std::logical_and{}));
  static_assert(is_on<bool, logical_or<bool>>(std::logical_or{}));
  static_assert(is_on<unsigned, bit_and<unsigned>>(std::bit_and{}));
  static_assert(is_on<unsigned, bit_or<unsigned>>(std::bit_or{}));
  static_assert(is_on<unsigned, bit_xor<unsigned>>(std::bit_xor{}));
  static_assert(is_on<int, std::minus<>>(std::minus{}));  // no monoid
  static_assert(is_on<int, std::less<>>(std::less{}));
  static_assert(is_on<int, std::plus<int>>(std::plus<int>{}));
}

}  // namespace
}  // namespace ravel::monoid_test
