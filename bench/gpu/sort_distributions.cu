/// Radix sort on the GPU of keys of uneven distributions, compared with CUB.

#include "support/distributions.hpp"
#include "support/radix_sorts.cuh"

#include <string>

namespace ravel::bench::on_gpu {
namespace {

suite all(gpu::executor const& ex) {
  suite s = make_suite("gpu.sort_distributions", ex);
  for (auto const [name, of] : distributions) {
    std::string const words = name;
    auto const distribution = of;
    auto const keys = [=]<class K>(K, index_t n) {
      return sort_keys<K>(ex, n, distributed<K>{distribution, n});
    };
    s.rows.push_back({"gpu.radix_sort.u32." + words, "radix sort keys u32, " + words,
                      index_t{1} << 28, [=](index_t n) { return keys(std::uint32_t{}, n); }});
    s.rows.push_back({"gpu.radix_sort.u64." + words, "radix sort keys u64, " + words,
                      index_t{1} << 27, [=](index_t n) { return keys(std::uint64_t{}, n); }});
    s.rows.push_back({"gpu.radix_sort.u32u32." + words, "radix sort pairs u32 with u32, " + words,
                      index_t{1} << 28, [=](index_t n) {
                        return sort_pairs(ex, n, distributed<std::uint32_t>{distribution, n});
                      }});
  }
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
