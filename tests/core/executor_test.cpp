#include <ravel/core/launches.hpp>
#include <ravel/core/plan.hpp>

#include "laws/executor.hpp"
#include "support/executors.hpp"

#include <thread>
#include <vector>

namespace ravel::executor_test {
namespace {

template <class Ex>
struct an_executor : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(an_executor, testing::executors);

TYPED_TEST(an_executor, keeps_its_laws) { testing::expect_executor_laws(this->ex()); }

TYPED_TEST(an_executor, shares_its_order_with_its_copies) {
  TypeParam const copy = this->ex();
  auto const x = this->there(std::vector{1, 2, 3});
  copy.for_each_tile(3, testing::multiply_and_add_index{x.data(), 10});
  this->ex().for_each_tile(3, testing::multiply_and_add_index{x.data(), 10});
  EXPECT_EQ(this->here(x), (std::vector{100, 211, 322}));
}

TYPED_TEST(an_executor, does_not_mind_waiting_for_nothing) {
  this->ex().wait();
  this->ex().wait();
}

TEST(kernels_launched, are_those_of_the_calling_thread_that_run) {
  if (!gpu::available()) GTEST_SKIP() << "no CUDA device";
  gpu::executor const ex;
  auto const x = to(ex, std::vector{1, 2, 3});
  auto const call = [&](auto const& on) {
    on.for_each_tile(3, testing::multiply_and_add_index{x.data(), 10});
    on.for_each_tile(0, testing::multiply_and_add_index{x.data(), 10});
  };
  index_t const before = kernels_launched();
  call(ex);
  EXPECT_EQ(kernels_launched() - before, 1);
  plan const planned(ex, "a call", call);
  EXPECT_EQ(kernels_launched() - before, 1) << "of what is only planned nothing runs";
  std::thread([&] {
    EXPECT_EQ(kernels_launched(), 0);
    call(gpu::executor());
    EXPECT_EQ(kernels_launched(), 1);
  }).join();
  EXPECT_EQ(kernels_launched() - before, 1) << "others count their own";
  ex.wait();
}

}  // namespace
}  // namespace ravel::executor_test
