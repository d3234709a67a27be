#pragma once

/// @file
/// Who runs the tiles of cpu::threads: oneTBB, or std::thread where
/// RAVEL_CPU_STD_THREADS is defined, because ThreadSanitizer cannot see into oneTBB.

#include <ravel/core/tile.hpp>

#ifdef RAVEL_CPU_STD_THREADS
#  include <atomic>
#  include <exception>
#  include <mutex>
#  include <thread>
#  include <vector>
#else
#  include <tbb/blocked_range.h>
#  include <tbb/global_control.h>
#  include <tbb/parallel_for.h>
#  include <tbb/task_arena.h>

#  include <algorithm>
#  include <memory>
#  include <mutex>
#endif

namespace ravel::inline v0::cpu::detail {

#ifdef RAVEL_CPU_STD_THREADS

/// `count` threads, started for each call, each taking the next index when it is free.
class team {
  int count_;

 public:
  explicit team(int count)
      : count_(count > 0 ? count : static_cast<int>(std::thread::hardware_concurrency())) {
    if (count_ < 1) count_ = 1;
  }

  int size() const { return count_; }

  template <class F>
  void run(index_t n, F const& f) const {
    std::atomic<index_t> next = 0;
    std::exception_ptr thrown;
    std::mutex guard;
    auto const work = [&] {
      try {
        for (index_t k; (k = next.fetch_add(1)) < n;) f(k);
      } catch (...) {
        std::lock_guard const lock(guard);
        if (!thrown) thrown = std::current_exception();
        next = n;
      }
    };
    {
      std::vector<std::jthread> others;
      for (int i = 1; i < count_ && i < n; ++i) others.emplace_back(work);
      work();
    }
    if (thrown) std::rethrow_exception(thrown);
  }
};

#else

/// oneTBB makes no more threads than the machine has cores, whatever an arena
/// asks for, unless it is allowed to; and of several allowances the least counts.
/// So there is one for the process, of the most that was ever asked for.
inline void allow_threads(int count) {
  static std::mutex guard;
  static int most = 0;
  static std::unique_ptr<tbb::global_control> allowance;
  constexpr auto threads = tbb::global_control::max_allowed_parallelism;
  std::lock_guard const lock(guard);
  if (static_cast<std::size_t>(count) <= tbb::global_control::active_value(threads)) return;
  most = std::max(most, count);
  allowance.reset();
  allowance = std::make_unique<tbb::global_control>(threads, static_cast<std::size_t>(most));
}

/// oneTBB: `count` threads in an arena of their own, or, for 0, those of the
/// arena that the caller is in.
class team {
  std::shared_ptr<tbb::task_arena> own_;

 public:
  explicit team(int count) {
    if (count <= 0) return;
    allow_threads(count);
    own_ = std::make_shared<tbb::task_arena>(count);
  }

  int size() const {
    return own_ ? own_->max_concurrency() : tbb::this_task_arena::max_concurrency();
  }

  template <class F>
  void run(index_t n, F const& f) const {
    auto const work = [&] {
      tbb::parallel_for(tbb::blocked_range<index_t>(0, n), [&](auto const& range) {
        for (index_t k = range.begin(); k < range.end(); ++k) f(k);
      });
    };
    if (own_) {
      own_->execute(work);
    } else {
      work();
    }
  }
};

#endif

}  // namespace ravel::inline v0::cpu::detail
