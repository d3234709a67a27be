/// Radix sort on the GPU of keys of uneven distributions, compared with CUB.

#include "support/distributions.hpp"
#include "support/gpu.cuh"

#include <ravel/algorithms/radix_sort.hpp>

#include <cub/device/device_radix_sort.cuh>

#include <string>

namespace ravel::bench::on_gpu {
namespace {

template <class K>
comparison sort_keys(gpu::executor const& ex, index_t n, distribution of) {
  auto const in = generate<K>(ex, n, distributed<K>{of, n});
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
  add_copies(ex, c);
  return c;
}

struct index_of {
  RAVEL_HD std::uint32_t operator()(index_t i) const { return static_cast<std::uint32_t>(i); }
};

comparison sort_pairs(gpu::executor const& ex, index_t n, distribution of) {
  using K = std::uint32_t;
  auto const keys = generate<K>(ex, n, distributed<K>{of, n});
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

suite all(gpu::executor const& ex) {
  suite s = make_suite("gpu.sort_distributions", ex);
  for (auto const [name, of] : distributions) {
    std::string const words = name;
    auto const distribution = of;
    s.rows.push_back({"gpu.radix_sort.u32." + words, "radix sort keys u32, " + words,
                      index_t{1} << 28,
                      [=](index_t n) { return sort_keys<std::uint32_t>(ex, n, distribution); }});
    s.rows.push_back({"gpu.radix_sort.u64." + words, "radix sort keys u64, " + words,
                      index_t{1} << 27,
                      [=](index_t n) { return sort_keys<std::uint64_t>(ex, n, distribution); }});
    s.rows.push_back({"gpu.radix_sort.u32u32." + words, "radix sort pairs u32 with u32, " + words,
                      index_t{1} << 28,
                      [=](index_t n) { return sort_pairs(ex, n, distribution); }});
  }
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
