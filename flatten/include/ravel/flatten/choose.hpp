#pragma once

/// The conditionals: each branch runs only for the instances that take it.

#include <ravel/flatten/combine.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/each.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/split.hpp>

#include <array>
#include <optional>
#include <tuple>
#include <vector>

namespace ravel::inline v0 {
namespace flattening {

template <class F>
using returned = std::remove_cvref_t<decltype(returned_by(std::declval<F const&>()))>;
template <class F>
using result_of = element_of<returned<F>>;

struct put_instance {
  index_t* to;
  RAVEL_HD void operator()(index_t i, int, index_t place) const { to[place] = i; }
};
struct put_start {
  index_t* to;
  RAVEL_HD void operator()(int d, index_t start) const { to[d] = start; }
};

/// The instances of c, stably sorted by digit, and where each digit begins.
template <int Ways>
struct parts_of_instances {
  held<index_t> order;
  std::array<index_t, Ways + 1> starts;

  indices_held part(int d) const {
    auto const at = static_cast<std::size_t>(d);
    return order.shared().slice(starts[at], starts[at + 1] - starts[at]);
  }
  index_t size(int d) const { return part(d).n; }
};
template <int Ways, class Ex, class Digit>
parts_of_instances<Ways> split_instances(context_ptr<Ex> const& c, Digit digit) {
  auto const& ex = c->ex();
  parts_of_instances<Ways> parts{hold<index_t>(ex, c->n), {}};
  auto const starts = hold<index_t>(ex, Ways + 1);
  count_step("split instances", c->n, text_of_type<Digit>());
  split_on<Ways>(ex, c->n, digit, put_instance{parts.order.data}, put_start{starts.data});
  parts.starts = c->on->template read<Ways + 1>(starts.data);
  return parts;
}

template <class E>
struct digit_of_bool {
  E e;
  RAVEL_HD int operator()(index_t i) const { return e(i) ? 0 : 1; }
};
/// The last way takes numbers outside of [0, branches).
template <int Branches, class E>
struct digit_of_number {
  E e;
  RAVEL_HD int operator()(index_t i) const {
    auto const k = e(i);
    return 0 <= k && k < Branches ? static_cast<int>(k) : Branches;
  }
};

/// The result of a branch, run for the instances of c.
template <class Ex, class F>
auto branch_in(context_ptr<Ex> const& c, F const& f) {
  inside<Ex> const scope(c);
  return result_in(c, returned_by(f));
}

/// Runs each branch for its part of the instances, and merges the results; if all instances take
/// one branch, its result is returned uncopied.
template <class T, int Ways, class Ex, class... F>
column_t<Ex, T> run_branches(context_ptr<Ex> const& here, parts_of_instances<Ways> const& parts,
                             F const&... f) {
  int d = 0;
  std::optional<column_t<Ex, T>> whole;
  auto const run_whole = [&](auto const& branch) {
    if (parts.size(d++) == here->n) whole = column(here, branch_in(here, branch));
  };
  (run_whole(f), ...);
  if (whole) return *whole;
  d = 0;
  // Kept until all branches have run: the number of elements left for one branch is derived from
  // those of the others.
  std::vector<context_ptr<Ex>> contexts;
  auto const run = [&](auto const& branch) {
    auto const part = parts.part(d++);
    using S = std::remove_cvref_t<decltype(branch_in(here, branch))>;
    // No instance takes it, so it is not called: a recursion might not terminate otherwise.
    if (part.n == 0) return std::vector<source<S>>{};
    auto const restricted = contexts.emplace_back(restricted_to(here, part));
    return std::vector{source<S>{branch_in(restricted, branch), part}};
  };
  auto const results = std::tuple{run(f)...};
  return combined<T>(here, here->n, results);
}

/// How values depend on the state of a loop, of which they are expressions; and their size.
template <class V>
inline constexpr state_use use_by_value = atom<V> ? state_use::none : state_use::unknown;
template <class Ex, class S>
inline constexpr state_use use_by_value<lifted<Ex, S>> = use_by_value<S>;
template <class E>
inline constexpr state_use use_by_value<cells<E>> = use_of_state<E>;
template <class R, class... S>
inline constexpr state_use use_by_value<fields<R, S...>> = std::max({state_use::none,
                                                                     use_by_value<S>...});
template <class V>
inline constexpr int weight_of_value = 0;
template <class Ex, class S>
inline constexpr int weight_of_value<lifted<Ex, S>> = weight_of_value<S>;
template <class E>
inline constexpr int weight_of_value<cells<E>> = E::weight;
template <class R, class... S>
inline constexpr int weight_of_value<fields<R, S...>> = std::max({0, weight_of_value<S>...});

/// Whether a condition and its branches are an expression of the state of a loop, if they run no
/// step.
template <class... V>
inline constexpr bool read_state = std::max({use_by_value<V>...}) == state_use::some &&
                                   (0 + ... + weight_of_value<V>) <= max_weight_of_state;

/// condition ? a : b, for scalars or records of them; of operands that take few cycles a loop of the host that is
/// not straight computes both, if it May, since a branch is mispredicted.
template <bool May = false, class C, class A, class B>
auto choice_of(cells<C> const& condition, cells<A> const& a, cells<B> const& b) {
  constexpr bool both = May && takes_few_cycles<A> && takes_few_cycles<B>;
  using either = std::conditional_t<both, chosen<typename A::value_type>, choice>;
  auto const e = apply_to_each(either{}, condition.e, a.e, b.e);
  return cells<std::remove_const_t<decltype(e)>>{e, owners_of(condition, a, b)};
}
template <bool May = false, class C, class R, class... A, class... B>
auto choice_of(cells<C> const& condition, fields<R, A...> const& a, fields<R, B...> const& b) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto const choose = [&](auto const& x, auto const& y) {
      return choice_of<May>(condition, x, y);
    };
    return fields<R, decltype(choose(std::get<I>(a.members), std::get<I>(b.members)))...>{
        {choose(std::get<I>(a.members), std::get<I>(b.members))...}};
  }
  (std::index_sequence_for<A...>{});
}

