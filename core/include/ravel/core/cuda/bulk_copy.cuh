#pragma once

/// mbarriers in shared memory, and asynchronous bulk copies (TMA) that complete on them: the parts
/// of a pipeline inside a thread block (sm_90 and later).

#include <cstdint>

namespace ravel::inline v0::gpu {

/// Bulk copies move multiples of this many bytes, between addresses that are multiples of it.
inline constexpr int bulk_alignment = 16;

/// An mbarrier in shared memory, which counts the arrivals of threads and the bytes of copies.
///
/// A phase completes when all expected arrivals and bytes have arrived, and the next begins at
/// once.  A waiting thread passes the parity of the phase that it waits for; it must not be two
/// phases late, as the parity would then be the same.
///
/// Source   PTX ISA, "mbarrier".
class barrier {
  std::uint64_t word_;

  __device__ unsigned address() const {
    return static_cast<unsigned>(__cvta_generic_to_shared(&word_));
  }

 public:
  /// Initialises the barrier.  One thread calls this before any other use; fence_barriers() and
  /// __syncthreads() must follow.
  __device__ void begin(unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(arrivals)
                 : "memory");
  }
  __device__ void arrive() {
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0]; }" ::"r"(address())
                 : "memory");
  }
  /// Arrives, and adds `bytes` to the number of bytes that the phase expects from copies.
  __device__ void arrive_and_expect(unsigned bytes) {
    asm volatile(
        "{ .reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t, [%0], %1; }" ::"r"(address()),
        "r"(bytes)
        : "memory");
  }
  /// Whether the phase of this parity has completed.
  __device__ bool passed(unsigned parity) const {
    unsigned completed;
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
        "selp.u32 %0, 1, 0, p; }"
        : "=r"(completed)
        : "r"(address()), "r"(parity)
        : "memory");
    return completed != 0;
  }
  __device__ void wait(unsigned parity) const {
    while (!passed(parity)) {
    }
  }

  /// Copies `bytes` of global memory to shared memory; the copy completes on this barrier.
  __device__ void copy(void* target, void const* source, unsigned bytes) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(static_cast<unsigned>(__cvta_generic_to_shared(target))),
        "l"(source), "r"(bytes), "r"(address())
        : "memory");
  }
};

/// Makes mbarrier initialisation visible to the async proxy.
__device__ inline void fence_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Makes this thread's writes to shared memory visible to later bulk copies (the async proxy).
__device__ inline void fence_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Makes global memory that this thread has written, or has observed others to have written,
/// visible to later bulk copies (the async proxy).
__device__ inline void fence_copies_of_global() {
  asm volatile("fence.proxy.async.global;" ::: "memory");
}

/// Prefetches `bytes` of global memory to L2.
__device__ inline void fetch_to_cache(void const* source, unsigned bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(source), "r"(bytes));
}

/// Bulk copy of `bytes` of shared memory to global memory, in the thread's next committed group.
__device__ inline void copy_out(void* target, void const* source, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(target),
               "r"(static_cast<unsigned>(__cvta_generic_to_shared(source))), "r"(bytes)
               : "memory");
}
__device__ inline void commit_copies() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

/// Waits until the thread's committed copies have read their source.
__device__ inline void wait_until_read() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
/// Waits until the thread's committed copies are complete.
__device__ inline void wait_until_written() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/// Named barrier `id` for `threads` threads of the block; there are 15 besides __syncthreads().
__device__ inline void sync_group(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id + 1), "r"(threads) : "memory");
}

}  // namespace ravel::inline v0::gpu
