#pragma once

/// @file
/// A device in software: thread blocks whose threads are fibres.
///
/// Several blocks are alive at once, as many as the device has room for, and the
/// others begin, in any order, as these end.  A thread keeps its turn until it waits
/// or touches memory that blocks share; then anybody may go on.  Whose turn it is a
/// seeded generator says, so that a schedule that breaks something can be had again.
///
/// If all wait and nobody can go on, the launch says so instead of hanging.
///
/// device.cpp does it, and is optimised whatever the tests are: most of their time is its own.

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace ravel::testing::lockstep {

inline constexpr unsigned lanes = 32;

/// The seeded generator that schedules.
class dice {
  static std::uint64_t state_;

 public:
  static void seed(std::uint64_t s);

  /// One of 0, 1, ..., n - 1.
  static unsigned roll(unsigned n);
};

/// What went wrong in a kernel, or in its launch.
struct fault : std::logic_error {
  using std::logic_error::logic_error;
};

/// What a launch asks for.
struct shape {
  unsigned blocks;
  unsigned threads;
  bool all_at_once;  // as a cooperative launch does
  std::size_t shared_bytes = 0;
  bool one_at_a_time = false;  // blocks that have nothing to say to each other
};

/// What a barrier in shared memory counts.
struct transaction_barrier {
  unsigned short expected : 15;
  unsigned short phase : 1;
  unsigned short pending;
  int bytes;  // that have not come yet, less those that came unexpectedly early

  void end_phase_if_all_came() {
    if (pending != 0 || bytes != 0) return;
    phase ^= 1;
    pending = expected;
  }
};

/// What is said to the device: by whoever launches, and by the threads of a kernel.
struct device {
  static constexpr unsigned multiprocessors = 4;
  static constexpr unsigned room = 8;  // blocks that can be alive

  /// Runs `body` by every thread of every block.  Throws what one of them throws.
  template <class Body>
  static void launch(shape const& of, Body const& body) {
    run(
        of, [](void const* that) { (*static_cast<Body const*>(that))(); }, &body);
  }
  /// How many launches there were.
  static unsigned launches();

  /// The number of the thread in its block, and of its block; and how many there are of each.
  static unsigned thread();
  static unsigned block();
  static unsigned threads();
  static unsigned blocks();
  /// How many blocks of the launch began before that of the thread.
  static unsigned begun();
  /// Shared memory that the launch asked for, which holds what was there before.
  static char* shared();

  /// Called by a thread that waits for what another block does.
  static void poll();
  /// Called by one that has changed what is shared by blocks.
  static void changed();

  /// Begins a copy into shared memory, or out of it, where no barrier is told of it.
  static void copy(void* to, void const* from, std::size_t bytes, transaction_barrier* told);
  /// The copies out of shared memory that the thread began so far are one group.
  static void commit_copies();
  /// Waits until they have been read, or written too.
  static void wait_until_read();
  static void wait_until_written();

 private:
  static void run(shape const& of, void (*body)(void const*), void const* that);
};

/// Waits until `expected` threads of the block have come.
void sync(unsigned id, unsigned expected);

/// Waits until all threads of the block have come.  How many of them said yes.
unsigned sync_and_count(bool yes);

/// Every thread that `mask` names hands in a word, and then sees those of all.
std::uint64_t const* meet(char const* what, unsigned mask, std::uint64_t word);

/// The word of lane `from`, or one's own where that is no lane.
std::uint64_t shuffle(char const* what, unsigned mask, std::uint64_t word, int from);

/// The lanes of `mask` whose word is not 0; those whose word is one's own.
unsigned votes(char const* what, unsigned mask, bool yes);
unsigned matches(char const* what, unsigned mask, std::uint64_t word);

}  // namespace ravel::testing::lockstep
