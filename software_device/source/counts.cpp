/// Counts of what kernels do, from the events that an observer receives.

#include <ravel/software_device/counts.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ravel::software {
namespace {

constexpr std::size_t segment = 32, banks = 32, word = 4;
counter* innermost = nullptr;

/// What the lanes of a warp access by one instruction, at once.
struct together {
  std::size_t bytes = 0;
  memory of = memory::global;
  std::vector<std::uintptr_t> at;
};

std::size_t segments_of(together const& a) {
  std::set<std::uintptr_t> touched;
  for (auto const p : a.at) {
    for (auto s = p / segment; s <= (p + a.bytes - 1) / segment; ++s) touched.insert(s);
  }
  return touched.size();
}

/// The passes over the banks: lanes whose words fill all banks once go together, and lanes that
/// read the same word share it.
std::pair<std::size_t, std::size_t> passes_and_conflicts_of(together const& a) {
  std::size_t const lanes = std::max<std::size_t>(1, banks * word / std::max(a.bytes, word));
  std::size_t passes = 0, least = 0;
  for (std::size_t first = 0; first < a.at.size(); first += lanes) {
    std::array<std::set<std::uintptr_t>, banks> words;
    for (std::size_t k = first; k < std::min(first + lanes, a.at.size()); ++k) {
      for (auto w = a.at[k] / word; w <= (a.at[k] + a.bytes - 1) / word; ++w)
        words[w % banks].insert(w);
    }
    std::size_t most = 0, distinct = 0;
    for (auto const& of_bank : words) {
      most = std::max(most, of_bank.size());
      distinct += of_bank.size();
    }
    passes += most;
    least += (distinct + banks - 1) / banks;
  }
  return {passes, passes - least};
}

}  // namespace

struct counter::state {
  using instruction = std::pair<void const*, std::size_t>;  // and which of its turns
  struct warp {
    std::map<instruction, together> open;
    std::map<std::pair<unsigned, void const*>, std::size_t> turns;  // of a thread
  };
  struct block {
    std::map<unsigned, warp> warps;
    std::size_t barriers = 0;
  };
  std::map<unsigned, block> blocks;
  std::size_t most_barriers = 0;

  static void settle(warp& w, counts& all) {
    for (auto const& [by, a] : w.open) {
      if (a.of == memory::global) {
        all.global.transactions += segments_of(a);
      } else {
        auto const [passes, conflicts] = passes_and_conflicts_of(a);
        all.shared.transactions += passes;
        all.bank_conflicts += conflicts;
      }
    }
    w = {};
  }
};

counter::counter() : state_(new state), before_(nullptr), outer_(innermost) {
  before_ = observe(this);
  innermost = this;
}
counter::~counter() {
  innermost = outer_;
  observe(before_);
  delete state_;
}

void counter::begins(shape const& of) {
  if (before_ != nullptr) before_->begins(of);
  ++all_.launches;
  *state_ = {};
}

void counter::ends() {
  if (before_ != nullptr) before_->ends();
  all_.steps += state_->most_barriers + 1;
}

void counter::block_ends() {
  if (before_ != nullptr) before_->block_ends();
  state::block& here = state_->blocks[device::block()];
  for (auto& [id, w] : here.warps) state::settle(w, all_);
  state_->most_barriers = std::max(state_->most_barriers, here.barriers);
  state_->blocks.erase(device::block());
}

void counter::synchronised() {
  if (before_ != nullptr) before_->synchronised();
  unobserved const pause;
  state::block& here = state_->blocks[device::block()];
  for (auto& [id, w] : here.warps) state::settle(w, all_);
  ++here.barriers;
  ++all_.barriers;
}

void counter::exchanged(char const* what, unsigned mask, std::uint64_t const* words) {
  if (before_ != nullptr) before_->exchanged(what, mask, words);
  unobserved const pause;
  ++all_.exchanges;
  unsigned const id = device::thread() / device::lanes();
  unsigned const lanes = std::min(device::lanes(), device::threads() - id * device::lanes());
  if (mask == ~0u >> (most_lanes - lanes))
    state::settle(state_->blocks[device::block()].warps[id], all_);
}

void counter::accessed(access const& a) {
  if (before_ != nullptr) before_->accessed(a);
  counts::of_memory& of = a.of == memory::global ? all_.global : all_.shared;
  ++(a.writes ? of.writes : of.reads);
  unsigned const thread = device::thread();
  state::warp& here = state_->blocks[device::block()].warps[thread / device::lanes()];
  together& group = here.open[{a.instruction, here.turns[{thread, a.instruction}]++}];
  group.bytes = a.bytes;
  group.of = a.of;
  group.at.push_back(reinterpret_cast<std::uintptr_t>(a.at));
}

void counter::copied(void const* to, void const* from, std::size_t bytes, bool to_shared) {
  if (before_ != nullptr) before_->copied(to, from, bytes, to_shared);
  ++(to_shared ? all_.global.reads : all_.global.writes);
  auto const at = reinterpret_cast<std::uintptr_t>(to_shared ? from : to);
  if (bytes > 0) all_.global.transactions += segments_of({bytes, memory::global, {at}});
}

void counter::operates(int depth) {
  for (counter* c = innermost; c != nullptr; c = c->outer_) {
    ++c->all_.work;
    if (depth > 0) c->all_.span = std::max(c->all_.span, static_cast<std::size_t>(depth));
  }
}

counts& counts::operator+=(counts const& c) {
  auto const add = [](of_memory& to, of_memory const& from) {
    to.reads += from.reads;
    to.writes += from.writes;
    to.transactions += from.transactions;
  };
  add(global, c.global);
  add(shared, c.shared);
  bank_conflicts += c.bank_conflicts;
  launches += c.launches;
  barriers += c.barriers;
  exchanges += c.exchanges;
  steps += c.steps;
  work += c.work;
  span += c.span;
  return *this;
}

std::string text_of(counts const& c) {
  auto const n = [](std::size_t x) { return std::to_string(x); };
  return "global memory   " + n(c.global.reads) + " reads, " + n(c.global.writes) + " writes, " +
         n(c.global.transactions) + " transactions of 32 bytes\nshared memory   " +
         n(c.shared.reads) + " reads, " + n(c.shared.writes) + " writes, " +
         n(c.shared.transactions) + " passes, of which " + n(c.bank_conflicts) +
         " for bank conflicts\nlaunches        " + n(c.launches) + "\nbarriers        " +
         n(c.barriers) + " of blocks, " + n(c.exchanges) + " exchanges in warps, " + n(c.steps) +
         " steps in turn\n";
}

}  // namespace ravel::software
