#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>
#include <ravel/pipelines/pipelines.hpp>
#include <ravel/pipelines/range_v3.hpp>

#include <range/v3/numeric/accumulate.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/chunk.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/reverse.hpp>
#include <range/v3/view/stride.hpp>
#include <range/v3/view/transform.hpp>
#include <range/v3/view/zip.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace ravel {
namespace {

struct square {
  int operator()(int x) const { return x * x; }
};

TEST(range_v3, feeds_a_pipeline) {
  cpu::threads const ex;
  auto const squares = ranges::views::iota(0, 5) | ranges::views::transform(square{});
  EXPECT_EQ(on(ex, squares) | inclusive_scan(plus{}) | to_vector(), (std::vector{0, 1, 5, 14, 30}));
  EXPECT_EQ(on(ex, zip(ranges::views::iota(0, 3), ranges::views::iota(4, 7))) |
                map(multiplies<int>{}) | to_vector(),
            (std::vector{0, 5, 12}));
}

TEST(range_v3, feeds_a_nested_program) {
  cpu::threads const ex;
  std::vector const in{3, 1, 2, 4, 1, 5};
  auto const parts = from(ex, in | ranges::views::chunk(4));
  EXPECT_EQ(to_host(each(parts, [](auto part) { return sum(part); })), (std::vector{10, 6}));
  auto const pairs = from(ex, ranges::views::zip(in, ranges::views::iota(0, 6)));
  EXPECT_EQ(to_host(fst(pairs) * snd(pairs)), (std::vector{0, 1, 4, 12, 4, 25}));
  auto const odd = [](int x) { return x % 2 == 1; };
  EXPECT_EQ(to_host(sum(from(ex, in | ranges::views::filter(odd)))), 10);
}

TEST(range_v3, is_fed_by_one) {
  cpu::threads const ex;
  std::vector const in{3, 1, 2, 4, 1, 5};
  auto const sums = on(ex, in) | inclusive_scan(plus{}) | to_buffer();
  EXPECT_EQ(ranges::accumulate(view_of(sums) | ranges::views::stride(2), 0), 3 + 6 + 11);
  auto const even = on(ex, sums) | filter([](int x) { return x % 2 == 0; }) | to_buffer();
  EXPECT_EQ(even.view_sync() | ranges::views::reverse | ranges::to<std::vector>(),
            (std::vector{16, 10, 6, 4}));
}

}  // namespace
}  // namespace ravel
