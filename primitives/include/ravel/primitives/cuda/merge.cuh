#pragma once

/// @file
/// Merge on a device: each thread walks along a few elements of the result, which a block then
/// writes together.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/merge.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

template <class F>
__global__ void searches_kernel(index_t n, F f) {
  index_t const k = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < n) f(k);
}

/// Element sources go through shared memory, so that the final writes are coalesced.
template <class Walk, int Threads>
__global__ void __launch_bounds__(Threads) walks_kernel(index_t n, Walk walk) {
  constexpr int length = Walk::length, pitch = length + 1;  // without bank conflicts
  __shared__ index_t source[Threads * pitch];
  index_t const k = index_t{blockIdx.x} * Threads + threadIdx.x;
  index_t const begin = index_t{blockIdx.x} * Threads * length;
  bool const is_off = walk.is_off();  // loaded early and used late, to hide its latency
  if (k < n) {
    index_t* const mine = source + threadIdx.x * pitch;
    walk.walk(k, [&](index_t d, index_t s) { mine[d - k * length] = s; });
  }
  __syncthreads();
  if (is_off) return;
  for (int i = threadIdx.x; i < Threads * length && begin + i < walk.size(); i += Threads) {
    walk.store(begin + i, source[i / length * pitch + i % length]);
  }
}

}  // namespace detail

/// One thread per search, since a search is a chain of some twenty dependent loads: with several
/// searches per thread, sorting 2^24 keys took 1.8 ms instead of 1.1.
template <class F>
void for_each_search(executor const& ex, index_t n, F f) {
  constexpr int threads = 64;
  if (n > 0) ex.launch({div_up(n, index_t{threads}), threads}, detail::searches_kernel<F>, n, f);
}
template <class Walk>
void for_each_walk(executor const& ex, index_t n, Walk walk) {
  constexpr int threads = 128;
  if (n > 0) {
    ex.launch({div_up(n, index_t{threads}), threads}, detail::walks_kernel<Walk, threads>, n, walk);
  }
}

}  // namespace ravel::inline v0::gpu
