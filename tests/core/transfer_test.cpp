#include <ravel/core/transfer.hpp>

#include "support/executors.hpp"

#include <array>

namespace ravel::transfer_test {
namespace {

template <class Ex>
struct transfer : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(transfer, testing::executors);

TYPED_TEST(transfer, there_and_back_changes_nothing) {
  auto const& ex = this->ex();
  EXPECT_EQ(to_host(ex, to(ex, std::vector{1, 2, 3})), (std::vector{1, 2, 3}));
  EXPECT_EQ(to_host(ex, to(ex, std::array{0.5, 0.25})), (std::vector{0.5, 0.25}));
  EXPECT_EQ(to_host(ex, to(ex, std::vector<char>())), std::vector<char>());
  int const plain[] = {4, 5};
  EXPECT_EQ(to_host(ex, to(ex, plain)), (std::vector{4, 5}));
  EXPECT_EQ(to_host(ex, to(ex, std::array{true, false})), (std::vector{true, false}));
}

TYPED_TEST(transfer, brings_back_much) {
  for (index_t const n : {1'000'000, 3'000'001}) {
    auto const made = ravel::detail::host_vector<int>(this->ex(), "test", n);
    EXPECT_EQ(made, std::vector<int>(static_cast<std::size_t>(n)));
    std::vector<int> host(static_cast<std::size_t>(n), 7);
    host.front() = 1;
    host.back() = 2;
    EXPECT_EQ(to_host(this->ex(), to(this->ex(), host)), host);
  }
}

TEST(cpu_threads, copies_much_wherever_it_goes) {
  cpu::threads const ex(3);
  constexpr index_t n = 2'000'000, shift = 1000;
  std::vector<int> x(n + shift);
  for (index_t i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = static_cast<int>(i);
  auto const all_at = [&](std::vector<int> const& y, index_t first) {
    for (index_t i = 0; i < n; ++i) {
      if (y[static_cast<std::size_t>(first + i)] != i) return false;
    }
    return true;
  };
  std::vector<int> y(n + 1);
  ex.copy(x.data(), y.data() + 1, n);
  EXPECT_TRUE(all_at(y, 1));
  ex.copy(x.data(), x.data() + shift, n);
  EXPECT_TRUE(all_at(x, shift)) << "to later elements of the same sequence";
  ex.copy(x.data() + shift, x.data(), n);
  EXPECT_TRUE(all_at(x, 0)) << "and back";
}

TYPED_TEST(transfer, takes_a_part) {
  auto const all = this->there(std::vector{1, 2, 3, 4});
  EXPECT_EQ(to_host(this->ex(), view_of(all).slice(1, 2)), (std::vector{2, 3}));
}

TYPED_TEST(transfer, makes_a_copy_that_is_its_own) {
  std::vector host{1, 2, 3};
  auto const there = to(this->ex(), host);
  host[0] = 7;
  EXPECT_EQ(to_host(this->ex(), there), (std::vector{1, 2, 3}));
}

TYPED_TEST(transfer, fetches_one_element) {
  auto const there = this->there(std::vector{1, 2, 3});
  EXPECT_EQ(at_sync(this->ex(), there), 1);
  EXPECT_EQ(at_sync(this->ex(), there, 2), 3);
  EXPECT_THROW(at_sync(this->ex(), there, 3), contract_error);
  EXPECT_THROW(at_sync(this->ex(), there, -1), contract_error);
  try {
    at_sync(this->ex(), there, 3);
  } catch (contract_error const& broken) {
    EXPECT_STREQ(broken.what(), "at_sync: index 3 of a sequence of 3");
  }
}

}  // namespace
}  // namespace ravel::transfer_test
