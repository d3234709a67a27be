#pragma once

/// @file
/// What the benchmarks on several GPUs share: their start, times, and checks of results.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/transfer.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/in_process.hpp>
#include <ravel/distributed/nccl.cuh>
#include <ravel/primitives/map.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <vector>

#if !__has_include(<nccl.h>)
#  error "the benchmarks on several GPUs need nccl.h"
#endif

namespace ravel::bench {

using ranks_on_gpus = distributed::nccl<distributed::in_process>;
using on_gpus = distributed::executor<gpu::executor, ranks_on_gpus>;

inline constexpr int runs = 11;

/// The median of the times of f() in ms, each that of the slowest rank.
template <class Ranks, class F>
double time_of(Ranks const& ranks, F const& f) {
  std::vector<double> times;
  for (int k = -2; k < runs; ++k) {
    distributed::gather_values(ranks, k);
    auto const begin = std::chrono::steady_clock::now();
    f();
    std::chrono::duration<double, std::milli> const passed =
        std::chrono::steady_clock::now() - begin;
    auto const all = distributed::gather_values(ranks, passed.count());
    if (k >= 0) times.push_back(*std::max_element(all.begin(), all.end()));
  }
  std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
  return times[runs / 2];
}

/// How many i of [0, n) `count` adds to its member `wrong`.
template <class Count>
unsigned wrong_on(gpu::executor const& device, index_t n, Count count) {
  auto const wrong = device.allocate<unsigned>(1);
  device.clear(wrong);
  count.wrong = wrong.data();
  for_each_index(device, n, count);
  return at_sync(device, wrong);
}

inline void expect(bool right, char const* what, int rank) {
  if (!right) throw std::runtime_error(ravel::detail::sentence(what, " is wrong on rank ", rank));
}

/// Calls f(ranks) for the first GPUs of this host, as many as `wanted` says or all, by a thread a GPU.
/// Returns the exit status of the program.
template <class F>
int on_gpus_of_host(char const* program, char const* wanted, F const& f) {
  setenv("NCCL_NVLS_ENABLE", "0", 1);  // no multicast
  try {
    int most = 0;
    gpu::check(cudaGetDeviceCount(&most), "counting devices");
    int const gpus = wanted == nullptr ? most : std::atoi(wanted);
    expects(0 < gpus && gpus <= most, "there are ", most, " GPUs, and ", gpus, " are wanted");
    distributed::run_ranks(gpus, f, {.limit = std::chrono::seconds(120)});
    return 0;
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s: %s\n", program, e.what());
    return 1;
  }
}

}  // namespace ravel::bench
