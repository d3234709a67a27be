#pragma once

/// @file
/// The loops over numbers, in vectors of the width that the including file is compiled for.

#include <ravel/core/cpu/simd_loops.hpp>
#include <ravel/core/cpu/simd_sort.hpp>

#include "each_loop.hpp"

namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS {

#define RAVEL_NUMBERS(...) template struct loops_over_numbers<__VA_ARGS__>;
#define RAVEL_SEGMENTS(...) template struct loops_over_segments<__VA_ARGS__>;
#define RAVEL_STRIDES(...) template struct loops_over_strides<__VA_ARGS__>;
RAVEL_EACH_SMALL_MONOID(RAVEL_NUMBERS)
RAVEL_EACH_LARGE_MONOID(RAVEL_NUMBERS)
RAVEL_EACH_LARGE_MONOID(RAVEL_SEGMENTS)
RAVEL_EACH_LARGE_SUM(RAVEL_STRIDES)
template struct loops_over_elements<std::uint8_t>;
template struct loops_over_elements<std::uint16_t>;
template struct loops_over_elements<std::uint32_t>;
template struct loops_over_elements<std::uint64_t>;
template struct loops_over_keys<std::uint32_t>;
template struct loops_over_keys<std::uint64_t>;

}  // namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS
