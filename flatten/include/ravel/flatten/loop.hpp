#pragma once

/// The loop: each instance iterates as often as it needs.

#include <ravel/core/function_ref.hpp>
#include <ravel/flatten/choose.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/finish.hpp>
#include <ravel/flatten/finished.hpp>
#include <ravel/flatten/loop_body.hpp>
#include <ravel/flatten/optimiser.hpp>

#include <array>
#include <limits>
#include <optional>
#include <tuple>

namespace ravel::inline v0 {
namespace flattening {

/// Applies f to a state, or to its members if it is a record.
template <class Ex, class S, class F>
auto call_with_state(context_ptr<Ex> const& c, S state, F const& f) {
  if constexpr (is_fields<S>) {
    return ravel::detail::call_with([&](auto&... part) { return call_with_parts(c, f, part...); },
                                    state.members);
  } else {
    return call_with_parts(c, f, state);
  }
}

struct put_live {
  index_t const* of;
  index_t *order, *instance;
  RAVEL_HD void operator()(index_t i, int, index_t place) const {
    order[place] = i;
    instance[place] = of[i];
  }
};

/// The instances of a round, split by whether they continue, continuing ones first: their order,
/// and their instances in the context around the loop.
template <class Ex>
struct parts_of_round {
  parts_of_instances<2> here;
  held<index_t> instance;

