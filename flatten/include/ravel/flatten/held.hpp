#pragma once

/// Memory of an executor with shared ownership, for the values of a program.

#include <ravel/core/cpu/memory_pool.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/core/std_algorithm.hpp>
#include <ravel/core/std_memory.hpp>
#include <ravel/flatten/archived.hpp>
#include <ravel/flatten/expression.hpp>
#include <ravel/flatten/stats.hpp>
#include <ravel/primitives/map.hpp>

#include <array>
#include <vector>

namespace ravel::inline v0::flattening {

/// Elements in the memory of an executor, with shared ownership.
template <class T>
struct held {
  std::shared_ptr<void const> owner;
  T* data = nullptr;
  index_t n = 0;

  held<T const> shared() const { return {owner, data, n}; }
  held slice(index_t first, index_t count) const { return {owner, data + first, count}; }
};
using indices_held = held<index_t const>;

/// The memory pool of values on the host: one for each thread, which lives as long as
/// any of its values.
std::shared_ptr<cpu::memory_pool> pool_of_this_thread();
#ifdef RAVEL_DEFINES_NESTED
RAVEL_NESTED std::shared_ptr<cpu::memory_pool> pool_of_this_thread() {
  thread_local std::weak_ptr<cpu::memory_pool> of_this_thread;
  auto pool = of_this_thread.lock();
  if (!pool) of_this_thread = pool = std::make_shared<cpu::memory_pool>();
  return pool;
}
#endif

template <class T, class Ex>
auto memory_for(Ex const& ex, index_t n) {
  if constexpr (cpu::host_executor<Ex>) {
    return cpu::memory_pool::block(pool_of_this_thread(), static_cast<std::size_t>(n) * sizeof(T));
  } else if constexpr (requires { ex.template allocate_pooled<T>(n); }) {
    return ex.template allocate_pooled<T>(n);
  } else {
    return ex.template allocate<T>(n);
  }
}
template <class T, class Ex>
using memory_of = counted_memory<decltype(memory_for<T>(std::declval<Ex const&>(), 0))>;

std::shared_ptr<void const> owner_of(auto memory) {
  void const* const data = memory.data();
  return {data ? data : "", std::move(memory)};  // an owner of no elements is not null either
}

/// Reports memory of the host to the listener.
template <class T, class Ex>
void note_memory([[maybe_unused]] T* data, [[maybe_unused]] index_t n) {
  if constexpr (cpu::host_executor<Ex> && std::is_trivially_copyable_v<T>) {
    if (listener) listener->allocated(data, n, sizeof(T), number_type_of<T>());
  }
}

template <class T, class Ex>
held<T> hold(Ex const& ex, index_t n) {
  expect_allowed(n * index_t{sizeof(T)});
  memory_of<T, Ex> memory(memory_for<T>(ex, n), n * index_t{sizeof(T)});
  auto* const data = static_cast<T*>(memory.data());
  note_memory<T, Ex>(data, n);
  return {owner_of(std::move(memory)), data, n};
}
/// Memory for a deferred step, which may never write it: not counted before begin_to_use, as the
/// kernel maps no pages before.
template <class T, class Ex>
held<T> hold_unused(Ex const& ex, index_t n) {
  memory_of<T, Ex> memory(memory_for<T>(ex, n), 0);
  auto* const data = static_cast<T*>(memory.data());
  return {owner_of(std::move(memory)), data, n};
}
template <class T, class Ex>
void begin_to_use(std::shared_ptr<void const> const& owner, T* data, index_t n) {
  std::get_deleter<memory_of<T, Ex>>(owner)->begin_to_count(n * index_t{sizeof(T)});
  note_memory<T, Ex>(data, n);
}

/// Where the elements of dense sequences begin, as held by the host: n + 1 offsets, or none if all
/// sequences are of one length.
struct starts_held {
  indices_held offsets = {};
  index_t length = 0;

  bool is_uniform() const { return offsets.data == nullptr; }
  starts seen() const { return {offsets.data, length}; }
};

/// A view of held memory, for a primitive.
template <class Ex, class T>
view<T, space_of_t<Ex>> seen_by(Ex const&, held<T> const& x) {
  return {x.data, x.n};
}

/// The segments of n sequences.
template <class Ex>
auto segments_by(Ex const&, starts_held const& where, index_t n) {
  return by_offsets_or_length(
      view<index_t const, space_of_t<Ex>>{where.offsets.data, where.is_uniform() ? 0 : n + 1}, n,
      where.length);
}

/// Calls f with the same segments, by offsets or of one length: a device has forms for both, where
/// elements are in memory.
template <class Ex, class F>
void with_segments(Ex const&, starts_held const& where, index_t n, F const& f) {
  if (where.is_uniform()) {
    f(uniform(n, where.length));
  } else {
    f(by_offsets(view<index_t const, space_of_t<Ex>>{where.offsets.data, n + 1}));
  }
}

/// The owners of the memory that an expression points to.  Most have one or two, which are copied
/// without an allocation: a step over few elements takes as long as some allocations.
///
/// Nothing of it is inlined where the archive is linked: each step copies some.
class owners {
  using owner = std::shared_ptr<void const>;
  std::array<owner, 2> few_ = {};
  std::vector<owner> many_ = {};  // all, if there are more