template <class V>
inline constexpr bool is_lifted_scalar = atom<V>;
template <class Ex, class S>
inline constexpr bool is_lifted_scalar<lifted<Ex, S>> = is_of_scalars<S>;

/// Whether an `if_` is a loop that chooses, should its branches turn out to run no step: of scalars or records of
/// them, on the host, where the compiler of the host compiles.
template <class Ex, class C, class... V>
inline constexpr bool may_be_chosen = cpu::host_executor<Ex>&& traces_loops&& defers_steps &&
                                      (is_lifted_scalar<V> && ...) &&
                                      (C::weight + ... + weight_of_value<V>) <= max_weight;

/// The value of an expression of a branch for the instances of the context around it, to which `to_up` leads; and
/// whether it has one.
template <class Ex>
struct around_branch {
  route<Ex> const& to_up;
  bool& is_found;

  template <class E>
  cells<E> operator()(cells<E> const& x) const {
    cells<E> y{x.e, x.keep};
    y.e = x.e.moved([&](spot at) -> spot {
      if (at == to_up.at) return {};
      for (auto const& known : to_up.composed) {
        if (known.at != at) continue;
        y.keep.add(known.from.kept());
        return known.first;
      }
      // The number of an instance that may fail is all else that it has of its own.
      is_found = is_found && (at.same_for_all() || (can_fail<E> && at.is_identity()));
      return at;
    });
    return y;
  }
  template <class R, class... S>
  fields<R, S...> operator()(fields<R, S...> const& x) const {
    return map_members(x, *this);
  }
};

/// The number of instances for which a condition is true.
template <class Ex, class E>
index_t count_where(context_ptr<Ex> const& c, E const& e) {
  auto const total = hold<index_t>(c->ex(), 1);
  count_step("count", c->n, text_of_type<E>());
  auto const count = [&]<class Form>(Form const& form) {
    plus<index_t> const m;
    reduce_on(c->ex(), c->n, load_as<index_t, Form>{form}, m,
              ravel::detail::seed_identity<plus<index_t>>{m}, store_index{total.data});
  };
  straightened<Ex>(c->n, count, e);
  return c->on->read(total.data, 0);
}

/// As run_branches, for results that may be expressions.  The split is deferred: if it has not run when the
/// branches have, these ran no step, and one loop chooses.
template <class T, class Ex, class C, class A, class B>
column_t<Ex, T> chosen_or_run(context_ptr<Ex> const& here, cells<C> const& condition, A const& then,
                              B const& otherwise) {
  index_t const n = here->n, taken = count_where(here, condition.e);
  if (taken == n) return column(here, branch_in(here, then));
  if (taken == 0) return column(here, branch_in(here, otherwise));
  parts_of_instances<2> const parts{hold<index_t>(here->ex(), n), {0, taken, n}};
  fill_deferred(parts.order.owner, [here, condition, order = parts.order.data] {
    auto const starts = hold<index_t>(here->ex(), 3);
    digit_of_bool<C> const digit{condition.e};
    count_step("split instances", here->n, text_of_type<digit_of_bool<C>>());
    split_on<2>(here->ex(), here->n, digit, put_instance{order}, put_start{starts.data});
  });
  auto& steps = deferred_steps();
  auto const split = steps.back();
  auto const first = restricted_to(here, parts.part(0)),
             second = restricted_to(here, parts.part(1));
  auto const a = branch_in(first, then);
  auto const b = branch_in(second, otherwise);
  auto const maps = first->to(here.get()), others = second->to(here.get());
  auto const place = std::find(steps.begin(), steps.end(), split);
  bool is_expression =
      steps.end() - place == std::ssize(maps->composed) + std::ssize(others->composed) + 1;
  if (is_expression) {
    auto const x = around_branch<Ex>{*maps, is_expression}(a);
    auto const y = around_branch<Ex>{*others, is_expression}(b);
    if (is_expression) {
      steps.erase(place, steps.end());
      return column(here, choice_of<true>(condition, x, y));
    }
  }
  return combined<T>(here, n, std::tuple{source{a, parts.part(0)}, source{b, parts.part(1)}});
}

}  // namespace flattening

