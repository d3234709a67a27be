#pragma once

/// Pick: the flagged elements of every sequence, in order.

#include <ravel/core/std_memory.hpp>
#include <ravel/flatten/comparisons.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/each.hpp>
#include <ravel/flatten/lift.hpp>
#include <ravel/flatten/pending.hpp>
#include <ravel/flatten/straight.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/segmented_pack.hpp>

namespace ravel::inline v0 {
namespace flattening {

struct put_kept {
  index_t* to;
  RAVEL_HD void operator()(index_t i, index_t place) const { to[place] = i; }
};
template <class E, class T = typename E::value_type>
struct put_kept_value {
  E e;
  T* to;
  RAVEL_HD T take(index_t i) const { return e(i); }
  RAVEL_HD void put(T const& x, index_t place) const { to[place] = x; }
  RAVEL_HD void operator()(index_t i, index_t place) const { put(take(i), place); }
};
/// Where sequences begin, or the only one of n elements ends.
struct put_offset {
  index_t* to;
  RAVEL_HD void operator()(index_t s, index_t begin) const { to[s] = begin; }
  RAVEL_HD void operator()(index_t n) const {
    to[0] = 0;
    to[1] = n;
  }
};
/// The same, and publishes to the host where the last one ends.
struct put_offset_and_publish {
  index_t* to;
  publish_total end;
  RAVEL_HD void operator()(index_t s, index_t begin) const {
    if (to + s == end.to) {
      end(begin);
    } else {
      to[s] = begin;
    }
  }
  RAVEL_HD void operator()(index_t n) const {
    to[0] = 0;
    end(n);
  }
};

/// Stores where the sequences that are packed from `inner` begin, of which the host then wants the last end.
template <class Ex>
auto put_offsets_of(context<Ex> const& inner, held<index_t> const& offsets) {
  if constexpr (writes_to_host<Ex>) {
    return put_offset_and_publish{offsets.data,
                                  inner.on->total_to(offsets.data + inner.up->n, inner.n)};
  } else {
    return put_offset{offsets.data};
  }
}

/// The instances of c for which e is true, in order.  Waits for their number.
template <class Ex, class E>
indices_held instances_where(context_ptr<Ex> const& c, E const& e) {
  auto const& ex = c->ex();
  auto const indices = hold<index_t>(ex, c->n);
  if (c->n == 0) return indices.shared();
  auto const total = hold<index_t>(ex, 1);
  count_step("pack", c->n, text_of_type<E>());
  pack_on(ex, c->n, e, put_kept{indices.data}, store_index{total.data});
  return indices.shared().slice(0, c->on->read(total.data, 0));
}

/// Flags of straight expressions that a device recognises: in memory, or of elements of memory.
template <class E>
struct keep_by {
  E e;
  RAVEL_HD bool operator()(index_t i) const { return e(i); }
  RAVEL_HD auto elements() const requires(arrays_read<E> == 1) { return e.array(); }
  template <class X>
  requires(arrays_read<E> == 1) RAVEL_HD bool of(X const& x) const { return e.of(x); }
};
template <class E>
keep_by<E> keep_of(E const& e) {
  return {e};
}
inline nonzero<bool> keep_of(straight_leaf<bool> const& e) { return {e.data}; }

/// The writer of a pack's values.
template <class E, class T>
put_kept_value<E, T> writer_of(E const& e, held<T> const& out) {
  return {e, out.data};
}
template <class T>
write_packed<T, T> writer_of(straight_leaf<T> const& e, held<T> const& out) {
  return {e.data, out.data, out.n};
}

/// Calls pack with flags and more, or with their straight forms if all have one; on a device pack_one
/// with the latter, of one sequence, of which it has more forms.
template <class Ex, class Pack, class PackOne, class E, class... More>
void pack_by(context_ptr<Ex> const& inner, Pack const& pack, PackOne const& pack_one,
             E const& flags, More const&... more) {
  if constexpr (cpu::host_executor<Ex>) {
    straightened<Ex>(inner->n, pack, flags, more...);
  } else {
    auto const alone = [&]<class Keep>(Keep const& keep, auto const&... rest) {
      if constexpr (std::same_as<Keep, E>) {
        pack(keep, rest...);
      } else {
        pack_one(keep_of(keep), rest...);
      }
    };
    if constexpr (!(has_fetch<E> || ... || has_fetch<More>)) {
      if (inner->up->n == 1) return straightened<Ex>(inner->n, alone, flags, more...);
    }
    pack(flags, more...);
  }
}

/// The elements of x, instances of `inner`, for which `flags` is true: as indices, or,
/// if they are in memory and no larger than an index, as copies.
template <class Ex, class S, class E>
ragged<Ex, S> packed(context_ptr<Ex> const& inner, S const& x, E const& flags) {
  auto const& ex = inner->ex();
  index_t const sequences = inner->up->n;
  auto const indices = hold<index_t>(ex, inner->n);
  auto const offsets = hold<index_t>(ex, sequences + 1);
  count_step("pack", inner->n + sequences, text_of_type<E>());
  auto const pack = [&](auto const& keep) {
    segmented_pack_on(ex, inner->n, segments_by(ex, inner->begins, sequences), keep,
                      put_kept{indices.data}, put_offsets_of(*inner, offsets));
  };
  auto const pack_one = [&](auto const& keep) {
    pack_on(ex, inner->n, keep, put_kept{indices.data}, put_offsets_of(*inner, offsets));
  };
  pack_by(inner, pack, pack_one, flags);
  auto const d = dense_rows<Ex>(sequences, inner->n == 0 ? 0 : -1, offsets.shared());
  measure(*inner->on, *d);
  auto const kept = fitted(ex, indices, d->total);
  return {sequences == 1 ? uniform_rows<Ex>(1, d->total) : d,
          moved(ex, x, way_of<Ex>(kept.shared().slice(0, d->total)))};
}

template <class Ex, class X, class T, class E>
void pack_values(context_ptr<Ex> const& inner, cells<X> const& x, E const& flags,
                 held<T> const& out, held<index_t> const& offsets) {
  auto const& ex = inner->ex();
  index_t const sequences = inner->up->n;
  count_step("pack", inner->n + sequences, text_of_type<E>());
  auto const pack = [&](auto const& keep, auto const& values) {
    segmented_pack_on(ex, inner->n, segments_by(ex, inner->begins, sequences), keep,
                      writer_of(values, out), put_offsets_of(*inner, offsets));
  };
  auto const pack_one = [&](auto const& keep, auto const& values) {
    pack_on(ex, inner->n, keep, writer_of(values, out), put_offsets_of(*inner, offsets));
  };
  pack_by(inner, pack, pack_one, flags, x.e);
}

/// Whether a pack copies the values of an expression: those in memory, and on the host computed
/// ones that cannot fail.
template <class Ex, class X>
inline constexpr bool packs_values = no_larger_than_index<typename X::value_type> &&
                                     (is_leaf<X>::value || (cpu::host_executor<Ex> &&
                                                            may_be_straight<X> && !has_fetch<X>));

template <class Ex, class X, class E>
requires packs_values<Ex, X> ragged<Ex, cells<leaf<typename X::value_type>>> packed(
    context_ptr<Ex> const& inner, cells<X> const& x, E const& flags) {
  auto const out = hold<typename X::value_type>(inner->ex(), inner->n);
  auto const offsets = hold<index_t>(inner->ex(), inner->up->n + 1);
  auto const d = dense_rows<Ex>(inner->up->n, inner->n == 0 ? 0 : -1, offsets.shared());
  pack_values(inner, x, flags, out, offsets);
  if constexpr (cpu::host_executor<Ex>) {
    if (running_levels > 0) {
      measure(*inner->on, *d);
      return {d, leaf_of(fitted(inner->ex(), out, d->total).shared())};
    }
  }
  return {d, leaf_of(out.shared())};
}

/// A deferred pack: it runs before the next step, unless that reduces what it selects.
template <class Ex, class X, class E>
class late_pack final : public deferred_step {
  using T = typename X::value_type;

