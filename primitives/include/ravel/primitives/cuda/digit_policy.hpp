#pragma once

/// @file
/// The tuning parameters of the radix sort kernels, as data.

#include <ravel/core/tile.hpp>

#include <cstddef>

namespace ravel::inline v0::gpu {

/// Measured on an H200.
struct digit_policy {
  /// A stable pass over long sequences: threads of a block, and rows per thread when the staged
  /// columns of a row have `bytes` together.  Measured on an H100, 2^28 keys of 32 bits, 2^27 of
  /// 64, and 2^28 pairs of 32 and 32, all passes, ms:
  ///
  ///     threads by rows, blocks    512 x 21, 2    512 x 25, 2    384 x 30, 2    384 x 34, 2    384 x 19, 3
  ///     keys of 32 bits                   5.26           5.04           5.02           4.76           5.32
  ///                                512 x 14, 2    512 x 12, 2    384 x 19, 2    384 x 20, 2    384 x 12, 3
  ///     keys of 64 bits                   8.21           8.39           8.00           7.96          10.35
  ///                                512 x 16, 2    512 x 14, 2    384 x 20, 2    384 x 24, 2    384 x 14, 3
  ///     pairs                            10.39          10.75          10.37          10.03          12.85
  struct pass {
    static constexpr int threads = 384;
    static constexpr int blocks = 2;  // per multiprocessor
    static constexpr int items(std::size_t bytes, bool alone) {
      return bytes <= 4    ? (alone ? 34 : 28)
             : bytes <= 8  ? (alone ? 20 : 24)
             : bytes <= 12 ? 18
             : bytes <= 16 ? 13
                           : 8;
    }
  };

  /// Other kernels whose blocks rank or part a tile: threads, blocks of a multiprocessor, and rows
  /// of 8 bytes of a thread.
  static constexpr int threads = 512;
  static constexpr int blocks = 2;
  static constexpr int items = 16;

  /// One pass over keys alone that need not be stable.
  static constexpr int part_items(std::size_t bytes) { return bytes <= 4 ? 24 : 14; }

  /// The counting of the digits of all passes.
  static constexpr int counting_threads = 1024;
  static constexpr int writing_threads = 256;
  static constexpr int counted_at_once = 8;  // keys per thread

  /// The one-launch sort in registers: threads of a block, and rows per thread.
  static constexpr int together_threads = 1024;
  static constexpr int together_adders =
      128;  // threads that sum the counts of a part of the blocks
  static constexpr int together_items(std::size_t bytes) {
    return bytes <= 8 ? 8 : bytes <= 16 ? 4 : 2;
  }
  static constexpr int alone_items = 4;  // up to which a single block sorts

  /// Tiles that are sorted and merged by comparisons: rows per thread, an odd number.
  static constexpr int merging_threads = 256;
  static constexpr int bucket_threads = 512;   // that sort a bucket of a sample sort
  static constexpr int bucket_blocks = 2;      // per multiprocessor
  static constexpr int finding_threads = 512;  // that find buckets
  static constexpr int merged_items(std::size_t bytes) {
    return bytes <= 4 ? 17 : bytes <= 8 ? 11 : bytes <= 16 ? 7 : bytes <= 64 ? 3 : 1;
  }

  /// Integers whose equal keys are indistinguishable are sorted in buckets: the most keys of a
  /// bucket on average, and the shapes of the blocks that sort a bucket.
  static constexpr index_t bucket_keys = 4096;
  struct small_bucket {
    static constexpr int threads = 256, items = 18, bin_bits = 13, blocks = 4;
  };
  struct small_bucket_of_wide {  // keys of 8 bytes; more items would spill
    static constexpr int threads = 512, items = 9, bin_bits = 13, blocks = 3;
  };
  struct medium_bucket {  // keys of 4 bytes
    static constexpr int threads = 512, items = 17, bin_bits = 14, blocks = 2;
  };
  struct large_bucket {
    static constexpr int threads = 1024, items = 18, bin_bits = 15, blocks = 1;
  };
  /// A large bucket of pairs: the values, of `bytes` each, are in shared memory too.
  template <int bytes>
  struct large_pair_bucket {
    static constexpr int threads = 1024, items = bytes <= 4 ? 18 : 9, bin_bits = 15, blocks = 1;
  };
  /// The number of elements and segments, together, of the short segments that a block sorts;
  /// elements have `bytes` bytes in shared memory.
  static constexpr int segment_window(std::size_t bytes) { return bytes <= 4 ? 8192 : 4096; }
  static constexpr int segment_threads = 256;
  static constexpr int segment_blocks = 4;  // per multiprocessor
  static constexpr int segment_lane(std::size_t bytes) { return bytes <= 4 ? 32 : 16; }
  /// The blocks that each sort a part of the keys that all of them hold together.
  struct part_block {
    static constexpr int threads = together_threads, items = 10, bin_bits = 13;
  };
};

}  // namespace ravel::inline v0::gpu
