#include <ravel/core/cpu/memory_pool.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ravel::memory_pool_test {
namespace {

using pool = cpu::memory_pool;

TEST(memory_pool, gives_again_what_was_given_back) {
  auto const p = std::make_shared<pool>();
  void const* first = nullptr;
  {
    pool::block const x(p, 1'000'000);
    first = x.data();
    std::memset(x.data(), 1, 1'000'000);
  }
  pool::block const again(p, 900'000);
  EXPECT_EQ(again.data(), first);
}

TEST(memory_pool, gives_no_memory_twice) {
  auto const p = std::make_shared<pool>();
  std::vector<pool::block> all;
  for (std::size_t const bytes : {0, 1, 100, 5'000, 70'000, 3'000'000, 5'000'000, 40'000'000}) {
    for (int k = 0; k < 3; ++k) {
      all.emplace_back(p, bytes);
      std::memset(all.back().data(), static_cast<int>(all.size()), bytes);
      auto const alignment = bytes < 65'536 ? alignof(std::max_align_t) : 64;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all.back().data()) % alignment, 0u);
    }
    auto const* last = static_cast<unsigned char const*>(all[all.size() - 3].data());
    if (bytes > 0) {
      EXPECT_EQ(last[bytes - 1], all.size() - 2);
    }
  }
}

TEST(memory_pool, does_not_give_a_large_block_for_a_small_one) {
  auto const p = std::make_shared<pool>();
  void const* large = nullptr;
  {
    pool::block const x(p, 10'000'000);
    large = x.data();
  }
  pool::block const small(p, 1'000);
  EXPECT_NE(small.data(), large);
}

TEST(memory_pool, lives_as_long_as_its_blocks) {
  auto p = std::make_shared<pool>();
  std::weak_ptr<pool> const watched = p;
  {
    std::optional<pool::block> x(std::in_place, p, 64);
    p.reset();
    EXPECT_FALSE(watched.expired());
    pool::block const moved = std::move(*x);
    x.reset();
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired());
}

TEST(memory_pool, reports_what_it_has_no_memory_for) {
  auto const p = std::make_shared<pool>();
  EXPECT_THROW(pool::block(p, std::size_t{1} << 60), allocation_error);
  pool::block(p, 1'000'000);  // must not serve a request that overflows
  EXPECT_THROW(pool::block(p, ~std::size_t{0} - 100), allocation_error);
}

TEST(spare_blocks, are_given_up_where_there_is_no_memory_for_others) {
  std::size_t left = 3'000'000;
  struct borrowed {
    std::size_t* of = nullptr;
    std::size_t bytes = 0;
    borrowed() = default;
    borrowed(std::size_t& from, std::size_t many) : of(&from), bytes(many) {
      if (bytes > from) throw allocation_error("none");
      from -= bytes;
    }
    borrowed(borrowed&& b) noexcept : of(std::exchange(b.of, nullptr)), bytes(b.bytes) {}
    borrowed& operator=(borrowed&& b) noexcept {
      std::swap(of, b.of);
      std::swap(bytes, b.bytes);
      return *this;
    }
    ~borrowed() {
      if (of) *of += bytes;
    }
  };
  auto const make = [&](std::size_t bytes) { return borrowed(left, bytes); };
  spare_blocks<borrowed> blocks;
  auto [first, first_bytes] = blocks.take(2'000'000, make);
  blocks.give_back(std::move(first), first_bytes);
  EXPECT_LT(left, 2'000'000u) << "what was given back is kept";
  auto [large, large_bytes] = blocks.take(2'500'000, make);
  EXPECT_GE(large_bytes, 2'500'000u);
  EXPECT_THROW(blocks.take(2'500'000, make), allocation_error);
}

}  // namespace
}  // namespace ravel::memory_pool_test
