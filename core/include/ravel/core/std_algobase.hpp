#pragma once

/// std::min and its like, copies and fills.
///
/// <algorithm> of libstdc++ has 11,000 lines, which these do without; sorts and their like are in std_algorithm.hpp.

#include <ravel/core/config.hpp>

#ifdef __GLIBCXX__
#  include <bits/stl_algobase.h>
#else
#  include <algorithm>
#endif

namespace ravel::inline v0::detail {

/// std::clamp, which libstdc++ has beside its sorts.
template <class T>
constexpr T clamped(T x, T least, T greatest) {
  return x < least ? least : greatest < x ? greatest : x;
}

}  // namespace ravel::inline v0::detail