  indices_held instances(int d) const {
    return instance.shared().slice(here.starts[static_cast<std::size_t>(d)], here.size(d));
  }
};
/// Splits the instances of c, which are the instances `live` of the context around the loop, or all
/// if `live` is empty.
template <class Ex, class Digit>
parts_of_round<Ex> split_round(context_ptr<Ex> const& c, indices_held const& live, Digit digit) {
  if (live.data == nullptr) {
    auto const parts = split_instances<2>(c, digit);
    return {parts, parts.order};
  }
  auto const& ex = c->ex();
  parts_of_round<Ex> parts{{hold<index_t>(ex, c->n), {}}, hold<index_t>(ex, c->n)};
  auto const starts = hold<index_t>(ex, 3);
  count_step("split instances", c->n, text_of_type<Digit>());
  split_on<2>(ex, c->n, digit, put_live{live.data, parts.here.order.data, parts.instance.data},
              put_start{starts.data});
  parts.here.starts = c->on->template read<3>(starts.data);
  return parts;
}

/// The atoms of a state, or of another value of its structure, in order.
auto atoms_of(auto const& x) { return std::make_tuple(x); }
template <class R, class... S>
auto atoms_of(fields<R, S...> const& x) {
  return ravel::detail::call_with([](auto const&... s) { return std::tuple_cat(atoms_of(s)...); },
                                  x.members);
}
template <class S>
inline constexpr std::size_t count_of_atoms =
    std::tuple_size_v<decltype(atoms_of(std::declval<S const&>()))>;
template <class S, class F>
auto map_atoms(S const& x, F const& f) {
  if constexpr (is_fields<S>) {
    return map_members(x, [&](auto const& s) { return map_atoms(s, f); });
  } else {
    return f(x);
  }
}

/// A state whose expressions show that they are of it.  Its atoms are numbered from First.
template <int First = 0, class T>
cells<state_leaf<First, T>> traced(cells<leaf<T>> const& x) {
  return {{x.e.data, x.e.at}, x.keep};
}
template <int First = 0, class R, class... S>
auto traced(fields<R, S...> const& x) {
  constexpr auto first = [] {
    std::array<int, sizeof...(S) + 1> at{First};
    std::size_t k = 0;
    ((at[k + 1] = at[k] + static_cast<int>(count_of_atoms<S>), ++k), ...);
    return at;
  }();
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    using record = fields<R, decltype(traced<first[I]>(std::get<I>(x.members)))...>;
    return record{{traced<first[I]>(std::get<I>(x.members))...}};
  }
  (std::index_sequence_for<S...>{});
}

/// Whether F can be called with a state of lifted type S.
template <class F, class Ex, class S>
inline constexpr bool takes_state = std::is_invocable_v<F const&, lifted<Ex, S>>;
template <class F, class Ex, class R, class... S>
inline constexpr bool takes_state<F, Ex, fields<R, S...>> =
    std::is_invocable_v<F const&, lifted<Ex, S>...>;

/// Whether the functions can be called with a traced state.
template <class S, class Ex, class... F>
constexpr bool takes_traced_state() {
  constexpr bool traces = cpu::host_executor<Ex> ? traces_loops : traces_loops_of_devices;
  if constexpr (traces && is_of_scalars<S>) {
    return (takes_state<F, Ex, decltype(traced(std::declval<S const&>()))> && ...);
  } else {
    return false;
  }
}

/// The most leaves of the expressions of a loop on a device, whose threads have few registers.
template <class Ex>
inline constexpr int most_weight_of_loop = cpu::host_executor<Ex> ? std::numeric_limits<int>::max()
                                                                  : 64;
template <class Ex, class Atoms>
inline constexpr bool can_be_bound = false;
template <class Ex, class... E>
inline constexpr bool can_be_bound<Ex, std::tuple<cells<E>...>> =
    ((use_of_state<E> != state_use::unknown) && ...) &&
    (0 + ... + E::weight) <= most_weight_of_loop<Ex>;

/// The last state of each instance of c: one thread iterates for each.
template <class Ex, class S, class GoesOn, class... Next, class... T>
S run_rounds(context_ptr<Ex> const& c, S const& state, cells<GoesOn> const& goes_on,
             std::tuple<cells<Next>...> const& next, std::tuple<cells<leaf<T>>...> const& start) {
  auto const memory =
      map_atoms(state, [&]<class A>(cells<leaf<A>> const&) { return hold<A>(c->ex(), c->n); });
  auto const out = atoms_of(memory);
  [&]<int... I>(std::integer_sequence<int, I...>) {
    using step = iterate<std::integer_sequence<int, I...>, GoesOn, Next...>;
    count_step("loop", c->n, text_of_type<step>());
    for_each_index(c->ex(), c->n,
                   step{{std::get<I>(next).e}...,
                        {std::get<I>(start).e}...,
                        {std::get<I>(out).data}...,
                        goes_on.e,
                        c->on->failures->record.data});
  }
  (std::make_integer_sequence<int, static_cast<int>(sizeof...(Next))>{});
  return map_atoms(memory, [](auto const& atoms) { return leaf_of(atoms.shared()); });
}
/// The same, if the functions of the loop are expressions of the state: they run no step.
template <class Ex, class S, class GoesOn, class NextOf>
std::optional<S> iterated(context_ptr<Ex> const& c, S const& state, GoesOn const& goes_on,
                          NextOf const& next_of) {
  auto const now_in = traced(state);
  auto const expressions = [&] {
    refusing_steps const all(true);
    auto const condition = result_in(c, call_with_state(c, now_in, goes_on));
    return std::pair{condition, atoms_of(next_of(now_in))};
  };
  using found = decltype(expressions());
  if constexpr (can_be_bound<Ex,
                             decltype(std::tuple_cat(std::declval<found>().second,
                                                     std::tuple{std::declval<found>().first}))>) {
    try {
      auto const [condition, next] = expressions();
      return run_rounds(c, state, condition, next, atoms_of(state));
    } catch (no_expression const&) {  // NOLINT(bugprone-empty-catch): it runs step by step
    }
  }
  return {};
}

}  // namespace flattening

