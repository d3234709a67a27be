#pragma once

/// Ranks that are threads of one process: the communicator for tests, and for several devices of
/// one process.
///
///     run_ranks(3, [](in_process const& ranks) {
///       executor const ex(cpu::sequential(), ranks);
///       auto const x = from(ex, std::vector{3, 1, 2});
///       int const sum = reduce_sync(ex, x);  // 6 on each rank
///     });
///
/// A rank reads what others send from their memory, so each byte is copied once.

#include <ravel/distributed/communicator.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace ravel::inline v0::distributed {

/// How a group of threads runs.
struct group_options {
  std::chrono::milliseconds limit{10'000};    ///< on waiting for another rank
  std::chrono::microseconds longest_delay{};  ///< before each call, drawn at random; 0: none
  unsigned seed = 1;                          ///< of the delays
  int faulty_rank = -1;                       ///< the rank that fails, if any, ...
  int fault_at = 0;                           ///< ... in this call of its, the first being 0
};

/// One rank of a group of threads.  `Memory` is that of the executors: host_space, or device_space
/// for devices in software, whose memory the host can read.
template <class Memory>
class in_process_ranks {
  /// What a rank sends.
  struct offer {
    char const* call;
    std::byte const* data;
    byte_counts counts;                         // to each rank
    std::span<run_of_bytes const> runs = {};    // the same, if they are not next to each other
    std::span<run_of_room const> of_room = {};  // of the room that `data` is
  };
  struct group {
    group(int size, group_options const& o) : options(o), offers(size), sent(size) {}
    group_options options;
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<offer> offers;
    std::vector<bool> here = std::vector<bool>(offers.size());  // ranks in the current call
    int arrived = 0, left = 0;
    std::uint64_t calls = 0;
    std::optional<error> failure;
    std::vector<std::uint64_t> sent;
  };
  struct own_state {
    std::mt19937 random;
    int calls = 0;
    std::vector<std::byte> room;
  };

  std::shared_ptr<group> group_;
  std::shared_ptr<own_state> own_;
  int rank_;

  in_process_ranks(std::shared_ptr<group> shared, int rank)
      : group_(std::move(shared)), own_(std::make_shared<own_state>()), rank_(rank) {
    own_->random.seed(group_->options.seed + static_cast<unsigned>(rank));
  }

 public:
  using memory = Memory;

  /// The ranks of a new group, one for each thread.
  static std::vector<in_process_ranks> group_of(int size, group_options const& options = {}) {
    expects(size > 0, "in_process: a group of ", size, " ranks");
    auto const shared = std::make_shared<group>(size, options);
    std::vector<in_process_ranks> ranks;
    for (int r = 0; r < size; ++r) ranks.push_back(in_process_ranks(shared, r));
    return ranks;
  }

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(group_->offers.size()); }
  std::uint64_t sent() const { return group_->sent[rank_]; }
  /// The error that ended the group, if one did.
  std::optional<error> failure() const {
    std::lock_guard const lock(group_->mutex);
    return group_->failure;
  }

  void all_gather(auto const& on, void const* src, void* dst, std::size_t bytes) const {
    on.wait();
    gather("all_gather", src, dst, bytes);
  }
  void all_gather_host(void const* src, void* dst, std::size_t bytes) const {
    gather("all_gather_host", src, dst, bytes);
  }

  void all_to_all_v(auto const& on, void const* src, byte_counts counts, void* dst,
                    byte_counts to_counts) const {
    on.wait();
    meet({"all_to_all_v", static_cast<std::byte const*>(src), counts}, [&] {
      auto* next = static_cast<std::byte*>(dst);
      for (int r = 0; r < size(); ++r) {
        if (r == rank_ && to_counts[r] == 0) continue;
        offer const& theirs = group_->offers[r];
        auto const count = theirs.counts.begin() + rank_;
        if (expect_bytes(theirs.call, r, *count, to_counts[r])) {
          copy(std::accumulate(theirs.counts.begin(), count, theirs.data), next, *count);
        }
        next += to_counts[r];
      }
    });
    count_sent(std::accumulate(counts.begin(), counts.end(), std::size_t{}) - counts[rank_]);
  }

