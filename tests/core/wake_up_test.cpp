#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/wake_up.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace ravel::cpu {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

/// The shortest work, in nanoseconds of one thread, that several threads share.
nanoseconds least_shared(int threads, nanoseconds cost) {
  nanoseconds least{0};
  while (threads_worth(threads, cost, least) == 1) ++least;
  return least;
}

TEST(waking, is_worth_it_as_the_header_says) {
  EXPECT_EQ(threads_worth(16, 40us, 30us), 1);
  EXPECT_EQ(threads_worth(16, 40us, 48us), 4);
  EXPECT_EQ(threads_worth(2, 40us, 48us), 1);
  EXPECT_EQ(threads_worth(2, 40us, 120us), 2);
}

TEST(waking, is_worth_less_work_where_more_help) {
  EXPECT_EQ(least_shared(2, 40us), 120'000ns);
  EXPECT_EQ(least_shared(4, 40us), 60'000ns);
  EXPECT_EQ(least_shared(8, 40us), 48'000ns);
  EXPECT_EQ(least_shared(16, 40us), 43'637ns);
  EXPECT_EQ(least_shared(16, 5us), 5'455ns) << "as of threads that are awake";
}

TEST(waking, is_of_as_many_as_gain_more_than_they_take_to_wake) {
  EXPECT_EQ(threads_worth(16, 40us, 50us), 4);
  EXPECT_EQ(threads_worth(16, 40us, 159us), 7);
  EXPECT_EQ(threads_worth(16, 40us, 160us), 8);
  EXPECT_EQ(threads_worth(16, 40us, 640us), 16);
  EXPECT_EQ(threads_worth(16, 40us, 1h), 16);
  EXPECT_EQ(threads_worth(64, 40us, 100us), 6);
  EXPECT_EQ(threads_worth(2, 40us, 1h), 2);
}

TEST(waking, is_never_worth_it_where_there_is_one_and_always_where_it_costs_nothing) {
  EXPECT_EQ(threads_worth(1, 40us, 1h), 1);
  EXPECT_EQ(threads_worth(1, 0ns, 1h), 1);
  EXPECT_EQ(threads_worth(4, 0ns, 0ns), 4);
  EXPECT_EQ(threads_worth(4, 0ns, 1ns), 4);
}

struct so_many {
  index_t threads;
  index_t operator()() const { return threads; }
};
constexpr so_many four{4}, sixty_four{64};

/// Overrides the assumed costs for a scope.
struct assumed {
  explicit assumed(nanoseconds cost) { assume({cost, cost}); }
  assumed(assumed const&) = delete;
  ~assumed() { assume({}); }
};

TEST(waking, is_at_once_where_the_work_is_known_to_be_long) {
  assumed const costs(1us);
  EXPECT_EQ(detail::alone(sixty_four, 3us).share(0, 10), 64)
      << "and by all, for it may be much longer";
  EXPECT_EQ(detail::alone(four, 1ms).share(0, 1), 1) << "of one part nothing can be shared";
}

TEST(waking, reads_no_clock_where_scratch_depends_on_it) {
  assume({.asleep = 1h, .awake = 0ns});
  detail::have_worked();
  EXPECT_FALSE(detail::worth_sharing(so_many{4}, 1ms)) << "though threads are awake";
  assume({});
  EXPECT_TRUE(detail::worth_sharing(so_many{4}, 1ms));
  EXPECT_FALSE(detail::worth_sharing(so_many{1}, 1ms));
  EXPECT_FALSE(detail::worth_sharing(so_many{4}, 50us));
}

TEST(waking, waits_until_the_clock_says_that_what_is_left_is_long) {
  assumed const costs(1us);
  detail::alone self(four, 0ns);
  EXPECT_EQ(self.share(0, 10), 1);
  std::this_thread::sleep_for(1ms);
  EXPECT_EQ(self.share(1, 9), 4);
}

TEST(waking, is_not_evaluated_for_every_part) {
  assumed const costs(1h);
  detail::alone self(four, 0ns);
  for (index_t const done : {0, 1, 2}) EXPECT_EQ(self.share(done, 10), 1);
  assume({0ns, 0ns});
  EXPECT_EQ(self.share(3, 10), 1) << "as the next look is at four";
}

TEST(waking, is_paid_for_by_short_calls_that_follow_one_another) {
  assume({.asleep = 40us, .awake = 1us});
  auto now = detail::stopwatch::now();
  auto const misses = [&](nanoseconds pause) {  // 30 - (1 + 30 / 1.5) = 9 us are missed by each
    now += 30us + pause;
    return detail::have_missed(2, 30us, now);
  };
  EXPECT_FALSE(misses(1h));
  for (int call = 2; call < 5; ++call) EXPECT_FALSE(misses(1us)) << call;
  EXPECT_TRUE(misses(1us)) << "45 us are more than 40";
  for (int call = 1; call < 5; ++call) EXPECT_FALSE(misses(1us)) << "counts from zero again";
  EXPECT_FALSE(misses(1ms)) << "threads would sleep again before the next call";
  EXPECT_FALSE(detail::have_missed(2, 2us, now)) << "two threads gain nothing";
  assume({});
}

TEST(waking, costs_what_was_measured_and_no_more_than_assumed) {
  detail::waking_cost cost(40us);
  EXPECT_EQ(cost.get(), 40us);
  for (int call = 0; call < 100; ++call) cost.add(5us);
  EXPECT_NEAR(static_cast<double>(cost.get().count()), 5'000, 100);
  for (int call = 0; call < 100; ++call) cost.add(1h);
  EXPECT_NEAR(static_cast<double>(cost.get().count()), 40'000, 100);
  for (int call = 0; call < 100; ++call) cost.add(0ns);
  EXPECT_EQ(cost.get(), 1us);
  cost.assume(0ns);
  cost.add(5us);
  EXPECT_EQ(cost.get(), 0ns);
}

TEST(waking, leaves_all_to_the_caller_where_it_costs_more_than_there_is_to_do) {
  assumed const costs(1h);
  threads const ex(4);
  auto const caller = std::this_thread::get_id();
  index_t next = 0;  // not atomic: ThreadSanitizer would report a race
  ex.for_each_tile(64 * tile_width, [&](worker, tile t) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(t.id, next++);
  });
  EXPECT_EQ(next, 64);
}

}  // namespace
}  // namespace ravel::cpu
