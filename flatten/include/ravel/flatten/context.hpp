#pragma once

/// Contexts: the number of instances for which a program runs at once, and the mapping
/// between the instances of nested contexts.
///
/// A program begins at a root, with one instance.  Inside `each` the instances
/// are the elements of all opened sequences; inside a branch of `if_`
/// they are the instances that take it.  So contexts form a chain, and each instance of
/// a context belongs to one instance of every context above.
///
/// Recursion makes chains of a million contexts.  No function here recurses on the host along a
/// chain, and looking up an ancestor takes O(log level) steps: each context has a `jump` besides
/// `up` (Myers,
/// "An applicative random-access stack", Information Processing Letters 17, 1983).

#include <ravel/core/std_memory.hpp>
#include <ravel/flatten/deferred.hpp>
#include <ravel/flatten/expression.hpp>
#include <ravel/flatten/held.hpp>
#include <ravel/flatten/machine.hpp>
#include <ravel/flatten/route.hpp>
#include <ravel/flatten/stats.hpp>
#include <ravel/primitives/segment_forms.hpp>

#include <iterator>
#include <optional>
#include <vector>

namespace ravel::inline v0::flattening {

/// A contiguous copy of a leaf's elements for some instances.
struct copied_elements {
  void const* data;
  spot at;
  sources from;  // owners of the leaf, whose address may be reused when they are gone
  std::shared_ptr<deferred_memory> memory;
  void const* copy;

  /// The copy of the leaf with `data` and `at`, if there is one; adds its owner to `keep`.
  template <class T>
  static T const* find(std::vector<copied_elements> const& copies, T const* data, spot at,
                       owners& keep) {
    for (auto const& known : copies) {
      if (known.data != data || known.at != at || !known.from.alive()) continue;
      auto const owner = known.memory->now.lock();
      if (!owner) continue;
      keep.add(owner);
      return static_cast<T const*>(known.copy);
    }
    return nullptr;
  }
};

/// The elements of opened sequences that compare with a pivot in one of some orders.
struct known_part {
  void const* type;  // identifies the type of elements
  void const* elements;
  unsigned orders;
  std::shared_ptr<void const> found;  // the sequences, and the pivots
};

template <class Ex>
struct context;
template <class Ex>
using context_ptr = std::shared_ptr<context<Ex> const>;

/// Values moved to the instances of a context from contexts above it: sequences as those
/// instances see them, with copies of their elements, and scalars copied for each instance.
///
/// The operations in the context share these.  They are dropped when the context is destroyed; when
/// their sources have been destroyed and something else is moved; and, for the whole thread, when
/// the
/// outermost lambda of a program returns: between programs only variables hold memory.
template <class Ex>
class moved_values {
  struct sequences {
    sources from;
    std::shared_ptr<void const> moved;
  };

  std::vector<sequences> sequences_;
  std::vector<copied_elements> scalars_;
  moved_values* next_ = nullptr;   // in the list of the thread
  moved_values** link_ = nullptr;  // what points to this there; null if it is not listed

  static moved_values*& first();
  void enlist();
  void unlist();

 public:
  moved_values() = default;
  moved_values(moved_values const&) {}  // a new context has no moved values
  moved_values& operator=(moved_values const&) = delete;
  ~moved_values();

  std::vector<copied_elements> const& scalars() const { return scalars_; }
  void keep_scalar(copied_elements copied);
  void keep_sequences(std::shared_ptr<void const> const& original,
                      std::shared_ptr<void const> const& moved);

  void drop();
  /// Drops the moved values of all programs of this thread.
  static void drop_all();
};

// Defined outside of the class, and so not inline: programs that link the archive do not instantiate them.

template <class Ex>
moved_values<Ex>*& moved_values<Ex>::first() {
  thread_local moved_values* of_this_thread = nullptr;
  return of_this_thread;
}
template <class Ex>
void moved_values<Ex>::enlist() {
  if (link_) return;
  link_ = &first();
  next_ = std::exchange(*link_, this);
  if (next_) next_->link_ = &next_;
}
template <class Ex>
void moved_values<Ex>::unlist() {
  if (!link_) return;
  *link_ = next_;
  if (next_) next_->link_ = link_;
  link_ = nullptr;
}
template <class Ex>
moved_values<Ex>::~moved_values() {
  unlist();
}
template <class Ex>
void moved_values<Ex>::keep_scalar(copied_elements copied) {
  enlist();
  remember(scalars_, std::move(copied));
}
template <class Ex>
void moved_values<Ex>::keep_sequences(std::shared_ptr<void const> const& original,
                                      std::shared_ptr<void const> const& moved) {
  for (auto const& known : sequences_) {
    if (known.moved == moved) return;
  }
  enlist();
  remember(sequences_, {owners{original}, moved});
}
template <class Ex>
void moved_values<Ex>::drop() {
  sequences_.clear();
  scalars_.clear();
}
template <class Ex>
void moved_values<Ex>::drop_all() {
  std::vector<std::pair<std::vector<sequences>, std::vector<copied_elements>>> dropped;
  while (auto* const entry = first()) {
    entry->unlist();
    dropped.emplace_back(std::move(entry->sequences_), std::move(entry->scalars_));
    entry->sequences_.clear();
    entry->scalars_.clear();
  }
}

template <class Ex>
struct context {
  std::shared_ptr<machine<Ex> const> on;
  mutable context_ptr<Ex> up;  // null at a root
  index_t n;                   // instances
  int level;                   // contexts above
  starts_held begins;          // the beginnings of opened sequences
  bool is_branch = false;
  indices_held kept = {};                        // of a branch: the instances of `up` that take it
  mutable context_ptr<Ex> jump = jump_from(up);  // `up` or further up; null at a root
  mutable std::optional<bool> covers_up = {};
  mutable std::optional<bool> covers_to_jump = {};
  mutable std::vector<std::pair<context const*, way<Ex>>> ways = {};
  mutable moved_values<Ex> moved = {};
  mutable std::vector<known_part> parts = {};  // of splits by comparisons

