#include <ravel/algorithms/delta.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"

#include <cstdint>

namespace ravel::delta_test {
namespace {

template <class Ex>
struct delta : testing::on_executor<Ex> {
  /// Encodes, compares with loops of differences, and decodes.
  template <int Q, int S, class T>
  void expect_round_trip(index_t n) const {
    SCOPED_TRACE(::testing::Message() << "order " << Q << ", tuples of " << S << ", n " << n);
    std::vector<T> signal(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < signal.size(); ++i) signal[i] = static_cast<T>(i * i * 77 + i % 13);
    auto expected = signal;
    for (int q = 0; q < Q; ++q) {
      for (std::size_t i = expected.size(); i-- > S;) {
        expected[i] = static_cast<T>(std::uint64_t(expected[i]) - std::uint64_t(expected[i - S]));
      }
    }
    auto coded = this->there(expected);
    if constexpr (!testing::has_ranks<Ex>) {
      auto const in = this->there(signal);
      delta_encode(this->ex(), in, coded, of_order<Q>, of_tuples<S>);
      ASSERT_EQ(this->here(coded), expected);
    }
    delta_decode(this->ex(), coded, coded, of_order<Q>, of_tuples<S>);
    ASSERT_EQ(this->here(coded), signal);
  }
};
TYPED_TEST_SUITE(delta, testing::executors);

TYPED_TEST(delta, decodes_the_example_in_the_header) {
  auto const coded = this->there(std::vector{10, -8, 1, 1, 1, 1});
  auto out = this->template allocate<int>(6);
  delta_decode(this->ex(), coded, out, of_order<2>);
  EXPECT_EQ(this->here(out), (std::vector{10, 12, 15, 19, 24, 30}));
}

LOCAL_TYPED_TEST(delta, encodes_the_examples_in_the_header) {
  auto const& ex = this->ex();
  auto const in = this->there(std::vector{10, 12, 15, 19, 24, 30});
  auto const out = this->template allocate<int>(6);
  delta_encode(ex, in, out);
  EXPECT_EQ(this->here(out), (std::vector{10, 2, 3, 4, 5, 6}));
  delta_encode(ex, in, out, of_tuples<2>);
  EXPECT_EQ(this->here(out), (std::vector{10, 12, 5, 7, 9, 11}));
  delta_encode(ex, in, out, of_order<2>);
  EXPECT_EQ(this->here(out), (std::vector{10, -8, 1, 1, 1, 1}));
}

TYPED_TEST(delta, comes_back_whatever_the_order_and_the_tuples) {
  for (index_t const n : {0, 1, 2, 5, 10'000}) {
    this->template expect_round_trip<2, 2, std::int16_t>(n);
    this->template expect_round_trip<8, 1, std::uint64_t>(n);
  }
}

/// The coded signal may have wider elements than the signal.
LOCAL_TYPED_TEST(delta, may_change_the_width) {
  std::vector<std::uint8_t> const signal{0, 255, 0, 255, 3};
  auto const in = this->there(signal);
  auto const coded = this->template allocate<std::int16_t>(5);
  auto const out = this->template allocate<std::uint8_t>(5);
  delta_encode(this->ex(), in, coded, of_order<2>);
  EXPECT_EQ(this->here(coded), (std::vector<std::int16_t>{0, 255, -510, 510, -507}));
  delta_decode(this->ex(), coded, out, of_order<2>);
  EXPECT_EQ(this->here(out), signal);
}

LOCAL_TYPED_TEST(delta, refuses_sizes_that_differ) {
  auto const three = this->template allocate<int>(3);
  auto const two = this->template allocate<int>(2);
  EXPECT_THROW(delta_encode(this->ex(), three, two), contract_error);
  EXPECT_THROW(delta_decode(this->ex(), three, two), contract_error);
}

}  // namespace
}  // namespace ravel::delta_test
