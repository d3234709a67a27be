#pragma once

/// @file
/// Pick: the elements that are flagged, in order, of every sequence.

#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/each.hpp>
#include <ravel/flatten/lift.hpp>
#include <ravel/flatten/reshape.hpp>
#include <ravel/flatten/straight.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/search.hpp>

#include <concepts>
#include <type_traits>

namespace ravel::inline v0 {
namespace flattening {

struct put_kept {
  index_t* to;
  RAVEL_HD void operator()(index_t i, index_t place) const { to[place] = i; }
};

/// The instances of `inner` for which e is true, and how many of them come before
/// each sequence.
template <class Ex>
struct kept_elements {
  indices_held which;
  indices_held offsets;
};
template <class Ex, class E>
kept_elements<Ex> keep_where(context_ptr<Ex> const& inner, E const& e) {
  auto const& ex = inner->ex();
  index_t const sequences = inner->up->n;
  auto const which = hold<index_t>(ex, inner->n);
  auto const offsets = hold<index_t>(ex, sequences + 1);
  index_t kept = 0;
  if (inner->n > 0) {
    auto const total = hold<index_t>(ex, 1);
    count_step("pack", inner->n, text_of_type<E>());
    auto const run = [&](auto const& flags) {
      pack_on(ex, inner->n, flags, put_kept{which.data}, store_index{total.data});
    };
    if constexpr (cpu::host_executor<Ex>) {
      straightened(inner->n, run, e);
    } else {
      run(e);
    }
    kept = inner->on->read(total.data, 0);
  }
  auto const list = which.shared().slice(0, kept);
  count_step("search", sequences + 1);
  ravel::lower_bound(ex, seen_by(ex, inner->offsets), seen_by(ex, list), seen_by(ex, offsets));
  return {list, offsets.shared()};
}

}  // namespace flattening

/// The elements of x that are flagged, in order.
///
///     pack([a b c d], [1 0 0 1])      [a d]
///
/// Cost     One compaction over the elements of all instances, and a wait for how
///          many are kept.  They are copied by the step that takes them.
/// Errors   shape_error if there are not as many flags as elements.
template <lifted_sequence X, lifted_sequence B>
auto pack(X const& x, B const& flags) {
  static_assert(std::same_as<element_of<B>, nested<bool>>, "pack: the flags must be bools");
  using namespace flattening;
  using Ex = typename X::executor_type;
  auto const c = resolve(x, flags);
  auto const s = storage_in(c, x);
  auto const b = storage_in(c, flags);
  expect_same_shape(*c->on, "pack", s.d, b.d);
  auto const inner = open(b.d, c);
  auto const kept = keep_where(inner, elements_of(c, b).e);
  auto const elements = moved(c->ex(), elements_of(c, s), way_of<Ex>(kept.which));
  auto const d = dense_rows<Ex>(c->n, kept.which.n, kept.offsets);
  return lift_storage(c, ragged<Ex, std::remove_const_t<decltype(elements)>>{d, elements});
}

/// The elements of x for which p is true, in order.
///
///     filter([3 -4 -9 5], a > 0)      [3 5]
template <lifted_sequence X, class P>
auto filter(X const& x, P&& p) {
  return pack(x, each(x, p));
}

/// The elements that are not flagged, and those that are.
///
///     split([a b c d], [1 0 0 1])      [[b c] [a d]]
template <lifted_sequence X, lifted_sequence B>
auto split(X const& x, B const& flags) {
  return list(pack(x, !flags), pack(x, flags));
}

}  // namespace ravel::inline v0
