#pragma once

/// @file
/// The loop: each instance iterates as often as it needs.

#include <ravel/flatten/choose.hpp>
#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/finish.hpp>
#include <ravel/flatten/finished.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>

namespace ravel::inline v0 {
namespace flattening {

/// Applies f to a state, or to its members if it is a record.
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
    auto const all = split_instances<2>(c, digit);
    return {all, all.order};
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
/// Shapes   The next state has the same element type as the first.
/// Cost     A split of the remaining instances and one wait in each round.  The result of an
///          instance that leaves is copied once.  The loop holds the results, and the state and
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
  auto there = here;  // the remaining instances
  indices_held live;  // their indices in `here`; all, if empty
  S state = column(here, storage_in(here, start));
  auto const finish = [&](S const& results, indices_held const& of) {
    if (!done) done.emplace().begin(here->ex(), here->n);
    done->add(here, results, of);
  };
  while (true) {
    if constexpr (far_from_host<Ex> && capture_nothing<GoesOn, Body>) {
      if (is_for_host(there, state)) {
        auto const rest = [&](auto const& from) { return while_(goes_on, body, from); };
        S const last = finished_on_host(there, rest, state);
        if (there == here) return lift_storage(here, last);
        finish(last, live);
        break;
      }
    }
    {
      auto const parts = [&] {
        inside<Ex> const now(there);
        auto const goes = call_with_state(lift_storage(there, state), goes_on);
        using C = std::remove_const_t<decltype(goes)>;
        static_assert(lifted_scalar<C> && std::same_as<element_of<C>, bool>,
                      "while_: the condition must be a lifted bool");
        auto const s = result_in(there, goes);
        return split_round(there, live, digit_of_bool<decltype(s.e)>{s.e});
      }();
      auto const& ex = here->ex();
      if (parts.here.size(0) == 0) {
        if (there == here) return lift_storage(here, state);
        finish(state, live);
        break;
      }
      if (parts.here.size(1) > 0) {
        finish(moved(ex, state, way_of<Ex>(parts.here.part(1))), parts.instances(1));
        state = moved(ex, state, way_of<Ex>(parts.here.part(0)));
        live = parts.instances(0);
        there = restricted_to(here, live);
      }
    }
    inside<Ex> const now(there);
    auto const next = call_with_state(lift_storage(there, state), body);
    static_assert(std::same_as<element_of<decltype(next)>, T>,
                  "while_: the result of the body is not of the type of the state");
    state = settled(there, result_in(there, next));
  }
  return lift_storage(here, done->column(here->ex()));
}

}  // namespace ravel::inline v0
