#pragma once

/// @file
/// Passes the prefix of a chained scan from the thread of each tile to the thread of the next.

#include <ravel/core/config.hpp>
#include <ravel/core/tile.hpp>

#include <sched.h>
#include <time.h>
#include <atomic>

namespace ravel::inline v0::cpu::detail {

/// Hints to the processor that this is a spin loop.
inline void pause() {
#ifdef RAVEL_X86
  __builtin_ia32_pause();
#elif defined(RAVEL_ARM)
  asm volatile("yield");
#endif
}

/// The ring of slots through which a tile's thread passes the prefix to the next tile's thread.
template <class T>
class baton {
  // slots, in cache lines of their own: waiting threads poll different lines
  static constexpr index_t places = 16;
  /// Polls before the thread yields (some microseconds): the awaited thread may need this core.
  /// Polls before it sleeps (some hundred microseconds): if the awaited thread waits for a core
  /// that another process has, the system migrates it only to an idle core, and there is none while
  /// all threads yield.
  static constexpr int patience = 64, most_patience = 512;

  struct alignas(64) place {
    std::atomic<index_t> tile = -1;
    T ahead;
  };
  place places_[places];
  std::atomic<bool> dropped_ = false;

 public:
  /// Publishes the prefix of the first tile to be passed on.
  baton(index_t tile, T const& ahead) { pass(tile, ahead); }

  /// Publishes the prefix of tile t.  Its slot is free: the thread that received the prefix of tile
  /// t - places from it has passed on its own since.
  void pass(index_t t, T const& ahead) {
    place& there = places_[t % places];
    there.ahead = ahead;
    there.tile.store(t, std::memory_order_release);
  }

  /// Waits for the prefix of tile t.  Returns false if another thread has failed.
  bool receive(index_t t, T& ahead) {
    place& there = places_[t % places];
    for (int looks = 0; there.tile.load(std::memory_order_acquire) != t; ++looks) {
      if (dropped_.load(std::memory_order_relaxed)) return false;
      if (looks < patience) {
        pause();
      } else if (looks < most_patience) {
        sched_yield();
      } else {
        timespec const nap{0, 20'000};  // 20 us, without the 4,000 lines of <thread>
        nanosleep(&nap, nullptr);
      }
    }
    ahead = there.ahead;
    return true;
  }

  void drop() { dropped_ = true; }
};

}  // namespace ravel::inline v0::cpu::detail
