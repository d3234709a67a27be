#pragma once

/// @file
/// How many threads cpu::threads may have, and these as std::thread, where RAVEL_CPU_STD_THREADS is
/// defined, because ThreadSanitizer cannot see into oneTBB.

#include <ravel/core/function_ref.hpp>

#include <algorithm>
#include <thread>

#ifdef RAVEL_CPU_STD_THREADS
#  include <atomic>
#  include <exception>
#  include <memory>
#  include <mutex>
#  include <vector>
#endif

namespace ravel::inline v0::cpu {

/// The most threads that a cpu::threads uses, whatever number is requested: four for each core that
/// the process may use, and at least 16.  More would only wait for cores and for one another.
///
///     most_threads() == 16        on two cores
///     most_threads() == 256       on 64
inline int most_threads() {
  static int const most = std::max(16, 4 * static_cast<int>(std::thread::hardware_concurrency()));
  return most;
}

#ifdef RAVEL_CPU_STD_THREADS
namespace detail {

/// `count` threads, started for each call.
class crew {
  int count_;
  std::shared_ptr<std::atomic<int>> forked_ = std::make_shared<std::atomic<int>>(0);

 public:
  explicit crew(int count)
      : count_(count > 0 ? count : static_cast<int>(std::thread::hardware_concurrency())) {
    count_ = std::clamp(count_, 1, most_threads());
  }

  int size() const { return count_; }

  void call(int count, ravel::detail::function_ref<void()> f) const {
    std::exception_ptr thrown;
    std::mutex guard;
    auto const work = [&] {
      try {
        f();
      } catch (...) {
        std::lock_guard const lock(guard);
        if (!thrown) thrown = std::current_exception();
      }
    };
    {
      std::vector<std::jthread> others;
      for (int i = 1; i < count; ++i) others.emplace_back(work);
      work();
    }
    if (thrown) std::rethrow_exception(thrown);
  }

  /// Calls f() and g(), at the same time if fewer than `count` threads have been started for such
  /// calls.
  void call_both(ravel::detail::function_ref<void()> f,
                 ravel::detail::function_ref<void()> g) const {
    if (++*forked_ >= count_) {
      --*forked_;
      f();
      return g();
    }
    std::exception_ptr thrown;
    std::atomic<bool> failed = false;
    auto const attempt = [&](auto const& call) {
      try {
        call();
      } catch (...) {
        if (!failed.exchange(true)) thrown = std::current_exception();
      }
    };
    {
      std::jthread const other([&] {
        attempt(g);
        --*forked_;
      });
      attempt(f);
    }
    if (thrown) std::rethrow_exception(thrown);
  }
};

}  // namespace detail
#endif

}  // namespace ravel::inline v0::cpu
