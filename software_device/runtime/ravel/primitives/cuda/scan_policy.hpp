#pragma once

/// primitives/cuda/scan_policy.hpp for a device in software: tiles so small that small inputs have
/// many groups of them.

#include <ravel/software_device/intrinsics.hpp>

#include <cstddef>

namespace ravel::inline v0::gpu {

struct stream_shape {
  int threads, vectors, groups;
  int reducers = 0;
  int bytes_of_vector = 16;

  constexpr int bytes_of_thread() const { return vectors * bytes_of_vector; }
};
constexpr int widest_vector(int bytes) { return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : 4; }
constexpr stream_shape shape_of_bytes(int threads, int bytes_of_thread, int groups) {
  int const width = widest_vector(bytes_of_thread);
  return {threads, bytes_of_thread / width, groups, 0, width};
}

struct scan_policy {
  static constexpr int threads = 2 * RAVEL_WARP_SIZE;
  static constexpr int wave_threads = 2 * RAVEL_WARP_SIZE;
  using shape = stream_shape;
  static constexpr shape streamed(std::size_t, bool = true) { return {32, 9, 2}; }
  static constexpr shape streamed_bytes{32, 3, 2};
  static constexpr shape streamed_carrying(std::size_t, std::size_t) { return {32, 5, 2}; }
  static constexpr shape streamed_orders(std::size_t, std::size_t) { return {32, 5, 2}; }
  static constexpr bool is_high_order(std::size_t carried) { return carried > 16; }
  static constexpr shape streamed_high_orders{64, 5, 2, 3};
  static constexpr shape streamed_runs(std::size_t, int) { return {32, 5, 2}; }
  static constexpr shape streamed_pairs{32, 5, 2};
  static constexpr shape segmented{64, 7, 2};
  static constexpr shape segmented_wide{64, 5, 2};
  static constexpr shape segmented_small(std::size_t bytes) { return {64, bytes == 1 ? 1 : 3, 2}; }
  static constexpr shape segmented_by_offsets{64, 7, 2};
  static constexpr shape segmented_reduce(std::size_t, std::size_t) { return {64, 5, 2}; }
  static constexpr shape packed{64, 7, 2};
  static constexpr shape packed_wide{64, 5, 2};
  static constexpr shape packed_by_size(std::size_t bytes, bool wide_flags = false) {
    return bytes > 2 ? wide_flags ? packed_wide : packed
                     : shape_of_bytes(64, 28 * static_cast<int>(bytes), 2);
  }
  static constexpr shape coded(std::size_t bytes) { return packed_by_size(bytes); }
  static constexpr shape reduced_by_key(std::size_t key, std::size_t value, std::size_t) {
    return shape_of_bytes(64,
                          (key <= 2    ? 28
                           : value < 4 ? 12
                           : key > 8   ? 5
                                       : 6) *
                              static_cast<int>(key),
                          2);
  }
  static constexpr shape split(int) { return {64, 7, 2}; }
  static constexpr shape split_apart(int) { return {64, 7, 2}; }
  static constexpr shape packed_twice{64, 7, 2};
  static constexpr std::size_t largest = 160;
#ifdef RAVEL_TILE_ROWS  // elements of a thread
  static constexpr int rows(std::size_t) { return RAVEL_TILE_ROWS; }
  static constexpr int rows_of_lightscan(std::size_t) { return 2 * RAVEL_TILE_ROWS; }
#else
  static constexpr int rows(std::size_t bytes) { return bytes <= 16 ? 5 : 3; }
  static constexpr int rows_of_lightscan(std::size_t bytes) {
    return bytes <= 4 ? 44 : bytes <= 160 ? 160 / static_cast<int>(bytes) : 1;
  }
#endif
  static constexpr int rows_of_few(std::size_t) { return 1; }
};

}  // namespace ravel::inline v0::gpu
