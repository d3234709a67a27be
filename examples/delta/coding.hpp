#pragma once

/// Delta coding of a sound by every order, and decoding.

#include "wav.hpp"

#include <vector>

namespace ravel::examples {

/// Statistics of the differences of an order.
struct coding {
  int order;
  double bits;      // for each difference: its magnitude and a sign
  bool comes_back;  // whether decoding restores the sound
};

/// Codes the sound itself, which is order 0, and its differences of orders 1 to 4, separately for
/// each channel.
template <class Backend>
std::vector<coding> code(sound const& s, int threads);

}  // namespace ravel::examples
