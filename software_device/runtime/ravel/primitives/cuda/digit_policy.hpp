#pragma once

/// primitives/cuda/digit_policy.hpp for a device in software: tiles so small that small inputs have
/// many.

#include <ravel/core/tile.hpp>

#include <cstddef>

namespace ravel::inline v0::gpu {

struct digit_policy {
  struct pass {
    static constexpr int threads = 64;
    static constexpr int blocks = 1;
    static constexpr int items(std::size_t bytes, bool) { return bytes <= 4 ? 3 : 2; }
  };
  static constexpr int threads = 64;
  static constexpr int blocks = 1;
  static constexpr int items = 2;
  static constexpr int part_items(std::size_t) { return 3; }
  static constexpr int counting_threads = 64;
  static constexpr int writing_threads = 64;
  static constexpr int counted_at_once = 2;
  static constexpr int sampled_items = 4;
  static constexpr int together_threads = 64;
  static constexpr int together_adders = 16;
  static constexpr int together_items(std::size_t) { return 2; }
  static constexpr int alone_items = 1;
  static constexpr int merging_threads = 64;
  static constexpr int bucket_threads = 64;
  static constexpr int bucket_blocks = 1;
  static constexpr int finding_threads = 64;
  static constexpr int merged_items(std::size_t) { return 3; }
  static constexpr index_t bucket_keys = 16;
  struct small_bucket {
    static constexpr int threads = 64, items = 1, bin_bits = 7, blocks = 1;
  };
  static constexpr int segment_window(std::size_t) { return 128; }
  static constexpr int segment_least_window = 32;
  static constexpr index_t segment_few_keys = 2048;
  static constexpr int segment_threads = 64;
  static constexpr index_t segment_few_bytes = 512;
  static constexpr int segment_blocks = 1;
  static constexpr int segment_lane(std::size_t bytes) { return bytes <= 4 ? 32 : 16; }
  using small_bucket_of_wide = small_bucket;
  struct part_block {
    static constexpr int threads = together_threads, items = 3, bin_bits = 7;
  };
  struct medium_bucket {
    static constexpr int threads = 64, items = 2, bin_bits = 7, blocks = 1;
  };
  using medium_bucket_of_wide = medium_bucket;
  struct large_bucket {
    static constexpr int threads = 64, items = 3, bin_bits = 8, blocks = 1;
  };
  template <int>
  using large_pair_bucket = large_bucket;
};

}  // namespace ravel::inline v0::gpu
