#include <ravel/distributed/checked.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/gpu_of_rank.hpp>
#include <ravel/distributed/in_process.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "distributed/ranks.hpp"

namespace ravel::testing::communicator_test {
namespace {

using distributed::checked;
using distributed::in_process;
using distributed::run_ranks;
using namespace std::chrono_literals;

TEST(Communicator, GathersValuesInTheOrderOfRanks) {
  for (int const p : numbers_of_ranks) {
    run_ranks(p, [&](in_process const& ranks) {
      auto const all = distributed::gather_values(ranks, 10 * ranks.rank());
      for (int r = 0; r < p; ++r) EXPECT_EQ(all[r], 10 * r);
      EXPECT_EQ(ranks.sent(), sizeof(int) * (p - 1));
    });
  }
}

TEST(Communicator, GathersInPlace) {
  run_ranks(3, [](in_process const& ranks) {
    std::vector<int> all(3, -1);
    all[ranks.rank()] = ranks.rank();
    ranks.all_gather(cpu::sequential(), &all[ranks.rank()], all.data(), sizeof(int));
    EXPECT_EQ(all, (std::vector{0, 1, 2}));
  });
}

// Rank r sends s elements r to rank s, and rank s receives s of each.
TEST(Communicator, ExchangesDifferentNumbersOfElements) {
  on_groups([](auto const& ex) {
    int const p = ex.ranks().size(), r = ex.ranks().rank();
    std::vector<index_t> counts, to_counts(p, r);
    for (int s = 0; s < p; ++s) counts.push_back(s);
    std::vector<int> const from(p * (p - 1) / 2, r);
    std::vector<int> to(p * r), expected;
    distributed::exchange(ex, from, counts, to, to_counts);
    for (int s = 0; s < p; ++s) expected.insert(expected.end(), r, s);
    EXPECT_EQ(to, expected);
    EXPECT_EQ(ex.ranks().sent(), (from.size() - r) * sizeof(int));
  });
}

TEST(Communicator, AnExceptionOnOneRankEndsAllWithOneError) {
  for (int const p : {2, 3, 8}) {
    std::atomic<int> ended = 0;
    EXPECT_EQ(error_of([&] {
                run_ranks(p, [&](in_process const& ranks) {
                  if (ranks.rank() == 1) throw std::runtime_error("the disk is full");
                  EXPECT_EQ(error_of([&] { distributed::gather_values(ranks, 1); }),
                            "rank 1: the disk is full");
                  EXPECT_EQ(error_of([&] { distributed::gather_values(ranks, 1); }),
                            "rank 1: the disk is full");
                  ++ended;
                });
              }),
              "rank 1: the disk is full");
    EXPECT_EQ(ended, p - 1);
  }
}

TEST(Communicator, WaitsNoLongerThanItsLimit) {
  EXPECT_EQ(error_of([] {
              run_ranks(3,
                        [](in_process const& ranks) {
                          if (ranks.rank() == 2) return;
                          if (ranks.rank() == 1) std::this_thread::sleep_for(20ms);
                          distributed::gather_values(ranks, 1);
                        },
                        {.limit = 100ms});
            }),
            "rank 0: all_gather_host: waited 0.1 s for rank 2");
}

TEST(Communicator, PlantedFaultsEndTheCallInWhichTheyAre) {
  for (int at = 0; at < 3; ++at) {
    std::atomic<int> calls = 0;
    EXPECT_EQ(error_of([&] {
                run_ranks(3,
                          [&](in_process const& ranks) {
                            for (int k = 0; k < 5; ++k) {
                              distributed::gather_values(ranks, k);
                              ++calls;
                            }
                          },
                          {.faulty_rank = 2, .fault_at = at});
              }),
              "rank 2: all_gather_host: a planted fault");
    EXPECT_LE(calls, 3 * at);
  }
}

TEST(Communicator, DifferentCallsAreAnError) {
  EXPECT_EQ(error_of([] {
              run_ranks(2, [](in_process const& ranks) {
                int one = 1, all[2];
                if (ranks.rank() == 0) {
                  std::this_thread::sleep_for(20ms);
                  ranks.all_gather(cpu::sequential(), &one, all, sizeof one);
                } else {
                  ranks.all_gather_host(&one, all, sizeof one);
                }
              });
            }),
            "rank 0: all_gather: rank 1 calls all_gather_host");
}

TEST(Communicator, DifferentSizesAreAnError) {
  auto const exchange = [](auto const& ranks) {
    std::vector<char> from(12), to(12);
    std::vector<std::size_t> const sent(2, ranks.rank() == 0 ? 6 : 4);
    std::vector<std::size_t> const expected{ranks.rank() == 0 ? std::size_t{6} : 5, 4};
    ranks.all_to_all_v(cpu::sequential(), from.data(), sent, to.data(), expected);
  };
  EXPECT_EQ(error_of([&] { run_ranks(2, exchange); }),
            "rank 1: all_to_all_v: rank 0 sends 6 bytes, and 5 are expected");
  EXPECT_EQ(
      error_of([&] { run_ranks(2, [&](in_process const& ranks) { exchange(checked(ranks)); }); }),
      "rank 1: all_to_all_v: rank 0 sends 6 bytes to rank 1, which expects 5");
}

TEST(Communicator, AnExchangeBesideOtherWorkKeepsWhatStays) {
  auto const pass_on = [](auto const& ranks) {
    int const r = ranks.rank(), next = (r + 1) % 3, previous = (r + 2) % 3;
    std::vector<int> from{10 * r, -1};
    std::vector<int> to{-1, -1, -1};
    std::vector<distributed::run_of_bytes> out(3, {0, 0}), in(out);
    out[next] = {4, 4};
    in[previous] = {8, 4};
    out[r] = in[r] = {0, 8};
    bool is_done = false;
    int came = 0;
    auto const write = [&](cpu::sequential const&) { from[1] = 10 * r + 1; };
    auto const read = [&](cpu::sequential const&) { came = to[2]; };
    ranks.exchange_beside(cpu::sequential(), from.data(), out, to.data(), in,
                          distributed::work_around{write, [&] { is_done = true; }, read});
    EXPECT_TRUE(is_done);
    EXPECT_EQ(to, (std::vector{-1, -1, 10 * previous + 1}));
    EXPECT_EQ(came, to[2]);
  };
  run_ranks(3, pass_on);
  run_ranks(3, [&](in_process const& ranks) { pass_on(checked(ranks)); });
}

TEST(Communicator, CheckedComparesCallsAndSizes) {
  auto const message = [](auto const& f) {
    return error_of([&] { run_ranks(2, [&](in_process const& ranks) { f(checked(ranks)); }); });
  };
  char from[8] = {}, all[2][16];
  EXPECT_EQ(message([&](auto const& ranks) {
              ranks.all_gather_host(from, all[ranks.rank()], 8 - 4 * ranks.rank());
            }).substr(6),
            ": all_gather_host: rank 1 has 4 bytes, and rank 0 has 8");
  EXPECT_EQ(message([&](auto const& ranks) { ranks.all_gather_host(from, all[ranks.rank()], 8); }),
            "no error");
}

TEST(Communicator, RanksWithOneGpuAreRefused) {
  auto const said = [](std::vector<unsigned char> const& gpus) {
    return error_of([&] {
      run_ranks(static_cast<int>(gpus.size()), [&](in_process const& ranks) {
        distributed::detail::gpu_uuid mine{0x01, 0x23};
        mine[15] = gpus[ranks.rank()];
        distributed::detail::abort_on_exception(
            ranks, "nccl", [&] { distributed::detail::expect_own_gpus(ranks, mine); });
      });
    });
  };
  EXPECT_EQ(said({0, 1, 2, 255}), "no error");
  EXPECT_EQ(said({0, 1, 2, 1}).substr(6),
            ": nccl: ranks 1 and 3 have one GPU, GPU-01230000-0000-0000-0000-000000000001: each "
            "needs its own, as gpu::executor(device) with the number of the rank on its host, "
            "OMPI_COMM_WORLD_LOCAL_RANK or MPI_LOCALRANKID");
}

TEST(Communicator, GroupsHaveRanks) { EXPECT_THROW(in_process::group_of(0), contract_error); }

}  // namespace
}  // namespace ravel::testing::communicator_test
