#pragma once

/// The tickets of a chain of tiles, each of which waits for the tile before.
///
/// All threads wait for a thread whose core the system has given to another process, tile after tile.
/// So a thread that delays them in this way sits out for a while, unless no other works.

#include <ravel/core/cpu/wake_up.hpp>

#include <time.h>
#include <atomic>

namespace ravel::inline v0::cpu::detail {

inline void nap(nanoseconds time) {
  timespec const length{0, time.count()};  // nanosleep, without the 4,000 lines of <thread>
  nanosleep(&length, nullptr);
}

/// Numbers tiles for the threads that work on them.
struct tile_tickets {
  std::atomic<index_t> next;
  index_t count;  ///< of tiles
  std::atomic<int> threads = 0;
};

/// The tickets of one thread.
class own_tickets {
  static constexpr nanoseconds long_delay{500'000}, longest_rest{50'000'000};

  tile_tickets& all_;
  stopwatch::time_point ready_{}, wall_ = stopwatch::now();
  nanoseconds worked_ = time_of_thread(), least_ = nanoseconds::max(), rest_{0};

  static nanoseconds time_of_thread() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return std::chrono::seconds(t.tv_sec) + nanoseconds(t.tv_nsec);
  }
  void compare_clocks_from(stopwatch::time_point now) {
    wall_ = now;
    worked_ = time_of_thread();
  }

 public:
  explicit own_tickets(tile_tickets& all) : all_(all) { ++all_.threads; }

  /// The next tile; all_.count if there is none, or if this thread is to sit out.
  index_t draw() { return rest_.count() > 0 ? all_.count : std::min(all_.next++, all_.count); }

  /// Sits out, if that is due and draw has returned `next`, and then draws again.
  index_t after_rest(index_t next) {
    if (rest_.count() == 0 || next < all_.count) return next;
    if (--all_.threads > 0) {
      constexpr nanoseconds step{500'000};
      for (; rest_.count() > 0 && all_.next < all_.count; rest_ -= step) nap(step);
    }
    ++all_.threads;
    rest_ = nanoseconds{0};
    compare_clocks_from(stopwatch::now());
    return draw();
  }

  /// The prefix of this thread's tile has been ready since `when`.
  void received(stopwatch::time_point when, bool slept) {
    ready_ = when;
    if (slept) compare_clocks_from(when);
  }
  /// The prefix of the next tile is ready now.  The thread is to sit out if it has not worked for most
  /// of a long time in which others waited for it.
  void passed(stopwatch::time_point now) {
    nanoseconds const delay = now - ready_;
    least_ = std::min(least_, delay);
    if (delay < long_delay + 8 * least_) return;
    nanoseconds const worked = worked_, wall = now - wall_;
    compare_clocks_from(now);
    if (nanoseconds const lost = wall - (worked_ - worked); lost > delay / 2) {
      rest_ = std::min(8 * lost, longest_rest);
    }
  }
};

}  // namespace ravel::inline v0::cpu::detail
