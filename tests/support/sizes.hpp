#pragma once

/// Sizes that have broken primitives on flat sequences.

#include <ravel/core/tile.hpp>

#include <vector>

namespace ravel::testing {

/// Zero, and around a warp, a round and a tile of every executor; the last are many tiles on all of
/// them, and several threads on cpu::threads.
inline std::vector<index_t> sizes() {
  return {0,   1,   2,   31,   32,   33,   63,   64,   65,   255,   256,
          511, 512, 513, 2047, 2048, 2049, 4095, 4096, 4097, 16384, 40000};
}

}  // namespace ravel::testing
