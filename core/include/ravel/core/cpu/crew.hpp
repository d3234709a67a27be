#pragma once

/// A crew: the threads that run a call.  They are oneTBB's (tbb_threads.hpp) or std::threads
/// (std_threads.hpp).
///
/// Programs that link ravel's archive find the crew of oneTBB compiled there: oneTBB's headers take
/// longer to compile than a short program.  Other programs compile it themselves.

#include <ravel/core/function_ref.hpp>
#include <ravel/core/std_memory.hpp>

namespace ravel::inline v0::cpu {

/// The most threads that a cpu::threads uses, whatever number is requested: four for each core that
/// the process may use, and at least 16.  More would only wait for cores and for one another.
///
///     most_threads() == 16        on two cores
///     most_threads() == 256       on 64
int most_threads();

namespace detail {

/// `count` threads.  With oneTBB they have an arena of their own; for `count` 0 they are those of
/// the caller's arena.  Without oneTBB each call starts std::threads.
class crew {
  struct threads;
  std::shared_ptr<threads> own_;

 public:
  explicit crew(int count);

  int size() const;

  /// The index of the calling thread in its crew: the same in each call, so that a thread finds its
  /// cached data.
  static int place();

  /// Calls f() and g(), concurrently if a thread is free.
  void call_both(ravel::detail::function_ref<void()> f,
                 ravel::detail::function_ref<void()> g) const;

  /// Calls f() `count` times, concurrently on the threads that are free.
  void call(int count, ravel::detail::function_ref<void()> f) const;
};

}  // namespace detail
}  // namespace ravel::inline v0::cpu
