#pragma once

/// The tuning parameters of the radix sort kernels, as data.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0::gpu {

/// The parameters; measured on an H200 unless stated otherwise.
struct digit_policy {
  /// A stable pass over long sequences: threads of a block, blocks on a multiprocessor, and rows of
  /// a thread, by the bytes that the staged columns of a row have together.  Measured on an H100,
  /// 2^28 keys of 32 bits, 2^27 of 64, and 2^28 pairs of 32 and 32, all passes, ms, below threads x
  /// rows of a thread, blocks:
  ///
  ///     keys of 32 bits   512 x 21, 2   512 x 25, 2   384 x 30, 2   384 x 34, 2   384 x 19, 3
  ///                              5.26          5.04          5.02          4.76          5.32
  ///     keys of 64 bits   512 x 14, 2   512 x 12, 2   384 x 19, 2   384 x 20, 2   384 x 12, 3
  ///                              8.21          8.39          8.00          7.96         10.35
  ///     pairs             512 x 16, 2   512 x 14, 2   384 x 20, 2   384 x 24, 2   384 x 14, 3
  ///                             10.39         10.75         10.37         10.03         12.85
  struct pass {
    static constexpr int threads = 384;
    static constexpr int blocks = 2;  // resident on a multiprocessor
    static constexpr int items(std::size_t bytes, bool alone) {
      return bytes <= 4    ? (alone ? 34 : 28)
             : bytes <= 8  ? (alone ? 20 : 24)
             : bytes <= 12 ? 18
             : bytes <= 16 ? 13
                           : 8;
    }
  };

  /// Other kernels whose blocks rank or partition a tile: threads of a block, blocks on a
  /// multiprocessor, and rows of a thread, for rows of 8 bytes.
  static constexpr int threads = 512;
  static constexpr int blocks = 2;
  static constexpr int items = 16;

  /// An unstable partition pass over keys without values: keys of a thread.
  static constexpr int part_items(std::size_t bytes) { return bytes <= 4 ? 24 : 14; }

  /// The kernel that counts the digits of all passes, and the one that writes counted values.
  static constexpr int counting_threads = 1024;
  static constexpr int writing_threads = 256;
  static constexpr int counted_at_once = 8;  // keys that a thread loads together
  static constexpr int sampled_items =
      16;  // keys of a thread that predicts whether buckets are even

  /// The sort of few rows in one launch, in registers: threads of a block, and rows of a thread.
  static constexpr int together_threads = 1024;
  // threads of a group that sums the counts of a part of the blocks
  static constexpr int together_adders = 128;
  static constexpr int together_items(std::size_t bytes) {
    return bytes <= 8 ? 8 : bytes <= 16 ? 4 : 2;
  }
  static constexpr int alone_items = 4;  // rows of a thread up to which a single block sorts

  /// Tiles that are sorted and merged by comparisons: threads of a block, and rows of a thread, an
  /// odd number.
  static constexpr int merging_threads = 256;
  static constexpr int bucket_threads = 512;   // of a block that sorts a bucket of a sample sort
  static constexpr int bucket_blocks = 2;      // on a multiprocessor
  static constexpr int finding_threads = 512;  // of a block that finds the buckets of rows
  static constexpr int merged_items(std::size_t bytes) {
    return bytes <= 4 ? 17 : bytes <= 8 ? 11 : bytes <= 16 ? 7 : bytes <= 64 ? 3 : 1;
  }

  /// Bucket sorts of integers (equal integers are indistinguishable): the greatest average number of
  /// keys in a bucket, and the shapes of the blocks that sort one bucket.
  static constexpr index_t bucket_keys = 4096;
  struct small_bucket {
    static constexpr int threads = 256, items = 18, bin_bits = 13, blocks = 4;
  };
  struct small_bucket_of_wide {  // for keys of 8 bytes: more items would spill
    static constexpr int threads = 512, items = 9, bin_bits = 13, blocks = 3;
  };
  struct medium_bucket {  // for keys of 4 bytes
    static constexpr int threads = 512, items = 17, bin_bits = 14, blocks = 2;
  };
  struct medium_bucket_of_wide {  // for keys of 8 bytes
    static constexpr int threads = 1024, items = 9, bin_bits = 14, blocks = 1;
  };
  struct large_bucket {
    static constexpr int threads = 1024, items = 18, bin_bits = 15, blocks = 1;
  };
  /// A large bucket of pairs, whose values of `bytes` bytes are in shared memory too.
  template <int bytes>
  struct large_pair_bucket {
    static constexpr int threads = 1024, items = bytes <= 4 ? 18 : 9, bin_bits = 15, blocks = 1;
  };
  /// Segmented sort: the number of elements plus segments of a block's tile, by the bytes of an
  /// element in shared memory.
  static constexpr int segment_window(std::size_t bytes) { return bytes <= 4 ? 8192 : 4096; }
  static constexpr int segment_least_window = 512;  // of few elements, for more blocks
  static constexpr int segment_threads = 256;
  static constexpr int segment_blocks = 4;  // on a multiprocessor
  static constexpr int segment_lane(std::size_t bytes) { return bytes <= 4 ? 32 : 16; }
  /// Floating-point keys of so few bytes are sorted as words with places, which is always right: half
  /// the launches of a sort by their bits and one as words, if that was wrong.
  static constexpr index_t segment_few_bytes = index_t{4} << 20;
  /// Up to as many elements, long segments are sorted in one launch instead of three or four.
  static constexpr index_t segment_few_keys = index_t{1} << 17;
  /// The sort of few integers in one launch: the block that sorts one part of the keys.
  struct part_block {
    static constexpr int threads = together_threads, items = 10, bin_bits = 13;
  };
};

}  // namespace ravel::inline v0::gpu
