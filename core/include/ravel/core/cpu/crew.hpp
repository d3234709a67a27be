#pragma once

/// @file
/// A crew: the threads that run a call, of oneTBB (tbb_threads.hpp), or std::thread
/// (std_threads.hpp).
///
/// Programs that link the archive of ravel find the crew of oneTBB there: its headers take longer to
/// compile than a short program.  Others compile it themselves.

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

/// `count` threads: oneTBB has an arena of their own for them, or, for 0, they are those of the
/// caller's arena; std::thread starts them for each call.
class crew {
  struct threads;
  std::shared_ptr<threads> own_;

 public:
  explicit crew(int count);

  int size() const;

  /// The number of the calling thread among those of its crew, which it keeps from call to call.
  static int place();

  /// Calls f() and g(), at the same time if a thread is free.
  void call_both(ravel::detail::function_ref<void()> f,
                 ravel::detail::function_ref<void()> g) const;

  /// Calls f() `count` times, on threads that are free.
  void call(int count, ravel::detail::function_ref<void()> f) const;
};

}  // namespace detail
}  // namespace ravel::inline v0::cpu
