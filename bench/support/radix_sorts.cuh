#pragma once

/// Radix sorts of keys that a function of an index generates, compared with CUB.

#include "support/gpu.cuh"

#include <ravel/algorithms/radix_sort.hpp>

#include <cub/device/device_radix_sort.cuh>

#include <cstddef>
#include <cstdint>

namespace ravel::bench::on_gpu {

struct index_of {
  RAVEL_HD std::uint32_t operator()(index_t i) const { return static_cast<std::uint32_t>(i); }
};

/// The stable form, for any keys.
template <class K>
void sort_by_passes(gpu::executor const& ex, gpu::buffer<K> const& in, gpu::buffer<K> const& out) {
  rows<K const, no_value const> const from{in.data(), nullptr};
  gpu::digits<gpu::detail::integer_order<K>> const by{{0}, 0, 8 * sizeof(K), false};
  gpu::sort_by_digits(ex, in.size(), from, rows<K, no_value>{out.data(), nullptr}, by);
}

/// Keys of(0), ..., of(n - 1); with `ByPasses` the stable form too.
template <class K, bool ByPasses = false, class Of>
comparison sort_keys(gpu::executor const& ex, index_t n, Of of) {
  auto const in = generate<K>(ex, n, of);
  auto const out = allocate<K>(ex, n);
  auto const expected = allocate<K>(ex, n);
  auto const peer_to = [=](shared<K> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(scratch, bytes, in->data(), to->data(), n, 0,
                                            int{8 * sizeof(K)}, ex.stream());
    });
  };
  peer_to(expected)();
  auto const right = [=] { return all_equal(ex, n, out->data(), element<K>{expected->data()}); };

  comparison c;
  c.bytes = 2.0 * double(n) * sizeof(K);
  c.poison = poison(ex, out);
  c.contenders.push_back({"ours", [=] { radix_sort(ex, *in, *out); }, right});
  c.contenders.push_back({"peer:cub", peer_to(out), right});
  if constexpr (ByPasses) {
    c.contenders.push_back({"named:digit_passes", [=] { sort_by_passes(ex, *in, *out); }, right});
  }
  add_copies(ex, c);
  return c;
}

/// The same with values of 4 bytes.
template <class Of>
comparison sort_pairs(gpu::executor const& ex, index_t n, Of of) {
  using K = std::uint32_t;
  auto const keys = generate<K>(ex, n, of);
  auto const values = generate<K>(ex, n, index_of{});
  auto const keys_out = allocate<K>(ex, n), values_out = allocate<K>(ex, n);
  auto const expected_keys = allocate<K>(ex, n), expected_values = allocate<K>(ex, n);
  auto const peer_to = [=](shared<K> const& to_keys, shared<K> const& to_values) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys->data(), to_keys->data(),
                                             values->data(), to_values->data(), n, 0, 32,
                                             ex.stream());
    });
  };
  peer_to(expected_keys, expected_values)();
  auto const right = [=] {
    return all_equal(ex, n, keys_out->data(), element<K>{expected_keys->data()}) &&
           all_equal(ex, n, values_out->data(), element<K>{expected_values->data()});
  };

  comparison c;
  c.bytes = 16.0 * double(n);
  c.poison = poison(ex, keys_out, values_out);
  c.contenders.push_back(
      {"ours", [=] { radix_sort_pairs(ex, *keys, *values, *keys_out, *values_out); }, right});
  c.contenders.push_back({"peer:cub", peer_to(keys_out, values_out), right});
  add_copies(ex, c);
  return c;
}

}  // namespace ravel::bench::on_gpu
