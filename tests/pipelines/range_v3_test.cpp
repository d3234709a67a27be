#include <ravel/core/cpu/executor.hpp>
#include <ravel/pipelines/pipelines.hpp>
#include <ravel/pipelines/range_v3.hpp>

#include <range/v3/numeric/accumulate.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/reverse.hpp>
#include <range/v3/view/stride.hpp>
#include <range/v3/view/transform.hpp>

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
