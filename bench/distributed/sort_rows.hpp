#pragma once

/// Rows of radix_sort on the processes of an MPI program, beside a sample sort of std::sort and
/// MPI_Alltoallv.

#include "distributed/parts.hpp"

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/sort.hpp>

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

namespace ravel::bench {

/// Sorts the keys of all processes, and returns the piece of this one, of about even size unless
/// keys are equal.
template <class T>
std::vector<T> sample_sort(std::vector<T> keys, MPI_Datatype type) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::sort(keys.begin(), keys.end());

  int const each = 32 * ranks;
  std::vector<T> samples(each), all(each * ranks);
  for (int k = 0; k < each; ++k) samples[k] = keys[keys.size() * (2 * k + 1) / (2 * each)];
  MPI_Allgather(samples.data(), each, type, all.data(), each, type, MPI_COMM_WORLD);
  std::sort(all.begin(), all.end());

  std::vector<int> begins(ranks), counts(ranks), from(ranks), got(ranks);
  for (int r = 1; r < ranks; ++r) {
    begins[r] = static_cast<int>(
        std::lower_bound(keys.begin(), keys.end(), all[all.size() * r / ranks]) - keys.begin());
  }
  for (int r = 0; r < ranks; ++r) {
    counts[r] = (r + 1 < ranks ? begins[r + 1] : static_cast<int>(keys.size())) - begins[r];
  }
  MPI_Alltoall(counts.data(), 1, MPI_INT, got.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::exclusive_scan(got.begin(), got.end(), from.begin(), 0);
  std::vector<T> sorted(from.back() + got.back());
  MPI_Alltoallv(keys.data(), counts.data(), begins.data(), type, sorted.data(), got.data(),
                from.data(), type, MPI_COMM_WORLD);
  for (int r = 1; r < ranks; ++r) {
    std::inplace_merge(sorted.begin(), sorted.begin() + from[r], sorted.begin() + from[r] + got[r]);
  }
  return sorted;
}

/// Whether pieces are sorted over all ranks, and have keys of this sum.
template <class X>
bool is_sorted_on(on_ranks const& ex, X const& x, std::uint64_t sum) {
  using T = std::remove_cvref_t<decltype(*x.data())>;
  struct ends {
    bool is_sorted, is_empty;
    T first, last;
    std::uint64_t sum;
  };
  auto const n = static_cast<index_t>(x.size());
  auto const* const begin = x.data();
  ends const mine{std::is_sorted(begin, begin + n), n == 0, n > 0 ? begin[0] : T{},
                  n > 0 ? begin[n - 1] : T{}, std::accumulate(begin, begin + n, std::uint64_t{})};
  T last{};
  for (ends const& e : distributed::gather_values(ex.ranks(), mine)) {
    if (!e.is_sorted || (!e.is_empty && e.first < last)) return false;
    if (!e.is_empty) last = e.last;
    sum -= e.sum;
  }
  return sum == 0;
}

enum class keys { random, zipf, equal };

template <class T, keys Kind>
std::vector<part> sorts(on_ranks const& ex, index_t n) {
  auto const key = [](index_t i) {
    auto const bits = random_bits(2, i);
    if (Kind == keys::equal) return T{7};
    if (Kind == keys::random) return static_cast<T>(bits);
    return static_cast<T>(std::min(1 / std::ldexp(static_cast<double>(bits >> 11) + 1, -53), 1e9));
  };
  auto const x = piece<T>(ex, n, key);
  auto const all = all_on_one<T>(ex, n, key);
  auto const y = std::make_shared<elements<T>>(ex, *x);
  auto const out = host::allocate<T>(cpu::threads(), all->size());
  auto const given = std::make_shared<std::vector<T>>(x->begin(), x->end());
  auto const samples = std::make_shared<std::vector<T>>();
  auto const type = sizeof(T) == 4 ? MPI_UINT32_T : MPI_UINT64_T;
  auto const sums = distributed::gather_values(
      ex.ranks(), std::accumulate(x->begin(), x->end(), std::uint64_t{}));
  auto const sum = std::accumulate(sums.begin(), sums.end(), std::uint64_t{});
  return {{"ours", [=] { radix_sort(ex, *x, *y); }, [=] { return is_sorted_on(ex, *y, sum); }},
          {"peer:one process", [=] { radix_sort(one_process(ex), *all, *out); },
           [=] { return std::is_sorted(out->begin(), out->end()); }, true},
          {"peer:std::sort and MPI_Alltoallv", [=] { *samples = sample_sort(*given, type); },
           [=] { return is_sorted_on(ex, *samples, sum); }}};
}

}  // namespace ravel::bench
