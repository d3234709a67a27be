#pragma once

/// Materialises expressions, and limits their size.

#include <ravel/core/std_memory.hpp>
#include <ravel/flatten/lifted.hpp>
#include <ravel/flatten/loop_body.hpp>
#include <ravel/flatten/move.hpp>
#include <ravel/flatten/open.hpp>
#include <ravel/flatten/optimiser.hpp>
#include <ravel/flatten/storage.hpp>
#include <ravel/flatten/straight.hpp>

namespace ravel::inline v0 {
namespace flattening {

/// A straight expression, located for each tile.
template <class E, class T>
struct evaluate_straight {
  E e;
  T* out;
  RAVEL_HD auto on(tile t) const {
    using located = decltype(e.on(t));
    return evaluate<located, T>{e.on(t), out};
  }
};

/// The same on the host for elements at indices, which are tested together before the elements that they name
/// are loaded: of a loop without tests the processor has twice as many loads in flight.
template <class E, class T>
struct evaluate_tested_together {
  static constexpr bool divisible = true;
  static constexpr index_t together = 256;
  E e;
  T* out;

  void operator()(auto const&, tile t) const {
    auto const located = e.on(t);
    auto const copy = located;  // no call has its address, so that it is in registers
    for (index_t i = t.begin; i < t.end;) {
      index_t const stop = std::min(t.end, i + together);
      if (located.all_inside(i, stop)) {
        for (; i < stop; ++i) out[i] = static_cast<T>(copy.unchecked(i));
      } else {
        for (; i < stop; ++i) out[i] = static_cast<T>(located(i));
      }
    }
  }
};

/// The most leaves of an expression of which a thread of a device loads several values before it stores any,
/// as `map` does: a kernel of larger ones would take long to compile.
inline constexpr int max_weight_together = 4;

/// The values of e at n instances, to `out`.
template <class Ex, class E, class T>
void evaluate_to(Ex const& ex, index_t n, E const& e, T* out) {
  if constexpr (cpu::host_executor<Ex> || E::weight > max_weight_together) {
    visit_indices(ex, n, evaluate<E, T>{e, out});
  } else if (n > 0) {
    count_step("map", n, text_of_type<evaluate<E, T>>());
    auto const form = [&]<class Form>(Form const& expr) {
      map_on(ex, n, load_as<T, Form>{expr}, ravel::detail::store<T>{out});
    };
    straightened<Ex>(n, form, e);
  }
}

/// The same on the host by a straight form, if there is one, in a half to a fifth of the time.
template <class Ex, class E, class T>
void evaluate_in_form(Ex const& ex, index_t n, E const& e, T* out) {
  if (n > 0) count_step("map", n, text_of_type<evaluate<E, T>>());
  auto const into = [&]<class F>(F const& form) {
    if constexpr (has_tests<F>) {
      ex.for_each_tile(n, evaluate_tested_together<F, T>{form, out});
    } else if constexpr (requires(tile t) { form.on(t); }) {
      for_each_index(ex, n, evaluate_straight<F, T>{form, out});
    } else {
      for_each_index(ex, n, evaluate<F, T>{form, out});
    }
  };
  straightened<Ex, may_be_shared>(n, into, e);
}

/// The elements of one sequence, which are instances, to `out`, if a straight form computes them.
template <class Ex, class E, class T>
bool evaluated_whole([[maybe_unused]] machine<Ex> const& on,
                     [[maybe_unused]] descriptor<Ex> const& d, [[maybe_unused]] E const& e,
                     [[maybe_unused]] T* out) {
  if constexpr (cpu::host_executor<Ex> && may_be_straight<E> && !is_leaf<E>::value) {
    if (d.n == 1 && d.dense) {
      measure(on, d);
      evaluate_in_form(on.ex, d.total, e, out);
      return true;
    }
  }
  return false;
}

/// The expression's value at each of n instances, in memory.
template <class Ex, class E>
cells<leaf<typename E::value_type>> computed(Ex const& ex, cells<E> const& x, index_t n) {
  auto const out = hold<typename E::value_type>(ex, n);
  if constexpr (cpu::host_executor<Ex>) {
    evaluate_in_form(ex, n, x.e, out.data);
  } else {
    evaluate_to(ex, n, x.e, out.data);
  }
  owners keep;
  keep.add(out.owner);
  return {{out.data, {}}, std::move(keep)};
}

/// x as a column: itself if it is one, else computed.
template <class Ex, class E>
auto column(context_ptr<Ex> const& c, cells<E> const& x) {
  if constexpr (is_leaf<E>::value) {
    return x;
  } else {
    return computed(c->ex(), x, c->n);
  }
}
template <class Ex, class S>
auto column(context_ptr<Ex> const& c, ragged<Ex, S> const& x) {
  if constexpr (std::same_as<S, column_t<Ex, typename S::element>>) {
    return x;
  } else {
    auto const inner = open(x.d, c);
    return close(inner, column(inner, elements_of(c, x)));
  }
}
template <class Ex, class R, class... S>
auto column(context_ptr<Ex> const& c, fields<R, S...> const& x) {
  return map_members(x, [&](auto const& s) { return column(c, s); });
}

template <class E, class T>
struct evaluate_noting {
  E e;
  T* out;
  bool* failed;
  failure* failures;
  RAVEL_HD void operator()(index_t i) const {
    failure first;
    out[i] = e.value(i, note_failure{&first});
    bool const fails = first.key != fault_record::none;
    failed[i] = fails;
    if (fails) failures[i] = first;
  }
};

/// Materialises an expression whose values may remain unused: the failure of an instance becomes a
/// fault only when its value is used.
template <class Ex, class E>
auto computed_ahead(context_ptr<Ex> const& c, cells<E> const& x) {
  if constexpr (!can_fail<E>) {
    return computed(c->ex(), x, c->n);
  } else {
    using T = typename E::value_type;
    auto const& ex = c->ex();
    auto const out = hold<T>(ex, c->n);
    auto const failed = hold<bool>(ex, c->n);
    auto const failures = hold<failure>(ex, c->n);
    visit_indices(ex, c->n, evaluate_noting<E, T>{x.e, out.data, failed.data, failures.data});
    owners keep;
    keep.add(out.owner);
    keep.add(failed.owner);
    keep.add(failures.owner);
    return cells<recorded<T>>{
        {out.data, failed.data, failures.data, c->on->failures->record.data, {}}, std::move(keep)};
  }
}

/// Expressions with more leaves are computed before use, which bounds kernel parameters and
/// compile time.  The result is the same.
inline constexpr int max_weight = 24;
/// Those of the state of a loop are in local variables.  Kernels of a device have 4 KB of parameters.
inline constexpr int max_weight_of_state = 96;

/// A lifted scalar computed by e.
template <class Ex, class E>
auto lifted_cells(context_ptr<Ex> const& c, E const& e, owners keep) {
  cells<E> x{e, std::move(keep)};
  constexpr bool may_be_large = cpu::host_executor<Ex> && reads_state<E>;
  constexpr int limit = may_be_large ? max_weight_of_state : max_weight;
  if constexpr (E::weight > limit || !(fuses_operators || is_leaf<E>::value)) {
    return lift_storage(c, computed_ahead(c, x));
  } else {
    return lift_storage(c, x);
  }
}
template <class... E>
owners owners_of(cells<E> const&... x) {
  owners result;
  (result.add(x.keep), ...);
  return result;
}

/// Applies f to scalars, for each instance.
auto apply_scalars(auto f, auto const&... x) {
  auto const c = resolve(x...);
  return [&](auto const&... s) {
    return lifted_cells(c, apply_to_each(f, s.e...), owners_of(s...));
  }(storage_in(c, x)...);
}

/// A leaf for memory.
template <class T>
cells<leaf<T>> leaf_of(held<T const> const& x) {
  owners keep;
  keep.add(x.owner);
  return {{x.data, {}}, std::move(keep)};
}
/// Sequences with elements in memory, in the order of their descriptor: uncopied if they are so
/// already.
template <class Ex, class E>
ragged<Ex, cells<leaf<typename E::value_type>>> written_down(context_ptr<Ex> const& c,
                                                             ragged<Ex, cells<E>> const& x) {
  if constexpr (is_leaf<E>::value) {
    if (x.child.e.at.is_identity()) return x;
  }
  auto const inner = open(x.d, c);
  return close(inner, computed(c->ex(), elements_of(c, x), inner->n));
}

/// Where the values of x, at the instances of c, are in memory as T, in order: in `room`, unless they are
/// so already.
template <class Ex, class E, class T>
held<T const> in_memory_or(context_ptr<Ex> const& c, cells<E> const& x, held<T> const& room) {
  if constexpr (std::same_as<E, leaf<T>>) {
    run_deferred_steps();
    if (x.e.at.is_identity()) return {nullptr, x.e.data, c->n};
  }
  evaluate_to(c->ex(), c->n, x.e, room.data);
  return room.shared();
}
/// The values of x in memory, contiguous: uncopied if they are so already.
template <class Ex, class E>
held<typename E::value_type const> in_order(context_ptr<Ex> const& c, cells<E> const& x) {
  if constexpr (is_leaf<E>::value) {
    run_deferred_steps();
    if (x.e.at.is_identity()) return {std::make_shared<owners const>(x.keep), x.e.data, c->n};
  }
  auto const values = computed(c->ex(), x, c->n);
  return {std::make_shared<owners const>(values.keep), values.e.data, c->n};
}
/// The elements of x, dense in memory with room for n and no other owner: where they are, if that
/// is such, else copied.  What grows by less than itself gets room for twice as many, so that
/// its copies cost O(1) for each element in all.
template <class Ex, class E>
held<typename E::value_type> own_elements(machine<Ex> const& on, descriptor<Ex> const& d,
                                          cells<E>& x, index_t n) {
  using T = typename E::value_type;
  held<T> reused;
  if constexpr (is_leaf<E>::value) {
    if (d.dense && x.e.at.is_identity()) reused = taken<Ex>(x.keep, x.e.data);
  }
  if (reused.owner && reused.n >= n) return reused;
  measure(on, d);
  auto const out = hold<T>(on.ex, reused.owner && n - d.total < d.total ? 2 * n : n);
  if (!evaluated_whole(on, d, x.e, out.data)) {
    visit_elements(on, d, copy_element<E, T>{x.e, d.where(), out.data});
  }
  return out;
}

/// The owners of a descriptor's memory.
template <class Ex>
owners owners_of(descriptor_ptr<Ex> const& d) {
  owners keep = d->keep;
  keep.add(d->begins.owner);
  keep.add(d->ends.owner);
  return keep;
}

/// An empty column of type T, for a context without instances.
template <class Ex, class T>
column_t<Ex, T> empty_column(Ex const& ex) {
  if constexpr (is_nested<T>::value) {
    auto const d = uniform_rows<Ex>(0, 0);
    return [&]<class U>(std::type_identity<nested<U>>) {
      return column_t<Ex, T>{d, empty_column<Ex, U>(ex)};
    }(std::type_identity<T>{});
  } else if constexpr (host_record<T>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return column_t<Ex, T>{{empty_column<Ex, typename members_of<T>::template type<I>>(ex)...}};
    }
    (member_indices<T>{});
  } else {
    return leaf_of(hold<T>(ex, 0).shared());
  }
}

/// x as a column whose scalars are not read through maps.  Values that each level of a recursion,
/// or each round of a loop, passes on unchanged would otherwise accumulate maps.
template <class Ex, class E>
auto settled(context_ptr<Ex> const& c, cells<E> const& x) {
  if constexpr (is_leaf<E>::value) {
    return x.e.at.map ? computed(c->ex(), x, c->n) : x;
  } else {
    return computed(c->ex(), x, c->n);
  }
}
template <class Ex, class S>
auto settled(context_ptr<Ex> const& c, ragged<Ex, S> const& x) {
  return column(c, x);
}
template <class Ex, class R, class... S>
auto settled(context_ptr<Ex> const& c, fields<R, S...> const& x) {
  return map_members(x, [&](auto const& s) { return settled(c, s); });
}

}  // namespace flattening

/// Materialises x, which would otherwise be computed in each step that uses it.
///
///     auto const d = keep(sqrt_of(x * x + y * y));       // used twice below
///
/// Without it an expression of scalars is fused into each step that uses it,
/// which takes no memory and is best for a single use.
///
/// Errors   All failures of x, at any instance, since keep uses every value.
template <class Ex, class S>
auto keep(lifted<Ex, S> const& x) {
  flattening::level_of(flattening::ambient(x), x);
  return flattening::lift_storage(x.c, flattening::column(x.c, x.s));
}

}  // namespace ravel::inline v0
