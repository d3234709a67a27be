#pragma once

/// A crew of std::thread, used if RAVEL_CPU_STD_THREADS is defined: ThreadSanitizer cannot follow
/// the synchronisation inside oneTBB.

#ifdef RAVEL_CPU_STD_THREADS
#  include <ravel/core/config.hpp>
#  include <ravel/core/cpu/crew.hpp>
#  include <ravel/core/function_ref.hpp>

#  include <algorithm>
#  include <atomic>
#  include <exception>
#  include <memory>
#  include <mutex>
#  include <thread>
#  include <vector>

namespace ravel::inline v0::cpu {

RAVEL_ARCHIVED int most_threads() {
  static int const limit = std::max(16, 4 * static_cast<int>(std::thread::hardware_concurrency()));
  return limit;
}

namespace detail {

struct crew::threads {
  int count;
  std::atomic<int> forked = 0;
  explicit threads(int n)
      : count(ravel::detail::clamped(
            n > 0 ? n : static_cast<int>(std::thread::hardware_concurrency()), 1, most_threads())) {
  }
};

RAVEL_ARCHIVED crew::crew(int count) : own_(std::make_shared<threads>(count)) {}

RAVEL_ARCHIVED int crew::size() const { return own_->count; }

inline constinit thread_local int place_of_thread = 0;
RAVEL_ARCHIVED int crew::place() { return place_of_thread; }

RAVEL_ARCHIVED void crew::call(int count, ravel::detail::function_ref<void()> f) const {
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
    for (int i = 1; i < count; ++i) {
      others.emplace_back([&work, i] {
        place_of_thread = i;
        work();
      });
    }
    work();
  }
  if (thrown) std::rethrow_exception(thrown);
}

/// Runs f and g concurrently, unless calls like this one have already started as many threads as
/// the crew has.
RAVEL_ARCHIVED void crew::call_both(ravel::detail::function_ref<void()> f,
                                    ravel::detail::function_ref<void()> g) const {
  if (++own_->forked >= own_->count) {
    --own_->forked;
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
      --own_->forked;
    });
    attempt(f);
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace detail
}  // namespace ravel::inline v0::cpu
#endif
