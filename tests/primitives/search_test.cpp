#include <ravel/primitives/search.hpp>

#include "support/executors.hpp"

#ifndef __CUDACC__
#  include <ravel/primitives/cuda/search.cuh>
#endif

#include <algorithm>
#include <cstdint>
#include <random>

namespace ravel::search_test {
namespace {

/// A key with additional data.
struct entry {
  int key;
  int payload;
};
struct by_entry {
  RAVEL_HD bool operator()(entry const& x, entry const& y) const { return x.key < y.key; }
};
struct descending {
  RAVEL_HD bool operator()(int x, int y) const { return x > y; }
};
/// Compares an entry and a bare key, in both orders.
struct key_against {
  RAVEL_HD bool operator()(entry const& x, int y) const { return x.key < y; }
  RAVEL_HD bool operator()(int x, entry const& y) const { return x < y.key; }
};

/// The references, by counting.
template <class T, class U, class Before>
std::vector<int> counted_before(std::vector<T> const& haystack, std::vector<U> const& needles,
                                Before before) {
  std::vector<int> out;
  for (auto const& needle : needles) {
    out.push_back(static_cast<int>(std::count_if(haystack.begin(), haystack.end(),
                                                 [&](T const& x) { return before(x, needle); })));
  }
  return out;
}
template <class T, class U, class Before>
std::vector<int> counted_not_after(std::vector<T> const& haystack, std::vector<U> const& needles,
                                   Before before) {
  std::vector<int> out;
  for (auto const& needle : needles) {
    out.push_back(static_cast<int>(std::count_if(haystack.begin(), haystack.end(),
                                                 [&](T const& x) { return !before(needle, x); })));
  }
  return out;
}

std::vector<int> random_numbers(index_t n, int below) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<int> numbers(static_cast<std::size_t>(n));
  for (int& x : numbers) x = static_cast<int>(random() % static_cast<unsigned>(below));
  return numbers;
}

template <class Ex>
struct sorted_search : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(sorted_search, testing::executors);

TYPED_TEST(sorted_search, gives_the_examples_in_the_header) {
  auto const haystack = this->there(std::vector{1, 3, 3, 5, 9});
  auto const needles = this->there(std::vector{3, 0, 4, 9, 10});
  auto out = this->template allocate<int>(5);
  lower_bound(this->ex(), needles, haystack, out);
  EXPECT_EQ(this->here(out), (std::vector{1, 0, 3, 4, 5}));
  upper_bound(this->ex(), needles, haystack, out);
  EXPECT_EQ(this->here(out), (std::vector{3, 0, 3, 5, 5}));
}

TYPED_TEST(sorted_search, agrees_with_counting) {
  for (index_t const n : {0, 1, 2, 3, 100, 3000}) {
    for (index_t const m : {0, 1, 2, 700}) {
      for (int const below : {1, 50, 1'000'000}) {  // all equal; many equal; few equal
        SCOPED_TRACE(::testing::Message() << m << " needles in " << n << ", below " << below);
        auto haystack = random_numbers(n, below);
        std::sort(haystack.begin(), haystack.end());
        auto needles = random_numbers(m, below + 2);
        for (bool const sorted : {false, true}) {
          if (sorted) std::sort(needles.begin(), needles.end());
          auto const in = this->there(haystack);
          auto const wanted = this->there(needles);
          auto out = this->template allocate<int>(m);
          lower_bound(this->ex(), wanted, in, out);
          EXPECT_EQ(this->here(out), counted_before(haystack, needles, less{}));
          upper_bound(this->ex(), wanted, in, out);
          EXPECT_EQ(this->here(out), counted_not_after(haystack, needles, less{}));
        }
      }
    }
  }
}

TYPED_TEST(sorted_search, takes_any_strict_weak_order_and_needles_of_another_type) {
  auto numbers = random_numbers(2000, 300);
  std::sort(numbers.begin(), numbers.end(), descending{});
  auto const needles = random_numbers(5000, 310);
  auto const wanted = this->there(needles);
  auto out = this->template allocate<std::uint16_t>(5000);
  auto const got = [&] {
    auto const host = this->here(out);
    return std::vector<int>(host.begin(), host.end());
  };
  auto const in = this->there(numbers);
  lower_bound(this->ex(), wanted, in, out, descending{});
  EXPECT_EQ(got(), counted_before(numbers, needles, descending{}));
  upper_bound(this->ex(), wanted, in, out, descending{});
  EXPECT_EQ(got(), counted_not_after(numbers, needles, descending{}));

  std::vector<entry> entries;
  for (std::size_t i = numbers.size(); i-- > 0;) {
    entries.push_back({numbers[i], static_cast<int>(i)});
  }
  auto const many = this->there(entries);
  lower_bound(this->ex(), wanted, many, out, key_against{});
  EXPECT_EQ(got(), counted_before(entries, needles, key_against{}));
  upper_bound(this->ex(), wanted, many, out, key_against{});
  EXPECT_EQ(got(), counted_not_after(entries, needles, key_against{}));
  auto all = this->template allocate<int>(2000);
  upper_bound(this->ex(), many, many, all, by_entry{});
  EXPECT_EQ(this->here(all), counted_not_after(entries, entries, by_entry{}));
}

/// Searches in directories: of the most elements, there are several besides that in shared memory.
struct search_in_a_directory : testing::on_executor<gpu::executor> {
  /// The haystack without its first elements.
  template <template <class, class, class> class Is, class T, class N, class Before = less>
  std::vector<int> places(std::vector<T> const& haystack, std::vector<N> const& needles,
                          Before before = {}, index_t first = 0) {
    auto const in = there(haystack);
    auto const wanted = there(needles);
    auto out = allocate<int>(wanted.size());
    auto const searched = view_of(in).slice(first, size_of(in) - first);
    run_call_by<gpu::search_by_directory>(
        ex(), detail::describe_search<Is>(wanted, searched, out, before));
    return here(out);
  }
  /// Searches that end anywhere in a sector of memory, and before and after all elements.
  template <class T>
  void expect_places_of() {
    for (index_t const n : {1, 17, 1000, 300'003}) {
      std::vector<T> numbers;
      for (index_t i = 0; i < n; ++i) numbers.push_back(static_cast<T>(1 + i * 120 / n));
      std::vector<T> needles;
      for (int k = 0; k < 130; ++k) needles.push_back(static_cast<T>(k));
      for (index_t const first :
           {index_t{0}, std::min(n - 1, index_t{1}), std::min(n - 1, index_t{7})}) {
        SCOPED_TRACE(::testing::Message() << n << " elements, from " << first);
        std::vector<int> lower, upper;
        for (T const needle : needles) {
          auto const [begin, end] =
              std::equal_range(numbers.begin() + first, numbers.end(), needle);
          lower.push_back(static_cast<int>(begin - numbers.begin() - first));
          upper.push_back(static_cast<int>(end - numbers.begin() - first));
        }
        EXPECT_EQ(places<detail::is_before>(numbers, needles, less{}, first), lower);
        EXPECT_EQ(places<detail::is_not_after>(numbers, needles, less{}, first), upper);
      }
    }
  }
};

TEST_F(search_in_a_directory, agrees_for_numbers_of_every_size_from_anywhere_in_memory) {
  expect_places_of<std::int8_t>();
  expect_places_of<std::uint16_t>();
  expect_places_of<float>();
  expect_places_of<std::int64_t>();
}

TEST_F(search_in_a_directory, agrees_with_a_search_of_the_haystack) {
  for (index_t const n : {1, 5, 1000, 300'003}) {
    for (int const below : {1, 1000, 1'000'000}) {
      SCOPED_TRACE(::testing::Message() << n << " elements below " << below);
      auto keys = random_numbers(n, below);
      std::sort(keys.begin(), keys.end());
      std::vector<entry> haystack;
      for (int const key : keys) haystack.push_back({key, 0});
      auto const needles = random_numbers(3000, below + 2);
      std::vector<int> lower, upper;
      for (int const needle : needles) {
        auto const [begin, end] = std::equal_range(keys.begin(), keys.end(), needle);
        lower.push_back(static_cast<int>(begin - keys.begin()));
        upper.push_back(static_cast<int>(end - keys.begin()));
      }
      EXPECT_EQ(places<detail::is_before>(haystack, needles, key_against{}), lower);
      EXPECT_EQ(places<detail::is_not_after>(haystack, needles, key_against{}), upper);
    }
  }
}

TYPED_TEST(sorted_search, may_write_over_the_needles) {
  auto const haystack = this->there(std::vector{1, 3, 3, 5, 9});
  auto needles = this->there(std::vector{3, 0, 4, 9, 10});
  lower_bound(this->ex(), needles, haystack, needles);
  EXPECT_EQ(this->here(needles), (std::vector{1, 0, 3, 4, 5}));
}

TYPED_TEST(sorted_search, refuses_sizes_that_differ) {
  auto const in = this->template allocate<int>(4);
  auto out = this->template allocate<int>(3);
  EXPECT_THROW(lower_bound(this->ex(), in, in, out), contract_error);
  EXPECT_THROW(upper_bound(this->ex(), in, in, out), contract_error);
}

}  // namespace
}  // namespace ravel::search_test