 public:
  owners() = default;
  explicit owners(owner const& one) { add(one); }
  owners(owners const& source);
  owners(owners&& source) noexcept;
  owners& operator=(owners const& source);
  owners& operator=(owners&& source) noexcept;
  ~owners();

  owner const* begin() const { return many_.empty() ? few_.data() : many_.data(); }
  owner const* end() const { return begin() + size(); }
  std::size_t size() const {
    if (!many_.empty()) return many_.size();
    return few_[0] == nullptr ? 0 : few_[1] == nullptr ? 1 : 2;
  }
  void add(owner const& one);
  void add(owners const& more);
  void drop(owner const& one);
};

/// `data` and what follows in its memory, to be updated in place, if its only owner is the only one
/// in `keep`, and it is memory of `hold`; otherwise none.
///
/// They get a new owner: what is remembered of the elements depends on the old one.
template <class Ex, class T>
held<T> taken(owners& keep, T const* data) {
  run_deferred_steps();
  if (keep.size() != 1 || keep.begin()->use_count() != 1) return {};
  auto* const memory = std::get_deleter<memory_of<T, Ex>>(*keep.begin());
  if (!memory) return {};
  auto* const first = static_cast<T*>(memory->data());
  index_t const offset = data - first, room = memory->bytes() / index_t{sizeof(T)};
  held<T> const result{owner_of(std::move(*memory)), first + offset, room - offset};
  keep = {};
  return result;
}

/// Weak references to the owners of the memory that an expression points to: a cache entry is valid
/// as long as all of them live, and keeps none alive.
class sources {
  std::vector<std::weak_ptr<void const>> all_;

 public:
  sources(owners const& kept);

  bool alive() const;
  owners kept() const;
};

#ifdef RAVEL_DEFINES_NESTED

RAVEL_NESTED owners::owners(owners const& source) = default;
RAVEL_NESTED owners::owners(owners&& source) noexcept = default;
RAVEL_NESTED owners& owners::operator=(owners const& source) = default;
RAVEL_NESTED owners& owners::operator=(owners&& source) noexcept = default;
RAVEL_NESTED owners::~owners() = default;

RAVEL_NESTED void owners::add(owner const& one) {
  if (one == nullptr || std::find(begin(), end(), one) != end()) return;
  if (auto const n = size(); n < few_.size()) {
    few_[n] = one;
    return;
  }
  if (many_.empty()) many_.assign(few_.begin(), few_.end());
  few_ = {};
  many_.push_back(one);
}
RAVEL_NESTED void owners::add(owners const& more) {
  for (auto const& one : more) add(one);
}
RAVEL_NESTED void owners::drop(owner const& one) {
  owners rest;
  for (auto const& kept : *this) {
    if (kept != one) rest.add(kept);
  }
  *this = std::move(rest);
}

RAVEL_NESTED sources::sources(owners const& kept) : all_(kept.begin(), kept.end()) {}
RAVEL_NESTED bool sources::alive() const {
  return std::none_of(all_.begin(), all_.end(), [](auto const& one) { return one.expired(); });
}
RAVEL_NESTED owners sources::kept() const {
  owners result;
  for (auto const& one : all_) result.add(one.lock());
  return result;
}

#endif

/// Adds a cache entry, and drops those with a dead owner.
template <class Remembered>
void remember(std::vector<Remembered>& entries, Remembered one) {
  std::erase_if(entries, [](Remembered const& known) { return !known.from.alive(); });
  entries.push_back(std::move(one));
}

/// Offsets from the number of an element to its source and to its destination.
struct from_to {
  index_t from, to;
};

/// A step over n elements, unless there are none.
template <class Ex, class Visit>
void visit_indices(Ex const& ex, index_t n, Visit visit) {
  if (n == 0) return;
  count_step("map", n, text_of_type<Visit>());
  for_each_index(ex, n, visit);
}

template <class E, class T>
struct evaluate {
  E e;
  T* out;
  RAVEL_HD void operator()(index_t i) const { out[i] = static_cast<T>(e(i)); }
};

/// Levels of recursions whose bodies are running: each holds the values of its body until it
/// returns.
inline thread_local index_t running_levels = 0;

/// x, of which the first n elements are used: a copy of these on the host, where a level of a
/// recursion would otherwise hold more than 1.5 times their memory while deeper levels run.
template <class T, class Ex>
held<T> fitted([[maybe_unused]] Ex const& ex, held<T> const& x, [[maybe_unused]] index_t n) {
  if constexpr (cpu::host_executor<Ex>) {
    if (running_levels > 0 && x.n - n > n / 2) {
      auto const out = hold<T>(ex, n);
      counted_steps.elements += n;
      for_each_index(ex, n, evaluate<leaf<T>, T>{{x.data, {}}, out.data});
      return out;
    }
  }
  return x;
}

}  // namespace ravel::inline v0::flattening
