#pragma once

/// The tuning parameters of segmented reductions of computed elements on a device.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0::gpu {

/// The shape of the kernel of segmented reductions, by the size of a value.
template <std::size_t Bytes>  // of a value
struct reduce_policy {
  static constexpr int warps = 4;                    // of a block
  static constexpr int blocks = Bytes <= 4 ? 6 : 5;  // on a multiprocessor
  // for loads that test indices: with 5 blocks sums of products of 8 bytes spill registers
  static constexpr int checked_blocks = Bytes <= 4 ? blocks : 4;
  static constexpr int items = Bytes <= 8 ? 16 : 8;  // elements of a chunk, for each lane
  // windows of 32 segment ends that are loaded early
  static constexpr int windows = 4;
  // elements in a chunk from which all lanes reduce a segment together
  static constexpr int long_segment = 48;
  // loads of a segment that a lane issues together
  static constexpr int at_once = Bytes <= 8 ? 8 : 4;
  static constexpr index_t most_chunks = 8, runs_each = 4;  // chunks of a run; runs of a warp
};

/// Parameters of the form in which each lane reduces one segment.
struct short_segment_policy {
  static constexpr int threads = 256;
  static constexpr int blocks = 8;            // on a multiprocessor: full occupancy
  static constexpr int checked_blocks = 5;    // for loads that test indices and need more registers
  static constexpr int rounds = 4;            // rounds of 32 segments, for each warp
  static constexpr int of_lane = 8;           // greatest number of elements of a lane's segment
  static constexpr int at_once = 4;           // loads issued together
  static constexpr int piece = 2048;          // elements of a longer segment that one warp reduces
  static constexpr index_t piece_blocks = 6;  // on a multiprocessor

  /// The greatest length of a segment that one lane reduces.  Neighbouring lanes read addresses
  /// that are a segment apart: with rows of 8 values of 8 bytes, sparse products take twice the
  /// time of those by runs, with rows of 5 a tenth less.
  static constexpr index_t most(std::size_t value_bytes) {
    return value_bytes <= 5 ? of_lane : 40 / static_cast<index_t>(value_bytes);
  }
};

/// Parameters of the form in which a warp reduces some segments of one length.
struct rows_by_warps_policy {
  static constexpr int threads = 128;
  static constexpr int rows = 8;               // segments of a warp
  static constexpr index_t least_length = 16;  // below, most lanes would have no element
  static constexpr index_t warps_each = 8;     // of a multiprocessor: fewer do not occupy it
};

}  // namespace ravel::inline v0::gpu
