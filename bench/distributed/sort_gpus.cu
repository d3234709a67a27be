/// Sorts and top-k on the GPUs of one host, beside the same calls on one GPU, and what NCCL's exchange of
/// the same bytes takes.
///
///     bench.distributed.sort_gpus [--gpus N] [--processes] --record bench/record
///
/// gpu_ranks.cuh describes rows and options.  Every result is checked.

#include "distributed/gpu_ranks.cuh"

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/selection.hpp>
#include <ravel/distributed/sort.hpp>
#include <ravel/primitives/reduce.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace ravel::bench {
namespace {

template <class T>
struct random_key {
  RAVEL_HD T operator()(index_t i) const { return static_cast<T>(hash_of(i)); }
};
template <>
struct random_key<double> {
  RAVEL_HD double operator()(index_t i) const {
    return static_cast<double>(hash_of(i) >> 11) * 0x1p-53;
  }
};
/// Ranks by Zipf's law with exponent 1, of 2^20 words: the logarithm of a rank is uniform.
template <class T>
struct zipf_key {
  RAVEL_HD T operator()(index_t i) const {
    return static_cast<T>(exp2(20 * random_key<double>()(i)));
  }
};

struct bits_to_sum {
  template <class T>
  RAVEL_HD std::uint64_t operator()(T x) const {
    return static_cast<std::uint64_t>(x);
  }
  RAVEL_HD std::uint64_t operator()(double x) const {
    return static_cast<std::uint64_t>(x * 0x1p53);
  }
};
template <class X>
std::uint64_t sum_of(gpu::executor const& device, X const& x) {
  if (view_of(x).size() == 0) return 0;
  auto const sum = device.allocate<std::uint64_t>(1);
  reduce(device, map_source(view_of(x), bits_to_sum()), sum);
  return at_sync(device, sum);
}
template <class T>
struct is_descent {
  T const* keys;
  __device__ bool operator()(index_t i) const { return i > 0 && keys[i] < keys[i - 1]; }
};
template <class K, class V>
struct is_out_of_order {
  K const* keys;
  V const* values;
  __device__ bool operator()(index_t i) const {
    return i > 0 &&
           (keys[i] < keys[i - 1] || (keys[i] == keys[i - 1] && values[i] < values[i - 1]));
  }
};

/// Whether the pieces are those of the keys in order, and the keys are those of the input.
template <class T>
bool is_sorted_on(on_gpus const& ex, elements<T> const& x, elements<T> const& y) {
  auto const& device = ex.local();
  auto const& host = ex.ranks().host();
  struct ends {
    bool is_sorted;
    T first, last;
    std::uint64_t in, out;
  };
  ends const mine{none(device, y.size(), is_descent<T>{y.data()}), at_sync(device, y.local()),
                  at_sync(device, y.local(), y.size() - 1), sum_of(device, x.local()),
                  sum_of(device, y.local())};
  auto const all = distributed::gather_values(host, mine);
  std::uint64_t lost = 0;
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (!all[r].is_sorted || (r > 0 && all[r].first < all[r - 1].last)) return false;
    lost += all[r].in - all[r].out;
  }
  return lost == 0;
}

template <class T, class Key>
std::vector<part> sorts(on_gpus const& ex, sizes n) {
  auto const x = piece<T>(ex, n.each, Key());
  auto const y = std::make_shared<elements<T>>(ex, *x);
  auto const in = alone<T>(ex, n.alone, Key());
  auto const out = alone<T>(ex, n.alone);
  return {{"ours", [=] { radix_sort(ex, *x, *y); }, [=] { return is_sorted_on(ex, *x, *y); }},
          {"peer:one GPU", [=] { radix_sort(ex.local(), *in, *out); },
           [=] { return none(ex.local(), out->size(), is_descent<T>{out->data()}); }, true}};
}

