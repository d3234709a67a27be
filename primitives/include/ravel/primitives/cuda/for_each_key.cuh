#pragma once

/// Grid-wide iteration over a contiguous sequence in arbitrary order, by vectorised loads.

#include <ravel/core/vocabulary.hpp>

#include <cstring>

namespace ravel::inline v0::gpu {
namespace detail {

/// The aligned vectors of 16 bytes in a sequence of n keys; before and after them is less than a
/// vector of keys.  Keys whose size does not divide 16 are vectors of one key each.
template <class K>
struct vectors_of_keys {
  static constexpr int bytes = 16;
  static constexpr bool suit = sizeof(K) <= 8 && bytes % sizeof(K) == 0;
  static constexpr int each = suit ? bytes / static_cast<int>(sizeof(K)) : 1;  // keys of a vector
  index_t head;   // first key of the first vector
  index_t count;  // number of vectors
  index_t tail;   // first key after the last vector

  __device__ vectors_of_keys(K const* keys, index_t n) {
    auto const past = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(keys) % bytes);
    index_t const ahead = suit ? (bytes - past) % bytes / static_cast<index_t>(sizeof(K)) : 0;
    head = ahead < n ? ahead : n;
    count = (n - head) / each;
    tail = head + count * each;
  }
};

}  // namespace detail

/// Calls f(key) once for every key, in any order, by the threads of a grid.  A thread issues `Each`
/// loads of 16 bytes before it uses the first.  After at most Each * 16 / sizeof(K) calls per
/// thread, all threads of a block call after().
template <int Threads, int Each, class K, class F, class After>
__device__ void for_each_key(K const* keys, index_t n, F f, After after) {
  struct alignas(16) vector {
    unsigned words[4];
  };
  detail::vectors_of_keys<K> const vectors(keys, n);
  constexpr int per_vector = vectors.each;
  using unit = std::conditional_t<vectors.suit, vector, K>;
  auto const* const data = reinterpret_cast<unit const*>(keys + vectors.head);
  auto const each_of = [&](unit const& v) {
    K x[per_vector];
    std::memcpy(x, &v, sizeof(x));
#pragma unroll
    for (int k = 0; k < per_vector; ++k) f(x[k]);
  };
  constexpr index_t step = index_t{Threads} * Each;
  for (index_t base = blockIdx.x * step; base < vectors.count; base += gridDim.x * step) {
    index_t const i = base + threadIdx.x;
    if (base + step <= vectors.count) {
      unit v[Each];
#pragma unroll
      for (int k = 0; k < Each; ++k) v[k] = data[i + k * Threads];
#pragma unroll
      for (int k = 0; k < Each; ++k) each_of(v[k]);
    } else {
      for (int k = 0; k < Each; ++k) {
        if (i + k * Threads < vectors.count) each_of(data[i + k * Threads]);
      }
    }
    after();
  }
  if (blockIdx.x == 0) {  // the unaligned ends, each less than a vector
    if (static_cast<index_t>(threadIdx.x) < vectors.head) f(keys[threadIdx.x]);
    if (vectors.tail + threadIdx.x < n) f(keys[vectors.tail + threadIdx.x]);
    after();
  }
}

/// As for_each_key, for keys of 1, 2, 4 or 8 bytes, with the next keys loaded before the present
/// ones are used.  Calls f(key, times) once for a 16-byte vector of equal keys, otherwise for each
/// key of it.
template <int Threads, int Each, class K, class F, class After>
__device__ void for_each_key_ahead(K const* keys, index_t n, F f, After after) {
  constexpr int width = static_cast<int>(sizeof(K));
  detail::vectors_of_keys<K> const vectors(keys, n);
  static_assert(vectors.suit);
  constexpr int per_vector = vectors.each;
  struct alignas(16) vector {
    std::uint32_t words[4];
    __device__ bool all_equal() const {
      std::uint32_t const rotated =
          words[0] << (width < 4 ? 8 * width : 0) | words[0] >> (width < 4 ? 32 - 8 * width : 0);
      bool const same = words[0] == words[2] && words[1] == words[3];
      return width == 8 ? same : same && words[0] == words[1] && words[0] == rotated;
    }
  };
  auto const* const data = reinterpret_cast<vector const*>(keys + vectors.head) + threadIdx.x;
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
    if (base + step > vectors.count) return;
#pragma unroll
    for (int k = 0; k < Each; ++k) next[k] = data[base + k * Threads];
  };
  index_t base = blockIdx.x * step;
  load(base);
  for (; base + step <= vectors.count; base += stride) {
    vector current[Each];
#pragma unroll
    for (int k = 0; k < Each; ++k) current[k] = next[k];
    load(base + stride);
#pragma unroll
    for (int k = 0; k < Each; ++k) each_of(current[k]);
    after();
  }
  if (base < vectors.count) {
    for (index_t i = base; i + static_cast<index_t>(threadIdx.x) < vectors.count; i += Threads) {
      each_of(data[i]);
    }
    after();
  }
  if (blockIdx.x == 0) {  // the unaligned ends, each less than a vector
    if (static_cast<index_t>(threadIdx.x) < vectors.head) f(keys[threadIdx.x], 1);
    if (vectors.tail + threadIdx.x < n) f(keys[vectors.tail + threadIdx.x], 1);
    after();
  }
}

/// Calls f(x, i, exist) for vectors of keys x[0] = keys[i], x[1] = keys[i + 1], ..., of which the
/// first `exist` exist; 0 for some lanes, so that whole warps make each call.  The calling block is
/// number `block` of `blocks`.  A thread issues `Each` loads of 16 bytes before it uses the first.
template <int Threads, int Each, class K, class F>
__device__ void for_each_vector(K const* keys, index_t n, F f, unsigned block = blockIdx.x,
                                unsigned blocks = gridDim.x) {
  detail::vectors_of_keys<K> const vectors(keys, n);
  constexpr int per_vector = vectors.each;
  struct alignas(detail::vectors_of_keys<K>::suit ? 16 : alignof(K)) vector {
    K x[per_vector];
  };
  auto const* const data = reinterpret_cast<vector const*>(keys + vectors.head);
  constexpr index_t step = index_t{Threads} * Each;
  for (index_t base = block * step; base < vectors.count; base += blocks * step) {
    index_t const i = base + threadIdx.x;
    vector v[Each];
    if (base + step <= vectors.count) {
#pragma unroll
      for (int k = 0; k < Each; ++k) v[k] = data[i + k * Threads];
#pragma unroll
      for (int k = 0; k < Each; ++k) {
        f(v[k].x, vectors.head + (i + k * Threads) * per_vector, per_vector);
      }
    } else {
#pragma unroll 1
      for (int k = 0; k < Each; ++k) {
        index_t const at = i + k * Threads;
        bool const exists = at < vectors.count;
        v[0] = data[exists ? at : 0];
        f(v[0].x, vectors.head + at * per_vector, exists ? per_vector : 0);
      }
    }
  }
  if (block == 0 && n > 0) {  // the unaligned ends, each less than a vector
    auto const one = [&](index_t at, bool exists) {
      vector v;
#pragma unroll
      for (K& x : v.x) x = keys[exists ? at : 0];
      f(v.x, at, exists ? 1 : 0);
    };
    one(threadIdx.x, static_cast<index_t>(threadIdx.x) < vectors.head);
    one(vectors.tail + threadIdx.x, vectors.tail + threadIdx.x < n);
  }
}

}  // namespace ravel::inline v0::gpu
