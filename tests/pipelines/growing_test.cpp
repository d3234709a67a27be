#include <ravel/pipelines/growing.hpp>

#include <ravel/pipelines/pipelines.hpp>

#include "support/executors.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace ravel::growing_test {
namespace {

/// A host executor that records the largest allocation of a pipeline.
struct metered : cpu::threads {
  std::shared_ptr<std::atomic<index_t>> most = std::make_shared<std::atomic<index_t>>(0);

  metered() = default;

  template <class T>
  auto allocate(index_t n) const {
    note(n * index_t{sizeof(T)});
    return cpu::threads::allocate<T>(n);
  }
  template <class T>
  auto scratch(index_t n) const {
    note(n * index_t{sizeof(T)});
    return cpu::threads::scratch<T>(n);
  }

 private:
  void note(index_t bytes) const {
    index_t seen = *most;
    while (seen < bytes && !most->compare_exchange_weak(seen, bytes)) {
    }
  }
};

template <class Ex>
struct growing : ::testing::Test {
  Ex const ex{};

  /// The results of a pipeline in windows of `width` elements.
  template <class Node, class T = piping::element_of_node<Node>>
  std::vector<T> in_windows(pipeline<Ex, Node> const& p, index_t width) {
    return piping::open_pass(p.node(), ex, [&](auto const& pass) {
      static_assert(piping::runs_in_windows<Ex, std::remove_cvref_t<decltype(pass)>>);
      piping::growing<Ex, piping::to_memory<T>> room(ex);
      index_t const n = piping::write_growing(ex, pass, room, width);
      EXPECT_LE(n, room.capacity());
      return std::vector<T>(room.from(0).out, room.from(0).out + n);
    });
  }
  /// Expects them to equal those of one pass, `n` elements.
  template <class P>
  void expect_the_same(P const& p, std::size_t n) {
    auto const at_once = p | to_vector();
    EXPECT_EQ(at_once.size(), n);
    for (index_t const width : {16, 100, 4096, 70000}) {
      EXPECT_EQ(in_windows(p, width), at_once) << width;
    }
  }
};
using executors = ::testing::Types<cpu::threads, metered>;
TYPED_TEST_SUITE(growing, executors);

constexpr index_t many = 50000;

struct is_third {
  RAVEL_HD bool operator()(index_t x) const { return x % 3 == 0; }
};
struct below {
  index_t bound;
  RAVEL_HD bool operator()(index_t x) const { return x < bound; }
};
struct at_least {
  index_t bound;
  bool operator()(index_t x) const { return x >= bound; }
};
struct never {
  template <class T>
  bool operator()(T const&) const {
    return false;
  }
};
struct twice {
  RAVEL_HD index_t operator()(index_t x) const { return 2 * x; }
};
struct random_index {
  RAVEL_HD index_t operator()(index_t i) const {
    return static_cast<index_t>(random_words{7}(i) >> 40);
  }
};
struct halved {
  double operator()(index_t x) const { return double(x) / 2; }
};
struct is_whole {
  bool operator()(double x) const { return std::floor(x) == x; }
};
struct as_text {
  std::string operator()(index_t x) const { return std::string(30, 'x') + std::to_string(x); }
};
struct ends_with_7 {
  bool operator()(std::string const& x) const { return x.back() == '7'; }
};

TYPED_TEST(growing, filters) {
  auto const computed = on(this->ex, iota(many));
  this->expect_the_same(computed | filter(is_third{}), 16667);
  this->expect_the_same(computed | filter(is_third{}) | map(halved{}), 16667);
  this->expect_the_same(computed | map(as_text{}) | filter(ends_with_7{}), 5000);
  this->expect_the_same(computed | filter(never{}), 0);
  this->expect_the_same(computed | filter(at_least{0}), 50000);
  auto const memory = computed | to_vector();
  this->expect_the_same(on(this->ex, memory) | filter(is_third{}), 16667);
  this->expect_the_same(on(this->ex, memory) | map(halved{}) | filter(is_whole{}), 25000);
  this->expect_the_same(on(this->ex, zip(memory, computed)) | filter(equal_to{}), 50000);
}

TYPED_TEST(growing, filters_whose_beginning_predicts_nothing) {
  auto const p = on(this->ex, iota(many));
  this->expect_the_same(p | filter(below{20000}), 20000);
  this->expect_the_same(p | filter(at_least{20000}), 30000);
  this->expect_the_same(p | filter(at_least{many - 1}), 1);
}

TYPED_TEST(growing, unique) {
  std::vector<int> runs;
  for (int k = 0; k < 3000; ++k) runs.insert(runs.end(), std::size_t(k % 37), k / 3);
  runs.insert(runs.end(), 30000, -1);
  std::vector<int> expected = runs;
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  this->expect_the_same(on(this->ex, runs) | ravel::unique(), expected.size());
  this->expect_the_same(on(this->ex, runs) | map([](int x) { return x; }) | ravel::unique(),
                        expected.size());
}

TYPED_TEST(growing, scans) {
  auto const p = on(this->ex, iota(many));
  this->expect_the_same(p | inclusive_scan(plus{}) | filter(is_third{}), 33333);
  this->expect_the_same(p | exclusive_scan(plus{}, from(index_t{5})) | filter(is_third{}), 16666);
  this->expect_the_same(p | filter(is_third{}) | inclusive_scan(maximum{}) | filter(below{999}),
                        333);
  auto const numbered = p | inclusive_scan(plus{}) | enumerate() |
                        filter([](index_t i, index_t) { return i % 1000 == 7; });
  this->expect_the_same(numbered, 50);
  this->expect_the_same(p | filter(is_third{}) | exclusive_scan(plus{}), 16667);
}

TYPED_TEST(growing, several_sequences) {
  using piping::to_fields;
  auto const p = on(this->ex, iota(many)) | enumerate() |
                 filter([](index_t i, index_t) { return i % 3 == 0; });
  auto const [indices, values] = p | unzip();
  piping::open_pass(p.node(), this->ex, [&](auto const& pass) {
    piping::growing<TypeParam, to_fields<index_t, index_t>> room(this->ex);
    index_t const n = piping::write_growing(this->ex, pass, room, 1000);
    ASSERT_EQ(n, indices.size_sync());
    auto const out = room.from(0).out;
    EXPECT_TRUE(std::equal(get<0>(out), get<0>(out) + n, indices.data()));
    EXPECT_TRUE(std::equal(get<1>(out), get<1>(out) + n, values.data()));
  });
}

#ifndef RAVEL_UNDER_TSAN  // it does not support fibres
/// A device waits for the number that each window keeps.
TEST(growing, on_a_device_in_software) {
  software_blocks<64> const ex;
  auto const expect_the_same = [&](auto const& p) {
    piping::open_pass(p.node(), ex, [&](auto const& pass) {
      static_assert(
          piping::runs_in_windows<software_blocks<64>, std::remove_cvref_t<decltype(pass)>, true>);
      piping::growing<software_blocks<64>, piping::to_memory<index_t>> room(ex);
      index_t const n = piping::write_growing(ex, pass, room, 1000);
      EXPECT_EQ(to_host(ex, piping::sequence_at(ex, room.from(0).out, n)), p | to_vector());
    });
  };
  auto const all = on(ex, iota(index_t{5}, 10000));
  expect_the_same(all | filter(is_third{}));
  expect_the_same(on(ex, generate(10000, random_index{})) | drop(77) | filter(is_third{}));
  auto const memory = all | to_buffer();
  expect_the_same(on(ex, memory) | filter(below{9000}) | map(twice{}));
  expect_the_same(on(ex, zip(memory, iota(index_t{0}, 10000))) | map(plus<index_t>{}) |
                  filter(is_third{}));
}
#endif

/// The results of a long input have room for one more window, and not for all.
TEST(growing, of_many_has_room_for_what_is_kept) {
  metered const ex;
  constexpr index_t length = index_t{1} << 25;  // 256 MiB
  auto const p = on(ex, iota(length));
  EXPECT_EQ((p | filter(never{}) | to_vector()).size(), 0u);
  EXPECT_EQ((p | filter(below{1000}) | to_buffer()).size_sync(), 1000);
  EXPECT_EQ(p | filter(below{1000}) | reverse() | first(1), (std::vector<index_t>{999}));
  EXPECT_EQ(std::get<0>(p | enumerate() | filter([](index_t, index_t) { return false; }) | unzip())
                .size_sync(),
            0);
  EXPECT_EQ((p | inclusive_scan(plus{}) | filter(below{10}) | to_vector()).size(), 4u);
  EXPECT_LE(*ex.most, 2 * piping::window_bytes<metered>);
}

TEST(growing, of_many_gives_the_same) {
  metered const ex;
  constexpr index_t length = (index_t{1} << 24) + 12345;
  auto const thirds = on(ex, iota(length)) | filter(is_third{});
  auto const kept = thirds | to_vector();
  ASSERT_EQ(std::ssize(kept), (length + 2) / 3);
  for (index_t k = 0; k < std::ssize(kept); ++k) ASSERT_EQ(kept[std::size_t(k)], 3 * k);
  auto const collected = thirds | to_buffer();
  ASSERT_EQ(collected.size_sync(), std::ssize(kept));
  EXPECT_TRUE(std::equal(kept.begin(), kept.end(), collected.data()));
  EXPECT_LE(*ex.most, std::ssize(kept) * 8 + 2 * piping::window_bytes<metered>);
}

TEST(growing, flat_map_has_room_for_what_comes) {
  metered const ex;
  auto const once_in_a_while = [](index_t x) { return x % 100 == 0 ? 2 : 0; };
  auto const either = [](index_t x, index_t r) { return x + r; };
  auto const p = on(ex, iota(1000)) | flat_map(once_in_a_while, either, index_t{1} << 40);
  EXPECT_EQ((p | to_vector()).size(), 20u);
  EXPECT_EQ((p | filter(is_third{}) | to_vector()).size(), 7u);
  EXPECT_EQ((p | to_buffer()).data()[3], 101);
  EXPECT_LE(*ex.most, 1 << 20);
}

}  // namespace
}  // namespace ravel::growing_test
