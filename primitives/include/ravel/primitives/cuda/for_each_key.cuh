#pragma once

/// @file
/// Grid-wide iteration over a contiguous sequence in arbitrary order.

#include <ravel/core/tile.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ravel::inline v0::gpu {

/// Calls f(key) once for every key, in any order, by the threads of a grid, which issue `Each`
/// loads of 16 bytes before they use the first.  After at most Each * 16 / sizeof(K) calls per
/// thread, all threads of a block call after().
template <int Threads, int Each, class K, class F, class After>
__device__ void for_each_key(K const* keys, index_t n, F f, After after) {
  constexpr int bytes = 16;
  struct alignas(bytes) vector {
    unsigned words[4];
  };
  constexpr bool by_vectors = sizeof(K) <= 8 && bytes % sizeof(K) == 0;
  constexpr int per_vector = by_vectors ? bytes / static_cast<int>(sizeof(K)) : 1;
  auto const past = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(keys) % bytes);
  index_t const ahead = by_vectors ? (bytes - past) % bytes / static_cast<index_t>(sizeof(K)) : 0;
  index_t const head = ahead < n ? ahead : n;
  index_t const vectors = (n - head) / per_vector;

  using unit = std::conditional_t<by_vectors, vector, K>;
  auto const* const from = reinterpret_cast<unit const*>(keys + head);
  auto const each_of = [&](unit const& v) {
    K x[per_vector];
    std::memcpy(x, &v, sizeof(x));
#pragma unroll
    for (int k = 0; k < per_vector; ++k) f(x[k]);
  };
  constexpr index_t step = index_t{Threads} * Each;
  for (index_t base = blockIdx.x * step; base < vectors; base += gridDim.x * step) {
    index_t const i = base + threadIdx.x;
    if (base + step <= vectors) {
      unit v[Each];
#pragma unroll
      for (int k = 0; k < Each; ++k) v[k] = from[i + k * Threads];
#pragma unroll
      for (int k = 0; k < Each; ++k) each_of(v[k]);
    } else {
      for (int k = 0; k < Each; ++k) {
        if (i + k * Threads < vectors) each_of(from[i + k * Threads]);
      }
    }
    after();
  }
  if (blockIdx.x == 0) {  // the unaligned ends, less than a vector each
    index_t const tail = head + vectors * per_vector;
    if (static_cast<index_t>(threadIdx.x) < head) f(keys[threadIdx.x]);
    if (tail + threadIdx.x < n) f(keys[tail + threadIdx.x]);
    after();
  }
}

