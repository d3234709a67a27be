#pragma once

/// The order of numbers.

#include <ravel/core/config.hpp>

namespace ravel::examples {

/// Whether x comes before y: numbers by value, with -0.0 equal to +0.0, and NaNs last; or the
/// reverse.
struct in_order {
  bool downward = false;

  template <class T>
  RAVEL_HD bool operator()(T x, T y) const {
    return downward ? ascend(y, x) : ascend(x, y);
  }

 private:
  template <class T>
  static RAVEL_HD bool ascend(T x, T y) {
    return x < y || (x == x && y != y);
  }
};

}  // namespace ravel::examples
