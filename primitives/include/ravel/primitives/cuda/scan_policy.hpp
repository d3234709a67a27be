#pragma once

/// @file
/// The tile shapes of the single-pass scan, as data.

#include <ravel/core/tile.hpp>

#include <cstddef>

namespace ravel::inline v0::cuda {

/// A block of `threads` has `rows` values in each thread's registers.
///
/// Measured on an H200, int32 and head bits, n = 2^28, fraction of copy speed:
///
///     rows of 4 bytes   19: 0.62    23: 0.67    31: 0.69    39: 0.74
///     rows of 8 bytes    9: 0.36    15: 0.47    19: 0.46    23: 0.48
struct scan_policy {
  static constexpr int threads = 256;

  /// Up to here small tiles, so that every multiprocessor has one.
  static constexpr index_t few = index_t{1} << 20;

  /// Values larger than this leave no room for a tile in shared memory.
  static constexpr std::size_t largest = 160;

  /// What fits in 48 KB of shared memory.  Odd, so that threads that read their
  /// neighbours from it do not meet in a bank.
  static constexpr int rows(std::size_t bytes) {
    return bytes <= 4    ? 39
           : bytes <= 8  ? 23
           : bytes <= 16 ? 11
           : bytes <= 24 ? 7
           : bytes <= 32 ? 5
           : bytes <= 48 ? 3
                         : 1;
  }
  static constexpr int rows_of_few(std::size_t bytes) { return bytes <= 32 ? 5 : rows(bytes); }
};

}  // namespace ravel::inline v0::cuda
