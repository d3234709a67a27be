#include "recorder.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace ravel::trace {

namespace {

constexpr std::size_t most_threads = 1024;  // of a block

}  // namespace

std::size_t recorder::thread() const {
  return software::device::block() * most_threads + software::device::thread();
}

std::uint32_t recorder::leaf(std::int32_t number) {
  nodes_.push_back({});
  auto const id = static_cast<std::uint32_t>(nodes_.size() - 1);
  nodes_[id].result = value::made(number, id);
  nodes_[id].last = picture_.columns++;
  return id;
}

value recorder::combine(value a, value b, operation op) {
  software::unobserved const pause;
  std::size_t const t = thread();
  thread_state& here = state_[t];
  ++here.operations;
  ++picture_.work;
  std::int32_t const number = op(a.number, b.number);
  if (a.id() == 0) return value::made(number, b.id());
  if (b.id() == 0) return value::made(number, a.id());
  node made;
  made.result = value::made(number, static_cast<std::uint32_t>(nodes_.size()));
  made.left = a.id();
  made.right = b.id();
  made.last = nodes_[b.id()].last;
  made.depth = std::max(nodes_[a.id()].depth, nodes_[b.id()].depth) + 1;
  picture_.span = std::max(picture_.span, made.depth);
  nodes_.push_back(made);
  here.made.push_back(made.result.id());
  return made.result;
}

value recorder::compute(std::int32_t number, value of, value and_of) {
  software::unobserved const pause;
  node made;
  made.result = value::made(number, static_cast<std::uint32_t>(nodes_.size()));
  made.left = of.id();
  made.right = and_of.id();
  made.last = nodes_[of.id()].last;
  made.computed = number;
  nodes_.push_back(made);
  state_[thread()].made.push_back(made.result.id());
  return made.result;
}

recorder::place recorder::place_of(software::access const& a) {
  bool const shared = a.of == software::memory::shared;
  unsigned const block = shared ? software::device::block() : 0;
  auto* const at = static_cast<char const*>(a.at);
  for (std::size_t k = 0; k < arrays_.size(); ++k) {
    array const& each = arrays_[k];
    if (each.first <= at && at < each.first + each.bytes && each.is_shared == shared &&
        (!shared || each.block == block)) {
      if (each.name.empty()) return {unknown, 0};
      if (each.is_found && a.bytes == 16 && element_ < 16) {  // the word of a published value
        arrays_[k].name = "published";
        arrays_[k].element = 16;
      }
      return {k, static_cast<std::size_t>(at - each.first) / each.element};
    }
  }
  if (!shared) {
    // Scratch of the device begins at multiples of 256 bytes.
    constexpr std::size_t alignment = 256;
    if (a.bytes < sizeof(value)) return {unknown, 0};
    auto* const first = at - reinterpret_cast<std::uintptr_t>(at) % alignment;
    std::string const name = ++scratches_ > 1 ? "scratch " + std::to_string(scratches_) : "scratch";
    arrays_.push_back(
        {name, first, std::max(picture_.columns * element_, alignment), element_, 0, false, true});
    return place_of(a);
  }
  auto const variable = software::shared_variable_at(at);
  if (variable.first == nullptr || variable.bytes % element_ != 0) return {unknown, 0};
  for (std::size_t k = 0; k < arrays_.size();
       ++k) {  // of another launch, or on another host thread
    if (arrays_[k].is_shared && arrays_[k].block == block && arrays_[k].name == variable.name) {
      arrays_[k].first = variable.first;
      return place_of(a);
    }
  }
  arrays_.push_back({variable.name, variable.first, variable.bytes, element_, block, true});
  return place_of(a);
}

value recorder::read(place p) const {
  value v;
  array const& a = arrays_[p.array];
  std::memcpy(&v, a.first + p.index * a.element, sizeof(v));
  return v.id() < nodes_.size() ? v : value{};  // unwritten memory may happen to be marked
}

void recorder::accessed(software::access const& a) {
  place const p = place_of(a);
  if (p.array == unknown) return;
  thread_state& here = state_[thread()];
  auto& places = a.writes ? here.written : here.read;
  for (auto const& [q, v] : places) {
    if (q == p) return;
  }
  value const v = a.writes ? value{} : read(p);
  if (!a.writes && !v.is_marked()) return;
  places.push_back({p, v});
  bool const shared = a.of == software::memory::shared;
  ++(a.writes ? shared ? here.shared_stores : here.stores
     : shared ? here.shared_loads
              : here.loads);
}

