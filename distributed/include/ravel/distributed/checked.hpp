#pragma once

/// A communicator that compares the calls and sizes of all ranks before each call.
///
///     checked const ranks(mpi_ranks);
///     executor const ex(cpu::threads(), ranks);
///
/// Ranks that make different calls, with operands, operators or options of different types, or that
/// disagree on sizes, get `error` with both, where another communicator would wait until its time limit,
/// or exchange the wrong bytes:
///
///     rank 0: reduce: rank 1 calls inclusive_scan, and rank 0 calls reduce
///
/// Sizes are those of sequences when they are made, and of messages.  Functions written at two places of
/// a program have two types: ranks take theirs from one.
///
/// Volume   64 bytes more a call, a sequence, and a call of the communicator, to each other rank; for
///          all_to_all_v and exchange_beside of p ranks 8 p more.

#include <ravel/distributed/communicator.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

namespace ravel::inline v0::distributed {

/// A communicator whose ranks compare their calls and sizes before each call.
template <communicator C>
class checked {
  C ranks_;

 public:
  using memory = typename C::memory;

  explicit checked(C ranks) : ranks_(std::move(ranks)) {}

  int rank() const { return ranks_.rank(); }
  int size() const { return ranks_.size(); }
  std::uint64_t sent() const { return ranks_.sent(); }
  std::optional<error> failure() const { return ranks_.failure(); }

  void all_gather(auto const& on, void const* src, void* dst, std::size_t bytes) const {
    expect_same({"all_gather", 0, bytes}, " bytes");
    ranks_.all_gather(on, src, dst, bytes);
  }
  void all_gather_host(void const* src, void* dst, std::size_t bytes) const {
    expect_same({"all_gather_host", 0, bytes}, " bytes");
    ranks_.all_gather_host(src, dst, bytes);
  }
  void all_to_all_v(auto const& on, void const* src, byte_counts counts, void* dst,
                    byte_counts to_counts) const {
    expect_counts("all_to_all_v", counts, to_counts);
    ranks_.all_to_all_v(on, src, counts, dst, to_counts);
  }
  void exchange_beside(auto const& on, void const* src, std::span<run_of_bytes const> out,
                       void* dst, std::span<run_of_bytes const> in, auto const& work) const {
    std::vector<std::size_t> counts, to_counts;
    for (auto const& run : out) counts.push_back(run.size);
    for (auto const& run : in) to_counts.push_back(run.size);
    to_counts[static_cast<std::size_t>(rank())] = 0;
    expect_counts("exchange_beside", counts, to_counts);
    ranks_.exchange_beside(on, src, out, dst, in, work);
  }
  void wait(auto const& on) const { ranks_.wait(on); }
  [[noreturn]] void abort(std::string const& call, std::string const& sentence) const {
    ranks_.abort(call, sentence);
  }
  /// The file of a communicator that has its own way to them.
  auto open_file(std::string const& path, bool writes) const requires requires(C const& ranks) {
    ranks.open_file(path, writes);
  }
  { return ranks_.open_file(path, writes); }

  /// Compares the call that this thread is in, and the types of `Work`, its function.
  template <class Work>
  void expect_same_call() const {
    expect_same({detail::call_of_thread::name(), typeid(Work).hash_code(), 0}, "");
  }
  /// Compares how many elements all ranks give a sequence that `call` makes.
  void expect_one_size(char const* call, index_t n) const {
    expect_same({detail::call_of_thread::name_or(call), 0, static_cast<std::uint64_t>(n)},
                " elements");
  }

 private:
  /// What ranks compare.
  struct record {
    char call[48] = {};
    std::uint64_t types, size;
    record(std::string_view name, std::uint64_t t, std::uint64_t n) : types(t), size(n) {
      name.copy(call, sizeof call - 1);
    }
    record() = default;
    std::string_view name() const { return call; }
  };

  [[noreturn]] void fail(record const& self, auto const&... words) const {
    ranks_.abort(detail::call_of_thread::name_or(self.call), ravel::detail::sentence(words...));
  }

  void expect_same(record const& self, char const* unit) const {
    std::vector<record> records(static_cast<std::size_t>(size()));
    ranks_.all_gather_host(&self, records.data(), sizeof self);
    auto const& first = records[0];
    for (std::size_t r = 1; r < records.size(); ++r) {
      if (records[r].name() != first.name()) {
        fail(self, "rank ", r, " calls ", records[r].name(), ", and rank 0 calls ", first.name());
      }
      if (records[r].types != first.types) {
        fail(self, "rank ", r, " calls ", first.name(),
             " with operands, operators or options of other types than rank 0");
      }
      if (records[r].size != first.size) {
        fail(self, "rank ", r, " has ", records[r].size, unit, ", and rank 0 has ", first.size);
      }
    }
  }

  void expect_counts(char const* call, byte_counts counts, byte_counts to_counts) const {
    record const self(call, 0, 0);
    expect_same(self, "");
    std::size_t const ranks = counts.size();
    std::vector<std::size_t> counts_of_all(ranks * ranks);
    ranks_.all_gather_host(counts.data(), counts_of_all.data(), counts.size_bytes());
    for (std::size_t r = 0; r < ranks; ++r) {
      std::size_t const sent = counts_of_all[r * ranks + static_cast<std::size_t>(rank())];
      bool const stays = static_cast<int>(r) == rank() && to_counts[r] == 0;
      if (!stays && sent != to_counts[r]) {
        fail(self, "rank ", r, " sends ", sent, " bytes to rank ", rank(), ", which expects ",
             to_counts[r]);
      }
    }
  }
};

}  // namespace ravel::inline v0::distributed
