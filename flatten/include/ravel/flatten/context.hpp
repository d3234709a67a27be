#pragma once

/// @file
/// Contexts: for how many instances a program runs at once, and which instance of
/// one context an instance of another belongs to.
///
/// A program begins at a root, with one instance.  Inside `each` the instances
/// are the elements of all sequences that are opened; inside a branch of `if_`
/// they are those that take it.  So contexts form a chain, and each instance of
/// a context belongs to one of every context above.
///
/// Recursion makes chains of a million contexts.  Nothing here walks a chain by host recursion, and
/// a look-up of an ancestor takes O(log level) steps: each context has a `jump` besides `up` (Myers,
/// "An applicative random-access stack", Information Processing Letters 17, 1983).

#include <ravel/core/concepts.hpp>
#include <ravel/flatten/expression.hpp>
#include <ravel/flatten/held.hpp>
#include <ravel/flatten/late.hpp>
#include <ravel/flatten/machine.hpp>
#include <ravel/flatten/route.hpp>
#include <ravel/flatten/stats.hpp>
#include <ravel/primitives/segment_forms.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ravel::inline v0::flattening {

/// What a leaf has for all of some instances, side by side.
struct copied_elements {
  void const* data;
  spot at;
  sources from;  // of the leaf: another may have the same data and spot once they are gone
  std::shared_ptr<late_memory> memory;
  void const* copy;

  /// The copy of the leaf that has `data` and `at`, if there is one: then `keep` keeps it.
  template <class T>
  static T const* find(std::vector<copied_elements> const& all, T const* data, spot at,
                       owners& keep) {
    for (auto const& known : all) {
      if (known.data != data || known.at != at || !known.from.alive()) continue;
      auto const owner = known.memory->now.lock();
      if (!owner) continue;
      keep.add(owner);
      return static_cast<T const*>(known.copy);
    }
    return nullptr;
  }
};

/// Elements of opened sequences that have one of some orders to what each is compared with.
struct known_part {
  void const* type;  // of elements
  void const* elements;
  unsigned orders;
  std::shared_ptr<void const> found;  // the sequences of them, and what they were compared with
};

template <class Ex>
struct context;
template <class Ex>
using context_ptr = std::shared_ptr<context<Ex> const>;

/// What was moved to the instances of a context from contexts above it: sequences as those
/// instances see them, with copies of their elements, and scalars copied for each instance.
///
/// The operations in the context share these.  They are dropped when the context dies, when what
/// they were made of has died and something else is moved, and, all of a thread's, when the
/// outermost lambda of a program returns: between programs only variables hold memory.
template <class Ex>
class moved_values {
  struct sequences {
    sources from;
    std::shared_ptr<void const> moved;
  };
  using list = std::list<moved_values*>;

  std::vector<sequences> sequences_;
  std::vector<copied_elements> scalars_;
  std::optional<typename list::iterator> place_;

  static list& all() {
    thread_local list of_this_thread;
    return of_this_thread;
  }
  void enlist() {
    if (!place_) place_ = all().insert(all().end(), this);
  }

 public:
  moved_values() = default;
  moved_values(moved_values const&) {}  // of a new context, to which nothing was moved
  moved_values& operator=(moved_values const&) = delete;
  ~moved_values() {
    if (place_) all().erase(*place_);
  }

  std::vector<copied_elements> const& scalars() const { return scalars_; }
  void keep_scalar(copied_elements copied) {
    enlist();
    remember(scalars_, std::move(copied));
  }
  void keep_sequences(std::shared_ptr<void const> const& from,
                      std::shared_ptr<void const> const& moved) {
    for (auto const& known : sequences_) {
      if (known.moved == moved) return;
    }
    enlist();
    remember(sequences_, {owners{{from}}, moved});
  }

  void drop() {
    sequences_.clear();
    scalars_.clear();
  }
  /// Drops what was moved in any program of this thread.
  static void drop_all() {
    std::vector<std::pair<std::vector<sequences>, std::vector<copied_elements>>> dropped;
    for (auto* const of : std::exchange(all(), {})) {
      of->place_.reset();
      dropped.emplace_back(std::move(of->sequences_), std::move(of->scalars_));
      of->sequences_.clear();
      of->scalars_.clear();
    }
  }
};

template <class Ex>
struct context {
  std::shared_ptr<machine<Ex> const> on;
  mutable context_ptr<Ex> up;  // null at a root
  index_t n;                   // instances
  int level;                   // contexts above
  starts_held begins;          // of opened sequences: where the elements of each begin
  bool is_branch = false;
  indices_held kept = {};                        // of a branch: the instances of `up` that take it
  mutable context_ptr<Ex> jump = jump_from(up);  // `up` or further up; null at a root
  mutable std::optional<bool> covers_up = {};
  mutable std::optional<bool> covers_to_jump = {};
  mutable std::vector<std::pair<context const*, way<Ex>>> ways = {};
  mutable moved_values<Ex> moved = {};
  mutable std::vector<known_part> parts = {};  // of splits by comparisons

  Ex const& ex() const { return on->ex; }

