#pragma once

/// The tile shapes of the single-pass scans, as data.  What was measured to choose them is in
/// docs/lab/scan_on_devices.md.

#include <cstddef>

namespace ravel::inline v0::gpu {

/// The shape of a stream's tile: the threads of a group, each thread's vectors, and the number of
/// groups.
struct stream_shape {
  int threads, vectors, groups;
  int reducers = 0;          // 0: as many as suit the size of a tile
  int bytes_of_vector = 16;  // or 4 or 8, so that threads with few bytes have an odd number of them

  constexpr int bytes_of_thread() const { return vectors * bytes_of_vector; }
};

/// The widest vector that `bytes` adjacent bytes of each thread consist of.
constexpr int widest_vector(int bytes) { return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : 4; }
constexpr stream_shape shape_of_bytes(int threads, int bytes_of_thread, int groups) {
  int const width = widest_vector(bytes_of_thread);
  return {threads, bytes_of_thread / width, groups, 0, width};
}

/// The tile shapes.  In the single-pass scan a block of `threads` threads holds `rows` values in
/// the registers of each thread.
struct scan_policy {
  static constexpr int threads = 256;

  /// Short contiguous sequences are scanned in one wave, by blocks of this many threads or twice as
  /// many. core/cuda/tuning.hpp defines up to which size a sequence is short.
  static constexpr int wave_threads = 256;

  /// Longer ones are streamed, by groups of threads, each of which has an odd number of vectors of
  /// 16 bytes.
  using shape = stream_shape;
  static constexpr shape streamed(std::size_t bytes) {
    return bytes <= 4 ? shape{160, 9, 3} : shape{256, 7, 2};
  }
  /// Bytes that are combined one by one are as many as a thread has registers for.
  static constexpr shape streamed_bytes{256, 3, 2};
  /// If operands are combined in the order of tiles, as in floating point, the look-ahead takes
  /// longer: tiles are larger.
  static constexpr shape streamed(std::size_t bytes, bool commutes) {
    return bytes <= 4 ? streamed(bytes) : commutes ? shape{288, 5, 2} : shape{128, 13, 3};
  }

  /// Scans that carry several values, of `carried` bytes together.  These are published in pieces,
  /// with one look-ahead warp for each piece, and more warps leave fewer registers for each
  /// thread.  Most work is done once per thread, so a thread has many elements.
  static constexpr shape streamed_carrying(std::size_t bytes, std::size_t carried) {
    return carried > 40 ? shape{96, 17, 2} : carried > 24 ? shape{128, 13, 2} : streamed(bytes);
  }

  /// Sums of higher order, whose threads also hold powers of a matrix.
  static constexpr shape streamed_orders(std::size_t bytes, std::size_t carried) {
    return carried > 24 ? shape{160, 9, 2} : streamed(bytes);
  }

  /// Orders so high that the reducers store the sums of threads: order 8 of 2^27 int64 then takes
  /// 598 us on an H200 instead of 1050, but order 5 596 instead of 563.
  static constexpr bool is_high_order(std::size_t carried) { return carried > 40; }
  static constexpr shape streamed_high_orders{32, 33, 4, 4};

  /// Recurrences with `coefficients` coefficients, whose threads also hold powers of a matrix.
  static constexpr shape streamed_runs(std::size_t bytes, int coefficients) {
    return coefficients > 1 ? shape{160, 9, 2} : streamed(bytes);
  }

  /// Recurrences with a coefficient for each element, of the same size as the elements.
  static constexpr shape streamed_pairs{224, 5, 2};

  /// Segmented scans: values with small head flags, and with head flags as large as values.
  static constexpr shape segmented{256, 7, 2};
  static constexpr shape segmented_wide{224, 5, 2};

  /// Of elements of 1 or 2 bytes: a thread has at most 31 of them.
  static constexpr shape segmented_small(std::size_t bytes) {
    return bytes == 1 ? shape{192, 1, 3} : shape{192, 3, 2};
  }

