#pragma once

/// @file
/// core/cuda/words.cuh for a device in software: other threads may run between any two accesses.

#include "support/lockstep/device.hpp"

namespace ravel::inline v0::gpu::detail {

using word64 = unsigned long long;

struct alignas(16) word128 {
  word64 low, high;
};

template <class Word>
void store_relaxed(Word* to, Word x) {
  *to = x;
  testing::lockstep::device::changed();
  if (testing::lockstep::dice::roll(2) == 0) testing::lockstep::device::poll();
}
template <class Word>
Word load_relaxed(Word const* from) {
  testing::lockstep::device::poll();
  return *from;
}
inline void store_release(unsigned* to, unsigned x) { store_relaxed(to, x); }
inline unsigned load_acquire(unsigned const* from) {
  unsigned const x = load_relaxed(from);
  testing::lockstep::device::poll();  // data published with it may have changed since
  return x;
}
inline void add_release(unsigned* to, unsigned x) { store_relaxed(to, *to + x); }

}  // namespace ravel::inline v0::gpu::detail

namespace ravel::inline v0::gpu {

inline unsigned block_in_order() { return testing::lockstep::device::begun(); }

}  // namespace ravel::inline v0::gpu
