#pragma once

/// @file
/// Contexts: for how many instances a program runs at once, and which instance of
/// one context an instance of another belongs to.
///
/// A program begins at a root, with one instance.  Inside `each` the instances
/// are the elements of all sequences that are opened; inside a branch of `if_`
/// they are those that take it.  So contexts form a chain, and each instance of
/// a context belongs to one of every context above.

#include <ravel/core/concepts.hpp>
#include <ravel/core/cpu/memory_pool.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/flatten/errors.hpp>
#include <ravel/flatten/expression.hpp>
#include <ravel/flatten/stats.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/segment_forms.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ravel::inline v0::flattening {

/// Elements in the memory of an executor, shared by all who hold them.
template <class T>
struct held {
  std::shared_ptr<void const> owner;
  T* data = nullptr;
  index_t n = 0;

  held<T const> shared() const { return {owner, data, n}; }
  held slice(index_t first, index_t count) const { return {owner, data + first, count}; }
};
using indices_held = held<index_t const>;

/// Where values on the host have their memory: a pool of the thread, for as long as
/// there is a value.
inline std::shared_ptr<cpu::memory_pool> pool_of_this_thread() {
  thread_local std::weak_ptr<cpu::memory_pool> of_this_thread;
  auto pool = of_this_thread.lock();
  if (!pool) of_this_thread = pool = std::make_shared<cpu::memory_pool>();
  return pool;
}

template <class T, class Ex>
held<T> hold(Ex const& ex, index_t n) {
  index_t const bytes = n * index_t{sizeof(T)};
  auto const shared = [&](auto buffer) -> held<T> {
    using memory = counted_memory<decltype(buffer)>;
    auto const owner = std::make_shared<memory const>(std::move(buffer), bytes);
    return {owner, static_cast<T*>(owner->buffer.data()), n};
  };
  if constexpr (cpu::host_executor<Ex>) {
    return shared(cpu::memory_pool::block(pool_of_this_thread(), static_cast<std::size_t>(bytes)));
  } else {
    return shared(ex.template allocate<T>(n));
  }
}

/// A view of what is held, for a primitive.
template <class Ex, class T>
view<T, space_of_t<Ex>> seen_by(Ex const&, held<T> const& x) {
  return {x.data, x.n};
}

/// Who keeps the memory that an expression points to.
struct owners {
  std::vector<std::shared_ptr<void const>> all;

  void add(std::shared_ptr<void const> const& owner) {
    if (owner && std::find(all.begin(), all.end(), owner) == all.end()) all.push_back(owner);
  }
  void add(owners const& more) {
    for (auto const& owner : more.all) add(owner);
  }
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

struct through {
  spot first;
  RAVEL_HD index_t operator()(index_t i) const { return first(i); }
};

/// From the instances of one context to those of another, or to the elements that
/// they take.  No `way` at all is the identity.
///
/// It remembers what became of each map that it was put behind.
template <class Ex>
struct route {
  index_t n;  // how many instances
  spot at;
  std::shared_ptr<void const> owner;

  struct joined {
    index_t const* map;
    owners kept;  // so that no other map comes to lie where this one did
    spot at;
    std::shared_ptr<void const> owner;
  };
  mutable std::vector<joined> behind = {};

  /// The spots of a leaf that has `first` once its instances come by this route;
  /// what they are kept by is added to `keep`.
  spot after(Ex const& ex, spot first, owners const& kept, owners& keep) const {
    if (first.same_for_all()) return first;
    if (first.is_identity()) {
      keep.add(owner);
      return at;
    }
    if (at.map == nullptr && at.step == 0) return {first.map, 0};
    for (auto const& known : behind) {
      if (known.map == first.map) {
        keep.add(known.owner);
        return known.at;
      }
    }
    index_t const count = at.step == 0 ? std::min<index_t>(n, 1) : n;
    auto const map = hold<index_t>(ex, count);
    using maps = application<std::index_sequence<0>, through, place>;
    visit_indices(ex, count, evaluate<maps, index_t>{maps{{place{at}}, {first}}, map.data});
    spot const result{map.data, at.step};
    behind.push_back({first.map, kept, result, map.owner});
    keep.add(map.owner);
    return result;
  }
};
template <class Ex>
using way = std::shared_ptr<route<Ex> const>;

template <class Ex>
way<Ex> way_of(held<index_t const> const& map) {
  return std::make_shared<route<Ex> const>(route<Ex>{map.n, {map.data, 1}, map.owner});
}

/// The failures of one thread's programs on one kind of executor.
template <class Ex>
struct faults {
  held<fault_record> record;
  index_t written = 0;  // operations that may fail, since the record was last read

