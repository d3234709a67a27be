#pragma once

/// The loops over numbers, in vectors of the width that the including file is compiled for.

#include <ravel/core/cpu/simd_compress.hpp>
#include <ravel/core/cpu/simd_gather.hpp>
#include <ravel/core/cpu/simd_quicksort.hpp>
#include <ravel/core/cpu/simd_reduce.hpp>
#include <ravel/core/cpu/simd_scan.hpp>
#include <ravel/core/cpu/simd_segment_sums.hpp>
#include <ravel/core/cpu/simd_segmented_scan.hpp>
#include <ravel/core/cpu/simd_strided.hpp>
#include <ravel/core/cpu/simd_survey.hpp>

#include "each_loop.hpp"

namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS {

RAVEL_INSTANTIATE_LOOPS

}  // namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS
