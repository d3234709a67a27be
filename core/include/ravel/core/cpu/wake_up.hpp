#pragma once

/// Decides when a thread that works alone wakes others, and how many.
///
/// A sleeping thread takes some tens of microseconds to wake.  Work shorter than that is faster on
/// one thread.  How long work takes depends on the user's function and on the machine: of two
/// machines measured, one needed eight times as long for the same scan.  So a call wakes others at
/// once only if its work is long on any machine.  Otherwise the calling thread begins alone, reads
/// the clock now and then, and wakes others for the rest if that pays.
///
/// The grouping of operands does not depend on this decision.

#include <ravel/core/function_ref.hpp>
#include <ravel/core/std_clock.hpp>
#include <ravel/core/vocabulary.hpp>

#include <atomic>

namespace ravel::inline v0::cpu {

/// The assumed delays until other threads take part: if they sleep, and if they have worked within
/// the last `until_asleep` and so still spin for new work.  Measured on 16 cores of an Intel Xeon
/// and on two of an AMD EPYC (docs/decisions/0041).
struct waking_costs {
  std::chrono::nanoseconds asleep{40'000}, awake{8'000};
};
inline constexpr std::chrono::nanoseconds until_asleep{100'000};

namespace detail {

using nanoseconds = std::chrono::nanoseconds;
using stopwatch = std::chrono::steady_clock;

/// The cost of waking threads: the measured delay, but no more than the assumed one.
struct waking_cost {
  std::atomic<nanoseconds> assumed, measured;
  constexpr explicit waking_cost(nanoseconds cost) : waking_cost(cost, cost) {}
  constexpr waking_cost(nanoseconds cost, nanoseconds first) : assumed(cost), measured(first) {}
  void assume(nanoseconds cost) { assumed = measured = cost; }
  nanoseconds get() const { return measured.load(std::memory_order_relaxed); }

  /// Adds a measured delay to the moving average.  Concurrent updates may be lost, which does no
  /// harm.
  void add(nanoseconds delay) {
    constexpr nanoseconds smallest{1'000};
    auto const greatest = assumed.load(std::memory_order_relaxed);
    auto const average = (7 * get() + std::min(delay, greatest)) / 8;
    measured.store(std::min(std::max(average, smallest), greatest), std::memory_order_relaxed);
  }
};

}  // namespace detail

/// Overrides the assumed wake-up costs of all later calls, for measurements and tests: with a cost
/// of zero, every call with more than one part uses all threads.
///
///     cpu::assume({0ns, 0ns});        share all work that has parts
///     cpu::assume({});                the measured costs
void assume(waking_costs costs);

/// The number of `threads` to use for work that takes one thread `alone`, if waking the others
/// costs `cost`: 1 unless more threads gain more than the cost.
///
///     threads_worth(16, 40us, 30us) == 1        as 30 / 12 + 40 > 30
///     threads_worth(16, 40us, 48us) == 4        as 16 * 48 < 25 * 40
///     threads_worth(2, 40us, 48us) == 1         as 48 / 1.5 + 40 > 48
///     threads_worth(2, 40us, 120us) == 2
///
/// The model: k threads are 3/4 k times as fast as one, since two may share a core, and each is
/// assumed to wake a twelfth of the cost after the one before.  The best k minimises alone / (3/4
/// k) + k cost / 12.
constexpr int threads_worth(int threads, std::chrono::nanoseconds cost,
                            std::chrono::nanoseconds alone) {
  if (threads < 2 || 4 * alone > 3 * threads * (alone - cost)) return 1;
  std::chrono::nanoseconds::rep k = 2;
  while (k < threads && (k + 1) * (k + 1) * cost <= 16 * alone) ++k;
  return static_cast<int>(k);
}

namespace detail {

/// The assumed cost of waking threads that sleep.
nanoseconds assumed_cost();

/// Records that other threads have worked: they then spin for a while, and wake up faster.
void have_worked();

/// Records that the calling thread has worked for `alone` because the others sleep, where `threads`
/// threads would have shared the work.  Returns whether to wake them now: the time that such calls have
/// lost then adds up to the cost of waking.  So a sequence of short calls takes at most twice as long as
/// with the better choice.
bool have_missed(int threads, nanoseconds alone, stopwatch::time_point now);

/// A lower bound on the time that n elements take, on any machine.
constexpr nanoseconds at_least(index_t n) { return nanoseconds{n / 16}; }

/// The clock may be read in work of this duration: the readings of one call take about 0.2 us.
inline constexpr nanoseconds worth_a_look{20'000};

/// What the calling thread knows of the elements of a type of step: `cheap` elements took `worth_a_look`
/// when they were last timed, and `left` more may be processed without reading the clock.
struct known_elements {
  index_t cheap = 0, left = 0;
  /// Takes n of the elements that are left.  Returns false if fewer were left.
  bool take(index_t n) {
    left -= n;
    return left >= 0;
  }
};
template <class F>
known_elements& known_of() {
  static constinit thread_local known_elements elements;
  return elements;
}

/// The state of a thread that works alone, part after part, until it pays to wake others.
class alone {
  ravel::detail::function_ref<int()> threads_of_;
  int threads_ = 1;
  nanoseconds least_;
  index_t next_look_ = 0;
  nanoseconds cost_{}, spent_{};
  bool are_asleep_ = false;
  stopwatch::time_point begin_{}, last_look_{};
  index_t last_done_ = 0, cheap_ = 0;

  /// Computes how many parts take `worth_a_look`, from those since the last reading of the clock.
  void take_pace(index_t done, stopwatch::time_point now);

 public:
  /// `least` is a lower bound on the time that all work takes; it may take much longer.  threads()
  /// returns the number of threads and must live as long as this object.  It is not called for a
  /// single part: querying a oneTBB arena takes as long as some small calls.
  alone(ravel::detail::function_ref<int()> threads, nanoseconds least)
      : threads_of_(threads), least_(least) {}

  /// Call before the part after `done`, when `left` parts are left.  Returns how many threads
  /// should do the rest; 1 to continue alone.
  int share(index_t done, index_t left);

  /// Whether to read the clock again soon, because the work so far took much of the cost of waking.
  bool is_slow() const { return 16 * spent_ > cost_; }

  /// The number of parts like the latest that take `worth_a_look`; 0 if none were timed.
  index_t cheap() const { return cheap_; }

  /// The same, once all `n` parts are done.
  index_t cheap_of_all(index_t n);
};

/// The number of threads() to use for work of at least `least`, under the assumption that they
/// sleep.  It does not vary from call to call: the scratch of a call may depend on it, and a plan
/// determines the scratch before the call.
int threads_worth_waking(auto threads, nanoseconds least) {
  auto const cost = assumed_cost();
  return least < cost ? 1 : threads_worth(static_cast<int>(threads()), cost, least);
}
bool worth_sharing(auto threads, nanoseconds least) {
  return threads_worth_waking(threads, least) > 1;
}

#ifdef RAVEL_DEFINES_ARCHIVED

/// State of the process, written by several threads.
struct waking_state {
  waking_cost asleep{waking_costs{}.asleep};
  // If this estimate were too high, awake threads would never be used, and their cost never be
  // measured: so the first estimate is low.
  waking_cost awake{waking_costs{}.awake, nanoseconds{2'000}};
  std::atomic<stopwatch::time_point> last_worked = stopwatch::time_point{};
  std::atomic<stopwatch::time_point> last_missed = stopwatch::time_point{};
  std::atomic<nanoseconds> missed{};  // time lost, for have_missed

  bool are_awake(stopwatch::time_point now) const {
    return now - last_worked.load(std::memory_order_relaxed) < until_asleep;
  }
};
inline constinit waking_state waking;  // constant-initialised: other initialisers may call assume()

RAVEL_ARCHIVED nanoseconds assumed_cost() {
  return waking.asleep.assumed.load(std::memory_order_relaxed);
}

RAVEL_ARCHIVED void have_worked() {
  waking.last_worked.store(stopwatch::now(), std::memory_order_relaxed);
}

RAVEL_ARCHIVED bool have_missed(int threads, nanoseconds alone, stopwatch::time_point now) {
  nanoseconds const cost = waking.awake.get(), shared = cost + 4 * alone / (3 * threads);
  bool const follows = now - waking.last_missed.exchange(now) < until_asleep + alone;
  nanoseconds const missed =
      (follows ? waking.missed.load() : nanoseconds{}) + std::max(nanoseconds{}, alone - shared);
  bool const wakes = missed > waking.asleep.get();
  waking.missed = wakes ? nanoseconds{} : missed;
  return wakes;
}

/// Measures how long other threads take to start, for one call.
class wake_up_timer {
  stopwatch::time_point begin_ = stopwatch::now();
  bool are_awake_ = waking.are_awake(begin_);
  void const* caller_ = mark();

  /// An address that identifies the calling thread.
  static void const* mark() {
    static constinit thread_local char here = 0;
    return &here;
  }

 public:
  /// Call on each thread when it starts.
  void arrive() const {
    if (mark() == caller_) return;
    (are_awake_ ? waking.awake : waking.asleep).add(stopwatch::now() - begin_);
  }
};

RAVEL_ARCHIVED void alone::take_pace(index_t done, stopwatch::time_point now) {
  auto const passed = std::max(nanoseconds{1}, nanoseconds{now - last_look_});
  cheap_ = worth_a_look * (done - last_done_) / passed;
  last_look_ = now;
  last_done_ = done;
}

RAVEL_ARCHIVED int alone::share(index_t done, index_t left) {
  if (done > 0 && (done < next_look_ || left < 2 || threads_ < 2)) return 1;
  auto const now = stopwatch::now();
  if (done == 0) {
    next_look_ = 1;
    begin_ = last_look_ = now;
    if (left < 2) return 1;
    threads_ = threads_of_();
    if (threads_ < 2) return 1;
    are_asleep_ = !waking.are_awake(now);
    cost_ = (are_asleep_ ? waking.asleep : waking.awake).get();
    return threads_worth(threads_, cost_, least_) > 1
               ? threads_
               : 1;  // the work may take much longer than least_
  }
  next_look_ = 2 * done;
  take_pace(done, now);
  spent_ = now - begin_;
  // too early: the first elements, with cold caches, do not predict the rest
  if (8 * spent_ < cost_) return 1;
  double const rest =
      static_cast<double>(spent_.count()) * static_cast<double>(left) / static_cast<double>(done);
  constexpr double long_enough = 1e15;
  nanoseconds const alone{static_cast<nanoseconds::rep>(std::min(rest, long_enough))};
  int const worth = threads_worth(threads_, cost_, alone);
  if (worth > 1 || !std::exchange(are_asleep_, false)) return worth;
  return have_missed(threads_, spent_ + alone, now)
             ? threads_worth(threads_, waking.awake.get(), alone)
             : 1;
}

RAVEL_ARCHIVED index_t alone::cheap_of_all(index_t n) {
  if (n > last_done_) take_pace(n, stopwatch::now());
  return cheap_;
}

#endif

}  // namespace detail

#ifdef RAVEL_DEFINES_ARCHIVED
RAVEL_ARCHIVED void assume(waking_costs costs) {
  detail::waking.asleep.assume(costs.asleep);
  detail::waking.awake.assume(costs.awake);
  detail::waking.missed = detail::nanoseconds{};
}
#endif

}  // namespace ravel::inline v0::cpu
