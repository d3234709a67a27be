#pragma once

/// Sorted random integers, for merges and searches.

#include "support/gpu.cuh"

#include <cub/device/device_radix_sort.cuh>

#include <cstddef>
#include <cstdint>

namespace ravel::bench::on_gpu {

template <class T>
struct bits_of {
  std::uint64_t seed;
  RAVEL_HD T operator()(index_t i) const { return static_cast<T>(random_bits(seed, i)); }
};

template <class T>
shared<T> sorted_at_random(gpu::executor const& ex, index_t n, std::uint64_t seed) {
  auto const in = generate<T>(ex, n, bits_of<T>{seed});
  auto const out = allocate<T>(ex, n);
  with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, in->data(), out->data(), n, 0,
                                          8 * static_cast<int>(sizeof(T)), ex.stream());
  })();
  ex.wait();
  return out;
}

}  // namespace ravel::bench::on_gpu
