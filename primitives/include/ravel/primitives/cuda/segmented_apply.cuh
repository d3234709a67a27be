#pragma once

/// Segmented apply on a device: applies a function to each segment, by one thread, in shared
/// memory.
///
/// A block takes as many segments as it has threads, and processes as many at a time as fit in
/// shared memory: each thread loads a segment there and works on it; then all threads write the
/// results, coalesced. In global memory each step of a loop would store a few bytes: sorting
/// segments of up to 32 by insertion took eighteen times as long.

#include <ravel/core/cuda/block.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/primitives/segmented_apply/cuda.hpp>

#include <type_traits>

namespace ravel::inline v0::gpu {
namespace detail {

template <class Segments, class Load, class T, class F>
struct apply_in_shared {
  static constexpr int threads = 128;
  static constexpr int at_once = sizeof(T) <= 8 ? 8 : 2;
  // elements of shared memory, for 16 resident blocks
  static constexpr int room = 12288 / static_cast<int>(sizeof(T));

  using shared = shared_array<T, room>;

  Segments segments;
  Load load;
  T* out;
  F f;

  /// Copies a segment to shared memory, with several loads in flight to hide their latency.
  __device__ void fetch(index_t s, index_t begin, index_t end, T* first) const {
    auto const opened = load.of_segment(s, begin);
    for (index_t i = begin; i < end; i += at_once) {
      shared_array<T, at_once> x;
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (i + k < end) x[k] = static_cast<T>(load.load(opened, i + k));
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (i + k < end) first[i - begin + k] = x[k];
      }
    }
  }

  /// The work of one block.
  __device__ void work(shared& values) const {
    int const thread = static_cast<int>(threadIdx.x);
    index_t const first = index_t{blockIdx.x} * threads;
    int const count = static_cast<int>(::min(segments.count() - first, index_t{threads}));
    index_t const segment = first + ::min(thread, count - 1);
    index_t const begin = segments.begin(segment), end = segments.begin(segment + 1);
    for (int done = 0; done < count;) {
      index_t const base = segments.begin(first + done);
      bool const fits = thread >= done && thread < count && end - base <= room &&
                        base <= begin;  // false only if offsets descend
      // segments that fit together: consecutive ones, since ends ascend
      int const many = __syncthreads_count(fits);
      if (many == 0) {
        if (thread == done && begin < end) {
          ravel::detail::apply_to_segment(load, f, segment, begin, end, out + begin);
        }
        ++done;
        continue;
      }
      if (fits && begin < end) {
        T* const here = &values[static_cast<int>(begin - base)];
        fetch(segment, begin, end, here);
        f(here, end - begin);
      }
      __syncthreads();
      done += many;
      index_t const stop = ::min(segments.begin(first + done), base + room);
      for (index_t i = base + thread; i < stop; i += threads) {
        out[i] = values[static_cast<int>(i - base)];
      }
    }
  }
};

template <class Apply>
__global__ void __launch_bounds__(Apply::threads)
    apply_in_shared_kernel(__grid_constant__ Apply const apply) {
  __shared__ typename Apply::shared values;
  apply.work(values);
}

}  // namespace detail

template <class Segments, class Load, class T, class F>
void launch_form(apply_in_shared_memory, executor const& ex,
                 segmented_apply_call<Segments, Load, T, F> const& c) {
  using apply = detail::apply_in_shared<Segments, Load, T, F>;
  index_t const count = c.segments.count();
  if (count == 0) return;
  ex.launch({div_up(count, index_t{apply::threads}), apply::threads},
            detail::apply_in_shared_kernel<apply>, apply{c.segments, c.load, c.out, c.f});
}

}  // namespace ravel::inline v0::gpu