  Ex const& ex() const { return on->ex; }

  /// Releases ancestors with no other owner iteratively: nested destructor calls
  /// would overflow the stack.
  ~context();

  /// Whether each instance of `up` has an instance here.
  bool covers() const;
  /// Whether each instance of `jump` has an instance here.  Evaluates `covers` for contexts from
  /// here upwards, up to the first that returns false.
  bool covers_jump() const {
    if (!covers_to_jump) {
      covers_to_jump = covers() && (jump == up || (up->covers_jump() && up->jump->covers_jump()));
    }
    return *covers_to_jump;
  }

  /// The way to the instances of `up`.
  way<Ex> to_up() const;

  /// The way to the instances of `target`, which is this context or one above.
  way<Ex> to(context const* target) const;

 private:
  /// The way to `target`, above this context, if it is known without composing; otherwise null.
  way<Ex> known_way(context const* target) const;
  way<Ex> to_only_instance() const {
    return std::make_shared<route<Ex> const>(route<Ex>{n, {nullptr, 0}, nullptr});
  }
  /// The jump of a context below `up`, chosen so that any level is reached in O(log level) jumps.
  static context_ptr<Ex> jump_from(context_ptr<Ex> const& up) {
    if (!up || up->level < 2) return up;
    auto const& first = up->jump;
    if (first->level == 0 || up->level - first->level != first->level - first->jump->level) {
      return up;
    }
    return first->jump;
  }
};

struct has_none {
  index_t const* offsets;
  RAVEL_HD bool operator()(index_t s) const { return offsets[s] == offsets[s + 1]; }
};

template <class Ex>
context<Ex>::~context() {
  jump.reset();
  while (up && up.use_count() == 1) {
    up->jump.reset();
    up = context_ptr<Ex>(std::move(up->up));
  }
}

/// The number of the sequence of each of n elements of sequences that begin so.
held<index_t> sequence_of_each(auto const& ex, starts_held const& begins, index_t sequences,
                               index_t n) {
  auto const numbers = hold<index_t>(ex, n);
  if (n > 0) {
    count_step("instances of elements", n);
    segment_ids_of(ex, segments_by(ex, begins, sequences), seen_by(ex, numbers));
  }
  return numbers;
}

template <class Ex>
way<Ex> context<Ex>::to_up() const {
  auto const& ex = on->ex;
  if (up->n == 1) return to_only_instance();
  if (is_branch) {
    return std::make_shared<route<Ex> const>(route<Ex>{n, {kept.data, 1}, kept.owner, true});
  }
  if (begins.is_uniform()) {
    index_t const length = begins.length;
    if (length == 1) return std::make_shared<route<Ex> const>(route<Ex>{n, {}, nullptr});
    if (spot::can_share(length, n)) {
      return std::make_shared<route<Ex> const>(route<Ex>{n, spot::shared_by(length), nullptr});
    }
  }
  return way_of<Ex>(sequence_of_each(ex, begins, up->n, n).shared());
}

template <class Ex>
way<Ex> context<Ex>::to(context const* target) const {
  if (target == this || level == target->level) return nullptr;
  refusing_steps const none(false);     // these depend on contexts only
  std::vector<context const*> between;  // contexts with no known way from them yet
  context const* c = this;
  way<Ex> found = c->known_way(target);
  while (!found) {
    between.push_back(c);
    c = c->up.get();
    found = c->known_way(target);
  }
  for (; !between.empty(); between.pop_back()) {
    c = between.back();
    auto const first = c->known_way(c->up.get());
    owners kept_by, keep;
    kept_by.add(found->owner);
    spot const at = first->after(ex(), found->at, kept_by, keep);
    found = std::make_shared<route<Ex> const>(
        route<Ex>{c->n, at, std::make_shared<owners const>(std::move(keep))});
    c->ways.emplace_back(target, found);
  }
  return found;
}

template <class Ex>
way<Ex> context<Ex>::known_way(context const* target) const {
  for (auto const& [known, found] : ways) {
    if (known == target) return found;
  }
  if (target->n != 1 && target != up.get()) return nullptr;
  return ways.emplace_back(target, target->n == 1 ? to_only_instance() : to_up()).second;
}

template <class Ex>
bool context<Ex>::covers() const {
  if (!covers_up) {
    if (is_branch) {
      covers_up = n == up->n;
    } else if (n < up->n) {
      covers_up = false;
    } else if (begins.is_uniform()) {
      covers_up = begins.length > 0 || up->n == 0;
    } else {
      covers_up = first_where(*on, up->n, has_none{begins.offsets.data}) == up->n;
    }
  }
  return *covers_up;
}

template <class Ex>
context_ptr<Ex> root_on(Ex const& ex) {
  return std::make_shared<context<Ex> const>(context<Ex>{machine_on(ex), nullptr, 1, 0, {}});
}
/// The context of the elements of sequences, either dense or slices.
template <class Ex>
context_ptr<Ex> opened_in(context_ptr<Ex> const& up, index_t n, starts_held begins, bool dense) {
  note_step(up->n == 1            ? "context: elements"
            : begins.is_uniform() ? "context: elements, of one length"
            : dense               ? "context: elements, by offsets"
                                  : "context: elements, of slices",
            n);
  return std::make_shared<context<Ex> const>(
      context<Ex>{up->on, up, n, up->level + 1, std::move(begins)});
}
template <class Ex>
context_ptr<Ex> restricted_to(context_ptr<Ex> const& up, indices_held kept) {
  index_t const n = kept.n;
  note_step("context: branch", n);
  return std::make_shared<context<Ex> const>(
      context<Ex>{up->on, up, n, up->level + 1, {}, true, std::move(kept)});
}

/// A context that is being executed, and the contexts of sequences moved to it that it has
/// opened: the sequences do not own these, since the context owns the sequences.
template <class Ex>
struct entered_context {
  context_ptr<Ex> c;
  std::vector<context_ptr<Ex>> opened = {};
};

/// The contexts that the calling thread is executing, innermost last.  In a function, as g++ 12
/// under nvcc rejects a second thread_local variable with a constructor.
template <class Ex>
std::vector<entered_context<Ex>>& entered() {
  thread_local std::vector<entered_context<Ex>> contexts;
  return contexts;
}

/// Keeps `opened`, a context below c, while c is executed.  A context may be entered several times,
/// as by a branch that all instances take: the innermost keeps it.
template <class Ex>
void keep_opened(context_ptr<Ex> const& c, context_ptr<Ex> const& opened) {
  auto& contexts = entered<Ex>();
  auto const is_above = [](int level, auto const& one) { return level < one.c->level; };
  auto const end = std::upper_bound(contexts.begin(), contexts.end(), c->level, is_above);
  if (end == contexts.begin()) return;
  auto& entry = *std::prev(end);
  if (entry.c == c) entry.opened.push_back(opened);
}

/// Marks a context as executing during its lifetime.
template <class Ex>
class inside {
 public:
  explicit inside(context_ptr<Ex> c);
  inside(inside const&) = delete;
  inside& operator=(inside const&) = delete;
  ~inside();
};

template <class Ex>
inside<Ex>::inside(context_ptr<Ex> c) {
  entered<Ex>().push_back({std::move(c)});
  ++depth_of_program;
}
template <class Ex>
inside<Ex>::~inside() {
  entered<Ex>().pop_back();
  --depth_of_program;
  if (entered<Ex>().empty()) moved_values<Ex>::drop_all();
}

/// The ancestor of c, or c itself, at that level.  O(log c->level).
template <class Ex>
context_ptr<Ex> const& above(context_ptr<Ex> const& c, int level) {
  auto const* at = &c;
  while ((*at)->level > level) at = (*at)->jump->level < level ? &(*at)->up : &(*at)->jump;
  return *at;
}
/// The highest context from c up to `level` whose instances all have instances in c.
template <class Ex>
context_ptr<Ex> const& covered_above(context_ptr<Ex> const& c, int level) {
  auto const* at = &c;
  while ((*at)->level > level) {
    if ((*at)->jump->level >= level && (*at)->covers_jump()) {
      at = &(*at)->jump;
    } else if ((*at)->covers()) {
      at = &(*at)->up;
    } else {
      break;
    }
  }
  return *at;
}

}  // namespace ravel::inline v0::flattening
