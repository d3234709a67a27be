#pragma once

/// Passes the prefix of a chained scan from the thread of each tile to the thread of the next.

#include <ravel/core/cpu/tile_tickets.hpp>

#include <sched.h>
#include <atomic>
#include <utility>

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
class prefix_ring {
  // slots, in cache lines of their own: waiting threads poll different lines
  static constexpr index_t slots = 16;
  /// Polls before the thread yields (some microseconds): the awaited thread may need this core.
  /// Polls before it sleeps (some hundred microseconds): if the awaited thread waits for a core
  /// that another process has, the system migrates it only to an idle core, and there is none while
  /// all threads yield.
  static constexpr int polls_before_yield = 64, polls_before_sleep = 512;

  struct alignas(64) slot {
    T ahead;
    stopwatch::time_point when{};
    std::atomic<index_t> tile = -1;
  };
  slot slots_[slots];
  std::atomic<bool> cancelled_ = false;

  template <std::size_t... Slots>
  prefix_ring(T const& ahead, std::index_sequence<Slots...>)
      : slots_{(static_cast<void>(Slots), slot{ahead})...} {}

 public:
  /// Publishes the prefix of the first tile to be passed on.
  prefix_ring(index_t tile, T const& ahead)
      : prefix_ring(ahead, std::make_index_sequence<slots>{}) {
    pass(tile, ahead, stopwatch::now());
  }

  /// Publishes the prefix of tile t.  Its slot is free: the thread that received the prefix of tile
  /// t - slots from it has passed on its own since.
  void pass(index_t t, T const& ahead, own_tickets& own) {
    auto const now = stopwatch::now();
    pass(t, ahead, now);
    own.passed(now);
  }
  void pass(index_t t, T const& ahead, stopwatch::time_point when) {
    slot& its = slots_[t % slots];
    its.ahead = ahead;
    its.when = when;
    its.tile.store(t, std::memory_order_release);
  }

  /// Waits for the prefix of tile t.  Returns false if another thread has failed.
  bool receive(index_t t, T& ahead, own_tickets& own) {
    slot& its = slots_[t % slots];
    int polls = 0;
    for (; its.tile.load(std::memory_order_acquire) != t; ++polls) {
      if (cancelled_.load(std::memory_order_relaxed)) return false;
      if (polls < polls_before_yield) {
        pause();
      } else if (polls < polls_before_sleep) {
        sched_yield();
      } else {
        nap(std::chrono::microseconds(20));
      }
    }
    ahead = its.ahead;
    own.received(its.when, polls > polls_before_sleep);
    return true;
  }

  void cancel() { cancelled_ = true; }
};

}  // namespace ravel::inline v0::cpu::detail
