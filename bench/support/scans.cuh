#pragma once

/// Shared by the suites of scans: rows of prefix sums, and CUB's.

#include "support/gpu.cuh"

#include <cub/device/device_scan.cuh>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace ravel::bench::on_gpu {

/// A row of inclusive sums of n elements: add(c, in, out, right) adds its contenders to `c`.
template <class T, class Add>
comparison prefix_sums(gpu::executor const& ex, index_t n, Add const& add) {
  auto const in = generate<T>(ex, n, step<T>{});
  auto const out = allocate<T>(ex, n);
  comparison c;
  c.bytes = 2.0 * double(n) * sizeof(T);
  c.poison = poison(ex, out);
  add(c, in, out, [=] { return all_equal(ex, n, out->data(), reached<T>{}); });
  add_copies(ex, c);
  return c;
}

template <class T>
void add_cub_scan(gpu::executor const& ex, comparison& c, shared<T> const& in, shared<T> const& out,
                  std::function<bool()> const& right) {
  c.contenders.push_back({"peer:cub",
                          with_scratch(ex,
                                       [=](void* scratch, std::size_t& bytes) {
                                         return cub::DeviceScan::InclusiveSum(
                                             scratch, bytes, in->data(), out->data(),
                                             static_cast<std::uint32_t>(in->size()), ex.stream());
                                       }),
                          right});
}

}  // namespace ravel::bench::on_gpu
