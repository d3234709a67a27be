#pragma once

/// The executor of a single host thread, whose results define those of all other executors.

#include <ravel/core/cpu/buffer.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/scratch.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/scratch_stack.hpp>
#include <ravel/core/std_memory.hpp>

namespace ravel::inline v0::cpu {

/// Elements per tile: 4096 elements of four bytes are half of a 32 KiB L1 cache.
inline constexpr index_t tile_width = 4096;

namespace detail {

/// Whether n elements are exactly one tile (n > 0), by one comparison.  Callers inline the path for
/// one tile.  The code for several tiles is in separate functions that take a copy of the work, so
/// that the original can stay in registers.
constexpr bool are_one_tile(index_t n, index_t width) {
  return static_cast<std::uint64_t>(n) - 1 < static_cast<std::uint64_t>(width);
}

}  // namespace detail

/// Runs the tiles one after another.  Its results define those of all executors.
class sequential {
  std::shared_ptr<scratch_stack> stack_;  // null: thread-local scratch
  index_t value_bytes_ = 0;               // 0: any number

 public:
  using space = host_space;

  template <class T>
  static buffer<T> allocate(index_t n) {
    return buffer<T>(n);
  }

  template <class T>
  scratch_buffer<T> scratch(index_t n) const {
    return scratch_buffer<T>(n, stack_);
  }

  /// Sets the stack from which its later calls, and those of copies made from now on, take scratch
  /// (core/plan.hpp).
  void lay_scratch(std::shared_ptr<scratch_stack> stack) { stack_ = std::move(stack); }

  /// Sets how many bytes the values of an `each` with budget() take at a time, in programs on this
  /// executor and copies made from now on (flatten/budget.hpp).
  void bound_values(index_t bytes) { value_bytes_ = bytes; }
  index_t value_bytes() const { return value_bytes_; }

  template <class T>
  static void copy(T const* source, T* target, index_t n) {
    std::copy(source, source + n, target);
  }

  static constexpr index_t tile_count(index_t n) { return div_up(n, tile_width); }

  static void for_each_tile(index_t n, auto f) { for_each_tile_of(tile_width, n, f); }

  /// for_each_tile with another tile width.
  template <class F>
  static void for_each_tile_of(index_t width, index_t n, F f, detail::nanoseconds = {}) {
    if (detail::are_one_tile(n, width)) {
      f(worker{}, tile{0, 0, n});
    } else if (n > 0) {
      F const kept = f;
      tiles_in_turn(width, n, kept);
    }
  }

  /// Calls f() at most once on each of the executor's threads, and at most `limit` times in total:
  /// here once.
  static void on_each_thread(index_t, auto const& f) { f(); }

  static void wait() {}

  constexpr host machine() const { return host{.several_threads = false}; }

 private:
  [[gnu::noinline]] static void tiles_in_turn(index_t width, index_t n, auto const& f) {
    for (index_t k = 0; k < div_up(n, width); ++k) f(worker{}, nth_tile(k, width, n));
  }
};

}  // namespace ravel::inline v0::cpu
