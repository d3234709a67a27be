#include <ravel/core/checked.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/parallel.hpp>
#include <ravel/core/same_everywhere.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <complex>
#include <functional>
#include <mutex>
#include <numbers>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace ravel::parallel_test {
namespace {

/// With wake-up costs of zero, threads share even little work, as other tests in this program want.
struct assumed {
  explicit assumed(std::chrono::nanoseconds cost) { cpu::assume({cost, cost}); }
  assumed(assumed const&) = delete;
  ~assumed() { cpu::assume({.asleep = {}, .awake = {}}); }
};

template <class Ex>
struct parallel : ::testing::Test {
  assumed const costs{std::chrono::nanoseconds{0}};
  Ex ex = [] {
    if constexpr (std::same_as<Ex, cpu::threads>) {
      return Ex(4);
    } else {
      return Ex();
    }
  }();
};
using host_executors = ::testing::Types<cpu::sequential, cpu::threads>;
TYPED_TEST_SUITE(parallel, host_executors);

TYPED_TEST(parallel, loop_calls_f_once_for_each_index) {
  std::vector<index_t> out(4);
  parallel_for(this->ex, 4, [&](index_t i) { out[static_cast<std::size_t>(i)] = i * i; });
  EXPECT_EQ(out, (std::vector<index_t>{0, 1, 4, 9}));
  for (index_t const n : {0, 1, 2, 3, 64, 65, 4096, 4097, 100'000}) {
    SCOPED_TRACE(n);
    for (index_t const k : {0, 1, 7, 5000}) {
      std::vector<std::atomic<int>> called(static_cast<std::size_t>(n));
      auto const f = [&](index_t i) { ++called[static_cast<std::size_t>(i)]; };
      k == 0 ? parallel_for(this->ex, n, f) : parallel_for(this->ex, n, f, grain(k));
      EXPECT_TRUE(std::ranges::all_of(called, [](auto const& c) { return c == 1; }));
    }
  }
}

TYPED_TEST(parallel, loop_and_grain_name_what_they_refuse) {
  auto const says = [](auto const& call) {
    try {
      call();
    } catch (contract_error const& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(says([&] { parallel_for(this->ex, -1, [](index_t) {}); }), "parallel_for: n is -1");
  EXPECT_EQ(says([] { grain(0); }), "grain: a thread cannot take 0 elements at a time");
}

/// The primes below n: each thread marks multiples in a block of its own.
std::vector<index_t> primes_below(auto const& ex, index_t n) {
  std::vector<char> is_composite(static_cast<std::size_t>(n));
  constexpr index_t block = 1000;
  auto const root = static_cast<index_t>(std::sqrt(static_cast<double>(n)));
  parallel_for(ex, div_up(n, block), [&](index_t b) {
    for (index_t p = 2; p <= root; ++p) {
      index_t const first = std::max(2 * p, div_up(b * block, p) * p);
      for (index_t i = first; i < std::min(n, (b + 1) * block); i += p) {
        is_composite[static_cast<std::size_t>(i)] = 1;
      }
    }
  });
  std::vector<index_t> primes;
  for (index_t i = 2; i < n; ++i) {
    if (is_composite[static_cast<std::size_t>(i)] == 0) primes.push_back(i);
  }
  return primes;
}

TYPED_TEST(parallel, loop_sieves_primes) {
  auto const primes = primes_below(this->ex, 100'000);
  EXPECT_EQ(primes.size(), 9592u);
  EXPECT_EQ(primes.front(), 2);
  EXPECT_EQ(primes.back(), 99'991);
}

using row = std::span<std::complex<double>>;

/// The Fourier transform of a row of 2^k numbers, whose halves are calls of their own.
void transform(auto const& ex, row x) {
  std::size_t const half = x.size() / 2;
  if (half == 0) return;
  std::vector<std::complex<double>> even(half), odd(half);
  for (std::size_t i = 0; i < half; ++i) {
    even[i] = x[2 * i];
    odd[i] = x[2 * i + 1];
  }
  parallel_do(
      ex, [&] { transform(ex, even); }, [&] { transform(ex, odd); });
  for (std::size_t k = 0; k < half; ++k) {
    double const angle = -std::numbers::pi * static_cast<double>(k) / static_cast<double>(half);
    auto const turned = std::polar(1.0, angle) * odd[k];
    x[k] = even[k] + turned;
    x[half + k] = even[k] - turned;
  }
}

TYPED_TEST(parallel, loop_transforms_rows_by_nested_calls) {
  constexpr std::size_t rows = 33, width = 64;
  std::vector<std::complex<double>> x(rows * width);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(i / width * i) / width);
  }
  parallel_for(this->ex, rows, [&](index_t r) {
    transform(this->ex, row(x).subspan(static_cast<std::size_t>(r) * width, width));
  });
  for (std::size_t i = 0; i < x.size(); ++i) {  // row r is a wave of frequency r
    double const expected = i % width == i / width ? width : 0;
    EXPECT_NEAR(x[i].real(), expected, 1e-9) << i;
  }
}

/// The edit distance of two words, row by row.
int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int corner = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      int const replaced = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      corner = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

TYPED_TEST(parallel, loop_compares_words) {
  std::vector<std::string_view> const words{"kitten", "sunday", "", "levenshtein", "same"};
  std::vector<std::string_view> const others{"sitting", "saturday", "abc", "meilenstein", "same"};
  for (index_t const k : {1, 2, 100}) {
    std::vector<int> distances(words.size());
    auto const compare = [&](index_t i) {
      auto const at = static_cast<std::size_t>(i);
      distances[at] = edit_distance(words[at], others[at]);
    };
    parallel_for(this->ex, std::ssize(words), compare, grain(k));
    EXPECT_EQ(distances, (std::vector{3, 3, 3, 4, 0}));
  }
}

void quicksort(auto const& ex, std::span<int> x) {
  if (x.size() < 16) return std::sort(x.begin(), x.end());
  int const pivot = x[x.size() / 2];
  auto const middle = std::partition(x.begin(), x.end(), [=](int y) { return y < pivot; });
  auto const high = std::partition(middle, x.end(), [=](int y) { return y == pivot; });
  parallel_do(
      ex,
      [&] {
        quicksort(ex, {x.begin(), middle});
      },
      [&] {
        quicksort(ex, {high, x.end()});
      });
}

TYPED_TEST(parallel, calls_are_nested_in_quicksort) {
  std::mt19937 random(1);
  for (std::size_t const n : {0u, 1u, 15u, 16u, 1000u, 50'000u}) {
    std::vector<int> x(n);
    for (int& y : x) y = static_cast<int>(random() % (n + 1));
    auto expected = x;
    std::ranges::sort(expected);
    quicksort(this->ex, x);
    EXPECT_EQ(x, expected);
  }
}

TYPED_TEST(parallel, calls_are_all_made) {
  for (int repeat = 0; repeat < 100; ++repeat) {
    std::atomic<int> sum = 0;
    parallel_do(this->ex, [&] { sum += 1; });
    parallel_do(
        this->ex, [&] { sum += 10; }, [&] { sum += 100; }, [&] { sum += 1000; },
        [&] { sum += 10'000; }, [&] { sum += 100'000; });
    EXPECT_EQ(sum, 111'111);
  }
}

TYPED_TEST(parallel, loops_and_calls_nest_in_one_another_and_around_tiles) {
  std::atomic<index_t> sum = 0;
  parallel_for(this->ex, 20, [&](index_t i) {
    parallel_do(
        this->ex, [&] { parallel_for(this->ex, i, [&](index_t) { ++sum; }); },
        [&] {
          this->ex.for_each_tile(100'000, [&](cpu::worker, tile t) { sum -= t.end - t.begin; });
        });
  });
  EXPECT_EQ(sum, 190 - 20 * 100'000);
}

TYPED_TEST(parallel, loop_throws_what_an_iteration_throws_and_begins_no_more) {
  for (index_t const n : {1, 2, 100, 10'000}) {
    std::atomic<index_t> after = 0;
    auto const run = [&] {
      parallel_for(this->ex, n, [&](index_t i) {
        if (i == 0) throw std::domain_error("the first");
        ++after;
        std::this_thread::sleep_for(std::chrono::microseconds(1));
      });
    };
    EXPECT_THROW(run(), std::domain_error);
    EXPECT_LT(after, std::max<index_t>(n, 2)) << n;
    parallel_for(this->ex, n, [](index_t) {});  // and the executor goes on
  }
  EXPECT_THROW(
      parallel_for(this->ex, 1000, [](index_t i) { throw std::out_of_range(std::to_string(i)); }),
      std::out_of_range);
}

TYPED_TEST(parallel, calls_throw_what_one_of_them_throws) {
  auto const nothing = [] {};
  auto const fail = [] { throw std::domain_error("failed"); };
  EXPECT_THROW(parallel_do(this->ex, fail), std::domain_error);
  EXPECT_THROW(parallel_do(this->ex, fail, nothing), std::domain_error);
  EXPECT_THROW(parallel_do(this->ex, nothing, nothing, fail), std::domain_error);
  EXPECT_THROW(parallel_do(this->ex, fail, fail, fail), std::domain_error);
  auto const nested = [&] { parallel_do(this->ex, nothing, fail); };
  EXPECT_THROW(parallel_do(this->ex, nothing, nested), std::domain_error);
}

/// The threads that iterations of `each` run on.
template <class Loop>
std::size_t threads_in(index_t n, std::chrono::microseconds each, Loop const& loop) {
  std::set<std::thread::id> seen;
  std::mutex guard;
  loop(n, [&](index_t) {
    std::this_thread::sleep_for(each);
    std::lock_guard const lock(guard);
    seen.insert(std::this_thread::get_id());
  });
  return seen.size();
}

TEST(parallel_for, runs_on_wrapped_executors) {
  auto const ex = same_everywhere(cpu::threads(2));
  std::atomic<index_t> sum = 0;
  parallel_for(ex, 5000, [&](index_t i) { sum += i; });
  parallel_do(
      ex, [&] { sum += 1; }, [&] { sum += 1; });
  EXPECT_EQ(sum, 5000 * 4999 / 2 + 2);
  assumed const costs{std::chrono::nanoseconds{0}};
  auto const loop = [&](index_t n, auto const& f) { parallel_for(checked(ex), n, f); };
  EXPECT_GT(threads_in(16, std::chrono::microseconds(10'000), loop), 1u);
}

TEST(few_heavy_iterations, are_shared_by_elapsed_time) {
  cpu::threads const ex(4);
  using std::chrono::microseconds;
  assumed const measured{std::chrono::microseconds(40)};
  auto const loop = [&](index_t n, auto const& f) { parallel_for(ex, n, f); };
  EXPECT_GT(threads_in(16, microseconds(10'000), loop), 1u);
  assumed const costs{std::chrono::hours(1)};
  EXPECT_EQ(threads_in(16, microseconds(100), loop), 1u);
  EXPECT_GT(threads_in(16, microseconds(10'000),
                       [&](index_t n, auto const& f) { parallel_for(ex, n, f, grain(1)); }),
            1u)
      << "a grain does not look at the clock";
}

TEST(few_heavy_iterations, are_shared_after_the_same_calls_on_one_thread) {
  assumed const measured{std::chrono::microseconds(40)};
  auto const threads_of_loop = [](cpu::threads const& ex) {
    return threads_in(16, std::chrono::microseconds(10'000),
                      [&](index_t n, auto const& f) { parallel_for(ex, n, f); });
  };
  EXPECT_EQ(threads_of_loop(cpu::threads(1)), 1u);
  EXPECT_GT(threads_of_loop(cpu::threads(4)), 1u);
}

/// Elements that take 10 ms each.
struct heavy {
  static constexpr bool divisible = true;
  std::function<void(index_t)> each;
  void operator()(cpu::worker, tile t) const {
    for (index_t i = t.begin; i < t.end; ++i) each(i);
  }
};

TEST(few_heavy_elements, of_a_step_are_shared_too) {
  cpu::threads const ex(4);
  assumed const measured{std::chrono::microseconds(40)};
  auto const loop = [&](index_t n, auto const& f) { ex.for_each_tile(n, heavy{f}); };
  for (index_t const n : {4, 8, 64}) {
    EXPECT_GT(threads_in(n, std::chrono::microseconds(10'000), loop), 1u) << n;
  }
}

struct cheap {
  static constexpr bool divisible = true;
  void operator()(cpu::worker, tile) const {}
};

TEST(many_cheap_iterations, are_timed_once_in_a_while) {
  cpu::threads const ex(4);
  auto const caller = std::this_thread::get_id();
  assumed const costs{std::chrono::hours(1)};
  auto& known = cpu::detail::known_of<cheap>();
  ex.for_each_part(4096, cheap{});
  EXPECT_GT(known.left, 10 * 4096);
  known.left = 4096 + 5;
  ex.for_each_part(4096, cheap{});
  EXPECT_EQ(known.left, 5);
  cpu::threads(1).for_each_part(4096, cheap{});
  EXPECT_EQ(known.left, 5) << "nothing can be shared by one";
  ex.for_each_part(5, cheap{});
  EXPECT_EQ(known.left, 0);
  ex.for_each_part(2, cheap{});
  EXPECT_GT(known.left, 5) << "timed again";
  EXPECT_EQ(std::this_thread::get_id(), caller);
}

struct counts_parts {
  static constexpr bool divisible = true;
  std::vector<index_t>* sizes;
  void operator()(cpu::worker, tile t) const { sizes->push_back(t.end - t.begin); }
};

TEST(many_cheap_iterations, are_timed_in_one_part_where_they_were_cheap) {
  cpu::threads const ex(4);
  assumed const costs{std::chrono::hours(1)};
  auto& known = cpu::detail::known_of<counts_parts>();
  std::vector<index_t> sizes;
  known = {};
  ex.for_each_part(512, counts_parts{&sizes});
  EXPECT_EQ(sizes, (std::vector<index_t>{1, 7, 56, 448}));
  sizes.clear();
  known = {.cheap = 16 * 512, .left = 0};
  ex.for_each_part(512, counts_parts{&sizes});
  EXPECT_EQ(sizes, std::vector<index_t>{512});
  sizes.clear();
  known = {.cheap = 15, .left = 0};
  ex.for_each_part(64, counts_parts{&sizes});
  EXPECT_EQ(sizes.front(), 1) << "a few elements that are not cheap";
}

}  // namespace
}  // namespace ravel::parallel_test
