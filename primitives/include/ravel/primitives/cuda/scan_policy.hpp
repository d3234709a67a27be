#pragma once

/// @file
/// The tile shapes of the single-pass scans, as data.

#include <cstddef>

namespace ravel::inline v0::gpu {

/// Of a stream: the threads of a group, each thread's vectors of 16 bytes in a tile, and the number
/// of groups.
struct stream_shape {
  int threads, vectors, groups;
  int reducers = 0;  // 0: as many as suit the size of a tile
};

/// A block of `threads` holds `rows` values in each thread's registers.
///
/// Measured on an H200, int32 and head bits, n = 2^28, fraction of copy speed:
///
///     rows of 4 bytes   19: 0.62    23: 0.67    31: 0.69    39: 0.74
///     rows of 8 bytes    9: 0.36    15: 0.47    19: 0.46    23: 0.48
struct scan_policy {
  static constexpr int threads = 256;

  /// Short contiguous sequences are scanned in one wave, by blocks of this many threads or twice as
  /// many.  core/cuda/tuning.hpp defines which are short, here and below.
  static constexpr int wave_threads = 256;

  /// Longer ones are streamed, by groups of threads, each with an odd number of vectors of 16
  /// bytes.
  using shape = stream_shape;

  /// Measured on an H200, threads by vectors, fraction of copy speed:
  ///
  ///                       256 x 5    256 x 7    288 x 5    160 x 9    224 x 9
  ///     int32, n = 2^26     0.934      0.944      0.948      0.950
  ///     int32, n = 2^28     0.964      0.959      0.967      0.966
  ///     int32, n = 2^30     0.966      0.963      0.972      0.971
  ///     int64, n = 2^27                0.966      0.972                 0.966
  ///     double, n = 2^27               0.953      0.951      0.945      0.961
  ///
  /// If operands are combined in the order of tiles, as in floating point, the look-ahead takes
  /// longer.  Double by groups too, n = 2^28, fraction of a copy that is 2 % slower than the
  /// fastest:
  ///
  ///     160 x 9 x 3    224 x 9 x 2    256 x 9 x 2    160 x 13 x 2    128 x 11 x 3    128 x 13 x 3
  ///           0.957          0.982          0.987           0.986           0.960           0.994
  static constexpr shape streamed(std::size_t bytes) {
    return bytes <= 4 ? shape{160, 9, 3} : shape{256, 7, 2};
  }
  static constexpr shape streamed(std::size_t bytes, bool commutes) {
    return bytes <= 4 ? streamed(bytes) : commutes ? shape{288, 5, 2} : shape{128, 13, 3};
  }

  /// Scans that carry several values, `carried` bytes of them.  They go from block to block in
  /// pieces, with one warp per piece, and more warps leave fewer registers per thread.  Most work
  /// is done once per thread, so a thread has many elements.  Measured on an H200, 2^27 int64 or
  /// 2^28 int32, fraction of copy speed:
  ///
  ///                      256 x 7 x 2    160 x 9 x 3    128 x 13 x 2    96 x 17 x 2
  ///     tuples of 3            0.948                          0.954          0.962
  ///     tuples of 5            0.931                          0.946          0.903
  ///     tuples of 8            0.631                          0.914          0.958
  ///     of 8, int32                           0.951           0.959          0.957
  static constexpr shape streamed_carrying(std::size_t bytes, std::size_t carried) {
    return carried > 40 ? shape{96, 17, 2} : carried > 24 ? shape{128, 13, 2} : streamed(bytes);
  }

  /// Higher-order sums, whose threads also hold powers.
  static constexpr shape streamed_orders(std::size_t bytes, std::size_t carried) {
    return carried > 24 ? shape{160, 9, 2} : streamed(bytes);
  }

  /// Orders so high that the reducers store the sums of threads.  Measured on an H200, 2^27 int64,
  /// microseconds (a copy takes 510), threads by vectors by groups and reducers:
  ///
  ///                 160 x 9 x 2, 2    64 x 17 x 3, 4    32 x 33 x 5, 5    32 x 33 x 4, 4
  ///     order 8                979               644               624               598
  ///     order 6                                                    582               577
  ///     order 5                                  596               614
  ///
  /// Order    5 takes 563 where the workers sum all elements, and order 8 takes 1050.
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

