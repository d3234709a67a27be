#pragma once

/// Opening: makes the elements of the sequences of all instances the instances of a
/// nested context.

#include <ravel/core/std_memory.hpp>
#include <ravel/flatten/context.hpp>
#include <ravel/flatten/errors.hpp>
#include <ravel/flatten/move.hpp>
#include <ravel/flatten/storage.hpp>
#include <ravel/primitives/balance.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/scan_visits.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ravel::inline v0::flattening {

/// A descriptor of dense sequences with n + 1 offsets.
template <class Ex>
descriptor_ptr<Ex> dense_rows(index_t n, index_t total, indices_held const& offsets) {
  return std::make_shared<descriptor<Ex> const>(
      descriptor<Ex>{n, total, offsets.slice(0, n + 1), offsets.slice(1, n), true});
}
/// A descriptor of n contiguous sequences of one length.
template <class Ex>
descriptor_ptr<Ex> uniform_rows(index_t n, index_t length) {
  return std::make_shared<descriptor<Ex> const>(
      descriptor<Ex>{n, n * length, {}, {}, true, {}, {}, length});
}
/// A descriptor of n sequences with these beginnings, `total` elements in all.
template <class Ex>
descriptor_ptr<Ex> rows_by(index_t n, index_t total, starts_held const& begins) {
  return begins.is_uniform() ? uniform_rows<Ex>(n, begins.length)
                             : dense_rows<Ex>(n, total, begins.offsets);
}

/// The beginnings of dense sequences.
template <class Ex>
starts starts_of(descriptor_ptr<Ex> const& d) {
  return {d->begins.data, d->uniform};
}

/// Makes the function that stores offsets in `out` without a check.
struct store_all_before {
  template <class T>
  ravel::detail::write_before<T> operator()(T* out) const {
    return {out};
  }
};

/// The offsets of n sequences of length(i) each, followed by their sum.  The result of store(to) is
/// called with i, the offset of sequence i, and the next offset, and stores the former in to[i].  The host
/// reads the sum next if there is a `publisher`.
template <class Ex, class E, class Store = store_all_before>
held<index_t> offsets_of_lengths(Ex const& ex, index_t n, E length, Store const& store = {},
                                 [[maybe_unused]] machine<Ex> const* publisher = nullptr) {
  auto const offsets = hold<index_t>(ex, n + 1);
  if (n == 0) {
    visit_indices(ex, 1, evaluate<constant<index_t>, index_t>{{0}, offsets.data});
  } else {
    count_step("offsets", n, text_of_type<E>());
    auto const total = [&] {
      index_t* const end = offsets.data + n;
      if constexpr (writes_to_host<Ex>) {
        return publisher ? publisher->total_to(end, n) : publish_total{end};
      } else {
        return store_index{end};
      }
    };
    scan_on(ex, n, length, store(offsets.data), plus<index_t>{},
            ravel::detail::seed_value<index_t>{0}, total());
  }
  return offsets;
}

// The value of an expression at all instances, if the host knows it to be uniform.

std::optional<index_t> known_number(auto const&) { return {}; }
template <class T>
std::optional<index_t> known_number(constant<T> const& x) {
  if constexpr (std::unsigned_integral<T>) {
    if (static_cast<std::uint64_t>(x.value) > std::uint64_t{bounds<index_t>::highest()}) return {};
  }
  return static_cast<index_t>(x.value);
}
inline std::optional<index_t> known_number(length_of const& x) {
  if (x.where.begins) return {};
  return x.where.uniform;
}
template <class E>
struct as_index {
  E e;
  RAVEL_HD index_t operator()(index_t i) const { return static_cast<index_t>(e(i)); }
};

/// Dense sequences of length(i) each.  Waits for the sum of the lengths, unless they are known.
template <class Ex, class E>
descriptor_ptr<Ex> rows_of_lengths(char const* call, machine<Ex> const& on, index_t n,
                                   E const& length) {
  auto const expect_countable = [&](bool is_countable) {
    if (is_countable) return;
    throw shape_error(sentence(call, ": the sequences of ", n,
                               " instances have more than 2^63 - 1 elements together"));
  };
  if (n == 0) return uniform_rows<Ex>(0, 0);
  if (auto const known = known_number(length)) {
    expect_countable(*known <= bounds<index_t>::highest() / n);
    return uniform_rows<Ex>(n, *known);
  }
  auto const offsets = offsets_of_lengths(on.ex, n, length, store_all_before{}, &on);
  index_t const total = on.read(offsets.data, n);
  expect_countable(total >= 0);
  return n == 1 ? uniform_rows<Ex>(1, total) : dense_rows<Ex>(n, total, offsets.shared());
}

/// The number of elements of the sequences that a conditional left to one of its branches, if those
/// of the other branches are known: the total less theirs.  Otherwise -1.
template <class Ex>
index_t left_by_other_branches(descriptor<Ex> const& d) {
  auto const whole = d.whole.lock();
  if (!whole || whole->total < 0) return -1;
  way<Ex> own_path;
  for (auto const& branch : whole->branches) {
    if (branch.rows.lock().get() == &d) own_path = branch.by.lock();
  }
  if (own_path == nullptr) return -1;
  index_t left = whole->total, instances = d.n;
  for (auto const& branch : whole->branches) {
    auto const path = branch.by.lock();
    auto const part = branch.rows.lock();
    if (!path || !part || path->owner != own_path->owner || path == own_path) continue;
    if (part->total < 0) return -1;
    left -= part->total;
    instances += part->n;
  }
  return instances == whole->n ? left : -1;
}

/// The number of elements of the sequences of d, if known; otherwise -1.
template <class Ex>
index_t known_total(descriptor<Ex> const& d) {
  if (d.total >= 0) return d.total;
  if (d.is_uniform()) return d.n * d.uniform;
  if (d.dense && d.base >= 0) return d.base;
  if (d.sum >= 0 || d.n == 0) return std::max(d.sum, index_t{0});
  return left_by_other_branches(d);
}

/// Determines where the sequences of d begin among their elements, and the number of these if it is
/// known without a wait; otherwise returns where it will be.
template <class Ex>
index_t const* begin_measuring(machine<Ex> const& on, descriptor<Ex> const& d) {
  if (d.total >= 0) return nullptr;
  index_t const known = known_total(d);
  if (d.is_uniform()) {
    d.starts = {{}, d.uniform};
  } else if (d.dense) {
    d.starts.offsets = d.begins;
  } else if (d.starts.offsets.data == nullptr) {
    d.starts.offsets =
        offsets_of_lengths(on.ex, d.n, length_of{d.where()}, store_all_before{}, &on).shared();
  }
  d.total = known;
  return known >= 0 ? nullptr : d.starts.offsets.data + d.n;
}
/// Determines, for each descriptor, the number of elements of its sequences, and where
/// those of each begin among them.  Waits once, unless all are known.  Returns the sum.
template <class Ex>
index_t measure_all(machine<Ex> const& on, std::vector<descriptor<Ex> const*> const& rows) {
  std::vector<descriptor<Ex> const*> unknown;
  std::vector<index_t const*> totals;
  for (auto const* d : rows) {
    if (auto const* const total = begin_measuring(on, *d)) {
      unknown.push_back(d);
      totals.push_back(total);
    }
  }
  std::vector<index_t> read(totals.size());
  on.read_all(totals, read.data());
  for (std::size_t k = 0; k < unknown.size(); ++k) unknown[k]->total = read[k];
  index_t sum = 0;
  for (auto const* d : rows) sum += d->total;
  return sum;
}
template <class Ex>
void measure(machine<Ex> const& on, descriptor<Ex> const& d) {
  if (auto const* const total = begin_measuring(on, d)) d.total = on.read(total, 0);
}

/// On the host slices b, of the lengths of a, begin among their elements as those do: no step finds where.
template <class Ex>
void measure_as(machine<Ex> const& on, descriptor<Ex> const& a, descriptor<Ex> const& b) {
  if constexpr (cpu::host_executor<Ex>) {
    if (a.is_uniform() || b.is_uniform() || b.dense || b.total >= 0) return;
    measure(on, a);
    b.starts = a.starts;
    b.total = a.total;
  }
}

/// The number of elements of a sequence, as its type is written: "4 * ".
template <class Ex>
std::string text_of_length(machine<Ex> const& on, descriptor<Ex> const& d) {
  measure(on, d);
  return std::to_string(d.total) += " * ";
}

/// A step over the elements of all sequences of d: visit(i, s, rank).
template <class Ex, class Visit>
void visit_elements(machine<Ex> const& on, descriptor<Ex> const& d, Visit visit) {
  measure(on, d);
  if (d.total == 0) return;
  count_step("map of elements", d.total, text_of_type<Visit>());
  for_each_in_segments(on.ex, d.total, segments_by(on.ex, d.starts, d.n), visit);
}

