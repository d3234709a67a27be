/// The calls of the layer on processes, and how a group of them ends: mpi_program CASE
///
///     calls    scans, filters and exchanges, in messages of 16 bytes too, compared with one rank
///     throws   rank 1 throws between two calls
///     killed   rank 1 is killed by a signal
///     stuck    rank 1 never makes the last call

#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/checked.hpp>
#include <ravel/distributed/mpi.hpp>
#include <ravel/distributed/pack.hpp>
#include <ravel/distributed/reduce.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/distributed/sequence.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace ravel;

void expect(bool holds, char const* what) {
  if (!holds) throw std::runtime_error(std::string(what) + " is wrong");
}

template <class Ranks>
void calls(Ranks const& ranks) {
  distributed::executor const ex(cpu::sequential(), ranks);
  std::vector<int> all(1000), sums(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i * 37 % 11);
  inclusive_scan(cpu::sequential(), all, sums);

  auto x = from(ex, all);
  expect(reduce_sync(ex, x) == sums.back(), "reduce");
  inclusive_scan(ex, x, x);
  expect(gather_to(ex, x, 1) == (ranks.rank() == 1 ? sums : std::vector<int>{}), "scan");

  auto const is_odd = [](int i) { return i % 2 != 0; };
  auto y = ex.template allocate<int>(1000);
  std::vector<int> odd(all.size());
  odd.resize(filter_sync(cpu::sequential(), sums, is_odd, odd));
  expect(filter_sync(ex, x, is_odd, y) == static_cast<index_t>(odd.size()), "filter");
  expect(gather_to(ex, balance(ex, y), 0) == (ranks.rank() == 0 ? odd : std::vector<int>{}),
         "balance");

  std::vector<long> const mine(100, ranks.rank());
  std::vector<long> pieces(100 * ranks.size());
  distributed::gather_pieces(ex, mine.data(), 100, pieces.data());
  for (int r = 0; r < ranks.size(); ++r) expect(pieces[100 * r + 99] == r, "gather_pieces");
}

void run(std::string const& name, distributed::mpi const& ranks) {
  bool const fails = ranks.rank() == 1;
  if (name == "calls") {
    calls(ranks);
    calls(distributed::mpi(MPI_COMM_WORLD, {.message_bytes = 16}));
    calls(distributed::checked(ranks));
    if (ranks.rank() == 0) std::printf("all calls are right on %d ranks\n", ranks.size());
    return;
  }
  distributed::gather_values(ranks, 1);
  if (fails && name == "throws") throw std::runtime_error("the disk is full");
  if (fails && name == "killed") std::raise(SIGKILL);
  if (fails && name == "stuck") std::this_thread::sleep_for(std::chrono::minutes(1));
  distributed::gather_values(ranks, 2);
}

}  // namespace

int main(int argc, char** argv) {
  std::string const name = argc > 1 ? argv[1] : "calls";
  return distributed::run_mpi(
      argc, argv, [&](distributed::mpi const& ranks) { run(name, ranks); },
      {.limit = name == "stuck" ? std::chrono::seconds(2) : std::chrono::seconds(30)});
}
