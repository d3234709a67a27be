#pragma once

/// algorithms/cuda/spmv_blocks_policy.hpp for a device in software: blocks of so few columns that
/// few elements have many blocks.

#include <ravel/core/tile.hpp>

#include <cstddef>

namespace ravel::inline v0::gpu {

template <std::size_t>
struct spmv_blocks_policy {
  static constexpr std::size_t slice_bytes = 256;
  static constexpr int slice_threads = 64;
  static constexpr int at_once = 2;
  static constexpr index_t bytes_read_meanwhile = 128;
  static constexpr int items = 4;
  static constexpr int windows = 2;
  static constexpr int warps = 2;
  static constexpr int blocks = 1;
  static constexpr index_t most_chunks = 2;
  static constexpr index_t least_sectors = 2;
  static constexpr index_t most_namings = 50;
  static constexpr std::size_t kept_bytes = 1 << 10;
  static constexpr int granule = 4;
  static constexpr int warps_of_rounds = 2;
  static constexpr int spread_warps = 1;
  static constexpr index_t bytes_of_rooms = 4 << 10;
};

}  // namespace ravel::inline v0::gpu