/// The context whose instances are the elements of the sequences d of all instances of `c`.
template <class Ex>
context_ptr<Ex> open(descriptor_ptr<Ex> const& d, context_ptr<Ex> const& c) {
  if (auto const known = d->opened.lock(); known && known->up == c) return known;
  measure(*c->on, *d);
  auto const inner = opened_in(c, d->total, d->starts, d->dense);
  d->opened = inner;
  if (d->is_kept_by_context) {
    keep_opened(c, inner);
  } else {
    d->inner = inner;
  }
  return inner;
}

/// The n + 1 offsets of sequences, in memory.
struct offset_at {
  starts begins;
  RAVEL_HD index_t operator()(index_t s) const { return begins[s]; }
};
indices_held offsets_in_memory(auto const& ex, starts_held const& begins, index_t n) {
  run_deferred_steps();
  if (!begins.is_uniform()) return begins.offsets;
  auto const offsets = hold<index_t>(ex, n + 1);
  visit_indices(ex, n + 1, evaluate<offset_at, index_t>{{begins.seen()}, offsets.data});
  return offsets.shared();
}
/// The beginning of the sequence that each instance of `inner` belongs to, among its elements.
template <class Ex>
cells<begin_of> begins_in(context_ptr<Ex> const& inner) {
  owners keep;
  keep.add(inner->begins.offsets.owner);
  index_t const* const offsets = inner->begins.offsets.data;
  return {{{offsets, offsets ? offsets + 1 : nullptr, inner->begins.length, {}}}, std::move(keep)};
}

struct write_element_place {
  index_t* to;
  extents where;
  RAVEL_HD void operator()(index_t i, index_t s, index_t rank) const {
    to[i] = where.begin(s) + rank;
  }
  /// Of short rows a whole vector, as what follows is written afterwards.
  void run(index_t i, index_t end, index_t last, index_t s, index_t rank) const {
    index_t const ahead = where.begin(s) + rank - i;
    constexpr index_t width = 8;
    if (last - i >= width) {
      for (index_t k = 0; k < width; ++k) to[i + k] = ahead + i + k;
      i += width;
    }
    for (; i < end; ++i) to[i] = ahead + i;
  }
};
template <class E, class T>
struct copy_element {
  E e;
  extents where;
  T* to;
  index_t rows = 0;  // of which the host prefetches those after the next few
  RAVEL_HD index_t of_segment(index_t s, index_t begin) const { return where.begin(s) - begin; }
  RAVEL_HD T load(index_t ahead, index_t i) const { return e(ahead + i); }
  RAVEL_HD void store(index_t, index_t i, T const& x) const { to[i] = x; }
  RAVEL_HD void operator()(index_t i, index_t s, index_t rank) const {
    to[i] = e(where.begin(s) + rank);
  }
  void run(index_t i, index_t end, index_t s, index_t rank) const {
    index_t const shift = where.begin(s) + rank - i;
    if constexpr (is_leaf<E>::value) {
      if (e.at.is_identity()) {
        constexpr index_t ahead = 8;
        if (s + ahead < rows) {
          auto const next = where(s + ahead);
          cpu::prefetch_line(reinterpret_cast<char const*>(e.data + next.begin));
          cpu::prefetch_line(reinterpret_cast<char const*>(e.data + next.end));
        }
        std::copy(e.data + shift + i, e.data + shift + end, to + i);
        return;
      }
    }
    for (; i < end; ++i) to[i] = e(shift + i);
  }
};

/// The deferred copy of the elements of sequences to one array.  in_place.hpp reads them instead
/// where they are.
template <class Ex, class T>
class deferred_copy final : public deferred_step {
  std::shared_ptr<machine<Ex> const> on_;
  std::shared_ptr<deferred_memory> memory_;

 public:
  descriptor_ptr<Ex> const rows;
  cells<leaf<T>> const from;
  T* const to;

  deferred_copy(std::shared_ptr<machine<Ex> const> on, std::shared_ptr<deferred_memory> memory,
                descriptor_ptr<Ex> d, cells<leaf<T>> elements, T* data)
      : on_(std::move(on)),
        memory_(std::move(memory)),
        rows(std::move(d)),
        from(std::move(elements)),
        to(data) {}

  void const* copy() const override { return memory_->now.expired() ? nullptr : to; }
  void take() override {
    auto const owner = memory_->now.lock();
    if (!owner) return;
    memory_->kept = owner;
    begin_to_use<T, Ex>(owner, to, rows->total);
    visit_elements(*on_, *rows, copy_element<leaf<T>, T>{from.e, rows->where(), to, rows->n});
  }
};

