#pragma once

/// @file
/// A sound as its differences of every order, and back.

#include "wav.hpp"

#include <vector>

namespace ravel::examples {

/// What differences of an order are like.
struct coding {
  int order;
  double bits;      // that a difference takes: those of its magnitude, and a sign
  bool comes_back;  // the sound, when they are decoded
};

/// The sound itself, which is order 0, and its differences of orders 1 to 4, channel
/// by channel.
template <class Backend>
std::vector<coding> code(sound const& s, int threads);

}  // namespace ravel::examples
