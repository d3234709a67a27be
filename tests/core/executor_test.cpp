#include "laws/executor.hpp"
#include "support/executors.hpp"

namespace ravel {
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

}  // namespace
}  // namespace ravel