  explicit faults(Ex const& ex) : record(hold<fault_record>(ex, 1)) { clear(ex); }

  void clear(Ex const& ex) {
    fault_record const none;
    ex.copy(&none, record.data, 1);
    ex.wait();
    written = 0;
  }
};

struct tell_host {
  index_t const* from;
  fault_record* to;
  RAVEL_HD void operator()(index_t i) const { to->told[i] = from[i]; }
};

/// What all contexts of a program share.
template <class Ex>
struct machine {
  Ex ex;
  std::shared_ptr<faults<Ex>> failures;

  /// How the next operation that may fail tells of it.
  fault next_fault(fault_of what) const {
    index_t const order = std::min(failures->written++, fault_record::sequence_limit - 1);
    return {failures->record.data,
            (order << fault_record::operation_bits | static_cast<index_t>(what))
                << fault_record::instance_bits};
  }

  /// Waits, and throws if an instance has failed.
  void sync() const { told(); }

  /// Elements [0, N) of `from`, on the host.  Waits, and throws if an instance has
  /// failed.
  template <std::size_t N>
  std::array<index_t, N> read(index_t const* from) const {
    std::array<index_t, N> values;
    if constexpr (std::same_as<space_of_t<Ex>, host_space> || N > fault_record::room) {
      ex.copy(from, values.data(), N);
      sync();
    } else {
      for_each_index(ex, N, tell_host{from, failures->record.data});
      auto const seen = told();
      std::copy_n(seen.told, N, values.begin());
    }
    return values;
  }
  index_t read(index_t const* from, index_t i) const { return read<1>(from + i)[0]; }

 private:
  fault_record told() const {
    fault_record seen;
    ex.copy(failures->record.data, &seen, 1);
    ex.wait();
    if (seen.key != fault_record::none) {
      failures->clear(ex);
      throw_fault(seen);
    }
    return seen;
  }
};

/// Programs of one thread share their failures, so that whoever waits first is told.
template <class Ex>
std::shared_ptr<machine<Ex> const> machine_on(Ex const& ex) {
  thread_local std::weak_ptr<faults<Ex>> of_this_thread;
  auto failures = of_this_thread.lock();
  if (!failures) of_this_thread = failures = std::make_shared<faults<Ex>>(ex);
  return std::make_shared<machine<Ex> const>(machine<Ex>{ex, std::move(failures)});
}

/// What a leaf has for all of some instances, side by side.
struct copied_elements {
  void const* data;
  spot at;
  owners kept;  // so that no other leaf comes to have the same
  std::shared_ptr<void const> owner;
  void const* copy;

  /// The copy, if it is of the leaf that has `from` and is kept by `keep`.
  template <class T>
  static T const* find(std::vector<copied_elements> const& all, T const* from, spot of,
                       owners& keep) {
    for (auto const& known : all) {
      if (known.data != from || known.at != of) continue;
      keep.add(known.owner);
      return static_cast<T const*>(known.copy);
    }
    return nullptr;
  }
};

template <class Ex>
struct context;
template <class Ex>
using context_ptr = std::shared_ptr<context<Ex> const>;

template <class Ex>
struct context {
  std::shared_ptr<machine<Ex> const> on;
  context_ptr<Ex> up;    // null at a root
  index_t n;             // instances
  int level;             // contexts above
  indices_held offsets;  // of opened sequences: where the elements of each begin
  indices_held kept;     // of a branch: the instances of `up` that take it
  mutable std::optional<bool> covers_up = {};
  mutable std::vector<std::pair<context const*, way<Ex>>> ways = {};
  mutable std::vector<copied_elements> spread = {};  // scalars of `up`, for each instance here

  Ex const& ex() const { return on->ex; }

  bool is_branch() const { return up && offsets.data == nullptr; }
  /// Whether each instance of `up` has an instance here.
  bool covers() const;

