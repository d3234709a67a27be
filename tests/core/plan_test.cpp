#include <ravel/core/plan.hpp>

#include "laws/executor.hpp"
#include "support/executors.hpp"
#include "support/said_by.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace ravel::plan_test {
namespace {

/// Takes n elements of scratch, once in one allocation and once in two.
struct takes_scratch {
  index_t n;
  template <class Ex>
  void operator()(Ex const& ex) const {
    {
      auto const whole = ex.template scratch<int>(n);
      ex.for_each_tile(n, testing::multiply_and_add_index{whole.data(), 0});
    }
    auto const first = ex.template scratch<char>(n);
    auto const none = ex.template scratch<int>(0);
    auto const second = ex.template scratch<int>(n / 2);
    ex.for_each_tile(n / 2, testing::multiply_and_add_index{second.data(), 0});
  }
};

template <class Ex>
struct a_plan : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(a_plan, testing::executors_and_device);

TYPED_TEST(a_plan, says_how_much_a_call_takes_at_once) {
  auto const bytes = [&](index_t n) {
    return plan(this->ex(), "a call", takes_scratch{n}).bytes();
  };
  EXPECT_EQ(bytes(0), 0);
  index_t const align = scratch_stack::alignment;
  EXPECT_EQ(bytes(1), align + align - 1);
  EXPECT_EQ(bytes(1024), 4096 + align - 1) << "two pieces of 1024 and 2048 are less";
  EXPECT_EQ(bytes(100), 2 * align + align - 1);
}

TYPED_TEST(a_plan, makes_the_call_in_that_much_wherever_it_begins) {
  for (index_t const n : {0, 1, 100, 5000, 100'000}) {
    plan const call(this->ex(), "a call", takes_scratch{n});
    for (index_t const ahead : {0, 1, 8, 255}) {
      auto const all = this->there(
          std::vector<unsigned char>(static_cast<std::size_t>(ahead + call.bytes() + 300), 7));
      call(view_of(all).slice(ahead, call.bytes()));
      auto const left = this->here(all);
      for (index_t i = 0; i < ahead; ++i) EXPECT_EQ(left[static_cast<std::size_t>(i)], 7);
      for (std::size_t i = left.size() - 300; i < left.size(); ++i) EXPECT_EQ(left[i], 7);
    }
  }
}

TYPED_TEST(a_plan, says_which_call_has_too_little_scratch_and_how_much_it_needs) {
  plan const call(this->ex(), "sums of prices", takes_scratch{1000});
  auto const scratch = this->template allocate<std::byte>(call.bytes() - 1);
  EXPECT_EQ(testing::said_by([&] { call(scratch); }),
            "sums of prices: the call needs " + std::to_string(call.bytes()) +
                " bytes of scratch, and " + std::to_string(call.bytes() - 1) + " were given");
}

TYPED_TEST(a_plan, gives_what_its_call_returns) {
  plan const call(this->ex(), "a call",
                  [](auto const& ex) { return size_of(ex.template scratch<int>(3)); });
  EXPECT_EQ(call(this->template allocate<std::byte>(call.bytes())), 3);
}

TYPED_TEST(a_plan, leaves_its_executor_the_scratch_it_had) {
  auto const kept = this->ex().template scratch<int>(1000);
  plan const call(this->ex(), "a call", takes_scratch{1000});
  auto const scratch = this->template allocate<std::byte>(call.bytes());
  call(scratch);
  testing::expect_executor_laws(this->ex());
}

TYPED_TEST(a_plan, has_an_executor_for_any_calls) {
  auto const room = this->template allocate<double>(20'000);
  auto const mine = with_scratch(this->ex(), room);
  static_assert(std::same_as<decltype(mine), TypeParam const>);
  takes_scratch{10'000}(mine);
  takes_scratch{30'000}(mine);
  auto const taken = mine.template scratch<char>(1);
  EXPECT_TRUE(static_cast<void*>(taken.data()) >= room.data() && taken.data() != nullptr);
  EXPECT_TRUE(static_cast<void*>(taken.data()) < room.data() + room.size());
}

TYPED_TEST(a_plan, stops_a_call_that_grew) {
  auto const room = this->template allocate<std::byte>(1000);
  std::string const said = testing::said_by(
      [&] { takes_scratch{10'000}(with_scratch(this->ex(), room, "sums of prices")); });
  EXPECT_EQ(said.find("sums of prices: 40000 bytes of scratch are wanted"), 0u) << said;
}

#ifndef __CUDACC__
TEST(a_plan_on_the_host, has_elements_that_are_constructed_and_destroyed) {
  auto const counter = std::make_shared<int>();
  cpu::sequential const ex;
  plan const call(ex, "a call", [&](cpu::sequential const& on) {
    auto shared = on.scratch<std::shared_ptr<int>>(100);
    for (auto& one : shared) {
      EXPECT_EQ(one, nullptr);
      one = counter;
    }
    auto const moved = std::move(shared);
    EXPECT_EQ(counter.use_count(), 101);
  });
  std::vector<std::byte> const dirty(static_cast<std::size_t>(call.bytes()), std::byte{0xaa});
  std::vector<std::byte> scratch = dirty;
  call(scratch);
  EXPECT_EQ(counter.use_count(), 1);
}
#endif

TEST(a_plan_on_a_device, launches_nothing_until_it_is_made) {
  if (!gpu::available()) GTEST_SKIP() << "no CUDA device";
  gpu::executor const ex;
  auto const x = to(ex, std::vector{1, 2, 3});
  auto const y = to(ex, std::vector{4, 5, 6});
  plan const call(ex, "a call", [&](gpu::executor const& on) {
    on.for_each_tile(3, testing::multiply_and_add_index{x.data(), 10});
    on.copy(x.data(), y.data(), 3);
    on.clear(x);
  });
  EXPECT_EQ(to_host(ex, x), (std::vector{1, 2, 3}));
  EXPECT_EQ(to_host(ex, y), (std::vector{4, 5, 6}));
  call(ex.allocate<std::byte>(call.bytes()));
  EXPECT_EQ(to_host(ex, x), (std::vector{0, 0, 0}));
  EXPECT_EQ(to_host(ex, y), (std::vector{10, 21, 32}));
}

TEST(a_plan_on_a_device, is_not_made_of_a_call_that_waits) {
  if (!gpu::available()) GTEST_SKIP() << "no CUDA device";
  gpu::executor const ex;
  auto const x = to(ex, std::vector{1, 2, 3});
  EXPECT_EQ(testing::said_by(
                [&] { plan(ex, "a call", [&](gpu::executor const& on) { at_sync(on, x, 1); }); }),
            "plan: a call that waits for the device cannot be planned");
}

TEST(a_plan_on_a_device, reports_tile_states_separately) {
  if (!gpu::available()) GTEST_SKIP() << "no CUDA device";
  gpu::executor const ex;
  auto const states = [&](index_t slots) {
    return plan(ex, "states", [slots](gpu::executor const& on) {
      EXPECT_NE(on.states<int>(slots).words(), nullptr);
    });
  };
  using word = gpu::tile_states<int>::word;
  index_t const few = 1000, many = gpu::memory::state_slots + 1;
  EXPECT_EQ(states(few).bytes(), 0);
  EXPECT_EQ(states(few).bytes_of_executor(),
            static_cast<index_t>(gpu::memory::states_bytes(sizeof(word), few)));
  EXPECT_GE(states(many).bytes(), many * static_cast<index_t>(sizeof(word)));
  EXPECT_EQ(states(many).bytes_of_executor(), 0);
}

TEST(a_tuned_device, keeps_its_sizes_in_copies_and_in_plans) {
  if (!gpu::available()) GTEST_SKIP() << "no CUDA device";
  gpu::executor ex;
  EXPECT_EQ(ex.tuned(), gpu::tuning{});
  gpu::tuning sizes;
  index_t next = 1;
  gpu::for_each_size(sizes, [&](char const*, index_t& size) { size = next++; });
  ex.tune(sizes);
  EXPECT_EQ(gpu::executor(ex).tuned(), sizes);
  plan(ex, "a call", [&](gpu::executor const& on) { EXPECT_EQ(on.tuned(), sizes); });
}

TEST(a_tuned_device, refuses_sizes_that_are_not_possible) {
  if (!gpu::available()) GTEST_SKIP() << "no CUDA device";
  gpu::executor ex;
  gpu::tuning none;
  none.split_bytes = 0;
  EXPECT_EQ(testing::said_by([&] { ex.tune(none); }),
            "gpu::executor: tune: split_bytes is 0 and must be at least 1");
  gpu::tuning too_much;
  too_much.streamed_bytes = gpu::tuning::most_streamed_bytes + 1;
  EXPECT_NE(testing::said_by([&] { ex.tune(too_much); }), "nothing");
  EXPECT_EQ(ex.tuned(), gpu::tuning{});
}

}  // namespace
}  // namespace ravel::plan_test