  void exchange_beside(auto const& on, void const* src, std::span<run_of_bytes const> out,
                       void* dst, std::span<run_of_bytes const> in, auto const& work) const {
    work.prepare(on);
    on.wait();
    meet({"exchange_beside", static_cast<std::byte const*>(src), {}, out}, [&] {
      for (int r = 0; r < size(); ++r) {
        if (r == rank_) continue;
        offer const& theirs = group_->offers[r];
        run_of_bytes const run = theirs.runs[rank_];
        if (expect_bytes(theirs.call, r, run.size, in[r].size)) {
          copy(theirs.data + run.begin, static_cast<std::byte*>(dst) + in[r].begin, run.size);
        }
      }
    });
    for (int r = 0; r < size(); ++r) count_sent(r == rank_ ? 0 : out[r].size);
    work.beside();
    work.finish(on);
  }

  std::byte* open_room(auto const&, std::size_t bytes) const {
    if (own_->room.size() < bytes) own_->room.resize(bytes);
    return own_->room.data();
  }
  /// An exchange that is done.
  struct arrival {
    void wait(auto const&) const {}
  };
  std::vector<arrival> start_exchanges(auto const& on,
                                       std::vector<exchange_step> const& steps) const {
    on.wait();
    for (exchange_step const& step : steps) {
      meet({"start_exchanges", own_->room.data(), {}, {}, step.sent},
           [&] { receive(step.received); });
      for (run_of_room const& run : step.sent) count_sent(run.size);
    }
    return std::vector<arrival>(steps.size());
  }

  void wait(auto const& on) const { on.wait(); }

  [[noreturn]] void abort(std::string const& call, std::string const& sentence) const {
    std::lock_guard const lock(group_->mutex);
    fail(call, sentence);
  }

 private:
  void count_sent(std::size_t bytes) const { group_->sent[rank_] += bytes; }

  static void copy(std::byte const* src, std::byte* dst, std::size_t bytes) {
    if (bytes > 0 && src != dst) std::memcpy(dst, src, bytes);
  }

  void gather(char const* call, void const* src, void* dst, std::size_t bytes) const {
    std::vector<std::size_t> const counts(size(), bytes);
    meet({call, static_cast<std::byte const*>(src), counts}, [&] {
      for (int r = 0; r < size(); ++r) {
        if (expect_bytes(call, r, group_->offers[r].counts[rank_], bytes)) {
          copy(group_->offers[r].data, static_cast<std::byte*>(dst) + r * bytes, bytes);
        }
      }
    });
    count_sent((size() - 1) * bytes);
  }

  /// Copies runs of the rooms of others, which must be those that they send.
  void receive(std::span<run_of_room const> runs) const {
    std::vector<run_of_room> of_rank;  // what the last sender sends to this rank
    std::size_t next = 0;
    for (int last = -1; run_of_room const& run : runs) {
      offer const& theirs = group_->offers[run.rank];
      if (run.rank != last) {
        of_rank.clear();
        std::ranges::copy_if(theirs.of_room, std::back_inserter(of_rank),
                             [&](run_of_room const& r) { return r.rank == rank_; });
        next = 0;
        last = run.rank;
      }
      bool const is_sent = next < of_rank.size() && of_rank[next].begin == run.begin;
      if (expect_bytes(theirs.call, run.rank, is_sent ? of_rank[next].size : 0, run.size)) {
        copy(theirs.data + run.begin, run.to, run.size);
      }
      ++next;
    }
  }

  /// Makes an offer, and receives once all ranks have made theirs, which stay in place until all
  /// have received.  A rank that cannot receive says so, and waits for the others nevertheless.
  void meet(offer const& own_offer, auto receive) const {
    disturb(own_offer.call);
    std::unique_lock lock(group_->mutex);
    arrive(lock, own_offer);
    lock.unlock();
    receive();
    lock.lock();
    leave(lock);
    if (group_->failure) throw error(*group_->failure);
  }