  /// Releases the ancestors that no other context keeps, one after the other: destructors that
  /// call each other would overflow the stack.
  ~context() {
    jump.reset();
    while (up && up.use_count() == 1) {
      up->jump.reset();
      up = context_ptr<Ex>(std::move(up->up));
    }
  }

  /// Whether each instance of `up` has an instance here.
  bool covers() const;
  /// Whether each instance of `jump` has one here.  Evaluates `covers` for contexts from here upwards, up
  /// to the first that returns false.
  bool covers_jump() const {
    if (!covers_to_jump) {
      covers_to_jump = covers() && (jump == up || (up->covers_jump() && up->jump->covers_jump()));
    }
    return *covers_to_jump;
  }

  /// To the instances of `up`.
  way<Ex> to_up() const {
    auto const& ex = on->ex;
    if (up->n == 1) return to_only_instance();
    if (is_branch) {
      return std::make_shared<route<Ex> const>(route<Ex>{n, {kept.data, 1}, kept.owner, true});
    }
    if (begins.is_uniform()) {
      index_t const each = begins.length;
      if (each == 1) return std::make_shared<route<Ex> const>(route<Ex>{n, {}, nullptr});
      if (spot::can_share(each, n)) {
        return std::make_shared<route<Ex> const>(route<Ex>{n, spot::shared_by(each), nullptr});
      }
    }
    auto const segment = hold<index_t>(ex, n);
    if (n > 0) {
      count_step("instances of elements", n);
      segment_ids_of(ex, segments_by(ex, begins, up->n), seen_by(ex, segment));
    }
    return way_of<Ex>(segment.shared());
  }

  /// To the instances of `there`, which is this context or one above.
  way<Ex> to(context const* there) const {
    if (there == this || level == there->level) return nullptr;
    std::vector<context const*> between;  // contexts that no way from is known of yet
    context const* c = this;
    way<Ex> found = c->known_way(there);
    while (!found) {
      between.push_back(c);
      c = c->up.get();
      found = c->known_way(there);
    }
    for (; !between.empty(); between.pop_back()) {
      c = between.back();
      auto const first = c->known_way(c->up.get());
      owners kept_by, keep;
      kept_by.add(found->owner);
      spot const at = first->after(ex(), found->at, kept_by, keep);
      found = std::make_shared<route<Ex> const>(
          route<Ex>{c->n, at, std::make_shared<owners const>(std::move(keep))});
      c->ways.emplace_back(there, found);
    }
    return found;
  }

 private:
  /// The way to `there`, above this context, if it takes no other; otherwise null.
  way<Ex> known_way(context const* there) const {
    for (auto const& [known, found] : ways) {
      if (known == there) return found;
    }
    if (there->n != 1 && there != up.get()) return nullptr;
    return ways.emplace_back(there, there->n == 1 ? to_only_instance() : to_up()).second;
  }
  way<Ex> to_only_instance() const {
    return std::make_shared<route<Ex> const>(route<Ex>{n, {nullptr, 0}, nullptr});
  }
  /// The jump of a context below `up`: so that jumps reach any level in O(log level).
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
/// The context of the elements of sequences, which are dense or are slices.
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

/// A context that a program is inside of, and the contexts of sequences moved to it that it has
/// opened: the sequences do not keep these, since the context keeps the sequences.
template <class Ex>
struct entered_context {
  context_ptr<Ex> c;
  std::vector<context_ptr<Ex>> opened = {};
};

/// The contexts that the calling thread is inside of, the innermost last.  In a function, since g++ 12
/// behind nvcc refuses a second variable of threads that has a constructor.
template <class Ex>
std::vector<entered_context<Ex>>& entered() {
  thread_local std::vector<entered_context<Ex>> contexts;
  return contexts;
}

/// Keeps `opened`, a context below c, for as long as the program is inside of c.
template <class Ex>
void keep_opened(context_ptr<Ex> const& c, context_ptr<Ex> const& opened) {
  auto& contexts = entered<Ex>();
  auto const at = static_cast<std::size_t>(c->level) - 1;  // of a root there is none
  if (at < contexts.size() && contexts[at].c == c) contexts[at].opened.push_back(opened);
}

/// Is inside a context for the time of its life.
template <class Ex>
class inside {
 public:
  explicit inside(context_ptr<Ex> c) {
    entered<Ex>().push_back({std::move(c)});
    ++depth_of_program;
  }
  inside(inside const&) = delete;
  inside& operator=(inside const&) = delete;
  ~inside() {
    entered<Ex>().pop_back();
    --depth_of_program;
    if (entered<Ex>().empty()) moved_values<Ex>::drop_all();
  }
};

/// The context of that level that c is or is below of.  O(log c->level).
template <class Ex>
context_ptr<Ex> const& above(context_ptr<Ex> const& c, int level) {
  auto const* at = &c;
  while ((*at)->level > level) at = (*at)->jump->level < level ? &(*at)->up : &(*at)->jump;
  return *at;
}
/// The furthest context from c up to `level` whose instances all have instances in c.
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