template <class V>
struct place {
  RAVEL_HD V operator()(index_t i) const { return static_cast<V>(i); }
};
/// Values are the places of keys, which shows whether the sort is stable.
template <class K, class V, class Key>
std::vector<part> sorts_of_pairs(on_gpus const& ex, sizes n) {
  auto const keys = piece<K>(ex, n.each, Key());
  auto const values = piece<V>(ex, n.each, place<V>());
  auto const keys_out = std::make_shared<elements<K>>(ex, *keys);
  auto const values_out = std::make_shared<elements<V>>(ex, *keys);
  auto const keys_in = alone<K>(ex, n.alone, Key());
  auto const values_in = alone<V>(ex, n.alone, place<V>());
  auto const keys_alone = alone<K>(ex, n.alone);
  auto const values_alone = alone<V>(ex, n.alone);
  return {{"ours", [=] { radix_sort_pairs(ex, *keys, *values, *keys_out, *values_out); },
           [=] {
             return is_sorted_on(ex, *keys, *keys_out) &&
                    none(ex.local(), keys_out->size(),
                         is_out_of_order<K, V>{keys_out->data(), values_out->data()});
           }},
          {"peer:one GPU",
           [=] { radix_sort_pairs(ex.local(), *keys_in, *values_in, *keys_alone, *values_alone); },
           [=] {
             return none(ex.local(), keys_alone->size(),
                         is_out_of_order<K, V>{keys_alone->data(), values_alone->data()});
           },
           true}};
}

/// The 1000 greatest keys of all.
template <class T, class Key>
std::vector<part> top_ks(on_gpus const& ex, sizes n) {
  index_t const k = 1000;
  auto const x = piece<T>(ex, n.each, Key());
  auto const best = std::make_shared<elements<T>>(ex, k);
  auto const in = alone<T>(ex, n.alone, Key());
  auto const out = alone<T>(ex, k);
  return {{"ours", [=] { top_k(ex, *x, *best, descending); },
           [=] {
             auto const greatest = gather_to(ex, *best, 0);
             return ex.ranks().rank() != 0 || std::is_sorted(greatest.rbegin(), greatest.rend());
           }},
          {"peer:one GPU", [=] { top_k(ex.local(), *in, *out, descending); }, {}, true}};
}

gpus_rows rows() {
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  gpus_rows all;
  for (int const log : {24, 28}) {
    all.add(log, "radix_sort.u32", "radix_sort u32", 8, sorts<u32, random_key<u32>>);
    all.add(log, "radix_sort.u64", "radix_sort u64", 16, sorts<u64, random_key<u64>>);
    all.add(log, "radix_sort.u32u32", "radix_sort_pairs u32 u32", 16,
            sorts_of_pairs<u32, u32, random_key<u32>>);
    all.add(log, "top_k.u32", "top_k u32, 1000 of all", 4, top_ks<u32, random_key<u32>>);
  }
  all.add(28, "radix_sort.f64", "radix_sort f64", 16, sorts<double, random_key<double>>);
  all.add(28, "radix_sort.u32.zipf", "radix_sort u32, Zipf", 8, sorts<u32, zipf_key<u32>>);
  all.add(28, "radix_sort.u64.zipf", "radix_sort u64, Zipf", 16, sorts<u64, zipf_key<u64>>);
  all.add(28, "radix_sort.u32u32.zipf", "radix_sort_pairs u32 u32, Zipf", 16,
          sorts_of_pairs<u32, u32, zipf_key<u32>>);
  all.add(28, "top_k.u32.zipf", "top_k u32, 1000 of all, Zipf", 4, top_ks<u32, zipf_key<u32>>);
  all.add(30, "radix_sort.u32", "radix_sort u32", 8, sorts<u32, random_key<u32>>, true);
  all.add(30, "radix_sort.u64", "radix_sort u64", 16, sorts<u64, random_key<u64>>, true);
  all.add(30, "top_k.u32", "top_k u32, 1000 of all", 4, top_ks<u32, random_key<u32>>, true);
  return all;
}

}  // namespace
}  // namespace ravel::bench

int main(int argc, char** argv) {
  return ravel::bench::run_on_gpus("sort_gpus", ravel::bench::rows(), argc, argv);
}
