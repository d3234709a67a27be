#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>
#include <ravel/pipelines/pipelines.hpp>
#include <ravel/pipelines/range_v3.hpp>

#include <range/v3/numeric/accumulate.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/chunk.hpp>
#include <range/v3/view/chunk_by.hpp>
#include <range/v3/view/drop.hpp>
#include <range/v3/view/enumerate.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/generate_n.hpp>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/join.hpp>
#include <range/v3/view/reverse.hpp>
#include <range/v3/view/sliding.hpp>
#include <range/v3/view/stride.hpp>
#include <range/v3/view/take.hpp>
#include <range/v3/view/transform.hpp>
#include <range/v3/view/zip.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <utility>
#include <vector>

namespace ravel::range_v3_test {
namespace {

cpu::threads const ex;

struct square {
  int operator()(int x) const { return x * x; }
};

TEST(range_v3, feeds_a_pipeline) {
  auto const squares = ranges::views::iota(0, 5) | ranges::views::transform(square{});
  EXPECT_EQ(on(ex, squares) | inclusive_scan(plus{}) | to_vector(), (std::vector{0, 1, 5, 14, 30}));
  EXPECT_EQ(on(ex, zip(ranges::views::iota(0, 3), ranges::views::iota(4, 7))) |
                map(multiplies<int>{}) | to_vector(),
            (std::vector{0, 5, 12}));
}

TEST(range_v3, feeds_a_nested_program) {
  std::vector const in{3, 1, 2, 4, 1, 5};
  auto const parts = from(ex, in | ranges::views::chunk(4));
  EXPECT_EQ(to_host(each(parts, [](auto part) { return sum(part); })), (std::vector{10, 6}));
  auto const pairs = from(ex, ranges::views::zip(in, ranges::views::iota(0, 6)));
  EXPECT_EQ(to_host(fst(pairs) * snd(pairs)), (std::vector{0, 1, 4, 12, 4, 25}));
  auto const odd = [](int x) { return x % 2 == 1; };
  EXPECT_EQ(to_host(sum(from(ex, in | ranges::views::filter(odd)))), 10);
}

TEST(range_v3, is_fed_by_one) {
  std::vector const in{3, 1, 2, 4, 1, 5};
  auto const sums = on(ex, in) | inclusive_scan(plus{}) | to_buffer();
  EXPECT_EQ(ranges::accumulate(view_of(sums) | ranges::views::stride(2), 0), 3 + 6 + 11);
  auto const even = on(ex, sums) | filter([](int x) { return x % 2 == 0; }) | to_buffer();
  EXPECT_EQ(even.view_sync() | ranges::views::reverse | ranges::to<std::vector>(),
            (std::vector{16, 10, 6, 4}));
}

TEST(range_v3, is_read_in_place_or_copied) {
  std::vector const in{3, 1, 2, 4, 1, 5};
  auto const odd = [](int x) { return x % 2 == 1; };
  auto const total = [](auto part) { return ranges::accumulate(part, 0); };
  EXPECT_EQ(on(ex, in | ranges::views::filter(odd)) | map(square{}) | to_vector(),
            (std::vector{9, 1, 1, 25}));
  EXPECT_EQ(on(ex, in | ranges::views::chunk_by(std::less{})) | map(total) | to_vector(),
            (std::vector{3, 7, 6}));
  EXPECT_EQ(on(ex, in | ranges::views::sliding(3)) | map(total) | to_vector(),
            (std::vector{6, 7, 7, 10}));
  std::vector const words{std::vector{3}, std::vector{1, 2}};
  EXPECT_EQ(on(ex, words | ranges::views::join) | to_vector(), (std::vector{3, 1, 2}));
  int calls = 0;
  EXPECT_EQ(on(ex, ranges::views::generate_n([&] { return calls++; }, 3)) | to_vector(),
            (std::vector{0, 1, 2}));
}

TEST(range_v3, makes_rows_of_what_it_zips) {
  std::vector const in{3, 1, 2};
  namespace rv = ranges::views;
  EXPECT_EQ(on(ex, rv::zip(in, in)) | map(multiplies<int>{}) | to_vector(), (std::vector{9, 1, 4}));
  EXPECT_EQ(on(ex, rv::zip(in, in)) | map([](auto p) { return p.first + p.second; }) | to_vector(),
            (std::vector{6, 2, 4}));
  auto const of_three = [](int a, int b, int c) { return a * b + c; };
  EXPECT_EQ(on(ex, rv::zip(in, in, in)) | map(of_three) | to_vector(), (std::vector{12, 2, 6}));
  EXPECT_EQ(
      on(ex, in | rv::enumerate) | map([](auto i, int x) { return int(i) * x; }) | to_vector(),
      (std::vector{0, 1, 4}));
  EXPECT_EQ((on(ex, rv::zip(in, in)) | to_vector()).front(), std::pair(3, 3));
}

TEST(range_v3, stands_before_and_after_pipelines) {
  std::vector const in{3, 1, 2, 4, 1, 5};
  auto const odd = [](int x) { return x % 2 == 1; };
  auto const p = in | ranges::views::drop(1) | on(ex) | filter(odd);
  EXPECT_EQ(p | ranges::to<std::vector>(), (std::vector{1, 1, 5}));
  EXPECT_EQ(p | ranges::to<std::set<int>>(), (std::set{1, 5}));
  EXPECT_EQ(on(ex, in) | filter(odd) | ranges::views::take(2) | ranges::to<std::vector>(),
            (std::vector{3, 1}));
  EXPECT_EQ(ranges::accumulate(p, 0), 7);
  EXPECT_EQ((p | to_buffer()) | ranges::views::reverse | ranges::to<std::vector>(),
            (std::vector{5, 1, 1}));
  EXPECT_EQ(from(ex, in) | ranges::to<std::vector>(), in);
}

}  // namespace
}  // namespace ravel::range_v3_test
