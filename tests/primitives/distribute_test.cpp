#include <ravel/primitives/distribute.hpp>

#include "support/executors.hpp"
#include "support/monoids.hpp"
#include "support/sizes.hpp"

#include <cstdint>

namespace ravel::distribute_test {
namespace {

template <class Ex>
struct distribute : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(distribute, testing::executors);

TYPED_TEST(distribute, gives_the_example_in_the_header) {
  auto out = this->template allocate<int>(4);
  ravel::distribute(this->ex(), 7, out);
  EXPECT_EQ(this->here(out), (std::vector{7, 7, 7, 7}));
}

TYPED_TEST(distribute, takes_the_value_from_the_host_or_from_its_own_memory) {
  testing::affine const value{3, 5};
  auto const there = this->replicated(std::vector{value});
  for (index_t const n : testing::sizes()) {
    SCOPED_TRACE(n);
    std::vector const expected(static_cast<std::size_t>(n), value);
    auto from_host = this->template allocate<testing::affine>(n);
    ravel::distribute(this->ex(), value, from_host);
    EXPECT_EQ(this->here(from_host), expected);
    auto from_element = this->template allocate<testing::affine>(n);
    ravel::distribute(this->ex(), there, from_element);
    EXPECT_EQ(this->here(from_element), expected);
  }
}

TYPED_TEST(distribute, converts_the_value_to_an_element) {
  auto out = this->template allocate<std::uint8_t>(2);
  ravel::distribute(this->ex(), 257, out);
  EXPECT_EQ(this->here(out), (std::vector<std::uint8_t>{1, 1}));
  ravel::distribute(this->ex(), this->replicated(std::vector{2.5}), out);
  EXPECT_EQ(this->here(out), (std::vector<std::uint8_t>{2, 2}));
}

LOCAL_TYPED_TEST(distribute, reads_an_element_when_the_work_runs) {
  auto value = this->template allocate<int>(1);
  auto out = this->template allocate<int>(3);
  ravel::distribute(this->ex(), 9, value);
  ravel::distribute(this->ex(), value, out);  // without waiting in between
  EXPECT_EQ(this->here(out), (std::vector{9, 9, 9}));
}

LOCAL_TYPED_TEST(distribute, refuses_a_sequence_of_other_than_one_value) {
  auto out = this->template allocate<int>(3);
  EXPECT_THROW(ravel::distribute(this->ex(), this->template allocate<int>(2), out), contract_error);
  EXPECT_THROW(ravel::distribute(this->ex(), this->template allocate<int>(0), out), contract_error);
}

}  // namespace
}  // namespace ravel::distribute_test