/// The way from the base array to the elements of all sequences of d.
template <class Ex>
way<Ex> const& way_to_elements(machine<Ex> const& on, descriptor<Ex> const& d) {
  if (!d.dense && !d.elements) {
    measure(on, d);
    auto const at = hold<index_t>(on.ex, d.total);
    visit_elements(on, d, write_element_place{at.data, d.where()});
    d.elements = way_of<Ex>(at.shared());
  }
  return d.elements;
}

template <class T>
concept no_larger_than_index = sizeof(T) <= sizeof(index_t);

/// The elements of x as instances of the context that it opens: uncopied if
/// they are dense.  Otherwise elements no larger than an index are copied, which
/// is less memory than their indices.
template <class Ex, class S>
S elements_of(context_ptr<Ex> const& c, ragged<Ex, S> const& x) {
  return moved(c->ex(), x.child, way_to_elements(*c->on, *x.d));
}
template <class Ex, class T>
cells<constant<T>> elements_of(context_ptr<Ex> const&, ragged<Ex, cells<constant<T>>> const& x) {
  return x.child;
}
template <class Ex, no_larger_than_index T>
cells<leaf<T>> elements_of(context_ptr<Ex> const& c, ragged<Ex, cells<leaf<T>>> const& x) {
  auto const& d = *x.d;
  auto const& e = x.child.e;
  if (d.dense || e.at.same_for_all()) return x.child;
  owners keep;
  if (auto const* known = copied_elements::find(d.copies, e.data, e.at, keep)) {
    return {{known, {}}, std::move(keep)};
  }
  measure(*c->on, d);
  auto const out = hold_unused<T>(c->ex(), d.total);
  auto const memory = std::make_shared<deferred_memory>(deferred_memory{out.owner});
  defer(std::make_shared<deferred_copy<Ex, T>>(c->on, memory, x.d, x.child, out.data));
  remember(d.copies, {e.data, e.at, x.child.keep, memory, out.data});
  keep.add(out.owner);
  return {{out.data, {}}, std::move(keep)};
}

struct subtracted;
/// The index of each element in its sequence, as a number less the one where the sequence begins.
/// F is `subtracted`.
template <class F>
using index_in_sequence = application<std::index_sequence<0, 1>, F, place, begin_of>;

struct write_rank {
  index_t* to;
  RAVEL_HD void operator()(index_t i, index_t, index_t rank) const { to[i] = rank; }
};
/// The indices of whole sequences, wherever these are: computed if all have one length, otherwise
/// written, which takes half the memory of a way to their elements and its composition.
template <class Ex, std::same_as<subtracted> F>
cells<index_in_sequence<F>> elements_of(context_ptr<Ex> const& c,
                                        ragged<Ex, cells<index_in_sequence<F>>> const& x) {
  auto const& d = *x.d;
  place const& number = static_cast<operand<0, place> const&>(x.child.e).e;
  extents const& base = static_cast<operand<1, begin_of> const&>(x.child.e).e.where;
  bool const are_whole = number.at.is_identity() && d.begins.data == base.begins &&
                         d.ends.data == base.ends && d.uniform == base.uniform;
  if (d.dense || d.elements || !are_whole) {
    return moved(c->ex(), x.child, way_to_elements(*c->on, d));
  }
  measure(*c->on, d);
  auto indices = x.child;
  auto& rank_at = static_cast<operand<0, place>&>(indices.e).e.at;
  auto& begins = static_cast<operand<1, begin_of>&>(indices.e).e.where;
  indices.keep = {};
  if (d.is_uniform() && spot::can_share(d.uniform, d.total)) {
    begins = {nullptr, nullptr, d.uniform, spot::shared_by(d.uniform)};
  } else {
    auto const ranks = hold<index_t>(c->ex(), d.total);
    visit_elements(*c->on, d, write_rank{ranks.data});
    rank_at = {ranks.data};
    begins = {nullptr, nullptr, 0, {}};
    indices.keep.add(ranks.owner);
  }
  return indices;
}

/// Makes sequences of the values at the instances of an opened context.
template <class Ex, class S>
ragged<Ex, S> close(context_ptr<Ex> const& inner, S const& s) {
  auto const d = rows_by<Ex>(inner->up->n, inner->n, inner->begins);
  d->opened = d->inner = inner;
  return {d, s};
}

}  // namespace ravel::inline v0::flattening