  /// Segmented scans by offsets, from which marker warps make flags.
  static constexpr shape segmented_by_offsets{192, 7, 2};

  /// Segmented reductions, whose tiles hold elements and segment ends.  Ends that are wider than
  /// elements leave room for fewer.
  static constexpr shape segmented_reduce(std::size_t bytes, std::size_t bytes_of_end) {
    return bytes_of_end > bytes ? shape{384, 3, 2} : shape{384, 7, 2};
  }

  /// Packs.  288 threads would be 1.7 % faster, but a tile's flag bits beside 8-byte elements must
  /// fill whole 16-byte vectors, and those of 288 threads do not.
  static constexpr shape packed{256, 7, 2};
  static constexpr shape packed_wide{224, 5, 2};
  // A thread has at most 32 elements.  Flags of 4 bytes leave room for fewer threads.
  static constexpr shape packed_by_size(std::size_t bytes, bool wide_flags = false) {
    return bytes > 2 ? wide_flags ? packed_wide : packed
                     : shape_of_bytes(wide_flags ? 256 : 384, 28 * static_cast<int>(bytes), 2);
  }

  /// Splits of long sequences by tile rings; and streamed splits to an output for each part.
  static constexpr shape split(int ways) { return ways > 2 ? shape{160, 9, 3} : shape{256, 7, 2}; }
  static constexpr shape split_apart(int ways) {
    return ways > 2 ? shape{192, 7, 2} : shape{224, 7, 2};
  }

  /// Run-length encoding, which is streamed also for few elements.
  static constexpr shape coded(std::size_t bytes) {
    return bytes <= 2 ? shape_of_bytes(288, 28 * static_cast<int>(bytes), 2) : shape{224, 7, 2};
  }

  /// Reduce by key, whose tiles hold keys, and values or the results in their place: about 40 KB.  Of
  /// 8 bytes of both, 2^26 runs of one element take 810 us by such tiles, and 560 by 35 KB.  A
  /// thread has whole vectors of keys and of values, and at most 31 of each.
  static constexpr int reduced_by_thread(std::size_t key, std::size_t value) {
    return key <= 4 ? 28 : key > 8 ? value < 4 ? 12 : 11 : value < 4 ? 20 : value == 4 ? 18 : 14;
  }
  static constexpr shape reduced_by_key(std::size_t key, std::size_t value, std::size_t result) {
    int const each = reduced_by_thread(key, value);
    int const bytes = each * static_cast<int>(key + (value < result ? result : value));
    int const threads = (key == 8 && value == 8 ? 35840 : 43008) / bytes / 32 * 32;
    return shape_of_bytes(threads < 128   ? 128
                          : threads > 256 ? 256
                                          : threads,
                          each * static_cast<int>(key), 2);
  }

  /// Scan then pack has two chains of prefixes, and its workers have the most work: four groups of
  /// them.
  static constexpr shape packed_twice{160, 7, 4};

  /// The largest value whose tile fits in shared memory, in bytes.
  static constexpr std::size_t largest = 160;

  /// The number of values of a thread: the most that fit in 48 KB of shared memory.  Odd, to avoid
  /// bank conflicts when threads read adjacent elements.
  static constexpr int rows(std::size_t bytes) {
    return bytes <= 4    ? 39
           : bytes <= 8  ? 23
           : bytes <= 16 ? 11
           : bytes <= 24 ? 7
           : bytes <= 32 ? 5
           : bytes <= 48 ? 3
                         : 1;
  }
  /// The rows of lightscan, as published: 44 elements of 32 bits, or 20 of 64; of larger elements
  /// as many bytes.
  static constexpr int rows_of_lightscan(std::size_t bytes) {
    return bytes <= 4 ? 44 : bytes <= 160 ? 160 / static_cast<int>(bytes) : 1;
  }
  static constexpr int rows_of_few(std::size_t bytes) { return bytes <= 32 ? 5 : rows(bytes); }
};

}  // namespace ravel::inline v0::gpu
