#pragma once

/// @file
/// A communicator that compares the calls and sizes of all ranks before each call.
///
///     checked const ranks(mpi_ranks);
///     executor const ex(cpu::threads(), ranks);
///
/// Ranks that make different calls, or that disagree on sizes, get `error` with both, where another
/// communicator would wait until its time limit, or exchange the wrong bytes.
///
/// Volume   16 bytes more a call and pair of ranks; 8 (1 + p) for all_to_all_v and exchange_beside of p
///          ranks.

#include <ravel/distributed/communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ravel::inline v0::distributed {

/// A communicator whose ranks compare their calls and sizes before each call.
template <communicator C>
class checked {
  C ranks_;

  enum class call : std::uint64_t { all_gather, all_gather_host, all_to_all_v, exchange_beside };
  static constexpr char const* names[] = {"all_gather", "all_gather_host", "all_to_all_v",
                                          "exchange_beside"};
  static char const* name(call c) { return names[static_cast<int>(c)]; }

 public:
  using memory = typename C::memory;

  explicit checked(C ranks) : ranks_(std::move(ranks)) {}

  int rank() const { return ranks_.rank(); }
  int size() const { return ranks_.size(); }
  std::uint64_t sent() const { return ranks_.sent(); }
  std::optional<error> failure() const { return ranks_.failure(); }

  template <class On>
  void all_gather(On const& on, void const* mine, void* all, std::size_t bytes) const {
    expect_one_size(call::all_gather, bytes);
    ranks_.all_gather(on, mine, all, bytes);
  }
  void all_gather_host(void const* mine, void* all, std::size_t bytes) const {
    expect_one_size(call::all_gather_host, bytes);
    ranks_.all_gather_host(mine, all, bytes);
  }
  template <class On>
  void all_to_all_v(On const& on, void const* from, byte_counts counts, void* to,
                    byte_counts to_counts) const {
    expect_counts(call::all_to_all_v, counts, to_counts);
    ranks_.all_to_all_v(on, from, counts, to, to_counts);
  }
  template <class On, class Work>
  void exchange_beside(On const& on, void const* from, std::span<run_of_bytes const> out, void* to,
                       std::span<run_of_bytes const> in, Work const& work) const {
    std::vector<std::size_t> counts, to_counts;
    for (auto const& run : out) counts.push_back(run.size);
    for (auto const& run : in) to_counts.push_back(run.size);
    to_counts[static_cast<std::size_t>(rank())] = 0;
    expect_counts(call::exchange_beside, counts, to_counts);
    ranks_.exchange_beside(on, from, out, to, in, work);
  }
  template <class On>
  void wait(On const& on) const {
    ranks_.wait(on);
  }
  [[noreturn]] void abort(std::string const& call, std::string const& sentence) const {
    ranks_.abort(call, sentence);
  }

 private:
  std::vector<std::uint64_t> gather(std::uint64_t mine) const {
    std::vector<std::uint64_t> all(size());
    ranks_.all_gather_host(&mine, all.data(), sizeof mine);
    return all;
  }

  void expect_calls(call mine) const {
    auto const all = gather(static_cast<std::uint64_t>(mine));
    for (int r = 1; r < size(); ++r) {
      if (all[r] != all[0]) {
        ranks_.abort(name(mine), ravel::detail::sentence("rank ", r, " calls ", names[all[r]],
                                                         ", and rank 0 ", names[all[0]]));
      }
    }
  }

  void expect_one_size(call mine, std::uint64_t bytes) const {
    expect_calls(mine);
    auto const all = gather(bytes);
    for (int r = 1; r < size(); ++r) {
      if (all[r] != all[0]) {
        ranks_.abort(name(mine), ravel::detail::sentence("rank ", r, " has ", all[r],
                                                         " bytes, and rank 0 has ", all[0]));
      }
    }
  }

  void expect_counts(call mine, byte_counts counts, byte_counts to_counts) const {
    expect_calls(mine);
    std::size_t const ranks = counts.size();
    std::vector<std::size_t> all(ranks * ranks);
    ranks_.all_gather_host(counts.data(), all.data(), counts.size_bytes());
    for (std::size_t r = 0; r < ranks; ++r) {
      std::size_t const sent = all[r * ranks + static_cast<std::size_t>(rank())];
      bool const stays = static_cast<int>(r) == rank() && to_counts[r] == 0;
      if (!stays && sent != to_counts[r]) {
        ranks_.abort(name(mine),
                     ravel::detail::sentence("rank ", r, " sends ", sent, " bytes to rank ", rank(),
                                             ", which expects ", to_counts[r]));
      }
    }
  }
};

}  // namespace ravel::inline v0::distributed
