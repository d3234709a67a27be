/// The calls of the layer on processes, and how a group of them ends: mpi_program CASE
///
///     calls    scans, filters and exchanges, in messages of 16 bytes too, compared with one rank
///     moves    sorts, gathers, pipelines and nested programs, compared with one process
///     every    each other call on a checked communicator, compared with one process
///     files    files by MPI-IO, and errors of them, after which the group goes on
///     throws   rank 1 throws between two calls
///     killed   rank 1 is killed by a signal
///     stuck    rank 1 never makes the last call

#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/checked.hpp>
#include <ravel/distributed/files.hpp>
#include <ravel/distributed/mpi.hpp>
#include <ravel/distributed/pack.hpp>
#include <ravel/distributed/reduce.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/distributed/sequence.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "distributed/every_call.hpp"

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

/// Expects one error on all ranks, which begins and contains what is given.
template <class Ranks, class F>
void expect_error(Ranks const& ranks, std::string const& begin, std::string const& part,
                  F const& f) {
  std::string said;
  try {
    f();
  } catch (call_error const& e) {
    said = e.what();
  }
  auto const sizes = distributed::gather_values(ranks, said.size());
  bool const is_one = sizes == std::vector(sizes.size(), said.size());
  expect(is_one && said.starts_with(begin) && said.find(part) != said.npos,
         ("the error '" + said + "'").c_str());
}

template <class Ranks>
void files(Ranks const& ranks) {
  distributed::executor const ex(cpu::sequential(), ranks);
  auto const pid = distributed::gather_values(ranks, getpid())[0];
  auto const folder = std::filesystem::temp_directory_path() / ("ravel-mpi-" + std::to_string(pid));
  if (ranks.rank() == 0) std::filesystem::create_directory(folder);
  distributed::gather_values(ranks, 0);
  std::string const path = folder / "x";
  std::vector<int> all(3000);
  std::iota(all.begin(), all.end(), 5);
  auto const x = from(ex, all);
  to_file(ex, x, path);
  auto const y = distributed::from_file<int>(ex, path);
  expect(gather_to(ex, y, 0) == (ranks.rank() == 0 ? all : std::vector<int>{}), "from_file");
  auto z = ex.template allocate<int>(2999);
  from_file(ex, path, z, 4);
  all.erase(all.begin());
  expect(gather_to(ex, z, 2) == (ranks.rank() == 2 ? all : std::vector<int>{}), "from_file of 4");

  expect_error(ranks, "from_file: " + path + "y: rank 0: MPI: ", "",
               [&] { distributed::from_file<int>(ex, path + "y"); });
  expect_error(ranks, "from_file: " + path + ": rank 0: ", "it has 12000 bytes, and not 12004",
               [&] { from_file(ex, path, z, 8); });
  expect_error(ranks, "to_file: " + path + "/no: rank 0: ", "Not a directory",
               [&] { to_file(ex, x, path + "/no"); });
  if (ranks.rank() == 1) {
    std::signal(SIGXFSZ, SIG_IGN);
    struct rlimit const few{5000, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &few);
  }
  expect_error(ranks, "to_file: " + path + ": rank 1: ", "", [&] { to_file(ex, x, path); });
  struct rlimit const any{RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_FSIZE, &any);
  auto const again = distributed::from_file<int>(ex, path);
  expect(reduce_sync(ex, again) == reduce_sync(ex, x), "the old file");
  distributed::gather_values(ranks, 0);
  if (ranks.rank() == 0) {
    std::filesystem::remove_all(folder);
    std::printf("files are right on %d ranks\n", ranks.size());
  }
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
  if (name == "moves") {
    testing::make_moves(testing::any_ranks(ranks));
    testing::make_moves(
        testing::any_ranks(distributed::mpi(MPI_COMM_WORLD, {.message_bytes = 100})));
    if (ranks.rank() == 0) std::printf("all moves are right on %d ranks\n", ranks.size());
    return;
  }
  if (name == "every") {
    testing::make_every_call(testing::any_ranks(ranks));
    if (ranks.rank() == 0) std::printf("every call is right on %d ranks\n", ranks.size());
    return;
  }
  if (name == "files") {
    files(ranks);
    files(distributed::mpi(MPI_COMM_WORLD, {.message_bytes = 1000}));
    files(distributed::checked(ranks));
    return;
  }
  distributed::gather_values(ranks, 1);
  if (fails && name == "throws") throw std::runtime_error("the disk is full");
  if (fails && name == "killed") std::raise(SIGKILL);
  if (fails && name == "left") return;
  if (fails && name == "differ") distributed::gather_values(ranks, std::array{1L, 2L});
  if (fails && name == "stuck") std::this_thread::sleep_for(std::chrono::minutes(1));
  distributed::gather_values(ranks, 2);
}

}  // namespace

int main(int argc, char** argv) {
  std::string const name = argc > 1 ? argv[1] : "calls";
  return distributed::run_mpi(
      argc, argv, [&](distributed::mpi const& ranks) { run(name, ranks); },
      {.limit = std::chrono::seconds(name == "stuck" || name == "left" ? 2 : 30)});
}
