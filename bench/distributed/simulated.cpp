/// One call on the simulated processes of SimGrid's SMPI, by the MPI communicator as it is:
///
///     scripts/simulate
///
///     simulated CALL N      N elements on each rank
///
/// Rank 0 prints the call, the number of ranks, N, the simulated seconds from when the last rank
/// begins until the last is done, and the bytes that the rank that sends most sends.  Work between messages takes no time, so these are the
/// seconds of the exchanges alone.

#include <smpi/smpi.h>

#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/deferred_scan.hpp>
#include <ravel/distributed/gather.hpp>
#include <ravel/distributed/histogram.hpp>
#include <ravel/distributed/mpi.hpp>
#include <ravel/distributed/pack.hpp>
#include <ravel/distributed/reduce.hpp>
#include <ravel/distributed/runs.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/distributed/segments.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/distributed/sort.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

/// Waiting is for simulated time, too, and no process of the host waits for another.  Link with
/// -Bsymbolic, so that these are the clock and the yield of the program.
extern "C" int sched_yield() noexcept { return 0; }
std::chrono::steady_clock::time_point std::chrono::steady_clock::now() noexcept {
  return time_point(duration(static_cast<rep>(1e9 * MPI_Wtime())));
}

namespace {

using namespace ravel;
using on_ranks = distributed::executor<cpu::sequential, distributed::mpi>;
using numbers = distributed::sequence<std::uint32_t, on_ranks>;

/// `places` are those of elements of all ranks.
void make(std::string const& call, on_ranks const& ex, numbers const& x, numbers const& places,
          numbers& y) {
  if (call == "reduce_sync") {
    reduce_sync(ex, x);
  } else if (call == "inclusive_scan") {
    inclusive_scan(ex, x, y);
  } else if (call == "filter_sync") {
    filter_sync(
        ex, x, [](std::uint32_t k) { return k % 3 == 0; }, y);
  } else if (call == "unique_sync") {
    unique_sync(ex, x, y);
  } else if (call == "gather") {
    gather(ex, x, places, y);
  } else if (call == "radix_sort") {
    radix_sort(ex, x, y);
  } else if (call == "deferred_inclusive_scan") {
    distributed::deferred_inclusive_scan(ex, x, y);
  } else if (call == "segmented_inclusive_scan") {
    segmented_inclusive_scan(ex, x, uniform(x.total_size() / 8, 8), y);
  } else if (call == "reduce_by_key_sync") {
    numbers sums(ex, x);
    reduce_by_key_sync(ex, places, x, y, sums);
  } else if (call == "histogram") {
    auto const counts = ex.replicate<std::uint32_t>(256);
    histogram(ex, x, counts, [](std::uint32_t k) { return k % 256; });
  } else if (call == "scatter") {
    scatter(ex, x, places, y);
  } else if (call == "top_k") {
    numbers least(ex, 16);
    top_k(ex, x, least);
  } else {
    throw call_error("simulated: there is no call '" + call + "'");
  }
}

void simulate(std::string const& call, index_t n, distributed::mpi const& ranks) {
  on_ranks const ex(cpu::sequential(), ranks);
  numbers x(ex, n * ranks.size()), y(ex, x), places(ex, x);
  for (index_t i = 0; i < n; ++i) {
    auto const k = static_cast<std::uint64_t>(x.first() + i + 1) * 0x9e3779b97f4a7c15;
    x.data()[i] = static_cast<std::uint32_t>((k ^ k >> 29) * 0xbf58476d1ce4e5b9 >> 32);
    places.data()[i] = static_cast<std::uint32_t>(x.data()[i] % x.total_size());
  }
  distributed::gather_values(ranks, 0);
  struct times {
    double begin, end;
    std::uint64_t sent;
  } mine{MPI_Wtime(), 0, ranks.sent()};
  make(call, ex, x, places, y);
  mine.end = MPI_Wtime();
  mine.sent = ranks.sent() - mine.sent;
  times last{};
  for (times const& t : distributed::gather_values(ranks, mine)) {
    last = {std::max(last.begin, t.begin), std::max(last.end, t.end), std::max(last.sent, t.sent)};
  }
  if (ranks.rank() == 0) {
    std::printf("%s\t%d\t%lld\t%.9f\t%llu\n", call.c_str(), ranks.size(), static_cast<long long>(n),
                last.end - last.begin, static_cast<unsigned long long>(last.sent));
  }
}

}  // namespace

int main(int argc, char** argv) {
  return distributed::run_mpi(
      argc, argv,
      [&](distributed::mpi const& ranks) { simulate(argv[1], std::atoll(argv[2]), ranks); },
      {.limit = std::chrono::hours(1)});
}
