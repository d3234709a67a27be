#pragma once

/// @file
/// When a thread that works alone has others help it, and how many.
///
/// A thread that sleeps takes some tens of microseconds to wake.  Whoever has less to do than that is
/// faster alone; how long it takes depends on what a user's function does, and on the machine: of
/// two that were tried one needed eight times as long for the same scan.  So a call has others woken
/// at once only where its work is long on any machine.  Otherwise the caller begins alone, looks at
/// the clock now and then, and has others help with the rest if that is worth it.
///
/// Which elements are combined with which does not depend on it.

#include <ravel/core/tile.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>

namespace ravel::inline v0::cpu {

/// What it is taken to cost until others work too: if they sleep, and if they have worked within the
/// last `until_asleep`, since they look for more then.  Measured on 16 cores of an Intel Xeon and on
/// two of an AMD EPYC (docs/decisions/0041).
struct waking_costs {
  std::chrono::nanoseconds asleep{40'000}, awake{8'000};
};
inline constexpr std::chrono::nanoseconds until_asleep{100'000};

namespace detail {

using nanoseconds = std::chrono::nanoseconds;
using stopwatch = std::chrono::steady_clock;

struct waking_state {
  std::atomic<nanoseconds> asleep = waking_costs{}.asleep, awake = waking_costs{}.awake;
  std::atomic<stopwatch::time_point> last_worked = stopwatch::time_point{};  // several at once
};
inline waking_state waking;

}  // namespace detail

/// Has all calls from now on take it that waking costs so much: for measurements, and for tests,
/// where others are to work too, however little there is to do, if it costs nothing.
///
///     cpu::assume({0ns, 0ns});        all that has parts is shared
///     cpu::assume({});                as measured
inline void assume(waking_costs costs) {
  detail::waking.asleep = costs.asleep;
  detail::waking.awake = costs.awake;
}

/// How many of `threads` should do what one would do in `alone`, where it costs `cost` until others
/// work: 1 unless these gain more than that.
///
///     threads_worth(16, 40us, 30us) == 1        as 30 / 12 + 40 > 30
///     threads_worth(16, 40us, 48us) == 4        as 16 * 48 < 25 * 40
///     threads_worth(2, 40us, 48us) == 1         as 48 / 1.5 + 40 > 48
///     threads_worth(2, 40us, 120us) == 2
///
/// Several are taken to be as fast as three quarters of them, since two may share one core; and each is
/// taken to wake a twelfth of the cost later than the one before, so that k are the best that do in
/// alone / (3/4 k) + k cost / 12 what there is.
constexpr int threads_worth(int threads, std::chrono::nanoseconds cost,
                            std::chrono::nanoseconds alone) {
  if (threads < 2 || 4 * alone > 3 * threads * (alone - cost)) return 1;
  std::chrono::nanoseconds::rep k = 2;
  while (k < threads && (k + 1) * (k + 1) * cost <= 16 * alone) ++k;
  return static_cast<int>(k);
}

namespace detail {

/// What n elements take at least, on any machine.
constexpr nanoseconds at_least(index_t n) { return nanoseconds{n / 16}; }

/// A thread that works alone, on one part after another, until others are worth it.
template <class Threads>
class alone {
  Threads threads_of_;
  int threads_ = 1;
  nanoseconds least_;
  index_t next_look_ = 0;
  nanoseconds cost_{};
  stopwatch::time_point begin_{};

 public:
  /// At work that takes it `least` at least, which may be much less than it does.  threads() says how
  /// many threads there are: of oneTBB's arenas that takes as long as some small calls, so it is not
  /// asked where there is one part.
  alone(Threads threads, nanoseconds least) : threads_of_(threads), least_(least) {}

  /// How many threads should do what is left, where some has been done: 1 until it is more.
  int share(index_t done, index_t left) {
    if (done < next_look_ || left < 2) return 1;
    if (done == 0) threads_ = static_cast<int>(threads_of_());
    if (threads_ < 2) return 1;
    auto const now = stopwatch::now();
    if (done == 0) {
      next_look_ = 1;
      begin_ = now;
      bool const are_awake =
          now - waking.last_worked.load(std::memory_order_relaxed) < until_asleep;
      cost_ = (are_awake ? waking.awake : waking.asleep).load(std::memory_order_relaxed);
      return threads_worth(threads_, cost_, least_) > 1 ? threads_ : 1;  // it may be much more
    }
    next_look_ = 2 * done;
    nanoseconds const spent = now - begin_;
    if (8 * spent < cost_) return 1;  // the first elements are slow, and no measure
    double const rest = static_cast<double>(spent.count()) * static_cast<double>(left);
    constexpr double long_enough = 1e15;
    return threads_worth(threads_, cost_,
                         nanoseconds{static_cast<nanoseconds::rep>(
                             std::min(rest / static_cast<double>(done), long_enough))});
  }
};

/// To be told that others have worked.
inline void have_worked() { waking.last_worked.store(stopwatch::now(), std::memory_order_relaxed); }

/// How many of threads() should do what takes one `least` at least, even if they sleep.  It is the same
/// for each call, since how much scratch a call needs may depend on it, which a plan says ahead of the
/// call.
template <class Threads>
int threads_worth_waking(Threads threads, nanoseconds least) {
  auto const cost = waking.asleep.load(std::memory_order_relaxed);
  return least < cost ? 1 : threads_worth(static_cast<int>(threads()), cost, least);
}
template <class Threads>
bool worth_sharing(Threads threads, nanoseconds least) {
  return threads_worth_waking(threads, least) > 1;
}

}  // namespace detail
}  // namespace ravel::inline v0::cpu