  void arrive(std::unique_lock<std::mutex>& lock, offer const& own_offer) const {
    group& g = *group_;
    if (g.failure) throw error(*g.failure);
    g.offers[rank_] = own_offer;
    g.here[rank_] = true;
    auto const call = g.calls;
    if (++g.arrived == size()) {
      expect_one_call(own_offer.call);
      g.arrived = 0;
      g.here.assign(g.here.size(), false);
      ++g.calls;
      g.changed.notify_all();
      return;
    }
    bool const in_time =
        g.changed.wait_for(lock, g.options.limit, [&] { return g.calls != call || g.failure; });
    if (g.calls != call) return;
    if (!in_time) fail(own_offer.call, waited_in_vain());
    throw error(*g.failure);
  }

  void leave(std::unique_lock<std::mutex>& lock) const {
    group& g = *group_;
    auto const call = g.calls;
    if (++g.left == size()) {
      g.left = 0;
      ++g.calls;
      g.changed.notify_all();
      return;
    }
    g.changed.wait(lock, [&] { return g.calls != call; });
  }

  void expect_one_call(char const* call) const {
    for (int r = 0; r < size(); ++r) {
      std::string const theirs = group_->offers[r].call;
      if (theirs != call) {
        fail(call, ravel::detail::sentence("rank ", r, " calls ", theirs));
      }
    }
  }

  std::string waited_in_vain() const {
    std::string absent;
    for (int r = 0; r < size(); ++r) {
      if (!group_->here[r]) absent += (absent.empty() ? "" : ", ") + std::to_string(r);
    }
    return detail::waited(group_->options.limit, "rank " + absent);
  }

  /// Whether a rank sends what this one expects; if not, the group has failed.
  bool expect_bytes(char const* call, int sender, std::size_t bytes, std::size_t expected) const {
    if (bytes == expected) return true;
    std::lock_guard const lock(group_->mutex);
    set_failure(call, ravel::detail::sentence("rank ", sender, " sends ", bytes, " bytes, and ",
                                              expected, " are expected"));
    return false;
  }
  void set_failure(std::string const& call, std::string const& sentence) const {
    if (!group_->failure) group_->failure.emplace(rank_, call, sentence);
    group_->changed.notify_all();
  }
  [[noreturn]] void fail(std::string const& call, std::string const& sentence) const {
    set_failure(call, sentence);
    throw error(*group_->failure);
  }

  /// The delays and faults that a test plants.
  void disturb(char const* call) const {
    auto const& o = group_->options;
    if (o.longest_delay.count() > 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(
          std::uniform_int_distribution<long>(0, o.longest_delay.count())(own_->random)));
    }
    if (rank_ == o.faulty_rank && own_->calls++ == o.fault_at) abort(call, "a planted fault");
  }
};

/// Ranks whose sequences are in the memory of the host.
using in_process = in_process_ranks<host_space>;

/// Calls f(ranks) on `size` threads, one for each rank, and returns when all have returned.
///
/// Errors   An exception on one rank ends the calls of all; then `error` is thrown here, which names
///          that rank.
template <class Memory = host_space, class F>
void run_ranks(int size, F const& f, group_options const& options = {}) {
  auto const ranks = in_process_ranks<Memory>::group_of(size, options);
  auto const run = [&](in_process_ranks<Memory> const& rank) {
    try {
      detail::abort_on_exception(rank, "", [&] { f(rank); });
      // NOLINTNEXTLINE(bugprone-empty-catch): every rank has it
    } catch (error const&) {
    }
  };
  std::vector<std::thread> threads;
  for (auto const& rank : ranks) threads.emplace_back(run, std::cref(rank));
  for (auto& t : threads) t.join();
  if (auto const failure = ranks[0].failure()) throw error(*failure);
}

}  // namespace ravel::inline v0::distributed
