#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/histogram.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/sizes.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace ravel::histogram_test {
namespace {

template <class Ex>
struct histogram : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(histogram, testing::all_executors);

TYPED_TEST(histogram, gives_the_examples_in_the_header) {
  auto const keys = this->there(std::vector{3, 1, 0, 3, 3, 7});
  auto const values = this->there(std::vector{0.5, -2.0, 3.9, 1.0, std::nan("")});
  auto four = this->template replicate<int>(4);
  ravel::histogram(this->ex(), keys, four);
  EXPECT_EQ(this->here(four), (std::vector{1, 1, 0, 3}));
  ravel::histogram(this->ex(), values, four, by_width(0.0, 1.0));
  EXPECT_EQ(this->here(four), (std::vector{1, 1, 0, 1}));
}

TYPED_TEST(histogram, by_edges_gives_the_example_in_the_header) {
  auto const values = this->there(std::vector{0.5, -2.0, 3.9, 1.0, std::nan("")});
  auto const edges = this->replicated(std::vector{0.0, 2.0, 3.0, 4.0});
  auto three = this->template replicate<int>(3);
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
      auto counts = this->template replicate<std::uint64_t>(bins);
      ravel::histogram(this->ex(), in, counts);
      EXPECT_EQ(this->here(counts), expected);
    }
  }
}

/// Keys of a type, of which many are equal; from some element on, so that they are not aligned.
template <class K, class Test>
void expect_counts_of(Test& test, index_t n, index_t bins, index_t from,
                      std::uint64_t (*key)(index_t)) {
  std::vector<K> host;
  std::vector<unsigned> expected(static_cast<std::size_t>(bins), 0);
  for (index_t i = 0; i < n; ++i) {
    host.push_back(static_cast<K>(key(i)));
    auto const k = static_cast<std::uint64_t>(host.back());
    if (i >= from && k < expected.size()) ++expected[k];
  }
  auto const in = test.there(host);
  auto counts = test.template allocate<unsigned>(bins + 2);
  ravel::distribute(test.ex(), 77u, counts);
  ravel::histogram(test.ex(), view_of(in).slice(from, n - from), view_of(counts).slice(1, bins));
  auto const got = test.here(counts);
  EXPECT_EQ(std::vector(got.begin() + 1, got.end() - 1), expected);
  EXPECT_EQ(got.front(), 77u);  // nothing is written beside the counts
  EXPECT_EQ(got.back(), 77u);
}

LOCAL_TYPED_TEST(histogram,
                 counts_keys_that_are_equal_sorted_or_scattered_in_bins_of_every_number) {
  for (auto const key :
       {+[](index_t) { return std::uint64_t{100}; },
        +[](index_t i) { return static_cast<std::uint64_t>(i / 50); },
        +[](index_t i) { return static_cast<std::uint64_t>(i) * 48271 % 70001; }}) {
    for (index_t const bins : {1, 101, 256, 1000, 9000, 60000, 65536, 70000}) {
      for (index_t const from : {0, 1}) {
        SCOPED_TRACE(::testing::Message() << bins << " bins, from " << from);
        expect_counts_of<std::uint32_t>(*this, 90000, bins, from, key);
      }
    }
    expect_counts_of<std::uint8_t>(*this, 140000, 256, 3, key);
    expect_counts_of<std::uint16_t>(*this, 90000, 60000, 1, key);
    expect_counts_of<std::uint64_t>(*this, 90000, 60000, 1, key);
  }
}

LOCAL_TYPED_TEST(histogram, counts_more_keys_of_a_bin_than_a_counter_of_16_bits_holds) {
  auto const key =
      +[](index_t i) { return static_cast<std::uint64_t>(i % 5 == 4 ? i % 65536 : i % 5 * 64); };
  expect_counts_of<std::uint32_t>(*this, (1 << 22) + 77, 65536, 1, key);
#ifndef RAVEL_TEST_BRIEFLY
  expect_counts_of<std::uint16_t>(*this, (1 << 22) + 77, 65536, 1, key);
#endif
}

LOCAL_TYPED_TEST(histogram, counts_bins_that_occur_often_among_more_than_shared_memory_holds) {
  auto const key = +[](index_t i) {
    auto const k = static_cast<std::uint64_t>(i) * 2654435761u % 300007;
    return i % 3 == 0 ? std::uint64_t{77} : k;
  };
  expect_counts_of<std::uint32_t>(*this, (1 << 20) + 77, 300000, 1, key);
}

TYPED_TEST(histogram, does_not_overflow_at_the_ends_of_the_integers) {
  auto const in =
      this->there(std::vector{std::numeric_limits<std::int64_t>::min(), std::int64_t{-1},
                              std::int64_t{0}, std::numeric_limits<std::int64_t>::max()});
  auto counts = this->template replicate<int>(2);
  auto const lowest = std::numeric_limits<std::int64_t>::min();
  ravel::histogram(this->ex(), in, counts,
                   by_width(lowest, std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(this->here(counts), (std::vector{1, 2}));  // the last would be in a third bin
}

TYPED_TEST(histogram, separates_bins_further_apart_than_a_word_counts) {
  auto const in = this->there(std::vector{std::uint64_t{0}, ~std::uint64_t{0}});
  auto wide = this->template replicate<int>(5);
  ravel::histogram(this->ex(), in, wide, by_width(std::int64_t{-5}, std::int64_t{1} << 62));
  EXPECT_EQ(this->here(wide), (std::vector{1, 0, 0, 0, 1}));  // (2^64 + 4) / 2^62
  auto narrow = this->template replicate<int>(6);
  ravel::histogram(this->ex(), in, narrow, by_width(-5, 1));
  EXPECT_EQ(this->here(narrow), (std::vector{0, 0, 0, 0, 0, 1}));
}

LOCAL_TYPED_TEST(histogram, refuses_edges_of_another_number) {
  auto const in = this->there(std::vector{1.0});
  auto const edges = this->there(std::vector{0.0, 1.0});
  auto counts = this->template replicate<int>(3);
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
}  // namespace ravel::histogram_test