  held<T> out_;
  held<index_t> offsets_;

 public:
  selection<Ex, X, E> const from;

  explicit late_pack(selection<Ex, X, E> selected)
      : out_(hold_unused<T>(selected.inner->ex(), selected.inner->n)),
        offsets_(hold<index_t>(selected.inner->ex(), selected.inner->up->n + 1)),
        from(std::move(selected)) {
    if (steps_are_refused) throw no_expression{};
  }

  ragged<Ex, cells<leaf<T>>> result() const {
    auto const& inner = *from.inner;
    return {dense_rows<Ex>(inner.up->n, -1, offsets_.shared()), leaf_of(out_.shared())};
  }
  bool is_reachable() const override {
    return out_.owner.use_count() > 1 || offsets_.owner.use_count() > 1;
  }
  void take() override {
    if (!is_reachable()) return;
    begin_to_use<T, Ex>(out_.owner, out_.data, out_.n);
    pack_values(from.inner, from.elements, from.flags.e, out_, offsets_);
  }
};

/// The elements of x, instances of `inner`, for which `flags` is true.  A pack of values is
/// deferred, but not of none, whose number is known, nor in a recursion, whose levels keep no more
/// than it selects.
template <class Ex, class X, class E>
requires packs_values<Ex, X>
auto packed_late(context_ptr<Ex> const& c, context_ptr<Ex> const& inner, cells<X> const& x,
                 cells<E> const& flags) {
  using made = selection<Ex, X, E>;
  using result = pending<Ex, ragged<Ex, cells<leaf<typename X::value_type>>>, made>;
  if (inner->n == 0 || (cpu::host_executor<Ex> && running_levels > 0)) {
    return result{lift_storage(c, packed(inner, x, flags.e)), {}, {}};
  }
  auto const step = std::make_shared<late_pack<Ex, X, E>>(made{inner, x, flags});
  result const selected{lift_storage(c, step->result()), step,
                        std::shared_ptr<made const>(step, &step->from)};
  defer(step);
  return selected;
}
template <class Ex, class S, class E>
auto packed_late(context_ptr<Ex> const& c, context_ptr<Ex> const& inner, S const& x,
                 cells<E> const& flags) {
  return lift_storage(c, packed(inner, x, flags.e));
}

/// The same for sequences x with these elements; on a device fused with others, if the flags
/// compare with one number for each sequence.  Not on the host for straight elements, where packs
/// are as fast as splits.
template <class Ex, class S, class Elements, class E>
auto packed_of(context_ptr<Ex> const& c, context_ptr<Ex> const& inner, ragged<Ex, S> const& x,
               Elements const& elements, cells<E> const& flags) {
  using comparison = comparison_by<E>;
  if constexpr (!cpu::host_executor<Ex> && comparison::orders != 0) {
    using T = typename comparison::value;
    if constexpr (std::same_as<S, cells<leaf<T>>> && no_larger_than_index<T>) {
      bool const of_these = comparison::first(flags.e) == elements.e;
      owners keep = flags.keep;
      for (auto const& owner : elements.keep) keep.drop(owner);
      auto const pivot = comparison::pivot(*inner, flags.e, keep);
      if (inner->n > 0 && of_these && pivot && x.child.e.at.is_identity()) {
        using late = deferred_pack<Ex, T>;
        using made = selection<Ex, leaf<T>, E>;
        using result = pending<Ex, ragged<Ex, cells<leaf<T>>>, made>;
        constexpr unsigned wanted = comparison::orders & all_orders<T>;
        if (auto const known = late::found(*inner, x, *pivot, wanted)) {
          return result{lift_storage(c, *known), {}, {}};
        }
        auto const step = std::make_shared<late>(inner, x, *pivot, keep, wanted);
        auto const src = std::make_shared<made const>(made{inner, elements, flags});
        step->set_alone([src](late const& dst) {
          pack_values(src->inner, src->elements, src->flags.e, dst.out(), dst.offsets());
        });
        result const selected{lift_storage(c, step->result()), step, src};
        defer(step);
        return selected;
      }
    }
  }
  return packed_late(c, inner, elements, flags);
}

}  // namespace flattening

/// The flagged elements of x, in order.
///
///     pack([a b c d], [1 0 0 1])      [a d]
///
/// Cost     One segmented pack over the elements of all instances, of one sequence on a device one pack, and
///          a wait for the number kept, when it is first needed.  A reduction of what is packed in its call, as in
///          sum(filter(x, p)), or moved there, takes the place of the pack and does not wait: of
///          scalars in memory, or on the host computed, and outside of recursions.  For records and sequences, and on a device
///          for computed elements, indices are stored, and the step that uses the elements
///          loads them.
/// Errors   shape_error if there are not as many flags as elements.
template <lifted_sequence X, lifted_sequence B>
auto pack(X const& x, B const& flags) {
  static_assert(std::same_as<element_of<B>, nested<bool>>, "pack: the flags must be bools");
  using namespace flattening;
  auto const c = resolve(x, flags);
  auto const s = storage_in(c, x);
  auto const b = storage_in(c, flags);
  expect_same_shape(*c->on, fault_of::lengths_of_pack, s.d, b.d);
  auto const inner = open(b.d, c);
  return packed_of(c, inner, s, elements_of(c, s), elements_of(c, b));
}

/// The elements of x for which p returns true, in order.
///
///     filter([3 -4 -9 5], a > 0)      [3 5]
template <sequence_operand X, class P>
auto filter(X const& x, P&& p) {
  auto const flags = each(x, p);
  static_assert(std::same_as<element_of<decltype(flags)>, nested<bool>>,
                "filter: p must return a bool");
  return pack(x, flags);
}

}  // namespace ravel::inline v0
