#pragma once

/// @file
/// Tuning constants of products on a device with a matrix whose columns have been cut into blocks.

#include <ravel/core/tile.hpp>

#include <cstddef>

namespace ravel::inline v0::gpu {

/// The shapes of the kernels of products with blocks of columns, by the size of an element of x.
template <std::size_t Bytes>  // of an element of x
struct spmv_blocks_policy {
  // Blocks that read a slice of x, and write it to tables.
  static constexpr std::size_t slice_bytes = 200 << 10;
  static constexpr int slice_threads = 1024;
  static constexpr int at_once = 4;                     // vectors of 16 bytes for each thread
  static constexpr index_t bytes_read_meanwhile = 128;  // of a slice, for each sector written

  // Blocks that have a table, and add rows.
  static constexpr int items = Bytes <= 8 ? 16 : 8;  // of a chunk, for each lane
  static constexpr int windows = 4;                  // of 32 rows, loaded ahead
  static constexpr int warps = Bytes <= 4 ? 12 : 8;
  static constexpr int blocks = 2;             // on a multiprocessor
  static constexpr index_t most_chunks = 8;    // in a run
  static constexpr index_t least_sectors = 2;  // of a table in a slice, on average
  static constexpr index_t most_namings = 2;   // uses of an element of a table, on average

  // Blocks that keep a slice of x.
  static constexpr std::size_t kept_bytes = 160 << 10;  // at most
  static constexpr int granule = 32;                    // consecutive elements of x in a slice
  static constexpr int warps_of_rounds = Bytes <= 4 ? 16 : 8;  // that add rows
  static constexpr int spread_warps = 7;                       // with one more, a multiple of four
  static constexpr index_t bytes_of_rooms = 24 << 20;          // for tables
};

}  // namespace ravel::inline v0::gpu
