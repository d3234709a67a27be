/// Comparison sort by any order on the GPU, of keys of uneven distributions, compared with CUB.

#include "support/comparison_sorts.cuh"
#include "support/distributions.hpp"

#include <cstdint>
#include <string>

namespace ravel::bench::on_gpu {
namespace {

/// 16 bytes, ordered by both halves.
struct wide_key {
  std::uint64_t high, low;
  RAVEL_HD friend bool operator<(wide_key const& a, wide_key const& b) {
    return a.high != b.high ? a.high < b.high : a.low < b.low;
  }
  RAVEL_HD friend bool operator!=(wide_key const& a, wide_key const& b) {
    return a.high != b.high || a.low != b.low;
  }
};
/// Every high half occurs four times on average.
struct wide_keys {
  index_t n;
  RAVEL_HD wide_key operator()(index_t i) const {
    return {random_bits(1, i) % static_cast<std::uint64_t>(n / 4 + 1), random_bits(2, i)};
  }
};

suite all(gpu::executor const& ex) {
  suite s = make_suite("gpu.comparison_sort", ex);
  std::string const row = "gpu.comparison_sort.any.", words = "comparison sort by any order, ";
  for (auto const [name, of] : distributions) {
    auto const distribution = of;
    s.rows.push_back(
        {row + "u32." + name, words + "u32, " + name, index_t{1} << 28, [=](index_t n) {
           return sort_by_order(ex, n, distributed<std::uint32_t>{distribution, n});
         }});
  }
  for (auto const [name, of] : distributions) {
    auto const distribution = of;
    s.rows.push_back(
        {row + "u64." + name, words + "u64, " + name, index_t{1} << 27, [=](index_t n) {
           return sort_by_order(ex, n, distributed<std::uint64_t>{distribution, n});
         }});
  }
  s.rows.push_back({row + "16_bytes", words + "16 bytes", index_t{1} << 26,
                    [=](index_t n) { return sort_by_order(ex, n, wide_keys{n}); }});
  for (int const log : {14, 17, 20, 22, 23, 24, 26}) {
    s.rows.push_back({row + "u32.2^" + std::to_string(log), words + "u32", index_t{1} << log,
                      [=](index_t n) { return sort_by_order(ex, n, reached<std::uint32_t>{}); }});
  }
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
