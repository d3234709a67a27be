#include <ravel/primitives/find_first.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/said_by.hpp"
#include "support/sizes.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace ravel::find_first_test {
namespace {

struct is_even {
  RAVEL_HD bool operator()(int x) const { return x % 2 == 0; }
};
template <class T>
struct is {
  T x;
  RAVEL_HD bool operator()(T const& y) const { return x == y; }
};
struct squares_to {
  index_t x;
  RAVEL_HD bool operator()(index_t i) const { return i * i >= x; }
};

template <class Ex>
struct find_first : testing::on_executor<Ex> {
  /// n elements, all `common` except those at `places`.
  template <class T>
  void finds(index_t n, std::vector<index_t> const& places, T common, T wanted) {
    std::vector<T> host(static_cast<std::size_t>(n), common);
    for (index_t const i : places) host[static_cast<std::size_t>(i)] = wanted;
    index_t expected = 0;  // the reference
    while (expected < n && host[static_cast<std::size_t>(expected)] != wanted) ++expected;
    EXPECT_EQ(find_first_sync(this->ex(), this->there(host), is<T>{wanted}), expected) << n;
  }
};
TYPED_TEST_SUITE(find_first, testing::all_executors);

TYPED_TEST(find_first, gives_the_example_in_the_header) {
  auto const in = this->there(std::vector{3, 1, 2, 4, 1, 5});
  EXPECT_EQ(find_first_sync(this->ex(), in, is_even{}), 2);
  EXPECT_EQ(find_first_sync(this->ex(), in, is<int>{7}), 6);
}

LOCAL_TYPED_TEST(find_first, writes_the_example_in_the_header) {
  auto const in = this->there(std::vector{3, 1, 2, 4, 1, 5});
  auto out = this->template allocate<int>(1);
  ravel::find_first(this->ex(), in, is_even{}, out);
  EXPECT_EQ(this->here(out), std::vector{2});
}

TYPED_TEST(find_first, agrees_with_the_loop_wherever_it_is) {
  for (index_t const n : testing::sizes()) {
    this->template finds<int>(n, {}, 1, 2);
    for (index_t const i : {index_t{0}, index_t{1}, n / 3, n / 2, n - 2, n - 1}) {
      if (i < 0 || i >= n) continue;
      this->template finds<int>(n, {i}, 1, 2);
      this->template finds<std::uint8_t>(n, {i, n - 1}, 0, 255);
      this->template finds<double>(n, {i, std::min(n - 1, i + 1), n - 1}, 0.5, -3);
    }
  }
}

/// Elements right after the last one match, and must not be found.
LOCAL_TYPED_TEST(find_first, ends_with_the_last_element) {
  for (index_t const n : testing::sizes()) {
    std::vector<int> host(static_cast<std::size_t>(n) + 128, 2);
    std::fill_n(host.begin(), n + 1, 1);
    auto const longer = this->there(host);
    EXPECT_EQ(find_first_sync(this->ex(), view_of(longer).slice(0, n), is<int>{2}), n);
  }
}

/// More tiles than a device runs at once, and so several for each of its warps.
TYPED_TEST(find_first, gives_the_least_of_many_whichever_is_found_first) {
  index_t const n = 200'003;
  for (unsigned const seed : {1u, 2u, 3u}) {
    testing::shuffle_schedule(seed);
    this->template finds<int>(n, {}, 1, 2);
    for (index_t const i : {index_t{0}, n / 10, n / 2, n - 1}) {
      std::vector<index_t> places;
      for (index_t k = i; k < n; k += 77) places.push_back(k);
      this->template finds<int>(n, places, 1, 2);
    }
  }
}

LOCAL_TYPED_TEST(find_first, takes_what_holds_of_an_index) {
  for (index_t const n : {0, 5, 100'000}) {
    auto out = this->template allocate<index_t>(1);
    find_first_on(this->ex(), n, squares_to{2'000'000'000},
                  detail::store_total<index_t>{out.data()});
    EXPECT_EQ(this->here(out), std::vector{std::min<index_t>(n, 44722)});
  }
}

LOCAL_TYPED_TEST(find_first, refuses_what_does_not_fit) {
  auto const in = this->template allocate<int>(4);
  auto const out = this->template allocate<int>(2);
  EXPECT_EQ(testing::said_by([&] { ravel::find_first(this->ex(), in, is_even{}, out); }),
            "find_first: out has 2 elements and must have one");
}

#if !defined(__CUDACC__) && \
    !defined(RAVEL_TEST_ON_RANKS)  // nvcc compiles all of it for the device, too
TEST(find_first_on_the_host, calls_nothing_beyond_the_last_index) {
  for (index_t const n : {0, 1, 15, 16, 63, 64, 65, 8191, 8192, 8193, 20'000}) {
    std::atomic<index_t> most = -1;
    auto const see = [&](index_t i) {
      for (index_t seen = most; seen < i && !most.compare_exchange_weak(seen, i);) {
      }
      return false;
    };
    index_t found = -1;
    find_first_on(cpu::threads(2), n, see, detail::store_total<index_t>{&found});
    EXPECT_EQ(found, n);
    EXPECT_EQ(most, n - 1);
  }
}

TEST(find_first_on_the_host, looks_no_further_than_it_must) {
  index_t const n = 4'000'000;
  std::vector<int> in(static_cast<std::size_t>(n), 1);
  in[70'000] = 2;
  std::atomic<index_t> evaluated = 0;
  auto const counted = [&](int x) {
    ++evaluated;
    return x == 2;
  };
  EXPECT_EQ(find_first_sync(cpu::sequential(), in, counted), 70'000);
  EXPECT_LE(evaluated, 70'000 + 64);
}

#  ifndef RAVEL_UNDER_TSAN
TEST(find_first_on_a_device, takes_no_tile_after_a_match) {
  gpu::executor const ex;
  index_t const n = 2'000'000;
  for (index_t const wanted : {0, 300'000}) {
    std::atomic<index_t> evaluated = 0;
    auto const counted = [&](index_t i) {
      ++evaluated;
      return i >= wanted;
    };
    index_t found = -1;
    find_first_on(ex, n, counted, detail::store_total<index_t>{&found});
    EXPECT_EQ(found, wanted);
    EXPECT_GE(evaluated, wanted);
    // What the resident blocks hold, twice: a warp sees a match one tile late.
    index_t const resident = index_t{software::device::room} * gpu::find_first_policy::width;
    EXPECT_LE(evaluated, wanted + 4 * resident);
  }
}
#  endif

TEST(find_first_on_the_host, passes_on_what_a_function_throws) {
  std::vector<std::string> in(100'000, "1");
  in[50'000] = "one";
  auto const is_two = [](std::string const& s) { return std::stoi(s) == 2; };
  EXPECT_THROW(find_first_sync(cpu::threads(4), in, is_two), std::invalid_argument);
  in[40'000] = "2";
  EXPECT_EQ(find_first_sync(cpu::sequential(), in, is_two), 40'000);
}
#endif

}  // namespace
}  // namespace ravel::find_first_test