/// From where a thread had a value in this frame.
std::optional<recorder::place> recorder::home(std::size_t t, std::uint32_t id) const {
  thread_state const& here = state_.at(t);
  for (auto const& [p, v] : here.read) {
    if (v.id() == id) return p;
  }
  if (held_.contains(register_of(t, id))) return register_of(t, id);
  for (auto const& p : held_) {
    bool const of_block = (p.index >> 32) / most_threads == t / most_threads;
    if (of_block && p == register_of(p.index >> 32, id)) return p;
  }
  auto const last = last_.find(id);
  if (last == last_.end()) return std::nullopt;
  return last->second;
}

/// The places from which a thread made a value in this frame, or copied it.
void recorder::add_sources(std::size_t t, std::uint32_t id, bool combined,
                           std::vector<source>& to) const {
  thread_state const& here = state_.at(t);
  if (std::find(here.made.begin(), here.made.end(), id) != here.made.end()) {
    if (nodes_[id].left != 0) add_sources(t, nodes_[id].left, true, to);
    if (nodes_[id].right != 0) add_sources(t, nodes_[id].right, true, to);
  } else if (auto const p = home(t, id)) {
    to.push_back({*p, combined});
  }
}

/// The threads of a warp have synchronised: what each read, made and wrote is now in its places.
void recorder::settle(std::size_t warp) {
  std::size_t const lanes = software::device::lanes();
  frame here_and_now;
  auto& changes = here_and_now.changes;
  std::size_t& clock = clock_[warp];
  for (std::size_t t = warp * lanes; t < (warp + 1) * lanes; ++t) {
    auto const found = state_.find(t);
    if (found == state_.end()) continue;
    thread_state& here = found->second;
    here_and_now.active.insert(t);
    here_and_now.operations += here.operations;
    here_and_now.loads += here.loads;
    here_and_now.stores += here.stores;
    here_and_now.shared_loads += here.shared_loads;
    here_and_now.shared_stores += here.shared_stores;
    std::set<std::uint32_t> used;  // by an operation or by a store
    for (auto const id : here.made) {
      used.insert(nodes_[id].left);
      used.insert(nodes_[id].right);
    }
    for (auto& [p, v] : here.written) {
      v = read(p);
      if (!v.is_marked()) continue;
      used.insert(v.id());
      change c{p, v, {}};
      if (v.id() != 0) {
        add_sources(t, v.id(), false, c.from);
      } else {
        for (auto const& [q, read] : here.read) {
          if (read.id() == 0 && q.array == p.array) c.from.push_back({q, false});
        }
      }
      changes.push_back(c);
    }
    // What a thread loaded or made, and has not used, is in its registers.
    auto const hold = [&](std::uint32_t id) {
      if (id == 0 || used.contains(id)) return;
      change c{register_of(t, id), nodes_[id].result, {}};
      add_sources(t, id, false, c.from);
      changes.push_back(c);
    };
    for (auto const& [p, v] : here.read) hold(v.id());
    for (auto const id : here.made) hold(id);
  }
  std::size_t seen = clock;
  for (change const& c : changes) {
    for (source const& from : c.from) {
      auto const put = put_.find(from.at);
      if (put != put_.end() && put->second.first == launch_)
        seen = std::max(seen, put->second.second);
    }
  }
  if (!changes.empty()) clock = seen + 1;
  for (std::size_t t = warp * lanes; t < (warp + 1) * lanes; ++t) state_.erase(t);
  for (change& c : changes) {
    if (c.at.array == registers) held_.insert(c.at);
    if (c.v.id() != 0) last_[c.v.id()] = c.at;
    put_[c.at] = {launch_, clock};
  }
  if (here_and_now.active.empty()) return;
  frame& to = frames_[{launch_, clock}];
  to.changes.insert(to.changes.end(), changes.begin(), changes.end());
  to.active.merge(here_and_now.active);
  to.operations += here_and_now.operations;
  to.loads += here_and_now.loads;
  to.stores += here_and_now.stores;
  to.shared_loads += here_and_now.shared_loads;
  to.shared_stores += here_and_now.shared_stores;
}

void recorder::begins(software::shape const&) {
  ++launch_;
  ++picture_.launches;
  clock_.clear();
  held_.clear();
}

void recorder::settle_block() {
  std::size_t const lanes = software::device::lanes();
  std::size_t const first = software::device::block() * most_threads / lanes;
  std::size_t const last = first + (software::device::threads() + lanes - 1) / lanes;
  std::size_t latest = 0;
  for (std::size_t warp = first; warp < last; ++warp) {
    settle(warp);
    latest = std::max(latest, clock_[warp]);
  }
  for (std::size_t warp = first; warp < last; ++warp) clock_[warp] = latest;
}

void recorder::synchronised() {
  software::unobserved const pause;
  settle_block();
  ++picture_.barriers;
}
void recorder::block_ends() { settle_block(); }

void recorder::exchanged(char const*, unsigned, std::uint64_t const*) {
  software::unobserved const pause;
  settle(thread() / software::device::lanes());
}

}  // namespace ravel::trace
