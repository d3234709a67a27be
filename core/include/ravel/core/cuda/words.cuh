#pragma once

/// Words of device memory that blocks write and read concurrently.
///
/// Relaxed accesses are atomic and unordered.  A thread's writes before it stores a word with
/// release semantics are visible to a thread that loads that word with acquire semantics.

namespace ravel::inline v0::gpu {
namespace detail {

using word64 = unsigned long long;

__device__ inline void store_relaxed(word64* target, word64 x) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(target), "l"(x) : "memory");
}
__device__ inline word64 load_relaxed(word64 const* source) {
  word64 x;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(source) : "memory");
  return x;
}

/// 16 bytes that are written and read atomically.
struct alignas(16) word128 {
  word64 low, high;
};
__device__ inline void store_relaxed(word128* target, word128 x) {
  asm volatile(
      "{ .reg .b128 t; mov.b128 t, {%1, %2}; st.relaxed.gpu.global.b128 [%0], t; }" ::"l"(target),
      "l"(x.low), "l"(x.high)
      : "memory");
}
__device__ inline word128 load_relaxed(word128 const* source) {
  word128 x;
  asm volatile("{ .reg .b128 t; ld.relaxed.gpu.global.b128 t, [%2]; mov.b128 {%0, %1}, t; }"
               : "=l"(x.low), "=l"(x.high)
               : "l"(source)
               : "memory");
  return x;
}

__device__ inline void store_release(unsigned* target, unsigned x) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(target), "r"(x) : "memory");
}
__device__ inline unsigned load_acquire(unsigned const* source) {
  unsigned x;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(source) : "memory");
  return x;
}

/// Atomically adds to a word, with release semantics.
__device__ inline void add_release(unsigned* target, unsigned x) {
  asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(target), "r"(x) : "memory");
}

}  // namespace detail

/// The index of the thread's block, as its tile.  A block may wait for blocks of lower index, which
/// have started before it: devices start blocks in the order of their indices, on which CUB relies
/// too.  Kernels whose blocks process more than one tile need tickets instead.
__device__ inline unsigned block_in_order() { return blockIdx.x; }

}  // namespace ravel::inline v0::gpu
