#include "support/executors.hpp"

#include <ravel/core/config.hpp>
#include <ravel/core/cpu/scratch.hpp>

#ifdef __linux__
#  include <sys/resource.h>
#endif

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace ravel::buffer_test {
namespace {

/// `allocate` returns a buffer; each executor has its own type.
template <class Ex>
struct buffer : testing::on_executor<Ex> {
  template <class T>
  using of = decltype(std::declval<Ex const&>().template allocate<T>(0));
};
TYPED_TEST_SUITE(buffer, testing::executors);

TYPED_TEST(buffer, moves_and_does_not_copy) {
  using ints = typename TestFixture::template of<int>;
  static_assert(std::is_nothrow_move_constructible_v<ints>);
  static_assert(std::is_nothrow_move_assignable_v<ints>);
  static_assert(!std::is_copy_constructible_v<ints>);
  static_assert(!std::is_copy_assignable_v<ints>);
  static_assert(sequence_on<ints, TypeParam>);

  auto first = this->there(std::vector{1, 2, 3});
  int const* const data = first.data();
  ints second = std::move(first);
  EXPECT_EQ(second.data(), data);
  EXPECT_EQ(first.size(), 0);  // NOLINT(bugprone-use-after-move): tests that it is empty
  EXPECT_EQ(first.data(), nullptr);

  auto third = this->there(std::vector{7});
  third = std::move(second);
  EXPECT_EQ(this->here(third), (std::vector{1, 2, 3}));
  EXPECT_EQ(second.size(), 0);  // NOLINT(bugprone-use-after-move): tests that it is empty
  EXPECT_EQ(second.data(), nullptr);

  second = this->there(std::vector{8, 9});
  EXPECT_EQ(this->here(second), (std::vector{8, 9}));
}

TYPED_TEST(buffer, may_be_of_nothing) {
  typename TestFixture::template of<int> const none;
  EXPECT_EQ(size_of(none), 0);
  EXPECT_EQ(size_of(this->template allocate<int>(0)), 0);
  EXPECT_EQ(this->here(none), std::vector<int>());
}

TYPED_TEST(buffer, outlives_the_executor_that_made_it) {
  auto made = this->there(std::vector{1, 2, 3});
  this->made.reset();
  TypeParam const another = testing::make_executor<TypeParam>();
  EXPECT_EQ(to_host(another, made), (std::vector{1, 2, 3}));
}

TYPED_TEST(buffer, writes_through_though_it_is_const) {
  auto const made = this->template allocate<int>(2);
  static_assert(std::same_as<decltype(made.data()), int*>);
  std::vector const host{4, 5};
  this->ex().copy(host.data(), made.data(), 2);
  EXPECT_EQ(this->here(made), (std::vector{4, 5}));
}

/// Expects `allocate` to fail with a message that contains `words`.
template <class T, class Ex>
void expect_no_memory(Ex const& ex, index_t n, std::string const& words) {
  try {
    auto const made = ex.template allocate<T>(n);
    [[maybe_unused]] static void* volatile used =
        made.data();  // keeps the allocation from being optimised out
    FAIL() << "memory for " << made.size() << " elements was found";
  } catch (allocation_error const& none) {
    EXPECT_NE(std::string(none.what()).find(words), std::string::npos) << none.what();
  }
}

TYPED_TEST(buffer, says_how_much_there_was_no_memory_for) {
#if !defined(RAVEL_UNDER_ASAN) && !defined(RAVEL_UNDER_TSAN)  // they end the process instead
  index_t const more_than_counts_in_bytes = index_t{1} << 61;
  expect_no_memory<double>(this->ex(), more_than_counts_in_bytes,
                           "2305843009213693952 elements of 8 bytes");
  index_t const more_than_can_be_addressed = index_t{1} << 50;
  expect_no_memory<char>(this->ex(), more_than_can_be_addressed, "1125899906842624");
#endif
  auto const there = this->there(std::vector{1, 2, 3});
  EXPECT_EQ(this->here(there), (std::vector{1, 2, 3})) << "and later there is memory again";
}

#ifndef __CUDACC__

TEST(cpu_buffer, constructs_and_destroys_what_is_not_trivial) {
  auto const counter = std::make_shared<int>();
  {
    cpu::buffer<std::shared_ptr<int>> shared(3);
    EXPECT_EQ(shared[0], nullptr);
    shared[0] = counter;
    shared[2] = counter;
    EXPECT_EQ(counter.use_count(), 3);
    shared = {};
    EXPECT_EQ(counter.use_count(), 1);
  }
  cpu::buffer<std::string> const words(100);
  for (auto const& word : words) EXPECT_EQ(word, "");
}

#  ifndef RAVEL_UNDER_ASAN            // under which buffers keep nothing
constexpr index_t large = 5'000'000;  // has whole huge pages

TEST(cpu_buffer, takes_the_memory_of_one_that_ended) {
  cpu::release_memory();
  int const* first = nullptr;
  {
    cpu::buffer<int> made(large);
    first = made.data();
    std::thread([moved = std::move(made)] { moved[large - 1] = 1; }).join();
  }
  cpu::buffer<std::uint64_t> const other(large / 2 - 1);
  EXPECT_EQ(static_cast<void const*>(other.data()), first);
  cpu::buffer<int> beside(large), moved;
  EXPECT_NE(beside.data(), first) << "which is in use";
  for (index_t i = 0; i < large; ++i) beside[i] = static_cast<int>(i);
  for (index_t i = 0; i < other.size(); ++i) other[i] = 0;
  moved = std::move(beside);
  EXPECT_EQ(beside.size(), 0);  // NOLINT(bugprone-use-after-move): tests that it is empty
  for (index_t i = 0; i < large; ++i) ASSERT_EQ(moved[i], static_cast<int>(i));
}

TEST(cpu_buffer, takes_no_block_of_over_twice_its_size) {
  cpu::release_memory();
  void const* much = cpu::buffer<int>(large).data();
  EXPECT_NE(cpu::buffer<int>(large / 3).data(), much);
}
#  endif

struct alignas(256) wide {
  std::byte all[256];
};

TEST(cpu_buffer, is_aligned_as_its_elements) {
  for (index_t const n : {1, 1000, 100'000}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(cpu::buffer<wide>(n).data()) % 256, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(cpu::buffer<double>(n).data()) % 8, 0u);
  }
}

#  if defined(__linux__) && !defined(RAVEL_UNDER_ASAN) && !defined(RAVEL_UNDER_TSAN)
/// The pages that the process has touched first so far.
long first_touches() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_minflt;
}

TEST(cpu_buffer, touches_kept_pages_no_more_until_they_are_released) {
  constexpr index_t bytes = index_t{40} << 20;  // 20 huge pages, and more than the C library keeps
  auto const touched = [] {
    long const before = first_touches();
    cpu::buffer<char> const made(bytes);
    for (index_t i = 0; i < bytes; i += 4096) made[i] = 1;
    return first_touches() - before;
  };
  cpu::release_memory();
  EXPECT_GE(touched(), 20);
  EXPECT_LT(touched(), 10);
  cpu::release_memory();
  EXPECT_GE(touched(), 20);
}
#  endif

#endif

}  // namespace
}  // namespace ravel::buffer_test
