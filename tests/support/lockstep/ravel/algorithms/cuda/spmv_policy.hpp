#pragma once

/// @file
/// As algorithms/cuda/spmv_policy.hpp, for a device in software: slabs so small that small
/// matrices have many.

#include <ravel/core/tile.hpp>

#include <cstddef>

namespace ravel::inline v0::cuda {

struct spmv_policy {
  static constexpr int threads = 64;
  template <std::size_t>
  static constexpr int items = 3;
  template <std::size_t>
  static constexpr int blocks = 1;
  static constexpr index_t waves = 3;
  static constexpr index_t fewest_chunks = 2;
  static constexpr int rows_each = 4;  // for a thread, where rows are short
  static constexpr int long_row = 20;
  static constexpr std::size_t largest = 16;
};

}  // namespace ravel::inline v0::cuda
