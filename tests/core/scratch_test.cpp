#include <ravel/core/config.hpp>
#include <ravel/core/cpu/scratch.hpp>

#include <gtest/gtest.h>
#ifdef __linux__
#  include <sys/resource.h>
#endif

#include <atomic>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

namespace ravel::cpu {
namespace {

constexpr index_t large_scratch =
    scratch_buffer<int>::large;  // in elements, so four times as many bytes

TEST(scratch_buffer, has_the_requested_size) {
  for (index_t const n :
       {index_t{0}, index_t{1}, large_scratch / 4, large_scratch / 4 + 1, large_scratch}) {
    scratch_buffer<int> const made(n);
    EXPECT_EQ(made.size(), n);
    EXPECT_EQ(made.end() - made.begin(), n);
    for (index_t i = 0; i < n; ++i) made[i] = static_cast<int>(i);
    for (index_t i = 0; i < n; ++i) ASSERT_EQ(made.data()[i], i);
  }
}

TEST(scratch_buffer, is_kept_for_the_next_call) {
  release_memory();
  int const* first = nullptr;
  {
    scratch_buffer<int> const made(large_scratch);
    first = made.data();
  }
  scratch_buffer<int> const again(large_scratch - 1);
  EXPECT_EQ(again.data(), first);
  scratch_buffer<int> const beside(large_scratch);
  EXPECT_NE(beside.data(), first) << "which is in use";
}

TEST(scratch_buffer, takes_the_smallest_that_is_large_enough) {
  release_memory();
  int const *small = nullptr, *large = nullptr;
  {
    scratch_buffer<int> const one(large_scratch), ten(10 * large_scratch);
    small = one.data();
    large = ten.data();
  }
  scratch_buffer<int> const one(large_scratch), ten(10 * large_scratch);
  EXPECT_EQ(one.data(), small);
  EXPECT_EQ(ten.data(), large);
}

#if defined(__linux__) && !defined(RAVEL_UNDER_ASAN) && !defined(RAVEL_UNDER_TSAN)
/// The pages that the process has touched first so far.
long first_touches() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_minflt;
}

TEST(scratch_buffer, of_dozens_of_kilobytes_is_kept_too) {
  auto const call = [] {
    constexpr index_t bytes = 100'000;  // two of them exceed what the C library keeps
    scratch_buffer<char> const one(bytes), two(bytes);
    for (index_t i = 0; i < bytes; i += 1024) one[i] = two[i] = 1;
  };
  call();
  long const before = first_touches();
  for (int repeat = 0; repeat < 100; ++repeat) call();
  EXPECT_LT(first_touches() - before, 100) << "of 4,900";
}
#endif

TEST(scratch_buffer, is_of_its_thread) {
  scratch_buffer<int> const mine(large_scratch);
  for (int& x : mine) x = 1;
  std::thread([&] {
    for (int repeat = 0; repeat < 3; ++repeat) {
      scratch_buffer<int> const its(large_scratch);
      EXPECT_NE(its.data(), mine.data());
      for (int& x : its) x = 2;
    }
  }).join();
  for (int const x : mine) ASSERT_EQ(x, 1);
}

/// The resident memory of the process, in bytes.
[[maybe_unused]] double resident() {
  std::ifstream status("/proc/self/statm");
  double total = 0, pages = 0;
  status >> total >> pages;
  return pages * 4096;
}

TEST(scratch_buffer, is_released_of_all_threads) {
  constexpr index_t bytes = index_t{1} << 26;
  auto const touch = [] {
    scratch_buffer<char> const made(bytes);
    for (index_t i = 0; i < bytes; i += 4096) made[i] = 1;
  };
  std::atomic<bool> is_kept = false, may_end = false;
  std::jthread other([&] {
    touch();
    is_kept = true;
    is_kept.notify_one();
    may_end.wait(false);
    touch();
  });
  touch();
  is_kept.wait(false);
#if defined(__linux__) && !defined(RAVEL_UNDER_ASAN) && !defined(RAVEL_UNDER_TSAN)
  double const before = resident();
  release_memory();
  EXPECT_LT(resident(), before - 1.9 * bytes);
#else
  release_memory();
#endif
  may_end = true;
  may_end.notify_one();
  touch();
}

TEST(scratch_buffer, moves_and_does_not_copy) {
  static_assert(!std::is_copy_constructible_v<scratch_buffer<int>>);
  for (index_t const n : {index_t{10}, large_scratch}) {
    scratch_buffer<int> first(n);
    first[n - 1] = 7;
    scratch_buffer<int> second = std::move(first);
    EXPECT_EQ(second[n - 1], 7);
    EXPECT_EQ(first.size(), 0);  // NOLINT(bugprone-use-after-move): tests that it is empty
    EXPECT_EQ(first.data(), nullptr);
    first = std::move(second);
    EXPECT_EQ(first[n - 1], 7);
    EXPECT_EQ(first.size(), n);
  }
}

TEST(scratch_buffer, constructs_and_destroys_what_is_not_trivial) {
  auto const counter = std::make_shared<int>();
  {
    scratch_buffer<std::shared_ptr<int>> const shared(large_scratch);
    EXPECT_EQ(shared[large_scratch - 1], nullptr);
    shared[large_scratch - 1] = counter;
    EXPECT_EQ(counter.use_count(), 2);
  }
  EXPECT_EQ(counter.use_count(), 1);
}

TEST(scratch_buffer, says_how_much_there_was_no_memory_for) {
#if defined(RAVEL_UNDER_ASAN) || defined(RAVEL_UNDER_TSAN)
  GTEST_SKIP() << "a sanitizer ends the process";
#endif
  for (index_t const n : {index_t{1} << 50, index_t{1} << 61}) {
    try {
      scratch_buffer<double> const made(n);
      FAIL() << "memory for " << made.size() << " elements was found";
    } catch (allocation_error const& none) {
      EXPECT_NE(std::string(none.what()).find(std::to_string(n) + " elements of 8 bytes"),
                std::string::npos)
          << none.what();
    }
  }
}

}  // namespace
}  // namespace ravel::cpu