/// then() where the condition is true, otherwise() where it is not.
///
///     x                                              [-2 3]
///     if_(x < 0, [&] { return iota(x * x); },
///                [&] { return iota(x); })            [[0 1 2 3] [0 1 2]]
///
/// Each branch is called once, if any instance takes it, and runs for those instances only: an
/// index or a division that would fail for other instances is not evaluated for them.
///
/// Shapes   Both results have the same element type.
/// Cost     A split of the instances and one wait for the sizes of the parts;
///          the results are written once.  If all instances take one branch,
///          nothing is copied.  Where the compiler of the host compiles, branches on the host that turn out to be
///          expressions of scalars are a count and one loop that chooses, with no split.  In the body of a
///          loop of scalars it is an expression, if its branches are.
/// Errors   Those of each branch for the instances that take it; of a branch that is an expression with the number
///          of the instance around the `if_`.
/// Source   Blelloch, "Vector Models for Data-Parallel Computing", 1990: conditionals by
///          packing.
/// See also select, which is cheaper for scalars that cost little.
template <class C, class Then, class Otherwise>
auto if_(C const& condition, Then const& then, Otherwise const& otherwise) {
  static_assert(lifted_scalar<C> && std::same_as<element_of<C>, bool>,
                "if_: the condition must be a lifted bool");
  using namespace flattening;
  static_assert(!liftable<Then> && !liftable<Otherwise>,
                "if_: the branches are lambdas, if_(c, [&] { ... }, [&] { ... }); of values use "
                "select(c, a, b)");
  using T = result_of<Then>;
  static_assert(std::same_as<T, result_of<Otherwise>>,
                "if_: both branches must be of the same element type");
  using Ex = typename C::executor_type;
  auto const here = ambient(condition);
  level_of(here, condition);
  if constexpr (read_state<C, returned<Then>, returned<Otherwise>>) {
    refusing_steps const all(true);  // they would run for instances that do not take the branch
    auto const run = [&](auto const& branch) { return result_in(here, returned_by(branch)); };
    return lift_storage(here, choice_of(storage_in(here, condition), run(then), run(otherwise)));
  } else {
    auto const run = [&]() -> column_t<Ex, T> {
      if (here->n == 0) return empty_column<Ex, T>(here->ex());
      auto const s = storage_in(here, condition);
      if constexpr (may_be_chosen<Ex, decltype(s.e), returned<Then>, returned<Otherwise>>) {
        return chosen_or_run<T>(here, s, then, otherwise);
      } else {
        auto const parts = split_instances<2>(here, digit_of_bool<decltype(s.e)>{s.e});
        return run_branches<T>(here, parts, then, otherwise);
      }
    };
    return lift_storage(here, run());
  }
}

/// Runs the branch with number k, from 0, of several.
///
/// All else is as for if_.
///
/// Errors   domain_error, with the first such instance, where k is not in [0, number of
///          branches).
template <class K, class... Branch>
auto switch_(K const& k, Branch const&... branch) {
  static_assert(lifted_scalar<K> && std::integral<element_of<K>>,
                "switch_: the number of the branch must be a lifted integer");
  static_assert(sizeof...(Branch) >= 1, "switch_: there is no branch");
  using namespace flattening;
  using T = result_of<std::tuple_element_t<0, std::tuple<Branch...>>>;
  static_assert((std::same_as<T, result_of<Branch>> && ...),
                "switch_: all branches must be of the same element type");
  using Ex = typename K::executor_type;
  constexpr int branches = sizeof...(Branch);
  auto const here = ambient(k);
  level_of(here, k);
  auto const run = [&]() -> column_t<Ex, T> {
    if (here->n == 0) return empty_column<Ex, T>(here->ex());
    auto const s = storage_in(here, k);
    using Digit = digit_of_number<branches, decltype(s.e)>;
    auto const parts = split_instances<branches + 1>(here, Digit{s.e});
    if (parts.size(branches) > 0) {
      auto const first = parts.part(branches).slice(0, 1);
      auto const chosen = moved(here->ex(), s, way_of<Ex>(first));
      auto const number = hold<index_t>(here->ex(), 1);
      visit_indices(here->ex(), 1,
                    evaluate<as_index<decltype(s.e)>, index_t>{{chosen.e}, number.data});
      auto const failed =
          here->on->read_all(std::array<index_t const*, 2>{number.data, first.data});
      throw domain_error(sentence("switch_: ", failed[0], " is the number of none of the ",
                                  branches, " branches, at instance ", failed[1]));
    }
    return run_branches<T>(here, parts, branch...);
  };
  return lift_storage(here, run());
}

}  // namespace ravel::inline v0
