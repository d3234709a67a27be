#pragma once

/// A crew of oneTBB's threads.

#ifndef RAVEL_CPU_STD_THREADS
#  include <ravel/core/config.hpp>
#  include <ravel/core/cpu/crew.hpp>
#  include <ravel/core/function_ref.hpp>

#  include <tbb/blocked_range.h>
#  include <tbb/global_control.h>
#  include <tbb/parallel_for.h>
#  include <tbb/parallel_invoke.h>
#  include <tbb/partitioner.h>
#  include <tbb/task_arena.h>

#  include <algorithm>
#  include <cstddef>
#  include <memory>
#  include <mutex>
#  include <thread>

namespace ravel::inline v0::cpu {

RAVEL_ARCHIVED int most_threads() {
  static int const limit = std::max(16, 4 * static_cast<int>(std::thread::hardware_concurrency()));
  return limit;
}

namespace detail {

/// Makes oneTBB create up to `count` threads.  Whatever the size of an arena, oneTBB creates no
/// more threads than the machine has cores, unless a global_control allows it.  Of several such
/// objects the least allowance applies, so the process has one, for the greatest number requested
/// so far.
inline void allow_threads(int count) {
  static std::mutex guard;
  static int allowed = 0;
  static std::unique_ptr<tbb::global_control> allowance;
  constexpr auto threads = tbb::global_control::max_allowed_parallelism;
  std::lock_guard const lock(guard);
  if (static_cast<std::size_t>(count) <= tbb::global_control::active_value(threads)) return;
  allowed = std::max(allowed, count);
  allowance.reset();
  allowance = std::make_unique<tbb::global_control>(threads, static_cast<std::size_t>(allowed));
}

struct crew::threads : tbb::task_arena {
  using tbb::task_arena::task_arena;
};

RAVEL_ARCHIVED crew::crew(int count) {
  if (count <= 0) return;
  count = std::min(count, most_threads());
  allow_threads(count);
  own_ = std::make_shared<threads>(count);
}

RAVEL_ARCHIVED int crew::size() const {
  return own_ ? own_->max_concurrency()
              : std::min(tbb::this_task_arena::max_concurrency(), most_threads());
}

RAVEL_ARCHIVED int crew::place() {
  return std::max(0, tbb::this_task_arena::current_thread_index());
}

RAVEL_ARCHIVED void crew::call_both(ravel::detail::function_ref<void()> f,
                                    ravel::detail::function_ref<void()> g) const {
  auto const task = [=] { tbb::parallel_invoke(f, g); };
  if (own_) {
    own_->execute(task);
  } else {
    task();
  }
}

/// Each call is isolated: a thread that waits inside it for nested parallel work does not begin
/// another call, which might wait for this one (a deadlock).
RAVEL_ARCHIVED void crew::call(int count, ravel::detail::function_ref<void()> f) const {
  auto const task = [=] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, count),
        [=](auto const& range) {
          for (int i = range.begin(); i < range.end(); ++i) tbb::this_task_arena::isolate(f);
        },
        tbb::simple_partitioner{});
  };
  if (own_) {
    own_->execute(task);
  } else {
    task();
  }
}

}  // namespace detail
}  // namespace ravel::inline v0::cpu
#endif
