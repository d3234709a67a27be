#pragma once

/// @file
/// The loop: each instance goes round as often as it needs.

#include <ravel/flatten/choose.hpp>
#include <ravel/flatten/combine.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/finish.hpp>

#include <concepts>
#include <type_traits>
#include <vector>

namespace ravel::inline v0 {
namespace flattening {

/// f of a state, or of its members if it is a record.
template <class Ex, class S, class F>
auto call_with_state(lifted<Ex, S> const& state, F const& f) {
  if constexpr (is_fields<S>) {
    return std::apply(
        [&](auto const&... part) { return returned_by(f, lift_storage(state.c, part)...); },
        state.s.members);
  } else {
    return returned_by(f, state);
  }
}

}  // namespace flattening

/// body(body(... body(start))), as often as goes_on is true of what comes out.
///
///     while_([](auto x) { return x < 100; }, [](auto x) { return x * x; },
///            [2 200 3])                                     [256 200 6561]
///
/// goes_on and body take the state, or, if it is a record, its members one by one;
/// body returns the next state, a tup of them.  An instance that is done leaves, and
/// costs no more.
///
/// Shapes   The next state is of the same element type as the first.
/// Cost     A split of the instances that are left and one wait in each round.  On a
///          device, rounds of a state of fewer than `tuned().nested` elements are the
///          host's, if goes_on and body capture nothing.
/// Errors   What goes_on and body throw for an instance that is left.
template <class GoesOn, class Body, lifted_value State>
auto while_(GoesOn const& goes_on, Body const& body, State const& start) {
  using namespace flattening;
  using Ex = typename State::executor_type;
  using T = element_of<State>;
  using S = column_t<Ex, T>;
  auto const here = ambient(start);
  level_of(here, start);
  if (here->n == 0) return lift_storage(here, empty_column<Ex, T>(here->ex()));

  std::vector<source<S>> done;
  auto there = here;  // the instances that are left
  indices_held left;  // which of `here` they are; all, if this holds nothing
  S state = column(here, storage_in(here, start));
  auto const in_here = [&](indices_held const& some) {
    if (there == here) return some;
    owners ignored;
    auto const& ex = here->ex();
    auto const composed =
        way_of<Ex>(some)->after(ex, {left.data, 1}, owners{{left.owner}}, ignored);
    return indices_held{std::make_shared<owners const>(std::move(ignored)), composed.map, some.n};
  };
  while (there->n > 0) {
    if constexpr (far_from_host<Ex> && capture_nothing<GoesOn, Body>) {
      if (is_for_host(there, state)) {
        auto const rest = [&](auto const& from) { return while_(goes_on, body, from); };
        S const last = finished_on_host(there, rest, state);
        if (there == here) return lift_storage(here, last);
        done.push_back({last, left});
        break;
      }
    }
    auto const parts = [&] {
      inside<Ex> const now(there);
      auto const goes = call_with_state(lift_storage(there, state), goes_on);
      using C = std::remove_const_t<decltype(goes)>;
      static_assert(lifted_scalar<C> && std::same_as<element_of<C>, bool>,
                    "while_: the condition must be a lifted bool");
      auto const s = result_in(there, goes);
      return split_instances<2>(there, digit_of_bool<decltype(s.e)>{s.e});
    }();
    auto const& ex = here->ex();
    if (parts.size(0) == 0 && there == here) return lift_storage(here, state);
    if (parts.size(1) > 0) {
      auto const stop = parts.part(1);
      done.push_back({moved(ex, state, way_of<Ex>(stop)), in_here(stop)});
    }
    if (parts.size(0) == 0) break;
    if (parts.size(1) > 0) {
      auto const go = parts.part(0);
      state = moved(ex, state, way_of<Ex>(go));
      left = in_here(go);
      there = restricted_to(here, left);
    }
    inside<Ex> const now(there);
    auto const next = call_with_state(lift_storage(there, state), body);
    static_assert(std::same_as<element_of<decltype(next)>, T>,
                  "while_: what the body returns is not of the type of the state");
    state = column(there, result_in(there, next));
  }
  return lift_storage(here, combined<T>(here, here->n, done));
}

}  // namespace ravel::inline v0
