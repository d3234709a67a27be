#pragma once

/// primitives/cuda/reduce_policy.hpp for a device in software: runs so short that few elements have
/// many.

#include <ravel/core/tile.hpp>

#include <cstddef>

namespace ravel::inline v0::gpu {

template <std::size_t>
struct reduce_policy {
  static constexpr int warps = 2;
  static constexpr int blocks = 1;
  static constexpr int checked_blocks = 1;
  static constexpr int items = 3;
  static constexpr int windows = 4;
  static constexpr int long_segment = 20;
  static constexpr int at_once = 8;
  static constexpr index_t most_chunks = 2, runs_each = 1;
};

struct short_segment_policy {
  static constexpr int threads = 64;
  static constexpr int blocks = 1;
  static constexpr int checked_blocks = 1;
  static constexpr int rounds = 2;
  static constexpr int of_lane = 8;
  static constexpr int at_once = 4;
  static constexpr int piece = 128;
  static constexpr index_t piece_blocks = 1;
  static constexpr index_t most(std::size_t value_bytes) {
    return value_bytes <= 5 ? of_lane : 40 / static_cast<index_t>(value_bytes);
  }
};

struct rows_by_warps_policy {
  static constexpr int threads = 64;
  static constexpr int rows = 4;
  static constexpr index_t least_length = 16;
  static constexpr index_t warps_each = 2;
};

}  // namespace ravel::inline v0::gpu
