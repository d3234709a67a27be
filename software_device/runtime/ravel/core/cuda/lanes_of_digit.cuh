#pragma once

/// core/cuda/lanes_of_digit.cuh for a device in software.

#include <ravel/software_device/intrinsics.hpp>

namespace ravel::inline v0::gpu {

template <int Bits>
unsigned lanes_of_digit(unsigned digit) {
  return __match_any_sync(0xffffffff, digit & ((1u << Bits) - 1));
}

}  // namespace ravel::inline v0::gpu
