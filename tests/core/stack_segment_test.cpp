/// An additional stack segment: results, exceptions, nesting, and lack of memory.

#include <ravel/core/cpu/stack_segment.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

namespace ravel::stack_segment_test {
namespace {

#ifdef RAVEL_STACK_SEGMENTS

thread_local int of_this_thread = 0;

TEST(stack_segment, calls_on_its_own_memory_and_the_same_thread) {
  cpu::stack_segment const segment(100'000);
  EXPECT_GE(segment.size(), 100'000u);
  of_this_thread = 5;
  auto const low = reinterpret_cast<std::uintptr_t>(segment.lowest());
  bool const is_inside = segment.call([&] {
    auto const here = cpu::stack_position();
    of_this_thread += 1;
    return low <= here && here < low + segment.size();
  });
  EXPECT_TRUE(is_inside);
  EXPECT_EQ(of_this_thread, 6);
  auto const here = cpu::stack_position();
  EXPECT_FALSE(low <= here && here < low + segment.size());
}

TEST(stack_segment, all_of_it_may_be_used) {
  cpu::stack_segment const segment(std::size_t{1} << 20);
  int const sum = segment.call([] {
    char volatile bytes[900'000];
    for (auto& b : bytes) b = 1;
    int all = 0;
    for (auto const& b : bytes) all += b;
    return all;
  });
  EXPECT_EQ(sum, 900'000);
}

TEST(stack_segment, results_move_out) {
  cpu::stack_segment const segment(50'000);
  auto const made = segment.call([] { return std::make_unique<int>(3); });
  EXPECT_EQ(*made, 3);
}

/// Nested segments; the innermost throws.
int nested(int levels) {
  if (levels == 0) throw std::out_of_range("the innermost");
  cpu::stack_segment const segment(50'000);
  return segment.call([&] { return nested(levels - 1); });
}

TEST(stack_segment, what_is_thrown_comes_out_of_all) {
  for (int const levels : {1, 2, 50}) {
    try {
      nested(levels);
      ADD_FAILURE() << "nothing is thrown";
    } catch (std::out_of_range const& e) {
      EXPECT_STREQ(e.what(), "the innermost");
    }
  }
  // While another exception is being handled.
  try {
    throw std::runtime_error("first");
  } catch (std::runtime_error const&) {
    EXPECT_THROW(nested(3), std::out_of_range);
    EXPECT_STREQ(
        [] {
          try {
            throw;
          } catch (std::exception const& e) {
            return std::string(e.what());
          }
        }()
            .c_str(),
        "first");
  }
}

TEST(stack_segment, says_how_much_memory_there_is_not) {
  try {
    cpu::stack_segment const segment(std::size_t{1} << 60);
    ADD_FAILURE() << "there is no such memory";
  } catch (allocation_error const& e) {
    EXPECT_STREQ(e.what(), "cpu::stack_segment: no memory for 1152921504606846976 bytes of stack");
  }
}

#endif

}  // namespace
}  // namespace ravel::stack_segment_test
