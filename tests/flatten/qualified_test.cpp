// Nested programs without a using-directive: argument-dependent lookup finds the operators.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace stranger {
namespace {

using numbers = std::vector<std::int64_t>;
using rows = std::vector<numbers>;

ravel::cpu::sequential const ex;
rows const three{{2, 1}, {}, {7, 3, 0, 3}};

/// The result of a program for each row, without its type.
template <class F>
std::string of_each(F const& f) {
  std::string const all = ravel::show(ravel::each(ravel::from(ex, three), f));
  return all.substr(0, all.find(" :"));
}

/// The number of odd elements, times a scale.
struct scaled {
  std::int64_t operator()(std::int64_t x, std::int64_t y) const { return 100 * x + y; }
};
struct last_bit {
  int operator()(std::int64_t x) const { return static_cast<int>(x & 1); }
};

TEST(qualified, operators) {
  EXPECT_EQ(of_each([](auto v) { return (v + 1) * 2 - v; }), "[[4, 3], [], [9, 5, 2, 5]]");
  EXPECT_EQ(of_each([](auto v) { return -v / 2 + v % 2; }), "[[-1, 1], [], [-2, 0, 0, 0]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::count((v > 1 && v < 7) || v == 0); }), "[1, 0, 3]");
  EXPECT_EQ(of_each([](auto v) { return ravel::count(!(v >= 1) || v != 3); }), "[2, 0, 2]");
  EXPECT_EQ(of_each([](auto v) { return ravel::count(v <= 2); }), "[2, 0, 1]");
  EXPECT_EQ(of_each([](auto v) { return ravel::lift(scaled{})(v, v); }),
            "[[202, 101], [], [707, 303, 0, 303]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::cast<int>(v); }), "[[2, 1], [], [7, 3, 0, 3]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::select(ravel::len(v) > 2, ravel::len(v), -1); }),
            "[-1, -1, 4]");
  std::ostringstream out;
  out << ravel::from(ex, numbers{3, 1});
  EXPECT_EQ(out.str(), "[3, 1] : 2 * int64");
}

TEST(qualified, folds) {
  EXPECT_EQ(of_each([](auto v) { return ravel::tup(ravel::sum(v), ravel::product(v)); }),
            "[(3, 2), (0, 1), (13, 0)]");
  EXPECT_EQ(of_each([](auto v) { return ravel::tup(ravel::any(v > 2), ravel::all(v > 0)); }),
            "[(false, true), (false, true), (true, false)]");
  EXPECT_EQ(of_each([](auto v) { return ravel::min_or(v, 9) + ravel::max_or(v, 0); }), "[3, 9, 7]");
  EXPECT_EQ(of_each([](auto v) { return ravel::reduce(v, ravel::maximum{}); }).substr(0, 2), "[2");
  EXPECT_EQ(of_each([](auto v) { return ravel::inclusive_scan(v); }),
            "[[2, 3], [], [7, 10, 10, 13]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::exclusive_scan(v); }),
            "[[0, 2], [], [0, 7, 10, 10]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::find(v, [](auto x) { return x == 3; }); }),
            "[-1, -1, 1]");
  auto const some = ravel::from(ex, numbers{4, 9, 2});
  EXPECT_EQ(ravel::to_host(ravel::max(some) - ravel::min(some)), 7);
  EXPECT_EQ(ravel::to_host(ravel::max_index(some) + ravel::min_index(some)), 3);
}

TEST(qualified, sequences) {
  EXPECT_EQ(
      of_each([](auto v) { return ravel::flat_each(v, [](auto n) { return ravel::iota(n); }); }),
      "[[0, 1, 0], [], [0, 1, 2, 3, 4, 5, ..., 2]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::range(0, ravel::len(v), 2); }), "[[0], [], [0, 2]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::list(ravel::len(v), ravel::sum(v)); }),
            "[[2, 3], [0, 0], [4, 13]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::append(v, ravel::dist(ravel::len(v), 1)); }),
            "[[2, 1, 2], [0], [7, 3, 0, 3, 4]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::gather(v, ravel::reverse(ravel::indices(v))); }),
            "[[1, 2], [], [3, 0, 3, 7]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::rotate(ravel::take(v, ravel::len(v) / 2), 1); }),
            "[[2], [], [3, 7]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::slice(v, ravel::len(v) / 2, ravel::len(v)); }),
            "[[1], [], [0, 3]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::flatten(ravel::unflatten(ravel::drop(v, 0), 2)); }),
            "[[2, 1], [], [7, 3, 0, 3]]");
}

