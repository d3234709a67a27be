#pragma once

/// A device in software: thread blocks whose threads are fibres.
///
/// Several blocks are resident at once, as many as the device has room for, and the others begin,
/// in any order, as these end.  A thread runs until it waits or accesses memory shared by blocks;
/// then any thread may continue.  A seeded generator schedules them, so that a schedule that breaks
/// something can be reproduced.
///
/// If all threads wait and none can continue, the launch reports it instead of hanging.
///
/// source/device.cpp implements it, and is optimised in every build, since it dominates the
/// time of what runs on it.

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace ravel::software {

/// The most lanes that a warp can have.
inline constexpr unsigned most_lanes = 32;

struct observer;  // ravel/software_device/observer.hpp

/// The seeded generator that schedules.
class dice {
  static std::uint64_t state_;  // NOLINT(readability-identifier-naming): private

 public:
  static void seed(std::uint64_t s);

  /// One of 0, 1, ..., n - 1.
  static unsigned roll(unsigned n);
};

/// An error in a kernel, or in its launch.
struct fault : std::logic_error {
  using std::logic_error::logic_error;
};

/// The shape of a launch.
struct shape {
  unsigned blocks;
  unsigned threads;
  bool all_at_once;  // as for a cooperative launch
  std::size_t shared_bytes = 0;
  bool one_at_a_time = false;   // for blocks that do not communicate
  unsigned lanes = most_lanes;  // of a warp
};

/// The state of an mbarrier.
struct transaction_barrier {
  unsigned short expected : 15;
  unsigned short phase : 1;
  unsigned short pending;
  int bytes;  // expected minus arrived; may be negative for a time

  void end_phase_if_all_came() {
    if (pending != 0 || bytes != 0) return;
    phase ^= 1;
    pending = expected;
  }
};

/// The interface of the device, for launches and for the threads of a kernel.
struct device {
  static constexpr unsigned multiprocessors = 4;
  static constexpr unsigned room = 8;  // the number of blocks that can be resident

  /// Runs `body` in every thread of every block.  Rethrows an exception of a thread.
  template <class Body>
  static void launch(shape const& of, Body const& body) {
    run(
        of, [](void const* that) { (*static_cast<Body const*>(that))(); }, &body);
  }
  /// The number of launches.
  static unsigned launches();

  /// The indices of the thread in its block, and of its block; and the numbers of each.
  static unsigned thread();
  static unsigned block();
  static unsigned threads();
  static unsigned blocks();
  /// The lanes of a warp.
  static unsigned lanes();
  /// The number of blocks of the launch that began before that of the thread.
  static unsigned begun();
  /// Dynamic shared memory, with the contents left by the previous block.
  static char* shared();
  static bool has_dynamic_shared(void const* p);
  /// The observer, if the current thread is one of a kernel and `p` is not on its stack.
  static observer* observer_of(void const* p);

  /// Called by a thread that waits for another block.
  static void poll();
  /// Called by a thread that has changed data shared by blocks.
  static void changed();

  /// Begins a copy into shared memory that completes on a barrier, or one out of it without.
  static void copy(void* to, void const* from, std::size_t bytes, transaction_barrier* arrives_at);
  /// Commits the thread's copies out of shared memory so far as one group.
  static void commit_copies();
  /// Waits until they have been read; until they have also been written.
  static void wait_until_read();
  static void wait_until_written();

 private:
  static void run(shape const& of, void (*body)(void const*), void const* that);
};

/// Waits until `expected` threads of the block have arrived.
void sync(unsigned id, unsigned expected);

/// Waits until all threads of the block have arrived.  The number of true predicates.
unsigned sync_and_count(bool yes);

/// Every thread in `mask` contributes a word, and then sees the words of all.
std::uint64_t const* meet(char const* what, unsigned mask, std::uint64_t word);

/// The word of lane `from`, or the lane's own if there is no such lane.
std::uint64_t shuffle(char const* what, unsigned mask, std::uint64_t word, int from);

/// The lanes of `mask` whose word is nonzero; those whose word equals the lane's own.
unsigned votes(char const* what, unsigned mask, bool yes);
unsigned matches(char const* what, unsigned mask, std::uint64_t word);

}  // namespace ravel::software
