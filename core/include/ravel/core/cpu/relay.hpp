#pragma once

/// @file
/// A relay: what stands ahead of a tile goes from the thread of one tile to that
/// of the next, so that a scan reads its elements from memory once.

#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/waking.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/tile.hpp>

#include <algorithm>
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
  /// Leaves what is ahead of the first tile to be passed on.
  baton(index_t tile, T const& ahead) { pass(tile, ahead); }

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

/// What a thread calls that has the tile behind its last, and nobody works ahead of it.
template <class Work, class T>
auto visit_alone(Work& work, index_t t, T const& ahead, index_t next) {
  if constexpr (requires { work.visit_alone(t, ahead, next); }) {
    return work.visit_alone(t, ahead, next);
  } else {
    return work.visit(t, ahead, next);
  }
}

}  // namespace detail

/// For each tile t of [0, count) calls total(t), and then visit(t, ahead), with
///
///     ahead = first * total(0) * ... * total(t - 1)          writing * for `m`
///
/// grouped from the left, whatever the number of threads.  Both are members of `work`, of
/// which each thread has a copy for itself, so that visit finds the tile in the
/// thread's cache, and what total left in the copy; visit(t, ahead, next) is told
/// which tile the thread will have next.  total is not called for the last tile.
///
/// What visits of several tiles stream is ordered with what the caller does after the call.
///
/// If a visit returns what is through its tile, that may be used for ahead * total(t),
/// whose grouping it need not have: then a thread that works alone, since the others are
/// not awake yet, calls no total, and is as fast as if there were no others.  If that takes a visit
/// longer, `work` has a visit_alone too, which does, and its visit need not.
///
/// The caller begins alone, as core/cpu/waking.hpp has it; `least` is what all tiles take it at least.
template <class Ex, class T, class M, class Work>
void relay(Ex const& ex, index_t count, T first, M m, Work work, detail::nanoseconds least) {
  constexpr bool tells_through = requires(Work mine) {
    { detail::visit_alone(mine, index_t{}, first, index_t{}) } -> std::convertible_to<T>;
  };
  detail::alone self([&] { return detail::threads_of(ex); }, least);
  index_t begun = 0;  // tiles that the caller has done
  int share = self.share(begun, count);
  if (share == 1) {
    do {
      if constexpr (tells_through) {
        // Nothing is asked for: hardware sees coming what one thread reads once and in order, and to ask
        // for what is in a cache takes it a tenth to a quarter longer.
        first = detail::visit_alone(work, begun, first, count);
      } else {
        bool const is_last = begun + 1 == count;
        T const through = is_last ? first : m(first, work.total(begun));
        work.visit(begun, first, begun + 1);
        first = through;
      }
      ++begun;
    } while (begun < count && (share = self.share(begun, count - begun)) == 1);
    if (count > 1) stream_fence();  // which few elements need not wait for
    if (begun == count) return;
  }
  detail::baton<T> baton(begun, first);
  std::atomic<index_t> tickets = begun;
  ex.on_each_thread(std::min<index_t>(share, count - begun), [&] {
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
            T const through = detail::visit_alone(mine, t, ahead, next);
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
/// All three are members of `work`, of which each thread has a copy for itself; keep(t,
/// ahead, next) is told which tile the thread will have next.  total is not called for
/// the last tile.  The caller begins alone, as in relay; it calls no total if Work::leaves_ahead, for
/// then keep leaves ahead * total(t) in `ahead`.
template <class Ex, class T, class M, class Work>
void relay_twice(Ex const& ex, index_t count, T first, M m, Work work, detail::nanoseconds least) {
  detail::alone self([&] { return detail::threads_of(ex); }, least);
  index_t begun = 0, placed = 0;  // tiles that the caller has done, and what they keep
  int share = self.share(begun, count);
  if (share == 1) {
    do {
      T ahead = first;
      if constexpr (!Work::leaves_ahead) {
        if (begun + 1 < count) first = m(first, work.total(begun));
      }
      index_t const kept = work.keep(begun, ahead, begun + 1);
      if constexpr (Work::leaves_ahead) first = ahead;
      work.place(begun, placed);
      placed += kept;
      ++begun;
    } while (begun < count && (share = self.share(begun, count - begun)) == 1);
    if (count > 1) stream_fence();  // which few elements need not wait for
    if (begun == count) return;
  }
  detail::baton<T> values(begun, first);
  detail::baton<index_t> sums(begun, placed);
  std::atomic<index_t> tickets = begun;
  ex.on_each_thread(std::min<index_t>(share, count - begun), [&] {
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
