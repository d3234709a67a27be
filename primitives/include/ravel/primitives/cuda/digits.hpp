#pragma once

/// The digits of a radix sort on a device.

#include <ravel/core/config.hpp>

namespace ravel::inline v0::gpu {

/// The digits of rows: bits [begin, end) of the unsigned integer bits(key), in groups of 8 bits
/// from the lowest on; complemented if `descending`.
template <class Bits>
struct digits {
  static constexpr int width = 8;
  static constexpr int ways = 1 << width;
  Bits bits;
  int begin, end;
  bool descending;

  RAVEL_HD constexpr int passes() const { return (end - begin + width - 1) / width; }

  /// The function that returns the digit of one pass.
  struct digit {
    Bits bits;
    int shift;
    unsigned mask, flip;
    template <class K>
    RAVEL_HD unsigned operator()(K const& key) const {
      return of(bits(key));
    }
    template <class U>
    RAVEL_HD unsigned of(U const& all) const {
      return (static_cast<unsigned>(all >> shift) & mask) ^ flip;
    }
  };
  RAVEL_HD digit of_pass(int pass) const {
    int const shift = begin + pass * width;
    unsigned const mask = (1u << (end - shift < width ? end - shift : width)) - 1;
    return {bits, shift, mask, descending ? mask : 0};
  }
};

}  // namespace ravel::inline v0::gpu
