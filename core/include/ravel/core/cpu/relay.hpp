#pragma once

/// @file
/// A relay: what stands ahead of a tile goes from the thread of one tile to that
/// of the next, so that a scan reads its elements from memory once.

#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/tile.hpp>

#include <atomic>
#include <concepts>
#include <thread>

namespace ravel::inline v0::cpu {
namespace detail {

/// Tells the processor that this is a loop that waits.
inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// The place where the thread of each tile finds what the one before left there.
template <class T>
class baton {
  static constexpr index_t places = 16;  // so that waiting threads look at different ones
  /// Looks, for some microseconds: then others may have the processor, among them
  /// perhaps the thread that is waited for.
  static constexpr int patience = 64;

  struct alignas(64) place {
    std::atomic<index_t> tile = -1;
    T ahead;
  };
  place places_[places];
  std::atomic<bool> dropped_ = false;

 public:
  explicit baton(T const& first) { pass(0, first); }

  /// Leaves what is ahead of tile t.  The place is free: whoever found there what
  /// is ahead of tile t - places has passed on since.
  void pass(index_t t, T const& ahead) {
    place& there = places_[t % places];
    there.ahead = ahead;
    there.tile.store(t, std::memory_order_release);
  }

  /// Waits for what is ahead of tile t; false if that will never come.
  bool receive(index_t t, T& ahead) {
    place& there = places_[t % places];
    for (int looks = 0; there.tile.load(std::memory_order_acquire) != t; ++looks) {
      if (dropped_.load(std::memory_order_relaxed)) return false;
      if (looks < patience) {
        pause();
      } else {
        std::this_thread::yield();
      }
    }
    ahead = there.ahead;
    return true;
  }

  void drop() { dropped_ = true; }
};

}  // namespace detail

/// For each tile t of [0, count) calls total(t), and then visit(t, ahead), with
///
///     ahead = first * total(0) * ... * total(t - 1)          writing * for `m`
///
/// grouped from the left, whatever the number of threads.  Both are members of a
/// copy of `work` that each thread has for itself, so that visit finds the tile in
/// the thread's cache, and what total left in the copy; visit(t, ahead, next) is
/// told which tile the thread will have next.  total is not called for the last
/// tile.
///
/// What a visit streams is ordered with what the caller does after the call.
///
/// If a visit returns what is through its tile, that may be used for ahead * total(t),
/// whose grouping it need not have: then a thread that works alone, since the others are
/// not awake yet, calls no total, and is as fast as if there were no others.
template <class Ex, class T, class M, class Work>
void relay(Ex const& ex, index_t count, T const& first, M m, Work const& work) {
  constexpr bool tells_through = requires(Work mine) {
    { mine.visit(index_t{}, first, index_t{}) } -> std::convertible_to<T>;
  };
  detail::baton<T> baton(first);
  std::atomic<index_t> tickets = 0;
  ex.on_each_thread(count, [&] {
    try {
      Work mine = work;
      T ahead = first;
      index_t before = -1;  // the tile that this thread had last
      for (index_t t = tickets++, next; t < count; before = t, t = next) {
        bool const is_last = t + 1 == count;
        if constexpr (tells_through) {
          if (t == before + 1 && tickets.load(std::memory_order_relaxed) == t + 1) {
            next = tickets++;
            if (!baton.receive(t, ahead)) return;
            T const through = mine.visit(t, ahead, next);
            if (!is_last) baton.pass(t + 1, through);
            continue;
          }
        }
        T const of_tile = is_last ? first : mine.total(t);
        if (!baton.receive(t, ahead)) return;
        if (!is_last) baton.pass(t + 1, m(ahead, of_tile));
        next = tickets++;
        mine.visit(t, ahead, next);
      }
      stream_fence();  // once, for it waits until all is written
    } catch (...) {
      baton.drop();
      throw;
    }
  });
}

/// A relay of two batons: what is done to a tile needs what is ahead of it, and makes
/// a count, whose sum over the tiles ahead is needed then.
///
/// For each tile t of [0, count) calls total(t), keep(t, ahead), which returns a count,
/// and then place(t, sum), with `ahead` as in relay and
///
///     sum = keep(0) + ... + keep(t - 1)
///
/// All three are members of a copy of `work` that each thread has for itself; keep(t,
/// ahead, next) is told which tile the thread will have next.  total is not called for
/// the last tile.
template <class Ex, class T, class M, class Work>
void relay_twice(Ex const& ex, index_t count, T const& first, M m, Work const& work) {
  detail::baton<T> values(first);
  detail::baton<index_t> sums(0);
  std::atomic<index_t> tickets = 0;
  ex.on_each_thread(count, [&] {
    try {
      Work mine = work;
      T ahead = first;
      index_t sum = 0;
      for (index_t t = tickets++, next; t < count; t = next) {
        bool const is_last = t + 1 == count;
        T const of_tile = is_last ? first : mine.total(t);
        if (!values.receive(t, ahead)) return;
        if (!is_last) values.pass(t + 1, m(ahead, of_tile));
        next = tickets++;  // not before: the threads of the tiles between would wait for this one
        index_t const kept = mine.keep(t, ahead, next);
        if (!sums.receive(t, sum)) return;
        if (!is_last) sums.pass(t + 1, sum + kept);
        mine.place(t, sum);
      }
      stream_fence();
    } catch (...) {
      values.drop();
      sums.drop();
      throw;
    }
  });
}

}  // namespace ravel::inline v0::cpu