/// The same for keys of 1, 2, 4 or 8 bytes, of which the next are loaded before the present ones are
/// used; f(key, times) for the equal keys of a 16-byte vector at once, or for each key of it.
template <int Threads, int Each, class K, class F, class After>
__device__ void for_each_key_ahead(K const* keys, index_t n, F f, After after) {
  constexpr int bytes = 16;
  constexpr int width = static_cast<int>(sizeof(K));
  constexpr int per_vector = bytes / width;
  static_assert(bytes % width == 0 && width <= 8);
  struct alignas(bytes) vector {
    std::uint32_t words[4];
    __device__ bool all_equal() const {
      std::uint32_t const turned =
          words[0] << (width < 4 ? 8 * width : 0) | words[0] >> (width < 4 ? 32 - 8 * width : 0);
      bool const same = words[0] == words[2] && words[1] == words[3];
      return width == 8 ? same : same && words[0] == words[1] && words[0] == turned;
    }
  };
  auto const past = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(keys) % bytes);
  index_t const ahead = (bytes - past) % bytes / width;
  index_t const head = ahead < n ? ahead : n;
  index_t const vectors = (n - head) / per_vector;
  auto const* const from = reinterpret_cast<vector const*>(keys + head) + threadIdx.x;
  auto const each_of = [&](vector const& v) {
    K x[per_vector];
    std::memcpy(x, &v, sizeof(x));
    if (v.all_equal()) {
      f(x[0], per_vector);
    } else {
#pragma unroll
      for (int k = 0; k < per_vector; ++k) f(x[k], 1);
    }
  };
  constexpr index_t step = index_t{Threads} * Each;
  index_t const stride = gridDim.x * step;
  vector next[Each];
  auto const load = [&](index_t base) {
    if (base + step > vectors) return;
#pragma unroll
    for (int k = 0; k < Each; ++k) next[k] = from[base + k * Threads];
  };
  index_t base = blockIdx.x * step;
  load(base);
  for (; base + step <= vectors; base += stride) {
    vector now[Each];
#pragma unroll
    for (int k = 0; k < Each; ++k) now[k] = next[k];
    load(base + stride);
#pragma unroll
    for (int k = 0; k < Each; ++k) each_of(now[k]);
    after();
  }
  if (base < vectors) {
    for (index_t i = base; i + static_cast<index_t>(threadIdx.x) < vectors; i += Threads) {
      each_of(from[i]);
    }
    after();
  }
  if (blockIdx.x == 0) {  // the unaligned ends, less than a vector each
    index_t const tail = head + vectors * per_vector;
    if (static_cast<index_t>(threadIdx.x) < head) f(keys[threadIdx.x], 1);
    if (tail + threadIdx.x < n) f(keys[tail + threadIdx.x], 1);
    after();
  }
}

/// Calls f(x, i, exist) for vectors of keys x[0] = keys[i], x[1] = keys[i + 1], ..., of which `exist`
/// are keys, or none, so that whole warps call it together.  This is block `block` of `blocks`, whose
/// threads issue `Each` loads of 16 bytes before they use the first.
template <int Threads, int Each, class K, class F>
__device__ void for_each_vector(K const* keys, index_t n, F f, unsigned block = blockIdx.x,
                                unsigned blocks = gridDim.x) {
  constexpr int bytes = 16;
  constexpr int per_vector = sizeof(K) <= 8 && bytes % sizeof(K) == 0 ? bytes / sizeof(K) : 1;
  struct alignas(per_vector == 1 ? alignof(K) : bytes) vector {
    K x[per_vector];
  };
  auto const past = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(keys) % bytes);
  index_t const ahead =
      per_vector == 1 ? 0 : (bytes - past) % bytes / static_cast<index_t>(sizeof(K));
  index_t const head = ahead < n ? ahead : n;
  index_t const vectors = (n - head) / per_vector;
  auto const* const from = reinterpret_cast<vector const*>(keys + head);
  constexpr index_t step = index_t{Threads} * Each;
  for (index_t base = block * step; base < vectors; base += blocks * step) {
    index_t const i = base + threadIdx.x;
    vector v[Each];
    if (base + step <= vectors) {
#pragma unroll
      for (int k = 0; k < Each; ++k) v[k] = from[i + k * Threads];
#pragma unroll
      for (int k = 0; k < Each; ++k) {
        f(v[k].x, head + (i + k * Threads) * per_vector, per_vector);
      }
    } else {
#pragma unroll 1
      for (int k = 0; k < Each; ++k) {
        index_t const at = i + k * Threads;
        v[0] = from[at < vectors ? at : 0];
        f(v[0].x, head + at * per_vector, at < vectors ? per_vector : 0);
      }
    }
  }
  if (block == 0 && n > 0) {  // the unaligned ends, less than a vector each
    auto const one = [&](index_t at, bool exists) {
      vector v;
#pragma unroll
      for (K& x : v.x) x = keys[exists ? at : 0];
      f(v.x, at, exists ? 1 : 0);
    };
    index_t const tail = head + vectors * per_vector;
    one(threadIdx.x, static_cast<index_t>(threadIdx.x) < head);
    one(tail + threadIdx.x, tail + threadIdx.x < n);
  }
}

}  // namespace ravel::inline v0::gpu
