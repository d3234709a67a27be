#include <ravel/primitives/map.hpp>

#include "support/executors.hpp"
#include "support/sizes.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

namespace ravel::map_test {
namespace {

struct square {
  RAVEL_HD int operator()(int x) const { return x * x; }
};
struct less_than {
  RAVEL_HD bool operator()(int x, int y) const { return x < y; }
};
struct times_plus {
  RAVEL_HD double operator()(double x, float y, int z) const { return x * y + z; }
};
struct add_one_to {
  int* seen;
  RAVEL_HD void operator()(index_t i) const { ++seen[i]; }
};

struct point {
  int x, y;
  int norm() const { return x * x + y * y; }
};

/// Writes for each index the begin of its tile, or of its part of one.
struct write_tile_begin {
  index_t* to;
  index_t begin = -1;
  RAVEL_HD write_tile_begin on(tile t) const { return {to, t.begin}; }
  RAVEL_HD void operator()(index_t i) const { to[i] = begin; }
};

template <class Ex>
struct map : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(map, testing::executors);

TYPED_TEST(map, gives_the_example_in_the_header) {
  auto const in = this->there(std::vector{3, 1, 2});
  auto out = this->template allocate<int>(3);
  ravel::map(this->ex(), square{}, out, in);
  EXPECT_EQ(this->here(out), (std::vector{9, 1, 4}));
}

TYPED_TEST(map, takes_members) {
  auto const in = this->there(std::vector<point>{{3, 1}, {2, 4}});
  auto out = this->template allocate<int>(2);
  ravel::map(this->ex(), &point::y, out, in);
  EXPECT_EQ(this->here(out), (std::vector{1, 4}));
}

TEST(map_on_the_host, takes_member_functions_and_what_points_to_an_object) {
  std::vector<point> const in{{3, 1}, {2, 4}};
  std::vector const at{&in[1], &in[0]};
  std::vector<int> out(2);
  ravel::map(cpu::threads{}, &point::norm, out, in);
  EXPECT_EQ(out, (std::vector{10, 20}));
  ravel::map(cpu::threads{}, &point::norm, out, at);
  EXPECT_EQ(out, (std::vector{20, 10}));
  ravel::map(cpu::threads{}, &point::x, out, at);
  EXPECT_EQ(out, (std::vector{2, 3}));
}

TYPED_TEST(map, takes_two_and_three_sequences_of_different_types) {
  for (index_t const n : testing::sizes()) {
    SCOPED_TRACE(n);
    std::vector<int> x, y;
    std::vector<double> a;
    std::vector<float> b;
    std::vector<bool> expected_less;
    std::vector<double> expected_sum;
    for (int i = 0; i < n; ++i) {
      x.push_back(i * 7 % 13);
      y.push_back(i * 5 % 11);
      a.push_back(0.5 * i);
      b.push_back(static_cast<float>(i % 3));
      expected_less.push_back(x.back() < y.back());
      expected_sum.push_back(a.back() * b.back() + x.back());
    }
    auto const there_x = this->there(x);
    auto less = this->template allocate<bool>(n);
    ravel::map(this->ex(), less_than{}, less, there_x, this->there(y));
    EXPECT_EQ(this->here(less), expected_less);

    auto sum = this->template allocate<double>(n);
    ravel::map(this->ex(), times_plus{}, sum, this->there(a), this->there(b), there_x);
    EXPECT_EQ(this->here(sum), expected_sum);
  }
}

TYPED_TEST(map, may_write_over_any_of_its_inputs) {
  std::vector<int> const x{1, 5, 3}, y{2, 4, 6};
  for (bool const over_left : {true, false}) {
    auto there_x = this->there(x);
    auto there_y = this->there(y);
    auto& over = over_left ? there_x : there_y;
    ravel::map(this->ex(), less_than{}, over, there_x, there_y);
    EXPECT_EQ(this->here(over), (std::vector{1, 0, 1}));
  }
}

LOCAL_TYPED_TEST(map, visits_each_index_once) {
  for (index_t const n : testing::sizes()) {
    SCOPED_TRACE(n);
    auto seen = this->there(std::vector<int>(static_cast<std::size_t>(n), 0));
    for_each_index(this->ex(), n, add_one_to{seen.data()});
    EXPECT_EQ(this->here(seen), std::vector<int>(static_cast<std::size_t>(n), 1));
  }
}

LOCAL_TYPED_TEST(map, gives_a_visit_its_tile) {
  index_t const n = 40000;
  auto begins = this->template allocate<index_t>(n);
  for_each_index(this->ex(), n, write_tile_begin{begins.data()});
  auto const host = this->here(begins);
  index_t const tiles = this->ex().tile_count(n);
  index_t begin = 0;
  index_t seen = 0;
  for (index_t i = 0; i < n; ++i) {
    if (host[static_cast<std::size_t>(i)] == i) {
      begin = i;
      ++seen;
    }
    ASSERT_EQ(host[static_cast<std::size_t>(i)], begin) << "at " << i;
  }
  EXPECT_GE(seen, tiles);
}

LOCAL_TYPED_TEST(map, takes_a_grain) {
  auto const a = this->there(std::vector{3, 1, 2});
  auto const b = this->there(std::vector{1.0f, 2.0f, 3.0f});
  auto const c = this->there(std::vector{1.0, 10.0, 100.0});
  for (index_t const k : {1, 2, 100}) {
    auto squares = this->template allocate<int>(3);
    ravel::map(this->ex(), square{}, squares, a, grain(k));
    EXPECT_EQ(this->here(squares), (std::vector{9, 1, 4}));
    auto are_less = this->template allocate<bool>(3);
    ravel::map(this->ex(), less_than{}, are_less, a, a, grain(k));
    EXPECT_EQ(this->here(are_less), (std::vector{false, false, false}));
    auto sums = this->template allocate<double>(3);
    ravel::map(this->ex(), times_plus{}, sums, c, b, a, grain(k));
    EXPECT_EQ(this->here(sums), (std::vector<double>{4, 21, 302}));
    auto seen = this->there(std::vector<int>(1000));
    for_each_index(with_grain(this->ex(), grain(k)), 1000, add_one_to{seen.data()});
    EXPECT_EQ(this->here(seen), std::vector<int>(1000, 1));
  }
  EXPECT_THROW(grain(0), contract_error);
}

#ifndef __CUDACC__
TEST(map_on_the_host, shares_few_heavy_elements) {
  cpu::assume({});
  cpu::threads const ex(4);
  std::vector<std::thread::id> seen(100);
  for_each_index(ex, 100, [&](index_t i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    seen[static_cast<std::size_t>(i)] = std::this_thread::get_id();
  });
  cpu::assume({.asleep = {}, .awake = {}});
  EXPECT_NE(std::ranges::count(seen, std::this_thread::get_id()), 100);
}
#endif

struct add_one {
  template <class T>
  RAVEL_HD int operator()(T x) const {
    return x + 1;
  }
};
template <class T, class Test>
void expect_mapped_views(Test const& test, index_t from, index_t to) {
  SCOPED_TRACE(::testing::Message() << sizeof(T) << " bytes, from " << from << " to " << to);
  index_t const n = 40'001;
  std::vector<T> in(static_cast<std::size_t>(from), T(9)), expected(static_cast<std::size_t>(to));
  for (index_t i = 0; i < n; ++i) {
    in.push_back(static_cast<T>(i));
    expected.push_back(static_cast<T>(i + 1));
  }
  auto const all = test.there(in);
  auto out = test.there(std::vector<T>(expected.size()));
  ravel::map(test.ex(), add_one{}, view_of(out).slice(to, n), view_of(all).slice(from, n));
  EXPECT_EQ(test.here(out), expected);
}
LOCAL_TYPED_TEST(map, takes_narrow_elements_of_views_that_begin_anywhere) {
  for (index_t const from : {0, 1, 8}) {
    for (index_t const to : {0, 1}) {
      expect_mapped_views<std::uint8_t>(*this, from, to);
      expect_mapped_views<std::int16_t>(*this, from, to);
    }
  }
}

LOCAL_TYPED_TEST(map, refuses_sizes_that_differ) {
  auto const four = this->template allocate<int>(4);
  auto out = this->template allocate<int>(3);
  EXPECT_THROW(ravel::map(this->ex(), square{}, out, four), contract_error);
  EXPECT_THROW(ravel::map(this->ex(), less_than{}, four, four, out), contract_error);
  EXPECT_THROW(for_each_index(this->ex(), -1, add_one_to{nullptr}), contract_error);
}

}  // namespace
}  // namespace ravel::map_test
