#include <ravel/core/cpu/executor.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#ifndef RAVEL_CPU_STD_THREADS
#  include <tbb/task_arena.h>
#endif

namespace ravel::cpu {
namespace {

/// Waking costs of zero: threads share even little work.
[[maybe_unused]] bool const help_at_once = (assume(waking_costs{.asleep = {}, .awake = {}}), true);

/// Enough tiles that every thread of a team gets some.
constexpr index_t plenty = 64 * tile_width;
static_assert(plenty >= threads::serial_below);

/// A rendezvous of `expected` threads, with a timeout.
class meeting {
  int const expected_;
  std::set<std::thread::id> present_;
  std::mutex guard_;
  std::condition_variable complete_;

  bool all_here() const { return std::ssize(present_) >= expected_; }

 public:
  explicit meeting(int expected) : expected_(expected) {}

  /// Waits for the others; false after the timeout.
  bool attend() {
    std::unique_lock lock(guard_);
    present_.insert(std::this_thread::get_id());
    if (all_here()) complete_.notify_all();
    return complete_.wait_for(lock, std::chrono::seconds(20), [&] { return all_here(); });
  }
};

/// Whether `expected` threads of `ex` can be inside of tiles at the same time.
bool works_at_once(threads const& ex, int expected) {
  meeting meet(expected);
  std::atomic<bool> met = true;
  ex.for_each_tile(plenty, [&](worker, tile) {
    if (met && !meet.attend()) met = false;
  });
  return met;
}

/// 0 + 1 + ... + n - 1, by tiles.
index_t sum_of_indices(threads const& ex, index_t n) {
  std::vector<index_t> sums(static_cast<std::size_t>(ex.tile_count(n)));
  ex.for_each_tile(n, [&](worker, tile t) {
    for (index_t i = t.begin; i < t.end; ++i) sums[static_cast<std::size_t>(t.id)] += i;
  });
  return std::accumulate(sums.begin(), sums.end(), index_t{0});
}

TEST(threads, work_at_once_and_are_as_many_as_requested) {
  for (int const count : {2, 3, 4, 8}) {
    SCOPED_TRACE(count);
    threads const ex(count);
    EXPECT_EQ(ex.concurrency(), count);
    EXPECT_TRUE(works_at_once(ex, count));
  }
}

TEST(threads, of_executors_of_many_sizes_are_all_there) {
  threads const two(2);
  threads const four(4);
  threads const eight(8);
  EXPECT_TRUE(works_at_once(eight, 8));
  EXPECT_TRUE(works_at_once(two, 2));
  EXPECT_TRUE(works_at_once(four, 4));
}

TEST(threads, are_no_more_than_requested) {
  for (int const count : {1, 2, 3}) {
    SCOPED_TRACE(count);
    threads const ex(count);
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    for (int repeat = 0; repeat < 10; ++repeat) {
      ex.for_each_tile(plenty, [&](worker, tile) {
        int const now = ++inside;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::yield();
        --inside;
      });
    }
    EXPECT_LE(most, count);
  }
}

TEST(threads, are_no_more_than_share_the_cores_well) {
  auto const cores = static_cast<int>(std::thread::hardware_concurrency());
  EXPECT_EQ(most_threads(), std::max(16, 4 * cores));
  threads const ex(4096);
  EXPECT_EQ(ex.concurrency(), most_threads());
  for (int repeat = 0; repeat < 10; ++repeat) {
    std::set<std::thread::id> seen;  // of one call, since a team of std::thread is new in each
    std::mutex guard;
    ex.for_each_tile(100 * plenty, [&](worker, tile) {
      std::lock_guard const lock(guard);
      seen.insert(std::this_thread::get_id());
    });
    EXPECT_LE(std::ssize(seen), most_threads());
  }
}

TEST(threads, cannot_be_fewer_than_none) { EXPECT_THROW(threads(-1), contract_error); }

TEST(threads, are_those_of_the_machine_where_no_number_is_given) {
  threads const ex;
  EXPECT_GE(ex.concurrency(), 1);
  EXPECT_LE(ex.concurrency(), static_cast<int>(std::thread::hardware_concurrency()));
  EXPECT_TRUE(works_at_once(ex, ex.concurrency()));
}

TEST(threads, leave_small_inputs_to_the_caller) {
  threads const ex(4);
  auto const caller = std::this_thread::get_id();
  index_t next = 0;  // not atomic: ThreadSanitizer would report a race
  ex.for_each_tile(threads::serial_below - 1, [&](worker, tile t) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(t.id, next++);
  });
  EXPECT_EQ(next, threads::tile_count(threads::serial_below - 1));
}

TEST(threads, of_one_executor_may_be_used_by_several_callers) {
  threads const ex(3);
  constexpr index_t n = plenty + 17;
  std::vector<std::jthread> callers;
  std::atomic<int> right = 0;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 20; ++repeat) {
        if (sum_of_indices(ex, n) == n * (n - 1) / 2) ++right;
      }
    });
  }
  callers.clear();
  EXPECT_EQ(right, 4 * 20);
}

TEST(threads, may_be_used_from_inside_of_a_tile) {
  threads const outer(3);
  threads const inner(2);
  std::atomic<int> right = 0;
  constexpr index_t n = threads::serial_below + 1;
  outer.for_each_tile(plenty, [&](worker, tile) {
    if (sum_of_indices(inner, n) == n * (n - 1) / 2) ++right;
    if (sum_of_indices(outer, n) == n * (n - 1) / 2) ++right;
  });
  EXPECT_EQ(right, 2 * threads::tile_count(plenty));
}

TEST(threads, hand_on_what_a_tile_throws) {
  threads const ex(4);
  for (index_t const n : {index_t{1}, threads::serial_below - 1, plenty}) {
    SCOPED_TRACE(n);
    index_t const last = threads::tile_count(n) - 1;
    auto const run = [&] {
      ex.for_each_tile(n, [&](worker, tile t) {
        if (t.id == last) throw std::domain_error("of the last tile");
      });
    };
    try {
      run();
      FAIL() << "nothing was thrown";
    } catch (std::domain_error const& thrown) {
      EXPECT_STREQ(thrown.what(), "of the last tile");
    }
    EXPECT_EQ(sum_of_indices(ex, n), n * (n - 1) / 2) << "and the executor goes on";
  }
  EXPECT_THROW(sequential::for_each_tile(plenty, [](worker, tile) { throw std::domain_error(""); }),
               std::domain_error);
}

TEST(threads, hand_on_one_exception_where_every_tile_throws) {
  threads const ex(4);
  EXPECT_THROW(ex.for_each_tile(
                   plenty, [](worker, tile t) { throw std::out_of_range(std::to_string(t.id)); }),
               std::out_of_range);
}

#ifndef RAVEL_CPU_STD_THREADS

TEST(threads, are_those_of_the_arena_that_the_caller_is_in) {
  tbb::task_arena arena(1);
  threads const ex;
  arena.execute([&] {
    EXPECT_EQ(ex.concurrency(), 1);
    auto const caller = std::this_thread::get_id();
    ex.for_each_tile(plenty, [&](worker, tile) { EXPECT_EQ(std::this_thread::get_id(), caller); });
  });
}

TEST(threads, of_their_own_arena_work_inside_of_another) {
  tbb::task_arena arena(1);
  threads const ex(3);
  arena.execute([&] {
    EXPECT_EQ(ex.concurrency(), 3);
    EXPECT_TRUE(works_at_once(ex, 3));
  });
}

#endif

}  // namespace
}  // namespace ravel::cpu
