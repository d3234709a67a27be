#pragma once

/// @file
/// The threads of cpu::threads, and how they share work.

#include <ravel/core/cpu/crew.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/tile.hpp>

#include <algorithm>
#include <atomic>

namespace ravel::inline v0::cpu {
namespace detail {

/// The threads of cpu::threads, each of which takes the next index when it is free: they work on
/// adjacent memory and share cached data.
class team {
  crew crew_;

 public:
  explicit team(int count) : crew_(count) {}

  /// The number of threads.
  int size() const { return crew_.size(); }

  /// Calls f() on each thread at most once, and at most `most` times in total.  A call may find all
  /// work done: some threads start late, or never.
  void on_each(index_t most, ravel::detail::function_ref<void()> f) const {
    int const count = static_cast<int>(std::min<index_t>(most, size()));
    crew_.call(count, f);
    if (count > 1) have_worked();
  }

  /// Calls f() and g(), at the same time if a thread is free.
  void do_both(ravel::detail::function_ref<void()> f, ravel::detail::function_ref<void()> g) const {
    crew_.call_both(f, g);
  }

  /// Calls f(k) for each k of [0, n); `least` is a lower bound on the time that one thread needs
  /// for all.  With very many indices, a thread takes several at once, to reduce contention on the
  /// counter.
  void run(index_t n, nanoseconds least, ravel::detail::function_ref<void(index_t)> f) const {
    auto const threads = [this] { return size(); };
    alone self(threads, least);
    index_t first = 0;
    int share = 1;
    for (; first < n && (share = self.share(first, n - first)) == 1; ++first) f(first);
    if (first == n) return;
    share_parts(first, n, at_once(n), share, [&](index_t k, index_t end) {
      for (; k < end; ++k) f(k);
    });
  }

  /// Calls f(begin, end) for intervals that together are [0, n), in any order.  The calling thread
  /// begins with a single index, and processes more and more of them until the clock says whether
  /// and how many others help.  Returns how many indices like these may be processed
  /// without looking at the clock.
  ///
  /// Shared intervals take about `worth_a_look` each, and are of at most `width` indices, unless
  /// there are very many.
  index_t divide(index_t n, index_t width, nanoseconds least,
                 ravel::detail::function_ref<void(index_t, index_t)> f) const {
    auto const threads = [this] { return size(); };
    alone self(threads, least);
    index_t done = 0;
    int share = 1;
    while (done < n && (share = self.share(done, n - done)) == 1) {
      constexpr index_t growth = 8;  // three looks for 64 indices, five for 4096
      index_t const some = std::clamp<index_t>((growth - 1) * done, 1, width);
      index_t const end = std::min(n, done + some);
      f(done, end);
      done = end;
    }
    if (done == n) return self.cheap_of_all(n);
    constexpr index_t parts = 8;  // for each thread, so that all end at about the same time
    index_t const evenly = (n - done) / (parts * share);
    index_t const known = done > 0 ? std::min(self.cheap(), evenly) : evenly;
    share_parts(done, n, std::clamp<index_t>(known, 1, width * at_once(n / width)), share, f);
    return self.cheap();
  }

  /// Calls f(begin, end) for intervals of `width` indices that together are [first, n), on at most
  /// `share` threads.
  void share_parts(index_t first, index_t n, index_t width, index_t share,
                   ravel::detail::function_ref<void(index_t, index_t)> f) const {
    std::atomic<index_t> next = first;
    on_each(std::min(share, div_up_of_any(n - first, width)), [&] {
      try {
        for (index_t k; (k = next.fetch_add(width)) < n;) f(k, k + std::min(width, n - k));
      } catch (...) {
        next = n;  // stops the other threads
        throw;
      }
    });
  }

 private:
  /// The number of n parts that a thread takes at once.
  index_t at_once(index_t n) const {
    return std::clamp<index_t>(n / (index_t{64} * size()), 1, 16);
  }
};

}  // namespace detail
}  // namespace ravel::inline v0::cpu
