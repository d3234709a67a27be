#pragma once

/// @file
/// A device executor for machines without a device.
///
/// Compiles core/cuda/block.cuh as host code and runs a thread block as fibres
/// on one host thread, switching only at barriers.  It shows that a kernel's
/// arithmetic, indexing and barriers are right; it shows nothing about speed,
/// nor about races between barriers.  A barrier that some thread of the block
/// never reaches is reported rather than hung on.
///
/// The blocks are of 64 threads, so that small inputs have many tiles.

#include <ravel/core/cpu/executor.hpp>

#include "support/fibres.hpp"

#include <stdexcept>
#include <vector>

namespace ravel::testing::lockstep {

inline constexpr int threads_of_a_block = 64;
inline constexpr int lanes = 32;

/// Holds each arrival until `expected` have arrived.
struct barrier {
  int expected;
  int arrived = 0;
  unsigned generation = 0;

  void wait() {
    unsigned const mine = generation;
    if (++arrived == expected) {
      arrived = 0;
      ++generation;
      fibres::progress();
    }
    while (generation == mine) fibres::yield();
  }
};

struct thread_index {
  unsigned x;
};
inline thread_index this_thread() { return {fibres::current()}; }

struct warp {
  barrier sync{lanes};
  unsigned word[lanes];
};
inline barrier block_sync{threads_of_a_block};
inline std::vector<warp> warps;

/// Every lane hands in a word; `read` then sees the words of the whole warp.
template <class Read>
unsigned exchange(unsigned x, Read read) {
  warp& w = warps[this_thread().x / lanes];
  w.word[this_thread().x % lanes] = x;
  w.sync.wait();
  unsigned const got = read(w.word, this_thread().x % lanes);
  w.sync.wait();
  return got;
}

inline unsigned shuffle_up(unsigned x, unsigned delta) {
  return exchange(x, [&](unsigned const* word, unsigned lane) {
    return lane >= delta ? word[lane - delta] : x;
  });
}

inline unsigned shuffle_from(unsigned x, int from) {
  return exchange(x, [&](unsigned const* word, unsigned) { return word[from]; });
}

inline unsigned match_any(int x) {
  return exchange(static_cast<unsigned>(x), [&](unsigned const* word, unsigned) {
    unsigned same = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      same |= static_cast<unsigned>(word[lane] == static_cast<unsigned>(x)) << lane;
    }
    return same;
  });
}

template <class T>
T fetch_add(T* to, T x) {
  T const before = *to;
  *to = static_cast<T>(before + x);
  return before;
}

}  // namespace ravel::testing::lockstep

#define __device__
#define __shared__ static
#define threadIdx ::ravel::testing::lockstep::this_thread()
#define __syncthreads() ::ravel::testing::lockstep::block_sync.wait()
#define __syncwarp() \
  ::ravel::testing::lockstep::warps[threadIdx.x / ::ravel::testing::lockstep::lanes].sync.wait()
#define __shfl_up_sync(mask, x, delta) ::ravel::testing::lockstep::shuffle_up(x, delta)
#define __shfl_sync(mask, x, lane) ::ravel::testing::lockstep::shuffle_from(x, lane)
#define __match_any_sync(mask, x) ::ravel::testing::lockstep::match_any(x)
#define __popc(x) __builtin_popcount(x)
#define atomicAdd(to, x) ::ravel::testing::lockstep::fetch_add(to, x)

#include <ravel/core/cuda/block.cuh>

namespace ravel::testing::lockstep {

struct executor : cpu::sequential {
  using block = cuda::block_of<threads_of_a_block>;

  static constexpr index_t tile_count(index_t n) { return div_up(n, block::tile_width); }

  template <class F>
  static void for_each_tile(index_t n, F f) {
    for (index_t id = 0; id < tile_count(n); ++id) {
      block_sync = {block::threads};
      warps.assign(block::warps, {});
      fibres::run(block::threads, [&] { f(block{}, nth_tile(id, block::tile_width, n)); });
    }
  }
};

}  // namespace ravel::testing::lockstep
