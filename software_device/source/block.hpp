#pragma once

/// A thread block in software: fibres, their barriers and shuffles, and the bulk copies in flight.

#include <ravel/software_device/device.hpp>
#include "fibres.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace ravel::software {

/// Where the threads of a warp in `mask` exchange a word each.  Two consecutive exchanges use
/// separate words, so that a thread that is early at the second does not disturb one that is late
/// at the first.
struct meeting {
  unsigned mask = 0;
  std::array<unsigned, 2> arrived{};
  std::array<char const*, 2> what{};
  std::array<std::array<std::uint64_t, most_lanes>, 2> words{};
  std::array<unsigned char, most_lanes> turn{};
};

/// A barrier for any number of the threads of a block.
struct barrier {
  unsigned arrived = 0;
  unsigned generation = 0;
};

/// A bulk copy in flight.  It reads at some time, and writes at some later time.
struct errand {
  char* to;
  char const* from;
  std::size_t bytes;
  transaction_barrier* arrives_at;  // of a copy into shared memory
  unsigned thread, group;           // of a copy out of shared memory: the thread that waits for it
  unsigned delay = dice::roll(3) == 0 ? dice::roll(64) : 0;  // some are much later than others
  std::vector<char> read = {};
  bool written = false;

  void go_on() {
    if (delay > 0) {
      --delay;
    } else if (read.empty()) {
      read.assign(from, from + bytes);
    } else {
      std::copy(read.begin(), read.end(), to);
      written = true;
      if (arrives_at == nullptr) return;
      arrives_at->bytes -= static_cast<int>(bytes);
      arrives_at->end_phase_if_all_came();
    }
  }
};

/// A resident block.
struct block {
  fibres threads;
  unsigned id = 0;
  unsigned begun = 0;  // number of blocks of the launch that began before it
  unsigned width = 0;
  unsigned lanes = most_lanes;
  std::vector<std::vector<meeting>> warps;
  std::vector<unsigned> asleep;  // for so many passes, per warp
  std::array<barrier, 16> barriers;
  std::array<unsigned, 2> counts{};       // number of threads with a true predicate at a barrier
  std::vector<unsigned char> count_turn;  // the count that each thread uses
  bool others_may_go_on = false;
  std::vector<std::max_align_t> dynamic;
  std::vector<errand> errands;
  std::vector<unsigned> groups;  // per thread, committed groups of copies out of shared memory

  /// Dynamic shared memory, with the contents left by the previous block.
  char* dynamic_memory() {
    void* p = dynamic.data();
    std::size_t room = dynamic.size() * sizeof(std::max_align_t);
    return static_cast<char*>(std::align(128, 1, p, room));
  }

  void begin(unsigned which, shape const& of, std::function<void()> body) {
    unsigned const count = of.threads;
    id = which;
    dynamic.resize((of.shared_bytes + 256) / sizeof(std::max_align_t));
    width = count;
    lanes = of.lanes;
    warps.assign((count + lanes - 1) / lanes, {});
    asleep.assign(warps.size(), 0);
    barriers = {};
    counts = {};
    count_turn.assign(count, 0);
    errands.clear();
    groups.assign(count, 0);
    threads.start(count, std::move(body));
  }

  /// Advances some of the copies, in any order.  Returns whether one advanced.
  bool run_errands() {
    bool any = false;
    for (std::size_t k = 0; k < errands.size(); ++k) {
      if (dice::roll(3) != 0) continue;
      errands[k].go_on();
      any = true;
    }
    std::erase_if(errands, [](errand const& e) { return e.written; });
    return any;
  }

  /// The error in the copies still in flight when all threads have ended, if any.
  char const* left_over() const {
    for (errand const& e : errands) {
      if (e.arrives_at != nullptr)
        return "software device: a copy into shared memory that no thread awaits";
      if (e.read.empty())
        return "software device: a block ends whose shared memory is still copied out";
    }
    return nullptr;
  }

  bool has_shared(void const* p) const {
    auto* const first = reinterpret_cast<char const*>(dynamic.data());
    return first <= p && p < first + dynamic.size() * sizeof(std::max_align_t);
  }

  void wake_all() { std::fill(asleep.begin(), asleep.end(), 0); }

  /// Runs every warp that does not sleep, and every lane of it, in any order.  Some warps sleep for
  /// long, so that others run far ahead.
  void pass() {
    unsigned const first_warp = dice::roll(static_cast<unsigned>(warps.size()));
    for (unsigned k = 0; k < warps.size(); ++k) {
      unsigned const warp = (first_warp + k) % static_cast<unsigned>(warps.size());
      if (asleep[warp] > 0) {
        --asleep[warp];
        continue;
      }
      if (dice::roll(64) == 0) asleep[warp] = dice::roll(64);
      unsigned const first = dice::roll(lanes);
      unsigned const step = 2 * dice::roll(lanes / 2) + 1;
      for (unsigned l = 0; l < lanes; ++l) {
        unsigned const thread = warp * lanes + (first + l * step) % lanes;
        if (thread < width) threads.resume(thread);
        if (threads.thrown()) return;
      }
    }
  }
};

}  // namespace ravel::software
