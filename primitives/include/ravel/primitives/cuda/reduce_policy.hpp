#pragma once

/// @file
/// The shape of segmented reductions of what is computed on a device.

#include <ravel/core/tile.hpp>

#include <cstddef>

namespace ravel::inline v0::gpu {

template <std::size_t Bytes>  // of a value
struct reduce_policy {
  static constexpr int warps = 4;                           // of a block
  static constexpr int blocks = Bytes <= 4 ? 6 : 5;         // on a multiprocessor
  static constexpr int items = Bytes <= 8 ? 16 : 8;         // of a chunk, for a lane
  static constexpr int windows = 4;                         // of 32 segments, known ahead
  static constexpr int long_segment = 48;                   // in a chunk: for all lanes
  static constexpr int at_once = Bytes <= 8 ? 8 : 4;        // of a segment, by one lane
  static constexpr int short_segment = 8;                   // if none is longer: for one lane
  static constexpr index_t most_chunks = 8, runs_each = 4;  // of a run; for a warp
};

/// The same where a lane has a segment.
struct short_segment_policy {
  static constexpr int threads = 256;
  static constexpr int blocks = 8;            // on a multiprocessor: all its threads
  static constexpr int rounds = 4;            // of 32 segments, of a warp
  static constexpr int of_lane = 8;           // elements, on average and at most, of a lane
  static constexpr int at_once = 4;           // of these
  static constexpr int piece = 2048;          // elements of a longer segment, of a warp
  static constexpr index_t piece_blocks = 6;  // on a multiprocessor
};

}  // namespace ravel::inline v0::gpu
