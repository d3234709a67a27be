#pragma once

/// @file
/// How many steps nested programs have taken, and over how many elements.

#include <ravel/core/tile.hpp>

namespace ravel::inline v0 {

/// What the calling thread has had done since `reset_stats()`.
///
///     reset_stats();
///     auto const sorted = to_host(each(rows, quicksort));
///     stats().elements          // a measure of the work that no machine changes
///
/// A step is one call of a primitive, which on a device is one launch or a few;
/// `elements` is the sum of the sizes of all steps.
struct program_stats {
  index_t steps = 0;
  index_t elements = 0;
};

namespace flattening {

inline thread_local program_stats counted_steps;

inline void count_step(index_t n) {
  ++counted_steps.steps;
  counted_steps.elements += n;
}

}  // namespace flattening

inline program_stats stats() { return flattening::counted_steps; }
inline void reset_stats() { flattening::counted_steps = {}; }

}  // namespace ravel::inline v0
