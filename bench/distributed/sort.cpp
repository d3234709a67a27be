/// Radix sort on the processes of an MPI program, beside a sample sort of std::sort and
/// MPI_Alltoallv.
///
///     mpirun -np 2 bench.distributed.sort [KEYS OF EACH]
///
/// prints the time of each, and the largest piece of the result as a ratio to even pieces: radix
/// sort keeps the pieces of its output, sample sort takes what samples give.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/mpi.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/distributed/sort.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <vector>

#if !__has_include(<mpi.h>)
#  error "bench/distributed/sort.cpp needs mpi.h"
#endif

namespace {

using namespace ravel;

/// Sorts the keys of all processes, and returns the piece of this one.
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

/// Random keys, keys by Zipf's law, or equal ones.
template <class T>
std::vector<T> keys_of(char const* kind, index_t n, int rank) {
  std::mt19937_64 random(static_cast<unsigned>(rank) + 1);
  std::vector<T> keys(n);
  for (T& k : keys) {
    auto const bits = random();
    double const u = std::ldexp(static_cast<double>(bits >> 11) + 1, -53);
    k = kind[0] == 'r'   ? static_cast<T>(bits)
        : kind[0] == 'z' ? static_cast<T>(std::min(1 / u, 1e9))
                         : T{7};
  }
  return keys;
}

/// The least time of f() in ms, each that of the slowest rank.
template <class Ranks, class F>
double time_of(Ranks const& ranks, F const& f) {
  double least = std::numeric_limits<double>::max();
  for (int k = 0; k < 5; ++k) {
    distributed::gather_values(ranks, k);
    auto const begin = std::chrono::steady_clock::now();
    f();
    std::chrono::duration<double, std::milli> const passed =
        std::chrono::steady_clock::now() - begin;
    auto const all = distributed::gather_values(ranks, passed.count());
    least = std::min(least, *std::max_element(all.begin(), all.end()));
  }
  return least;
}

template <class T>
void measure(distributed::mpi const& ranks, index_t n, char const* kind, char const* name,
             MPI_Datatype type) {
  distributed::executor const ex(cpu::sequential(), ranks);
  auto const keys = keys_of<T>(kind, n, ranks.rank());
  auto const x = from_pieces(ex, keys);
  distributed::sequence<T, std::remove_const_t<decltype(ex)>> y(ex, x);
  std::vector<T> peer;
  double const ours = time_of(ranks, [&] { radix_sort(ex, x, y); });
  double const theirs = time_of(ranks, [&] { peer = sample_sort(keys, type); });

  auto const sizes = distributed::gather_values(ranks, static_cast<index_t>(peer.size()));
  auto const all = gather_to(ex, y, 0), all_of_peer = gather_to(ex, from_pieces(ex, peer), 0);
  if (all != all_of_peer) throw std::runtime_error("the results differ");
  if (ranks.rank() == 0) {
    std::printf("%-4s %-8s %10.2f %8.2f %12.2f %8.2f\n", name, kind, ours, 1.0, theirs,
                double(*std::max_element(sizes.begin(), sizes.end())) / double(n));
  }
}

void measure_all(distributed::mpi const& ranks, index_t n) {
  if (ranks.rank() == 0) {
    std::printf("%d processes, %lld keys on each\n\n%-13s %10s %8s %12s %8s\n", ranks.size(),
                static_cast<long long>(n), "", "ravel ms", "largest", "samples ms", "largest");
  }
  for (char const* kind : {"random", "zipf", "equal"}) {
    measure<std::uint32_t>(ranks, n, kind, "u32", MPI_UINT32_T);
    measure<std::uint64_t>(ranks, n, kind, "u64", MPI_UINT64_T);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return distributed::run_mpi(argc, argv, [&](distributed::mpi const& ranks) {
    measure_all(ranks, argc > 1 ? std::atoll(argv[1]) : index_t{1} << 22);
  });
}
