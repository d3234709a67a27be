#pragma once

/// @file
/// What nested programs have had done: how many steps, and over how many elements.

#include <ravel/core/launches.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/flatten/late.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace ravel::inline v0 {

/// What the calling thread has had done since `reset_stats()`.
///
///     reset_stats();
///     auto const sorted = to_host(each(rows, quicksort));
///     stats().elements          // a measure of the work that no machine changes
///
/// A step is one call of a primitive, which on a device is one launch or a few;
/// `elements` is the sum of the sizes of all steps.  `bytes` is the memory that
/// values have now, and `most_bytes` the most that they had at once.  `steps_on_host` are
/// those of a device's program that the host has finished, and `kernels` what the others launched.
struct program_stats {
  index_t steps = 0;
  index_t steps_on_host = 0;
  index_t elements = 0;
  index_t bytes = 0;
  index_t most_bytes = 0;
  index_t kernels = 0;
};

namespace flattening {

inline thread_local program_stats counted_steps;
inline thread_local index_t kernels_before_steps = 0;

/// A step, for who wants an explanation: what it is called, over how many elements,
/// the type of the function object that it was given, and how deep in the program.
struct step_taken {
  char const* what;
  index_t n;
  char const* how;
  int depth;
  index_t kernels_before;
};
inline thread_local std::vector<step_taken>* explained_steps = nullptr;
inline thread_local int depth_of_program = 0;

inline void note_step(char const* what, index_t n, char const* how = nullptr) {
  if (!explained_steps) return;
  explained_steps->push_back({what, n, how, depth_of_program, kernels_launched()});
}
inline thread_local bool steps_are_on_host = false;
/// Ahead of each step.
inline void count_step(char const* what, index_t n, char const* how = nullptr) {
  take_late_steps();
  ++counted_steps.steps;
  if (steps_are_on_host) ++counted_steps.steps_on_host;
  counted_steps.elements += n;
  note_step(what, n, how);
}

/// Counts steps as those of the host for the time of its life.
struct counting_on_host {
  counting_on_host() { steps_are_on_host = true; }
  counting_on_host(counting_on_host const&) = delete;
  counting_on_host& operator=(counting_on_host const&) = delete;
  ~counting_on_host() { steps_are_on_host = false; }
};

/// A text that has the name of T in it.
template <class T>
constexpr char const* text_of_type() {
  return __PRETTY_FUNCTION__;
}

/// Memory of values, counted while it lives.
template <class Buffer>
class counted_memory {
  index_t bytes_;

  static void count(index_t bytes) {
    counted_steps.bytes += bytes;
    counted_steps.most_bytes = std::max(counted_steps.most_bytes, counted_steps.bytes);
  }

 public:
  Buffer const buffer;

  counted_memory(Buffer b, index_t bytes) : bytes_(bytes), buffer(std::move(b)) { count(bytes); }
  counted_memory(counted_memory const&) = delete;
  counted_memory& operator=(counted_memory const&) = delete;
  ~counted_memory() { count(-bytes_); }
};

}  // namespace flattening

inline program_stats stats() {
  flattening::take_late_steps();
  auto seen = flattening::counted_steps;
  seen.kernels = kernels_launched() - flattening::kernels_before_steps;
  return seen;
}
inline void reset_stats() {
  flattening::take_late_steps();
  auto& counted = flattening::counted_steps;
  counted = {0, 0, 0, counted.bytes, counted.bytes, 0};
  flattening::kernels_before_steps = kernels_launched();
}

}  // namespace ravel::inline v0
