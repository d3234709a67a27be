#pragma once

/// Bulk copies of subranges with arbitrary bounds, between device memory and the shared memory of a
/// block.
///
/// Bulk copies move multiples of 16 bytes between 16-byte-aligned addresses.  So a subrange has the
/// same offset from a 16-byte boundary in shared memory as in device memory, and all of its first
/// and last 16 bytes are copied.

#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0::gpu {

#ifdef RAVEL_BULK_COPIES
/// Whether the device that this code is compiled for has bulk copies.
inline constexpr bool has_bulk_copies = true;
#else
inline constexpr bool has_bulk_copies = false;
#endif

namespace detail {

template <class T>
inline constexpr int of_vector = bulk_alignment / static_cast<int>(sizeof(T));

/// The number of elements from the preceding 16-byte boundary to p.
template <class T>
__device__ int past_vector(T const* p) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(p) % bulk_alignment / sizeof(T));
}

/// Elements of shared memory, from a 16-byte boundary on, that suffice for any subrange of up to
/// `limit`.
template <class T>
inline constexpr int room_of_range(int limit) {
  return limit + 2 * of_vector<T>;
}

/// Begins a copy of in[begin] to in[end - 1] to shared memory, where in has `size` elements.  The
/// first goes to room[past_vector(in + begin)].  All threads of the block call this, then
/// synchronise and wait for `landed`.  Elements at the ends of `in` that fill no aligned 16 bytes
/// are copied by plain loads.
template <class T>
__device__ void copy_range(T* room, T const* in, index_t size, index_t begin, index_t end,
                           barrier& landed, int threads) {
  int const past = past_vector(in + begin);
  T const* const source = in + begin - past;
  auto const count = static_cast<int>(end - begin) + past;
  if constexpr (has_bulk_copies) {
    if (threadIdx.x != 0) return;
    auto const whole = static_cast<int>(::min(div_up(index_t{count}, index_t{of_vector<T>}),
                                              (size - begin + past) / of_vector<T>)) *
                       of_vector<T>;
    landed.begin(1);
    fence_barriers();
    for (int k = whole; k < count; ++k) room[k] = source[k];
    auto const bytes = static_cast<unsigned>(whole) * unsigned{sizeof(T)};
    landed.arrive_and_expect(bytes);
    if (bytes > 0) landed.copy(room, source, bytes);
  } else {
    for (int k = past + static_cast<int>(threadIdx.x); k < count; k += threads) room[k] = source[k];
  }
}
__device__ inline void wait_for_range(barrier const& landed) {
  __syncthreads();
  if constexpr (has_bulk_copies) landed.wait(0);
}

/// Copies `count` elements from shared memory to `out`, by all `threads` threads of a block.  They
/// must have written them before, and must not write them again.
template <class T>
__device__ void copy_range_out(T* out, T const* source, int count, int threads) {
  int const thread = static_cast<int>(threadIdx.x);
  int const past = past_vector(out);
  if constexpr (has_bulk_copies) fence_copies();
  __syncthreads();
  if (!has_bulk_copies || past != past_vector(source)) {
    for (int i = thread; i < count; i += threads) out[i] = source[i];
    return;
  }
  int const head = ::min((of_vector<T> - past) % of_vector<T>, count);
  int const whole = (count - head) / of_vector<T> * of_vector<T>;
  if constexpr (has_bulk_copies) {
    if (thread == 0 && whole > 0) {
      copy_out(out + head, source + head, static_cast<unsigned>(whole) * unsigned{sizeof(T)});
      commit_copies();
    }
  }
  if (thread < head) out[thread] = source[thread];
  if (int const i = head + whole + thread; i < count) out[i] = source[i];
  if constexpr (has_bulk_copies) {
    if (thread == 0) wait_until_read();
  }
}

}  // namespace detail
}  // namespace ravel::inline v0::gpu
