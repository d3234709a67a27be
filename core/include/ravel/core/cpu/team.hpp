#pragma once

/// The threads of cpu::threads, and the scheduling of work on them: static shares, then work
/// stealing.

#include <ravel/core/cpu/crew.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/function_ref.hpp>

#ifdef RAVEL_DEFINES_ARCHIVED
#  ifdef RAVEL_CPU_STD_THREADS
#    include <ravel/core/cpu/std_threads.hpp>
#  else
#    include <ravel/core/cpu/tbb_threads.hpp>
#  endif

#  include <atomic>
#endif

namespace ravel::inline v0::cpu::detail {

/// Which indices threads begin with: each with its own share, or all with the first ones, as in a
/// search that ends at the first match.
enum class beginning { apart, together };

/// The threads of cpu::threads.  Each thread begins with its own share of indices, which is the
/// same in all calls of one length, and then takes indices of others.  So the data of successive
/// calls stay in its cache, and pages are in the memory of the NUMA node of the thread that touches
/// them first.
class team {
  crew crew_;

 public:
  explicit team(int count) : crew_(count) {}

  /// The number of threads.
  int size() const { return crew_.size(); }

  /// Calls f() on each thread at most once, and at most `limit` times in total.  Some threads start
  /// late or never, so f must allow that all work is already done.
  void on_each(index_t limit, ravel::detail::function_ref<void()> f) const;

  /// Calls f() and g(), concurrently if a thread is free.
  void do_both(ravel::detail::function_ref<void()> f, ravel::detail::function_ref<void()> g) const {
    crew_.call_both(f, g);
  }

  /// Calls f(k) for each k of [0, n).  `least` is a lower bound on the time that one thread takes
  /// for all of them.  If there are very many indices, a thread takes several at once, to reduce
  /// contention on counters.
  void run(index_t n, nanoseconds least, beginning where,
           ravel::detail::function_ref<void(index_t)> f) const;

  /// Calls f(begin, end) for intervals that together are [0, n), in any order.  The calling thread
  /// begins with a single index, or a 16th of `cheap`, and processes more and more at a time until the
  /// elapsed time shows whether, and how many, other threads should help.  Returns how many indices
  /// of this kind a later call may process without reading the clock: `cheap` of that call.
  ///
  /// Intervals shared between threads take about `worth_a_look` each, and have at most `width`
  /// indices, unless there are very many indices.
  index_t divide(index_t n, index_t width, nanoseconds least, index_t cheap,
                 ravel::detail::function_ref<void(index_t, index_t)> f) const;

  /// Calls f(begin, end) for intervals of at most `width` indices that together are [first, n), on
  /// at most `share` threads.
  void share_parts(index_t first, index_t n, index_t width, index_t share, beginning where,
                   ravel::detail::function_ref<void(index_t, index_t)> f) const;

 private:
  /// The number of indices, of n, that a thread takes at once.
  index_t at_once(index_t n) const {
    return ravel::detail::clamped<index_t>(n / (index_t{64} * size()), 1, 16);
  }
};

#ifdef RAVEL_DEFINES_ARCHIVED

RAVEL_ARCHIVED void team::on_each(index_t limit, ravel::detail::function_ref<void()> f) const {
  int const count = static_cast<int>(std::min<index_t>(limit, size()));
  if (count <= 1) return crew_.call(count, f);
  wake_up_timer const timer;
  crew_.call(count, [&] {
    timer.arrive();
    f();
  });
  have_worked();
}

RAVEL_ARCHIVED void team::run(index_t n, nanoseconds least, beginning where,
                              ravel::detail::function_ref<void(index_t)> f) const {
  auto const threads = [this] { return size(); };
  alone self(threads, least);
  index_t first = 0;
  int share = 1;
  for (; first < n && (share = self.share(first, n - first)) == 1; ++first) f(first);
  if (first == n) return;
  share_parts(first, n, at_once(n), share, where, [&](index_t k, index_t end) {
    for (; k < end; ++k) f(k);
  });
}

RAVEL_ARCHIVED index_t team::divide(index_t n, index_t width, nanoseconds least, index_t cheap,
                                    ravel::detail::function_ref<void(index_t, index_t)> f) const {
  auto const threads = [this] { return size(); };
  alone self(threads, least);
  index_t done = 0;
  int share = 1;
  while (done < n && (share = self.share(done, n - done)) == 1) {
    // The clock is read three times for 64 indices and five times for 4096, unless they take long.
    index_t const growth = self.is_slow() ? 2 : 8;
    index_t const more = done > 0 ? (growth - 1) * done : cheap / 16;
    index_t const step = ravel::detail::clamped<index_t>(more, 1, width);
    index_t const end = std::min(n, done + step);
    f(done, end);
    done = end;
  }
  if (done == n) return self.cheap_of_all(n);
  // intervals for each thread, so that all threads end at about the same time
  constexpr index_t parts = 8;
  index_t const evenly = (n - done) / (parts * share);
  index_t const known = done > 0 ? std::min(self.cheap(), evenly) : evenly;
  share_parts(done, n, ravel::detail::clamped<index_t>(known, 1, width * at_once(n / width)), share,
              beginning::apart, f);
  return self.cheap();
}

RAVEL_ARCHIVED void team::share_parts(index_t first, index_t n, index_t width, index_t share,
                                      beginning where,
                                      ravel::detail::function_ref<void(index_t, index_t)> f) const {
  struct alignas(64) interval {  // in a cache line of its own
    std::atomic<index_t> next;
    index_t end;
  };
  constexpr index_t most_intervals = 64;  // if there are more threads, some share an interval
  interval spans[most_intervals];
  index_t const parts = div_up_of_any(n - first, width);
  share = std::min(share, parts);
  index_t const count = where == beginning::apart ? std::min(share, most_intervals) : 1;
  auto const bound = [=](index_t c) { return std::min(n, first + width * (c * parts / count)); };
  for (index_t c = 0; c < count; ++c) {
    spans[c].next = bound(c);
    spans[c].end = bound(c + 1);
  }
  on_each(share, [&] {
    index_t const place = count > 1 ? crew::place() : 0;
    try {
      for (index_t c = 0; c < count; ++c) {
        interval& span = spans[(place + c) % count];
        if (span.next.load(std::memory_order_relaxed) >= span.end) continue;
        for (index_t k; (k = span.next.fetch_add(width)) < span.end;) {
          f(k, std::min(k + width, span.end));
        }
      }
    } catch (...) {
      for (index_t c = 0; c < count; ++c) spans[c].next = spans[c].end;  // stops the other threads
      throw;
    }
  });
}

#endif

}  // namespace ravel::inline v0::cpu::detail
