/// Radix sort on the GPU of keys of uneven distributions, compared with CUB.

#include "support/distributions.hpp"
#include "support/radix_sorts.cuh"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>

namespace ravel::bench::on_gpu {
namespace {

/// The keys as numbers of type K.
template <class K>
struct number_of {
  distributed<std::conditional_t<sizeof(K) == 4, std::uint32_t, std::uint64_t>> keys;
  RAVEL_HD K operator()(index_t i) const { return static_cast<K>(keys(i)); }
};

suite all(gpu::executor const& ex) {
  suite s = make_suite("gpu.sort_distributions", ex);
  for (auto const [name, of] : distributions) {
    std::string const words = name;
    auto const distribution = of;
    auto const keys = [=]<class K>(K, index_t n) {
      return sort_keys<K>(ex, n, number_of<K>{{distribution, n}});
    };
    auto const pairs = [=](index_t n) {
      return sort_pairs(ex, n, distributed<std::uint32_t>{distribution, n});
    };
    auto const add = [&](std::string const& type, std::string const& work,
                         std::initializer_list<int> logs, index_t n, auto const& make) {
      for (int const log : logs) {
        s.rows.push_back({"gpu.radix_sort." + type + "." + words + ".2^" + std::to_string(log),
                          "radix sort " + work + ", " + words, index_t{1} << log, make});
      }
      s.rows.push_back(
          {"gpu.radix_sort." + type + "." + words, "radix sort " + work + ", " + words, n, make});
    };
    add("u32", "keys u32", {22, 24, 26}, index_t{1} << 28,
        [=](index_t n) { return keys(std::uint32_t{}, n); });
    add("f32", "keys f32", {24}, index_t{1} << 28, [=](index_t n) { return keys(float{}, n); });
    add("u64", "keys u64", {22, 24}, index_t{1} << 27,
        [=](index_t n) { return keys(std::uint64_t{}, n); });
    add("f64", "keys f64", {24}, index_t{1} << 27, [=](index_t n) { return keys(double{}, n); });
    add("u32u32", "pairs u32 with u32", {24, 26}, index_t{1} << 28, pairs);
  }
  return s;
}

}  // namespace
}  // namespace ravel::bench::on_gpu

int main(int argc, char** argv) {
  using namespace ravel::bench::on_gpu;
  return run_suite(all, argc, argv);
}