  /// Values with offsets, from which flags are made.  Measured on an H200, int32, n = 2^28,
  /// microseconds (a copy of the values takes 508), without prefetching:
  ///
  ///     threads by vectors by groups     256 x 7 x 2    224 x 7 x 2    192 x 7 x 2    160 x 7 x 2
  ///     length 1                                957            957            958            960
  ///     length 4                                603            628            638            702
  ///     length 33                               552            549            551            572
  ///     length 10^6                             600            537            536            563
  ///     power law                               593            588            595            639
  static constexpr shape segmented_by_offsets{192, 7, 2};

  /// Elements and segment ends, merged.  Measured on an H200, int32, n = 2^28, by offsets,
  /// microseconds of the ring alone:
  ///
  ///                       256 x 7 x 3   320 x 7 x 2   384 x 7 x 2   448 x 5 x 2
  ///     length 1                  878           919           852           904
  ///     length 4                  402           425           399           433
  ///     length 33                 300           287           286           306
  ///     length 1000               280           266           259           285
  ///
  /// Ends that are wider than elements leave room for fewer.
  static constexpr shape segmented_reduce(std::size_t bytes, std::size_t bytes_of_end) {
    return bytes_of_end > bytes ? shape{384, 3, 2} : shape{384, 7, 2};
  }

  /// Packs.  Measured on an H200, 2^28 uint32, fraction of copy speed:
  ///
  ///     threads by vectors by groups    320 x 7 x 2    288 x 7 x 2    256 x 7 x 2    192 x 7 x 3
  ///     10 % kept                             0.934          0.976          0.960          0.875
  ///     50 % kept                             0.954          0.989          0.972          0.959
  ///
  /// Bits     beside 8-byte elements must fill whole vectors, which those of 288 threads do not.
  static constexpr shape packed{256, 7, 2};
  static constexpr shape packed_wide{224, 5, 2};
  static constexpr shape unique{256, 7, 2};

  /// Splits of long sequences by rings; and, to an output for each part, streamed.  Measured on an
  /// H200, 2^28 uint32, microseconds (a copy takes 508):
  ///
  ///     threads by vectors by groups   256 x 7 x 2   224 x 7 x 2   192 x 7 x 2   192 x 7 x 3   160 x 9 x 3
  ///     to 2 parts of one output               795                                     801           806
  ///     to 8                                  1012                                     980           938
  ///     to 2 outputs                           555           549           554           553
  ///     to 3                                   590                         555
  ///     to 8                                   654           644           610           630
  static constexpr shape split(int ways) { return ways > 2 ? shape{160, 9, 3} : shape{256, 7, 2}; }
  static constexpr shape split_apart(int ways) {
    return ways > 2 ? shape{192, 7, 2} : shape{224, 7, 2};
  }

  /// Run-length encoding, which is streamed also for few elements.  Measured on an H200, 2^28
  /// elements:
  ///
  ///     threads by vectors by groups             256 x 7 x 2    224 x 7 x 2    192 x 7 x 3
  ///     3/4 of them begin runs, of copy speed           0.75           0.92           0.85
  static constexpr shape coded{224, 7, 2};

  /// Reduce by key, whose tiles hold keys and values.  Measured on an H200, 2^27 keys and values of 4
  /// bytes, microseconds:
  ///
  ///     threads by vectors by groups    160 x 5 x 3   192 x 5 x 2   224 x 5 x 2   256 x 3 x 3   256 x 3 x 2
  ///     runs of 1                               657           617           599           663           582
  ///     runs of 1000                            583           539           470           501           466
  static constexpr shape reduced_by_key{256, 3, 2};

  /// Scan then pack has two chains of prefixes, and its workers have the most to do: four groups of
  /// them.  Measured on an H200, map, scan and filter of 2^28 uint32, a third kept:
  ///
  ///     threads by vectors by groups    256 x 7 x 2    288 x 7 x 2    320 x 7 x 2    192 x 7 x 3
  ///     fraction of copy speed                 0.50           0.49           0.48           0.81
  ///
  ///                                     192 x 7 x 3    160 x 7 x 4    128 x 7 x 4    160 x 5 x 4
  ///     microseconds                            452            434            479            511
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
