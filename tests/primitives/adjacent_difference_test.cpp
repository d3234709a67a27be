#include <ravel/primitives/adjacent_difference.hpp>

#include <ravel/primitives/scan.hpp>

#include "support/executors.hpp"
#include "support/monoids.hpp"
#include "support/sizes.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>

namespace ravel::adjacent_difference_test {
namespace {

struct differs {
  RAVEL_HD bool operator()(int x, int y) const { return x != y; }
};

template <class Ex>
struct adjacent_difference : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(adjacent_difference, testing::executors);

TYPED_TEST(adjacent_difference, gives_the_example_in_the_header) {
  auto const in = this->there(std::vector{3, 4, 6, 10, 11, 16});
  auto out = this->template allocate<int>(6);
  ravel::adjacent_difference(this->ex(), in, out);
  EXPECT_EQ(this->here(out), (std::vector{3, 1, 2, 4, 1, 5}));
}

TYPED_TEST(adjacent_difference, takes_any_function_of_the_later_and_the_earlier) {
  for (index_t const n : testing::sizes()) {
    SCOPED_TRACE(n);
    std::vector<testing::affine> in;
    for (std::uint32_t i = 0; i < n; ++i) in.push_back(testing::nth_affine(i));
    std::vector<testing::affine> expected(in.size());
    std::adjacent_difference(in.begin(), in.end(), expected.begin(), testing::then{});
    auto out = this->template allocate<testing::affine>(n);
    ravel::adjacent_difference(this->ex(), this->there(in), out, testing::then{});
    EXPECT_EQ(this->here(out), expected);
  }
}

TYPED_TEST(adjacent_difference, may_make_another_type) {
  auto const in = this->there(std::vector{4, 4, 0, 0, 7});
  auto out = this->template allocate<bool>(5);
  ravel::adjacent_difference(this->ex(), in, out, differs{});
  EXPECT_EQ(this->here(out), (std::vector<bool>{true, false, true, false, true}));
}

TYPED_TEST(adjacent_difference, of_bytes_is_an_int_unless_a_type_is_named) {
  auto const in = this->there(std::vector<std::uint8_t>{5, 3});
  auto out = this->template allocate<int>(2);
  ravel::adjacent_difference(this->ex(), in, out);
  EXPECT_EQ(this->here(out), (std::vector{5, -2}));
  ravel::adjacent_difference(this->ex(), in, out, minus<std::uint8_t>{});
  EXPECT_EQ(this->here(out), (std::vector{5, 254}));
}

/// Differences wrap around where sums of ints have.
static_assert(minus<>{}(std::numeric_limits<int>::min(), 1) == std::numeric_limits<int>::max());

TYPED_TEST(adjacent_difference, undoes_an_inclusive_scan) {
  std::vector<int> host;
  for (std::uint32_t i = 0; i < 40000; ++i) host.push_back(static_cast<int>(i * 2654435761u));
  auto const in = this->there(host);
  auto sums = this->template allocate<int>(40000);
  auto out = this->template allocate<int>(40000);
  inclusive_scan(this->ex(), in, sums);
  ravel::adjacent_difference(this->ex(), sums, out);
  EXPECT_EQ(this->here(out), host);
}

TYPED_TEST(adjacent_difference, refuses_sizes_that_differ) {
  auto const in = this->template allocate<int>(4);
  auto out = this->template allocate<int>(3);
  EXPECT_THROW(ravel::adjacent_difference(this->ex(), in, out), contract_error);
}

}  // namespace
}  // namespace ravel::adjacent_difference_test
