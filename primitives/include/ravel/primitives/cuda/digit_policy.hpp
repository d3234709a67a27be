#pragma once

/// @file
/// The shapes of the kernels that order rows by digits, as data.

#include <ravel/core/tile.hpp>

#include <cstddef>

namespace ravel::inline v0::gpu {

/// Found by measurement on an H200.
struct digit_policy {
  /// One pass over long sequences: threads of a block, and rows of each thread whose
  /// columns that go through shared memory have `bytes` together.
  static constexpr int threads = 512;
  static constexpr int blocks = 2;  // of a multiprocessor
  static constexpr int items(std::size_t bytes) {
    return bytes <= 4 ? 21 : bytes <= 8 ? 16 : bytes <= 12 ? 10 : bytes <= 16 ? 8 : 6;
  }
  /// Of keys alone, whose ranks are words: halves take 7 to 9 % longer.
  static constexpr int items_of_keys(std::size_t bytes) {
    return bytes > 4 && bytes <= 8 ? 14 : items(bytes);
  }

  /// One pass of keys alone that need not be stable.
  static constexpr int part_items(std::size_t bytes) { return bytes <= 4 ? 24 : 14; }

  /// How the digits of all passes are counted.
  static constexpr int counting_threads = 1024;
  static constexpr int writing_threads = 256;
  static constexpr int counted_at_once = 8;  // keys of a thread

  /// What all blocks of a launch sort together, in registers: threads of a block, and
  /// rows of each thread.
  static constexpr int together_threads = 1024;
  static constexpr int together_items(std::size_t bytes) {
    return bytes <= 8 ? 8 : bytes <= 16 ? 4 : 2;
  }
  static constexpr int alone_items = 4;  // up to which one block does without others

  /// Tiles that are sorted and merged by comparisons: rows of each thread, an odd number.
  static constexpr int merging_threads = 256;
  static constexpr int merged_items(std::size_t bytes) {
    return bytes <= 4 ? 17 : bytes <= 8 ? 11 : bytes <= 16 ? 7 : bytes <= 64 ? 3 : 1;
  }

  /// Integers whose equal ones need not be told apart go to buckets: how many to a bucket at most
  /// on average, and the blocks that sort a bucket.
  static constexpr index_t bucket_keys = 4096;
  struct small_bucket {
    static constexpr int threads = 256, items = 17, bin_bits = 13, blocks = 4;
  };
  struct small_bucket_of_wide {  // keys of 8 bytes, for more of which a thread has no registers
    static constexpr int threads = 512, items = 9, bin_bits = 13, blocks = 3;
  };
  struct large_bucket {
    static constexpr int threads = 1024, items = 18, bin_bits = 14;
  };
  /// Short segments are sorted by a block that takes so many elements, of `bytes` each in shared
  /// memory, and segments together.
  static constexpr int segment_window(std::size_t bytes) { return bytes <= 4 ? 8192 : 4096; }
  static constexpr int segment_threads = 256;
  static constexpr int segment_blocks = 4;  // of a multiprocessor
  static constexpr int segment_lane(std::size_t bytes) { return bytes <= 4 ? 32 : 16; }
  /// The blocks that sort a part each of what all of them hold together.
  struct part_block {
    static constexpr int threads = together_threads, items = 10, bin_bits = 13;
  };
};

}  // namespace ravel::inline v0::gpu
