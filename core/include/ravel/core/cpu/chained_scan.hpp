#pragma once

/// Chained scan: the thread of each tile passes its inclusive prefix to the thread of the next
/// tile, so that a scan reads its elements from memory once.

#include <ravel/core/cpu/prefix_ring.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/tile_tickets.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/cpu/worker.hpp>

namespace ravel::inline v0::cpu {
namespace detail {

/// Visits a tile whose prefix this thread has itself computed, as it also had the tile before.
auto visit_alone(auto& work, index_t t, auto const& ahead, index_t next) {
  if constexpr (requires { work.visit_alone(t, ahead, next); }) {
    return work.visit_alone(t, ahead, next);
  } else {
    return work.visit(t, ahead, next);
  }
}

}  // namespace detail

/// Chained scan over tiles.  For each tile t of [0, count) calls total(t) and then visit(t, ahead),
/// with
///
///     ahead = first * total(0) * ... * total(t - 1)          writing * for `m`
///
/// grouped from the left, for any number of threads.  `total` and `visit` are members of `work`,
/// which is copied for each thread: so visit finds the tile in the thread's cache, and what total
/// stored in the copy. visit(t, ahead, next) also receives the thread's next tile, to prefetch it.
/// total is not called for the last tile.
///
/// Streaming stores of all visits are ordered before everything that the caller does after the
/// call.
///
/// If visit returns the inclusive prefix of its tile, that value may replace ahead * total(t), in
/// another grouping.  A thread that works alone, because the others are not awake yet, then never
/// calls total, and is as fast as a serial scan.  If returning the prefix slows visit down, `work`
/// provides a second member for this case, visit_alone, which returns it.
///
/// The calling thread begins alone and wakes others (core/cpu/wake_up.hpp); `least` is a lower
/// bound on the time that one thread takes for all tiles.
template <class Ex, class T, class M, class Work>
void chained_scan(Ex const& ex, index_t count, T first, M m, Work work, detail::nanoseconds least) {
  constexpr bool returns_through = requires(Work w) {
    { detail::visit_alone(w, index_t{}, first, index_t{}) } -> std::convertible_to<T>;
  };
  auto const threads = [&] { return detail::threads_of(ex); };
  detail::alone self(threads, least);
  index_t begun = 0;  // tiles done by the calling thread
  int share = self.share(begun, count);
  if (share == 1) {
    do {
      if constexpr (returns_through) {
        // No prefetch for the next tile: the hardware prefetches a sequential read, and software
        // prefetches of lines that are already cached make it a tenth to a quarter slower.
        first = detail::visit_alone(work, begun, first, count);
      } else {
        bool const is_last = begun + 1 == count;
        T const through = is_last ? first : m(first, work.total(begun));
        work.visit(begun, first, begun + 1);
        first = through;
      }
      ++begun;
    } while (begun < count && (share = self.share(begun, count - begun)) == 1);
    if (count > 1) stream_fence();  // a single tile needs no fence
    if (begun == count) return;
  }
  detail::prefix_ring<T> prefixes(begun, first);
  detail::tile_tickets tickets{begun, count};
  ex.on_each_thread(std::min<index_t>(share, count - begun), [&] {
    try {
      Work local = work;
      T ahead = first;
      detail::own_tickets own(tickets);
      index_t before = -1;  // the previous tile of this thread
      for (index_t t = own.draw(), next; t < count; before = t, t = own.after_rest(next)) {
        bool const is_last = t + 1 == count;
        if constexpr (returns_through) {
          if (t == before + 1 && tickets.next.load(std::memory_order_relaxed) == t + 1) {
            next = own.draw();
            if (!prefixes.receive(t, ahead, own)) return;
            T const through = detail::visit_alone(local, t, ahead, next);
            if (!is_last) prefixes.pass(t + 1, through, own);
            continue;
          }
        }
        T const of_tile = is_last ? first : local.total(t);
        if (!prefixes.receive(t, ahead, own)) return;
        if (!is_last) prefixes.pass(t + 1, m(ahead, of_tile), own);
        next = own.draw();
        local.visit(t, ahead, next);
      }
      stream_fence();  // one fence for all tiles: it waits until all stores are complete
    } catch (...) {
      prefixes.cancel();
      throw;
    }
  });
}

}  // namespace ravel::inline v0::cpu
