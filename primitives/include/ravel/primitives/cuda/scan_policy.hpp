#pragma once

/// @file
/// The tile shapes of the single-pass scans, as data.  What was measured to choose them is in
/// docs/lab/scan_on_devices.md.

#include <cstddef>

namespace ravel::inline v0::gpu {

/// Of a stream: the threads of a group, each thread's vectors of 16 bytes in a tile, and the number
/// of groups.
struct stream_shape {
  int threads, vectors, groups;
  int reducers = 0;  // 0: as many as suit the size of a tile
};

/// A block of `threads` holds `rows` values in each thread's registers.
struct scan_policy {
  static constexpr int threads = 256;

  /// Short contiguous sequences are scanned in one wave, by blocks of this many threads or twice as
  /// many.  core/cuda/tuning.hpp defines which are short, here and below.
  static constexpr int wave_threads = 256;

  /// Longer ones are streamed, by groups of threads, each with an odd number of vectors of 16
  /// bytes.
  using shape = stream_shape;
  static constexpr shape streamed(std::size_t bytes) {
    return bytes <= 4 ? shape{160, 9, 3} : shape{256, 7, 2};
  }
  /// If operands are combined in the order of tiles, as in floating point, the look-ahead takes
  /// longer: tiles are larger.
  static constexpr shape streamed(std::size_t bytes, bool commutes) {
    return bytes <= 4 ? streamed(bytes) : commutes ? shape{288, 5, 2} : shape{128, 13, 3};
  }

  /// Scans that carry several values, `carried` bytes of them.  They go from block to block in
  /// pieces, with one warp per piece, and more warps leave fewer registers per thread.  Most work
  /// is done once per thread, so a thread has many elements.
  static constexpr shape streamed_carrying(std::size_t bytes, std::size_t carried) {
    return carried > 40 ? shape{96, 17, 2} : carried > 24 ? shape{128, 13, 2} : streamed(bytes);
  }

  /// Higher-order sums, whose threads also hold powers.
  static constexpr shape streamed_orders(std::size_t bytes, std::size_t carried) {
    return carried > 24 ? shape{160, 9, 2} : streamed(bytes);
  }

  /// Orders so high that the reducers store the sums of threads: order 8 of 2^27 int64 takes 598 us
  /// on an H200 instead of 1050, and order 5 596 instead of 563.
  static constexpr bool is_high_order(std::size_t carried) { return carried > 40; }
  static constexpr shape streamed_high_orders{32, 33, 4, 4};

  /// Recurrences with so many coefficients, whose threads also hold powers.
  static constexpr shape streamed_runs(std::size_t bytes, int coefficients) {
    return coefficients > 1 ? shape{160, 9, 2} : streamed(bytes);
  }

  /// Values with one coefficient each, of the same size.
  static constexpr shape streamed_pairs{224, 5, 2};

  /// Values with head flags, and with head flags of the size of values.
  static constexpr shape segmented{256, 7, 2};
  static constexpr shape segmented_wide{224, 5, 2};

  /// Values with offsets, from which flags are made.
  static constexpr shape segmented_by_offsets{192, 7, 2};

  /// Elements and segment ends, merged.  Ends that are wider than elements leave room for fewer.
  static constexpr shape segmented_reduce(std::size_t bytes, std::size_t bytes_of_end) {
    return bytes_of_end > bytes ? shape{384, 3, 2} : shape{384, 7, 2};
  }

  /// Packs.  288 threads would be 1.7 % faster, but bits beside 8-byte elements must fill whole
  /// vectors, which those of 288 threads do not.
  static constexpr shape packed{256, 7, 2};
  static constexpr shape packed_wide{224, 5, 2};
  static constexpr shape unique{256, 7, 2};

  /// Splits of long sequences by rings; and, to an output for each part, streamed.
  static constexpr shape split(int ways) { return ways > 2 ? shape{160, 9, 3} : shape{256, 7, 2}; }
  static constexpr shape split_apart(int ways) {
    return ways > 2 ? shape{192, 7, 2} : shape{224, 7, 2};
  }

  /// Run-length encoding, which is streamed also for few elements.
  static constexpr shape coded{224, 7, 2};

  /// Reduce by key, whose tiles hold keys and values.
  static constexpr shape reduced_by_key{256, 3, 2};

  /// Scan then pack has two chains of prefixes, and its workers have the most to do: four groups of
  /// them.
  static constexpr shape packed_twice{160, 7, 4};

  /// For larger values a tile does not fit in shared memory.
  static constexpr std::size_t largest = 160;

  /// The most that fits in 48 KB of shared memory.  Odd, to avoid bank conflicts when threads read
  /// adjacent elements.
  static constexpr int rows(std::size_t bytes) {
    return bytes <= 4    ? 39
           : bytes <= 8  ? 23
           : bytes <= 16 ? 11
           : bytes <= 24 ? 7
           : bytes <= 32 ? 5
           : bytes <= 48 ? 3
                         : 1;
  }
  /// Of lightscan, as published: 44 elements of 32 bits and 20 of 64; larger ones in as many bytes.
  static constexpr int rows_of_lightscan(std::size_t bytes) {
    return bytes <= 4 ? 44 : bytes <= 160 ? 160 / static_cast<int>(bytes) : 1;
  }
  static constexpr int rows_of_few(std::size_t bytes) { return bytes <= 32 ? 5 : rows(bytes); }
};

}  // namespace ravel::inline v0::gpu
