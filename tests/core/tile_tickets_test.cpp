#include <ravel/core/cpu/tile_tickets.hpp>

#include <gtest/gtest.h>

#include <chrono>

namespace ravel::tile_tickets_test {
namespace {

using namespace std::chrono_literals;
using cpu::detail::own_tickets;
using cpu::detail::stopwatch;
using cpu::detail::tile_tickets;

/// Receives the prefix of a tile, takes `time` by work or asleep, and passes on the next.
void delay(own_tickets& own, std::chrono::milliseconds time, bool works) {
  auto const begin = stopwatch::now();
  own.received(begin, false);
  if (!works) cpu::detail::nap(time);
  while (stopwatch::now() < begin + time) {
  }
  own.passed(stopwatch::now());
}

TEST(tile_tickets, number_the_tiles) {
  tile_tickets all{2, 5};
  own_tickets own(all), other(all);
  EXPECT_EQ(own.draw(), 2);
  EXPECT_EQ(other.draw(), 3);
  EXPECT_EQ(own.after_rest(4), 4);
  EXPECT_EQ(own.draw(), 4);
  EXPECT_EQ(own.draw(), 5);
  EXPECT_EQ(own.after_rest(5), 5);
}

TEST(tile_tickets, are_not_drawn_for_a_while_by_a_thread_that_others_waited_for) {
  tile_tickets all{0, 100};
  own_tickets own(all), other(all);
  delay(own, 0ms, true);
  EXPECT_EQ(own.draw(), 0);
  delay(own, 5ms, false);
  EXPECT_EQ(own.draw(), 100);
  EXPECT_EQ(other.draw(), 1);
  auto const begin = stopwatch::now();
  EXPECT_EQ(own.after_rest(100), 2);
  EXPECT_GE(stopwatch::now() - begin, 20ms);
}

TEST(tile_tickets, are_drawn_by_a_thread_that_was_slow_as_it_worked) {
  tile_tickets all{0, 100};
  own_tickets own(all), other(all);
  delay(own, 0ms, true);
  // Where other processes take most of the time, no attempt is proof.
  bool drawn = false;
  for (int attempts = 0; attempts < 20 && !drawn; ++attempts) {
    delay(own, 5ms, true);
    drawn = own.draw() < 100;
    own.after_rest(100);
  }
  EXPECT_TRUE(drawn);
}

TEST(tile_tickets, are_drawn_at_once_by_the_only_thread) {
  tile_tickets all{0, 100};
  own_tickets own(all);
  delay(own, 0ms, true);
  delay(own, 20ms, false);
  auto const begin = stopwatch::now();
  EXPECT_EQ(own.after_rest(own.draw()), 0);
  EXPECT_LT(stopwatch::now() - begin, 20ms);
}

TEST(tile_tickets, end_the_rest_of_a_thread_with_the_last_tile) {
  tile_tickets all{0, 1};
  own_tickets own(all), other(all);
  delay(own, 0ms, true);
  delay(own, 20ms, false);
  EXPECT_EQ(other.draw(), 0);
  auto const begin = stopwatch::now();
  EXPECT_EQ(own.after_rest(own.draw()), 1);
  EXPECT_LT(stopwatch::now() - begin, 20ms);
}

}  // namespace
}  // namespace ravel::tile_tickets_test
