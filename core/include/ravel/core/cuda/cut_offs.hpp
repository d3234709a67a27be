#pragma once

/// The default input sizes from which calls take another form.

#include <ravel/core/tile.hpp>

namespace ravel::inline v0::gpu::detail {

/// Measured by ravel-tune on an H200: examples/tune/tunings/sm_90.json.  sampled_bytes and
/// sampled_bits were measured on an H100: comparison sorts of more than sampled_bytes of keys are
/// sample sorts, which distribute keys to 1 << sampled_bits parts at a time.
struct cut_offs {
  static constexpr index_t streamed_bytes = index_t{24} << 20;
  static constexpr index_t most_streamed_bytes = index_t{32} << 20;
  static constexpr index_t carried_bytes = index_t{1536} << 10;
  static constexpr index_t reduced_bytes = index_t{7} << 20;
  static constexpr index_t packed_bytes = index_t{2} << 20;
  static constexpr index_t split_bytes = index_t{12} << 20;
  static constexpr index_t coded_bytes = index_t{1} << 15;
  static constexpr index_t large_tiles = index_t{1} << 19;
  static constexpr index_t bucketed = index_t{1280} << 10;
  static constexpr index_t sampled_bytes = index_t{32} << 20;
  static constexpr int sampled_bits = 8;
  static constexpr index_t nested = index_t{6} << 10;
};

}  // namespace ravel::inline v0::gpu::detail