  /// To the instances of `up`.
  way<Ex> to_up() const {
    auto const& ex = on->ex;
    if (up->n == 1) return std::make_shared<route<Ex> const>(route<Ex>{n, {nullptr, 0}, nullptr});
    if (is_branch()) return way_of<Ex>(kept);
    auto const segment = hold<index_t>(ex, n);
    if (n > 0) {
      count_step("instances of elements", n);
      segment_ids_of(ex, by_offsets(seen_by(ex, offsets)), seen_by(ex, segment));
    }
    return way_of<Ex>(segment.shared());
  }

  /// To the instances of `there`, which is this context or one above.
  way<Ex> to(context const* there) const {
    if (there == this || level == there->level) return nullptr;
    for (auto const& [known, found] : ways) {
      if (known == there) return found;
    }
    way<Ex> found;
    if (there->n == 1) {
      found = std::make_shared<route<Ex> const>(route<Ex>{n, {nullptr, 0}, nullptr});
    } else if (there == up.get()) {
      found = to_up();
    } else {
      auto const first = to(up.get());
      auto const rest = up->to(there);
      owners kept_by, keep;
      kept_by.add(rest->owner);
      spot const at = first->after(ex(), rest->at, kept_by, keep);
      found = std::make_shared<route<Ex> const>(
          route<Ex>{n, at, std::make_shared<owners const>(std::move(keep))});
    }
    ways.emplace_back(there, found);
    return found;
  }
};

/// The least instance for which bad(i) is not 0, or n.
template <class B>
struct first_bad {
  B bad;
  index_t n;
  RAVEL_HD index_t operator()(index_t i) const { return bad(i) ? i : n; }
};
struct no_instance {
  index_t n;
  RAVEL_HD index_t operator()() const { return n; }
};
struct store_index {
  index_t* to;
  RAVEL_HD void operator()(index_t x) const { *to = x; }
};
template <class Ex, class B>
index_t first_where(machine<Ex> const& on, index_t n, B bad) {
  if (n == 0) return 0;
  auto const found = hold<index_t>(on.ex, 1);
  count_step("check", n, text_of_type<B>());
  reduce_on(on.ex, n, first_bad<B>{bad, n}, minimum<index_t>{}, no_instance{n},
            store_index{found.data});
  return on.read(found.data, 0);
}

struct has_none {
  index_t const* offsets;
  RAVEL_HD bool operator()(index_t s) const { return offsets[s] == offsets[s + 1]; }
};

template <class Ex>
bool context<Ex>::covers() const {
  if (!covers_up) {
    if (is_branch()) {
      covers_up = n == up->n;
    } else if (n < up->n) {
      covers_up = false;
    } else {
      covers_up = first_where(*on, up->n, has_none{offsets.data}) == up->n;
    }
  }
  return *covers_up;
}

template <class Ex>
context_ptr<Ex> root_on(Ex const& ex) {
  return std::make_shared<context<Ex> const>(context<Ex>{machine_on(ex), nullptr, 1, 0, {}, {}});
}
template <class Ex>
context_ptr<Ex> opened_in(context_ptr<Ex> const& up, index_t n, indices_held offsets) {
  note_step("context: elements", n);
  return std::make_shared<context<Ex> const>(
      context<Ex>{up->on, up, n, up->level + 1, std::move(offsets), {}});
}
template <class Ex>
context_ptr<Ex> restricted_to(context_ptr<Ex> const& up, indices_held kept) {
  index_t const n = kept.n;
  note_step("context: branch", n);
  return std::make_shared<context<Ex> const>(
      context<Ex>{up->on, up, n, up->level + 1, {}, std::move(kept)});
}

/// The contexts that the calling thread is inside of, the innermost last.
template <class Ex>
inline thread_local std::vector<context_ptr<Ex>> entered;

/// Is inside a context for the time of its life.
template <class Ex>
class inside {
 public:
  explicit inside(context_ptr<Ex> c) {
    entered<Ex>.push_back(std::move(c));
    ++depth_of_program;
  }
  inside(inside const&) = delete;
  inside& operator=(inside const&) = delete;
  ~inside() {
    entered<Ex>.pop_back();
    --depth_of_program;
  }
};

template <class Ex>
context_ptr<Ex> above(context_ptr<Ex> c, int level) {
  while (c->level > level) c = c->up;
  return c;
}

}  // namespace ravel::inline v0::flattening
