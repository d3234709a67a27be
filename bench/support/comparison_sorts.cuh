#pragma once

/// Comparison sorts of keys that a function of an index generates, compared with CUB.

#include "support/gpu.cuh"

#include <ravel/algorithms/comparison_sort.hpp>

#include <cub/device/device_merge_sort.cuh>

#include <cstddef>
#include <type_traits>

namespace ravel::bench::on_gpu {

/// An order that the library does not recognise as that of digits.
struct some_order {
  template <class T>
  RAVEL_HD bool operator()(T const& x, T const& y) const {
    return x < y;
  }
};

/// Of keys of(0), ..., of(n - 1).
template <class Of, class Before = some_order>
comparison sort_by_order(gpu::executor const& ex, index_t n, Of of, Before before = {}) {
  using K = std::remove_cvref_t<decltype(of(n))>;
  auto const in = generate<K>(ex, n, of);
  auto const out = allocate<K>(ex, n);
  auto const expected = allocate<K>(ex, n);
  auto const peer_to = [=](shared<K> const& to) {
    return with_scratch(ex, [=](void* scratch, std::size_t& bytes) {
      return cub::DeviceMergeSort::StableSortKeysCopy(scratch, bytes, in->data(), to->data(), n,
                                                      some_order{}, ex.stream());
    });
  };
  peer_to(expected)();
  auto const right = [=] { return all_equal(ex, n, out->data(), element<K>{expected->data()}); };

  comparison c;
  c.bytes = 2.0 * double(n) * sizeof(K);
  c.poison = poison(ex, out);
  c.contenders.push_back({"ours", [=] { comparison_sort(ex, *in, *out, before); }, right});
  c.contenders.push_back({"peer:cub merge sort", peer_to(out), right});
  add_copies(ex, c);
  return c;
}

}  // namespace ravel::bench::on_gpu