/// Applies body to the state repeatedly while goes_on returns true for it.
///
///     while_([](auto x) { return x < 100; }, [](auto x) { return x * x; },
///            [2 200 3])                                     [256 200 6561]
///
/// goes_on and body take the state, or, if it is a record, its members separately;
/// body returns the next state, a tup of them.  A finished instance leaves the loop, and
/// causes no further cost.
///
/// What body takes by value is the only copy of that part of the state, so `write` and `append` of
/// `std::move` of it update it in place.
///
/// Shapes   The next state has the same element type as the first.
/// Cost     If the state is scalars, and goes_on and body are expressions (on a device of at most 64 leaves):
///          one step, in which a thread makes all rounds of an instance; on the host not in files that
///          nvcc compiles.  Operators, select, if_, lifted functions, and `at` of sequences from outside the
///          loop are expressions; reductions, each and keep are not.
///          Otherwise a split of the remaining instances and one wait in each round.  The result of
///          an instance that leaves is copied once.  The loop holds the results, and the state and
///          indices of the remaining instances.  On a device, rounds whose state has fewer than
///          `tuned().nested` elements run on the host, if goes_on and body capture nothing.
/// Errors   Those of goes_on and body for a remaining instance.
template <class GoesOn, class Body, lifted_value State>
auto while_(GoesOn const& goes_on, Body const& body, State const& start) {
  using namespace flattening;
  using Ex = typename State::executor_type;
  using T = element_of<State>;
  using S = column_t<Ex, T>;
  auto const here = ambient(start);
  level_of(here, start);
  if (here->n == 0) return lift_storage(here, empty_column<Ex, T>(here->ex()));

  std::optional<finished<Ex, T>> done;
  auto remaining = here;  // the remaining instances
  indices_held live;      // their indices in `here`; all, if empty
  S state = column(here, storage_in(here, start));
  limit_on_host of_host;
  auto const finish = [&](S const& results, indices_held const& instances) {
    if (!done) done.emplace().begin(here->ex(), here->n);
    done->add(here, results, instances);
  };
  auto const next_of = [&](auto now_in) {
    auto const next = call_with_state(remaining, std::move(now_in), body);
    static_assert(std::same_as<element_of<decltype(next)>, T>,
                  "while_: the result of the body is not of the type of the state");
    return result_in(remaining, next);
  };
  if constexpr (takes_traced_state<S, Ex, GoesOn, Body>()) {
    inside<Ex> const scope(here);
    if (auto const last = iterated(here, state, goes_on, next_of)) {
      return lift_storage(here, *last);
    }
  }
  while (true) {
    if constexpr (far_from_host<Ex> && capture_nothing<GoesOn, Body>) {
      auto const rest = [&](auto const& current) { return while_(goes_on, body, current); };
      if (auto const last = finished_on_host(remaining, of_host, rest, state)) {
        if (remaining == here) return lift_storage(here, *last);
        finish(*last, live);
        break;
      }
    }
    {
      auto const parts = [&] {
        inside<Ex> const scope(remaining);
        auto const condition = call_with_state(remaining, state, goes_on);
        using C = std::remove_const_t<decltype(condition)>;
        static_assert(lifted_scalar<C> && std::same_as<element_of<C>, bool>,
                      "while_: the condition must be a lifted bool");
        auto const s = result_in(remaining, condition);
        if (auto const known = remaining->n == 1 ? known_number(s.e) : std::nullopt) {
          return parts_of_round<Ex>{{{}, {0, *known, 1}}, {}};
        }
        return split_round(remaining, live, digit_of_bool<decltype(s.e)>{s.e});
      }();
      auto const& ex = here->ex();
      if (parts.here.size(0) == 0) {
        if (remaining == here) return lift_storage(here, state);
        finish(state, live);
        break;
      }
      if (parts.here.size(1) > 0) {
        finish(moved(ex, state, way_of<Ex>(parts.here.part(1))), parts.instances(1));
        state = moved(ex, state, way_of<Ex>(parts.here.part(0)));
        live = parts.instances(0);
        remaining = restricted_to(here, live);
      }
    }
    inside<Ex> const scope(remaining);
    state = settled(remaining, next_of(std::move(state)));
  }
  return lift_storage(here, done->column(here->ex()));
}

}  // namespace ravel::inline v0