TEST(qualified, picking_and_moving) {
  EXPECT_EQ(of_each([](auto v) { return ravel::pack(v, v > 1); }), "[[2], [], [7, 3, 3]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::filter(v, [](auto x) { return x > 1; }); }),
            "[[2], [], [7, 3, 3]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::split(v, v > 2); }),
            "[[[2, 1], []], [[], []], [[0], [7, 3, 3]]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::split<2>(v, last_bit{}); }),
            "[[[2], [1]], [[], []], [[0], [7, 3, 3]]]");
  EXPECT_EQ(
      of_each([](auto v) { return ravel::permute(v, ravel::sort_order(-ravel::indices(v))); }),
      "[[1, 2], [], [3, 0, 3, 7]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::write(v, ravel::indices(v), v + 1); }),
            "[[3, 2], [], [8, 4, 1, 4]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::histogram(v % 2, 2); }), "[[1, 1], [0, 0], [1, 3]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::reduce_by_index(v % 2, v, 2, ravel::plus{}); }),
            "[[2, 1], [0, 0], [0, 13]]");
}

TEST(qualified, ordering) {
  EXPECT_EQ(of_each([](auto v) { return ravel::sort(v); }), "[[1, 2], [], [0, 3, 3, 7]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::rank(v); }), "[[1, 0], [], [3, 1, 0, 2]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::unique(v); }), "[[1, 2], [], [0, 3, 7]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::intersect(v, v + 1); }), "[[2], [], []]");
  EXPECT_EQ(of_each([](auto v) { return ravel::len(ravel::union_(v, v + 1)); }), "[3, 0, 6]");
  EXPECT_EQ(of_each([](auto v) {
              auto const s = ravel::sort(v);
              return ravel::upper_bound(s, 3) - ravel::lower_bound(s, 3);
            }),
            "[0, 0, 2]");
  EXPECT_EQ(of_each([](auto v) { return ravel::collect(v % 2, v); }),
            "[[(0, [2]), (1, [1])], [], [(0, [0]), (1, [7, 3, 3])]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::run_lengths(ravel::sort(v)); }),
            "[[1, 1], [], [1, 2, 1]]");
}

TEST(qualified, records) {
  EXPECT_EQ(of_each([](auto v) {
              auto const pairs = ravel::zip(v, v + 1);
              return ravel::fst(pairs) * ravel::snd(pairs) + ravel::get<0>(pairs);
            }),
            "[[8, 3], [], [63, 15, 0, 15]]");
  EXPECT_EQ(of_each([](auto v) { return ravel::get<1>(ravel::unzip(ravel::zip(v, v + 1))); }),
            "[[3, 2], [], [8, 4, 1, 4]]");
}

TEST(qualified, steering) {
  EXPECT_EQ(of_each([](auto v) {
              return ravel::if_(
                  ravel::len(v) > 2, [&] { return ravel::sum(v); }, [&] { return -ravel::len(v); });
            }),
            "[-2, 0, 13]");
  EXPECT_EQ(of_each([](auto v) {
              return ravel::switch_(
                  ravel::len(v) % 2, [&] { return ravel::sum(v); }, [&] { return ravel::len(v); });
            }),
            "[3, 0, 13]");
  EXPECT_EQ(of_each([](auto v) {
              return ravel::while_([](auto n) { return n < 10; }, [](auto n) { return n * 2 + 1; },
                                   ravel::len(v));
            }),
            "[11, 15, 19]");
  auto const factorial = ravel::rec<std::int64_t(std::int64_t)>([](auto self, auto n) {
    return ravel::if_(
        n < 2, [&] { return n * 0 + 1; }, [&] { return n * self(n - 1); });
  });
  EXPECT_EQ(of_each([&](auto v) { return ravel::each(v, factorial); }),
            "[[2, 1], [], [5040, 6, 1, 6]]");
  EXPECT_EQ(of_each([](auto v) {
              return ravel::serially(v, [](std::int64_t* first, ravel::index_t n) {
                for (ravel::index_t i = 0; i < n; ++i) first[i] += i;
              });
            }),
            "[[2, 2], [], [7, 4, 2, 6]]");
}

TEST(qualified, in_and_out) {
  auto const x = ravel::from(ex, three);
  EXPECT_EQ(ravel::to_host(x), three);
  numbers const flat{2, 1, 7, 3, 0, 3}, lengths{2, 0, 4}, offsets{0, 2, 2, 6},
      ids{0, 0, 2, 2, 2, 2};
  EXPECT_EQ(ravel::to_host(ravel::from_lengths(ex, flat, lengths)), three);
  EXPECT_EQ(ravel::to_host(ravel::from_offsets(ex, flat, offsets)), three);
  EXPECT_EQ(ravel::to_host(ravel::from_row_ids(ex, flat, ids, 3)), three);
  EXPECT_EQ(ravel::to_host(ex, ravel::row_lengths(x)), lengths);
  EXPECT_EQ(ravel::to_host(ex, ravel::row_offsets(x)), offsets);
  EXPECT_EQ(ravel::to_host(ex, ravel::row_ids(x)), ids);
  EXPECT_EQ(ravel::type_string(x), "3 * var * int64");
  EXPECT_FALSE(
      ravel::explain([&] { ravel::each(x, [](auto v) { return ravel::sum(v); }); }).empty());
}

}  // namespace
}  // namespace stranger
