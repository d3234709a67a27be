#pragma once

/// Chained scan of two values, for a scan whose results are filtered: the prefix, and the number of
/// elements kept, which is known only once the prefix is.

#include <ravel/core/cpu/chained_scan.hpp>
#include <ravel/core/cpu/prefix_ring.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/tile_tickets.hpp>
#include <ravel/core/cpu/wake_up.hpp>

namespace ravel::inline v0::cpu {

/// Chained scan of two values over tiles.  For each tile t of [0, count) calls total(t); then
/// keep(t, ahead), which returns the number of elements that it keeps; then place(t, sum), with
/// `ahead` as in chained_scan and
///
///     sum = keep(0) + ... + keep(t - 1)
///
/// All three are members of `work`, which is copied for each thread.  keep(t, ahead, next) also
/// receives the thread's next tile.  total is not called for the last tile.
///
/// The calling thread begins alone, as in chained_scan.  It never calls total, as keep stores
/// ahead * total(t) in `ahead`.
template <class Ex, class T, class M, class Work>
void chained_scan_of_counts(Ex const& ex, index_t count, T first, M m, Work work,
                            detail::nanoseconds least) {
  auto const threads = [&] { return detail::threads_of(ex); };
  detail::alone self(threads, least);
  // tiles done by the calling thread, and the number of elements that they keep
  index_t begun = 0, placed = 0;
  int share = self.share(begun, count);
  if (share == 1) {
    do {
      index_t const kept = work.keep(begun, first, begun + 1);
      work.place(begun, placed);
      placed += kept;
      ++begun;
    } while (begun < count && (share = self.share(begun, count - begun)) == 1);
    if (count > 1) stream_fence();  // a single tile needs no fence
    if (begun == count) return;
  }
  detail::prefix_ring<T> values(begun, first);
  detail::prefix_ring<index_t> sums(begun, placed);
  detail::tile_tickets tickets{begun, count};
  ex.on_each_thread(std::min<index_t>(share, count - begun), [&] {
    try {
      Work local = work;
      T ahead = first;
      index_t sum = 0;
      detail::own_tickets own(tickets);
      for (index_t t = own.draw(), next; t < count; t = own.after_rest(next)) {
        bool const is_last = t + 1 == count;
        T const of_tile = is_last ? first : local.total(t);
        if (!values.receive(t, ahead, own)) return;
        if (!is_last) values.pass(t + 1, m(ahead, of_tile), own);
        next = own.draw();  // not earlier: the threads of the tiles between would wait for this one
        index_t const kept = local.keep(t, ahead, next);
        if (!sums.receive(t, sum, own)) return;
        if (!is_last) sums.pass(t + 1, sum + kept, own);
        local.place(t, sum);
      }
      stream_fence();
    } catch (...) {
      values.cancel();
      sums.cancel();
      throw;
    }
  });
}

}  // namespace ravel::inline v0::cpu
