#include "spmv/check.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

namespace ravel::examples {
namespace {

/// 1 . 2
/// . . .
/// . 3 .
template <class T>
struct small_matrix {
  std::vector<std::int32_t> offsets{0, 2, 2, 3};
  std::vector<std::int32_t> columns{0, 2, 1};
  std::vector<T> values{T(1), T(2), T(3)};
  std::vector<T> x{T(1), T(2), T(3)};

  std::string verdict(std::vector<T> const& y) const {
    matrix_view<std::int32_t, T> const a{3, 3, view_of(offsets), view_of(columns), view_of(values)};
    return what_is_wrong(a, view_of(x), view_of(y));
  }
};

TEST(check, finds_nothing_wrong_with_the_product) {
  EXPECT_EQ(small_matrix<float>().verdict({7, 0, 6}), "");
  EXPECT_EQ(small_matrix<double>().verdict({7, 0, 6}), "");
  EXPECT_EQ(small_matrix<std::complex<double>>().verdict({7, 0, 6}), "");
}

TEST(check, forgives_rounding_and_no_more) {
  double const epsilon = std::numeric_limits<double>::epsilon();
  small_matrix<double> const a;
  EXPECT_EQ(a.verdict({7 + 7 * epsilon, 0, 6}), "");
  EXPECT_NE(a.verdict({7 + 70 * epsilon, 0, 6}), "");
  EXPECT_NE(a.verdict({7, 0, 6 - 60 * epsilon}), "");
  EXPECT_NE(a.verdict({7, 1e-300, 6}), "") << "an empty row is exactly zero";
  EXPECT_NE(a.verdict({7, 0, std::numeric_limits<double>::quiet_NaN()}), "");
  EXPECT_NE(a.verdict({7, 0, std::numeric_limits<double>::infinity()}), "");
  EXPECT_NE(small_matrix<float>().verdict({7, 0, 6.0001f}), "");
  EXPECT_NE((small_matrix<std::complex<double>>().verdict({7, 0, {6, 1e-9}})), "");
}

TEST(check, names_the_row) {
  EXPECT_EQ(small_matrix<double>().verdict({7, 0, 5}).substr(0, 22), "row 2 is off by 1, and");
}

TEST(check, accepts_any_result_that_is_not_finite) {
  small_matrix<double> a;
  a.values[0] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(a.verdict({std::numeric_limits<double>::infinity(), 0, 6}), "");
  EXPECT_NE(a.verdict({std::numeric_limits<double>::infinity(), 0, 5}), "");
}

}  // namespace
}  // namespace ravel::examples
