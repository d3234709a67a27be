#pragma once

/// core/cuda/cut_offs.hpp for a device in software: so small that small inputs take the forms for
/// long ones.

#include <ravel/core/tile.hpp>

namespace ravel::inline v0::gpu::detail {

struct cut_offs {
  static constexpr index_t streamed_bytes = 40'000;
  static constexpr index_t most_streamed_bytes = index_t{1} << 21;
  static constexpr index_t carried_bytes = 40'000;
  static constexpr index_t reduced_bytes = 40'000;
  static constexpr index_t packed_bytes = 10'000;
  static constexpr index_t split_bytes = 10'000;
  static constexpr index_t coded_bytes = 10'000;
  static constexpr index_t large_tiles = 20'000;
  static constexpr index_t bucketed = 3000;
  static constexpr index_t sampled_bytes = 2000;
  static constexpr int sampled_bits = 3;
  static constexpr index_t nested = 100;
};

}  // namespace ravel::inline v0::gpu::detail
