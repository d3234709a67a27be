#pragma once

/// @file
/// The shape of a sparse product on a device.

#include <ravel/core/tile.hpp>

#include <cstddef>

namespace ravel::inline v0::cuda {

struct spmv_policy {
  static constexpr int threads = 128;
  template <std::size_t Bytes>  // of a product
  static constexpr int items = Bytes <= 4   ? 8
                               : Bytes <= 8 ? 6
                                            : 3;  // of a chunk, for a thread
  template <std::size_t Bytes>
  static constexpr int blocks = Bytes <= 4   ? 6
                                : Bytes <= 8 ? 5
                                             : 4;  // on a multiprocessor
  static constexpr index_t waves = 2;              // of blocks
  static constexpr index_t fewest_chunks = 4;      // of a slab
  static constexpr int rows_each = 4;              // for a thread, where rows are short
  static constexpr int long_row = 48;         // entries in a chunk, from which a warp adds them up
  static constexpr std::size_t largest = 16;  // bytes of a product
};

}  // namespace ravel::inline v0::cuda
