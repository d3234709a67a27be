#pragma once

/// @file
/// The order of CUDA's short floating-point types.

#include <ravel/core/radix_key.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace ravel::inline v0 {

/// IEEE 754 binary16: 5 bits of exponent.
template <>
struct radix_key<__half> {
  static RAVEL_HD std::uint16_t bits(__half x) {
    return detail::number_bits<std::uint16_t>(__half_as_ushort(x), 0x7c00);
  }
};

/// The upper half of a float: 8 bits of exponent.
template <>
struct radix_key<__nv_bfloat16> {
  static RAVEL_HD std::uint16_t bits(__nv_bfloat16 x) {
    return detail::number_bits<std::uint16_t>(__bfloat16_as_ushort(x), 0x7f80);
  }
};

}  // namespace ravel::inline v0
