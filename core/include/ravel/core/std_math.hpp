#pragma once

/// Roots, powers, logarithms and the like of numbers.
///
/// <cmath> of libstdc++ has the special functions of mathematics too, which take g++ 6 MB, and these do without.

#include <ravel/core/config.hpp>

#include <concepts>
#include <version>

#if !defined(__GLIBCXX__) || defined(RAVEL_KERNELS)
#  include <cmath>
#endif

namespace ravel::inline v0::detail::math {

#if !defined(__GLIBCXX__) || defined(RAVEL_KERNELS)
using std::abs, std::ceil, std::cos, std::exp, std::floor, std::log, std::pow, std::sin, std::sqrt;
#else
#  define RAVEL_FUNCTION(name, builtin)                              \
    inline float name(float x) { return builtin##f(x); }             \
    inline double name(double x) { return builtin(x); }              \
    inline long double name(long double x) { return builtin##l(x); } \
    template <std::integral T>                                       \
    double name(T x) {                                               \
      return builtin(static_cast<double>(x));                        \
    }
RAVEL_FUNCTION(abs, __builtin_fabs)
RAVEL_FUNCTION(ceil, __builtin_ceil)
RAVEL_FUNCTION(cos, __builtin_cos)
RAVEL_FUNCTION(exp, __builtin_exp)
RAVEL_FUNCTION(floor, __builtin_floor)
RAVEL_FUNCTION(log, __builtin_log)
RAVEL_FUNCTION(sin, __builtin_sin)
RAVEL_FUNCTION(sqrt, __builtin_sqrt)
#  undef RAVEL_FUNCTION

inline float pow(float x, float y) { return __builtin_powf(x, y); }
inline double pow(double x, double y) { return __builtin_pow(x, y); }
inline long double pow(long double x, long double y) { return __builtin_powl(x, y); }
template <std::integral T>
double pow(T x, T y) {
  return __builtin_pow(static_cast<double>(x), static_cast<double>(y));
}
#endif

}  // namespace ravel::inline v0::detail::math
