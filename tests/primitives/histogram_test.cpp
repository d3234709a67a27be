#include <ravel/primitives/histogram.hpp>

#include "support/executors.hpp"
#include "support/sizes.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace ravel {
namespace {

template <class Ex>
struct histogram : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(histogram, testing::executors);

TYPED_TEST(histogram, gives_the_examples_in_the_header) {
  auto const keys = this->there(std::vector{3, 1, 0, 3, 3, 7});
  auto const values = this->there(std::vector{0.5, -2.0, 3.9, 1.0, std::nan("")});
  auto const edges = this->there(std::vector{0.0, 2.0, 3.0, 4.0});
  auto four = this->template allocate<int>(4);
  auto three = this->template allocate<int>(3);
  ravel::histogram(this->ex(), keys, four);
  EXPECT_EQ(this->here(four), (std::vector{1, 1, 0, 3}));
  ravel::histogram(this->ex(), values, four, by_width(0.0, 1.0));
  EXPECT_EQ(this->here(four), (std::vector{1, 1, 0, 1}));
  ravel::histogram(this->ex(), values, three, by_edges(edges));
  EXPECT_EQ(this->here(three), (std::vector{2, 0, 1}));
}

TYPED_TEST(histogram, agrees_with_the_loop_at_every_size_for_few_bins_and_many) {
  for (index_t const n : testing::sizes()) {
    for (index_t const bins : {0, 1, 7, 256, 257, 5000}) {
      SCOPED_TRACE(::testing::Message() << n << " elements, " << bins << " bins");
      std::vector<std::int64_t> host;
      std::vector<std::uint64_t> expected(static_cast<std::size_t>(bins), 0);
      for (index_t i = 0; i < n; ++i) {
        host.push_back(i * i % 6000 - 3);  // some are below all bins, and some above
        if (0 <= host.back() && host.back() < bins)
          ++expected[static_cast<std::size_t>(host.back())];
      }
      auto const in = this->there(host);
      auto counts = this->template allocate<std::uint64_t>(bins);
      ravel::histogram(this->ex(), in, counts);
      EXPECT_EQ(this->here(counts), expected);
    }
  }
}

TYPED_TEST(histogram, does_not_overflow_at_the_ends_of_the_integers) {
  auto const in =
      this->there(std::vector{std::numeric_limits<std::int64_t>::min(), std::int64_t{-1},
                              std::int64_t{0}, std::numeric_limits<std::int64_t>::max()});
  auto counts = this->template allocate<int>(2);
  auto const lowest = std::numeric_limits<std::int64_t>::min();
  ravel::histogram(this->ex(), in, counts,
                   by_width(lowest, std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(this->here(counts), (std::vector{1, 2}));  // the last would be in a third bin
}

TYPED_TEST(histogram, separates_bins_further_apart_than_a_word_counts) {
  auto const in = this->there(std::vector{std::uint64_t{0}, ~std::uint64_t{0}});
  auto wide = this->template allocate<int>(5);
  ravel::histogram(this->ex(), in, wide, by_width(std::int64_t{-5}, std::int64_t{1} << 62));
  EXPECT_EQ(this->here(wide), (std::vector{1, 0, 0, 0, 1}));  // (2^64 + 4) / 2^62
  auto narrow = this->template allocate<int>(6);
  ravel::histogram(this->ex(), in, narrow, by_width(-5, 1));
  EXPECT_EQ(this->here(narrow), (std::vector{0, 0, 0, 0, 0, 1}));
}

TYPED_TEST(histogram, refuses_edges_of_another_number) {
  auto const in = this->there(std::vector{1.0});
  auto const edges = this->there(std::vector{0.0, 1.0});
  auto counts = this->template allocate<int>(3);
  EXPECT_THROW(ravel::histogram(this->ex(), in, counts, by_edges(edges)), contract_error);
  EXPECT_THROW(by_width(0, 0), contract_error);
  EXPECT_THROW(by_width(0.0, std::numeric_limits<double>::quiet_NaN()), contract_error);
  auto const sentence_of = [](double width) -> std::string {
    try {
      by_width(0.0, width);
    } catch (contract_error const& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(sentence_of(-0.5), "by_width: the width of bins is -0.5");
  EXPECT_EQ(sentence_of(-0.0), "by_width: the width of bins is -0");
  EXPECT_EQ(sentence_of(0.5), "no error");
}

}  // namespace
}  // namespace ravel
