#pragma once

/// core/cuda/words.cuh for a device in software: other threads may run between any two accesses.

#include <ravel/software_device/device.hpp>

#define RAVEL_SOFTWARE_WORDS  // ravel/software_device/executor.hpp requires this header, not that of a device

namespace ravel::inline v0::gpu::detail {

using word64 = unsigned long long;

struct alignas(16) word128 {
  word64 low, high;
};

template <class Word>
void store_relaxed(Word* to, Word x) {
  *to = x;
  software::device::changed();
  if (software::dice::roll(2) == 0) software::device::poll();
}
template <class Word>
Word load_relaxed(Word const* from) {
  software::device::poll();
  return *from;
}
inline void store_release(unsigned* to, unsigned x) { store_relaxed(to, x); }
inline unsigned load_acquire(unsigned const* from) {
  unsigned const x = load_relaxed(from);
  software::device::poll();  // data published with it may have changed since
  return x;
}
inline void add_release(unsigned* to, unsigned x) { store_relaxed(to, *to + x); }

}  // namespace ravel::inline v0::gpu::detail

namespace ravel::inline v0::gpu {

inline unsigned block_in_order() { return software::device::begun(); }

}  // namespace ravel::inline v0::gpu
