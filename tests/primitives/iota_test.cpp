#include <ravel/primitives/iota.hpp>

#include "support/executors.hpp"
#include "support/sizes.hpp"

#include <cstdint>
#include <numeric>

namespace ravel::iota_test {
namespace {

template <class Ex>
struct iota : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(iota, testing::executors);

TYPED_TEST(iota, gives_the_examples_in_the_header) {
  auto out = this->template allocate<int>(4);
  ravel::iota(this->ex(), out);
  EXPECT_EQ(this->here(out), (std::vector{0, 1, 2, 3}));
  ravel::iota(this->ex(), out, 10, -2);
  EXPECT_EQ(this->here(out), (std::vector{10, 8, 6, 4}));
}

TYPED_TEST(iota, agrees_with_the_standard_at_every_size) {
  for (index_t const n : testing::sizes()) {
    SCOPED_TRACE(n);
    std::vector<std::uint32_t> expected(static_cast<std::size_t>(n));
    std::iota(expected.begin(), expected.end(), 5u);
    auto out = this->template allocate<std::uint32_t>(n);
    ravel::iota(this->ex(), out, 5);
    EXPECT_EQ(this->here(out), expected);
  }
}

TYPED_TEST(iota, wraps_integers_around_in_their_own_width) {
  auto out = this->template allocate<std::uint8_t>(600);
  ravel::iota(this->ex(), out, 250, 3);
  auto const host = this->here(out);
  for (int i = 0; i < 600; ++i) {
    ASSERT_EQ(host[static_cast<std::size_t>(i)], static_cast<std::uint8_t>(250 + 3 * i)) << i;
  }
  auto longs = this->template allocate<std::int64_t>(3);
  ravel::iota(this->ex(), longs, INT64_MAX - 1, std::int64_t{2});
  EXPECT_EQ(this->here(longs), (std::vector{INT64_MAX - 1, INT64_MIN, INT64_MIN + 2}));
}

TYPED_TEST(iota, does_not_pile_up_errors_in_floating_point) {
  auto out = this->template allocate<double>(10000);
  ravel::iota(this->ex(), out, 1.0, 0.1);
  auto const host = this->here(out);
  for (int i = 0; i < 10000; ++i) {
    ASSERT_DOUBLE_EQ(host[static_cast<std::size_t>(i)], 1.0 + i * 0.1) << i;
  }
}

}  // namespace
}  // namespace ravel::iota_test
