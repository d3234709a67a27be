/// Reduce, scan and filter on the GPUs of one host, one thread a GPU, with NCCL between them.
///
///     gpus [GPUS [ELEMENTS OF EACH]]
///
/// prints for each call the time on one GPU and on all, each with as many elements of 32 bits as
/// before: the fraction of linear is the ratio of both.  For comparison it prints NCCL's exchange of
/// the same bytes.  Every result is checked.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/distributed/deferred_scan.hpp>
#include <ravel/distributed/in_process.hpp>
#include <ravel/distributed/nccl.cuh>
#include <ravel/distributed/pack.hpp>
#include <ravel/distributed/reduce.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/map.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#if !__has_include(<nccl.h>)
#  error "bench/distributed/gpus.cu needs nccl.h"
#endif

namespace {

using namespace ravel;
using number = std::uint32_t;
using ranks_on_gpus = distributed::nccl<distributed::in_process>;
using on_gpus = distributed::executor<gpu::executor, ranks_on_gpus>;

/// x[i] = i mod 3, whose sums are known.
struct write_element {
  number* x;
  index_t first;
  RAVEL_HD void operator()(index_t i) const { x[i] = static_cast<number>((first + i) % 3); }
};
RAVEL_HD number sum_through(index_t i) {
  return static_cast<number>((i + 1) / 3 * 3 + ((i + 1) % 3 == 2));
}
struct is_one {
  RAVEL_HD bool operator()(number x) const { return x == 1; }
};
struct count_wrong_sums {
  number const* sums;
  index_t first;
  unsigned* wrong;
  __device__ void operator()(index_t i) const {
    if (sums[i] != sum_through(first + i)) atomicAdd(wrong, 1u);
  }
};
struct count_wrong_ones {
  number const* x;
  unsigned* wrong;
  __device__ void operator()(index_t i) const {
    if (x[i] != 1) atomicAdd(wrong, 1u);
  }
};

template <class Count>
unsigned wrong_on(gpu::executor const& device, index_t n, Count count) {
  auto const wrong = device.allocate<unsigned>(1);
  device.clear(wrong);
  count.wrong = wrong.data();
  for_each_index(device, n, count);
  return at_sync(device, wrong);
}

void expect(bool right, char const* what, int rank) {
  if (!right) throw std::runtime_error(ravel::detail::sentence(what, " is wrong on rank ", rank));
}

constexpr int runs = 15;

/// The median of the times of f() in ms, each that of the slowest rank.
template <class Ranks, class F>
double time_of(Ranks const& ranks, F const& f) {
  std::vector<double> times;
  for (int k = -3; k < runs; ++k) {
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

void row(int rank, int gpus, char const* name, double one, double all, double bytes) {
  if (rank != 0) return;
  std::printf("%-24s %9.3f %9.3f %9.2f %12.0f\n", name, one, all, one / all,
              1e-6 * gpus * bytes / all);
}

void measure(distributed::in_process const& threads, index_t n) {
  int const rank = threads.rank(), gpus = threads.size();
  gpu::executor const device(rank);
  on_gpus const ex(device, ranks_on_gpus(threads, rank));
  auto x = ex.allocate<number>(gpus * n);
  on_gpus const& all = ex;
  distributed::sequence<number, on_gpus> y(ex, x);
  for_each_index(device, n, write_element{x.data(), x.first()});
  ex.wait();
  double const bytes = 4.0 * double(n);

  // On one GPU: rank 0 alone works.
  auto const alone = [&](auto const& call) {
    return time_of(threads, [&] {
      if (rank == 0) call();
      device.wait();
    });
  };
  auto const together = [&](auto const& call) {
    return time_of(threads, [&] {
      call();
      all.wait();
    });
  };

  if (rank == 0) {
    std::printf("%d GPUs, %lld elements of 32 bits on each\n\n%-24s %9s %9s %9s %12s\n", gpus,
                static_cast<long long>(n), "", "1 GPU ms", "all ms", "linear", "moved GB/s");
  }

  auto const sum = device.allocate<number>(1);
  auto const sum_of_all = ex.replicate<number>(1);
  auto const reduce_alone = alone([&] { reduce(device, x.local(), sum); });
  auto const reduce_all = together([&] { reduce(ex, x, sum_of_all); });
  expect(at_sync(ex, sum_of_all) == sum_through(gpus * n - 1), "reduce", rank);
  row(rank, gpus, "reduce", reduce_alone, reduce_all, bytes);

  auto const scan_alone = alone([&] { inclusive_scan(device, x.local(), y.local()); });
  auto const scan_all = together([&] { inclusive_scan(ex, x, y); });
  expect(wrong_on(device, n, count_wrong_sums{y.data(), y.first(), nullptr}) == 0, "scan", rank);
  row(rank, gpus, "inclusive_scan", scan_alone, scan_all, 2 * bytes);

  auto const deferred_all = together([&] { deferred_inclusive_scan(ex, x, y); });
  deferred_inclusive_scan(ex, x, y).settle();
  expect(wrong_on(device, n, count_wrong_sums{y.data(), y.first(), nullptr}) == 0, "settle", rank);
  row(rank, gpus, "deferred_inclusive_scan", scan_alone, deferred_all, 2 * bytes);

  index_t const ones = (gpus * n + 1) / 3;
  auto const filter_alone = alone([&] { filter_sync(device, x.local(), is_one{}, y.local()); });
  auto const filter_all = together([&] { filter_sync(ex, x, is_one{}, y); });
  expect(y.total_size() == ones &&
             wrong_on(device, y.size(), count_wrong_ones{y.data(), nullptr}) == 0,
         "filter", rank);
  row(rank, gpus, "filter_sync", filter_alone, filter_all, 4.0 / 3 * bytes);

  auto z = ex.allocate<number>(gpus * (n + gpus));
  std::vector<index_t> counts;
  for (int r = 0; r < gpus; ++r)
    counts.push_back(distributed::even_begins(n, gpus)[r + 1] -
                     distributed::even_begins(n, gpus)[r]);
  std::vector<index_t> const to_counts(gpus, counts[rank]);
  double const sent = bytes * (gpus - 1) / gpus;
  auto const exchanged = [&](char const* name, double ms) {
    if (rank == 0) std::printf("%-24s %9s %9.3f %9s %12.0f\n", name, "", ms, "", 1e-6 * sent / ms);
  };
  if (rank == 0) std::printf("\n%-24s %9s %9s %9s %12s\n", "", "", "all ms", "", "sent GB/s");
  exchanged("all_to_all_v",
            together([&] { distributed::exchange(ex, x.local(), counts, z.local(), to_counts); }));
}

}  // namespace

int main(int argc, char** argv) {
  setenv("NCCL_NVLS_ENABLE", "0", 1);  // no multicast
  try {
    int most = 0;
    gpu::check(cudaGetDeviceCount(&most), "counting devices");
    int const gpus = argc > 1 ? std::atoi(argv[1]) : most;
    index_t const n = argc > 2 ? std::atoll(argv[2]) : index_t{1} << 28;
    expects(0 < gpus && gpus <= most && n > 0, "there are ", most, " GPUs, and ", gpus,
            " are wanted, with ", n, " elements each");
    distributed::run_ranks(gpus,
                           [&](distributed::in_process const& threads) { measure(threads, n); },
                           {.limit = std::chrono::seconds(120)});
  } catch (std::exception const& e) {
    std::fprintf(stderr, "gpus: %s\n", e.what());
    return 1;
  }
}
