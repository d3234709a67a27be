/// Reduce, scan and filter on the GPUs of one host, one thread a GPU, with NCCL between them.
///
///     gpus [GPUS [ELEMENTS OF EACH]]
///
/// prints for each call the time on one GPU and on all, each with as many elements of 32 bits as
/// before: the fraction of linear is the ratio of both.  For comparison it prints NCCL's exchange of
/// the same bytes.  Every result is checked.

#include <ravel/distributed/deferred_scan.hpp>
#include <ravel/distributed/pack.hpp>
#include <ravel/distributed/reduce.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/distributed/sequence.hpp>

#include <cstdint>
#include <cstdlib>

#include "measure.cuh"

namespace {

using namespace ravel;
using namespace ravel::bench;
using number = std::uint32_t;

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

void row(int rank, int gpus, char const* name, double one, double all, double bytes) {
  if (rank != 0) return;
  std::printf("%-24s %9.3f %9.3f %9.2f %12.0f\n", name, one, all, one / all,
              1e-6 * gpus * bytes / all);
}

void measure(distributed::in_process const& threads, index_t n) {
  expects(n > 0, "there are ", n, " elements on each GPU");
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
  return on_gpus_of_host("gpus", argv[1], [&](auto const& threads) {
    measure(threads, argc > 2 ? std::atoll(argv[2]) : index_t{1} << 28);
  });
}
