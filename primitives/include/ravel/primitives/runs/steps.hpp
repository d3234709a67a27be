#pragma once

/// @file
/// Runs of equal keys by the steps of any executor, and on one that wraps another.

#include <ravel/core/config.hpp>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/same_everywhere.hpp>
#include <ravel/core/table.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/runs/call.hpp>
#include <ravel/primitives/segmented_reduce.hpp>

namespace ravel::inline v0 {
namespace detail {

/// A value and its index: the least index of a run is where it begins.
template <class T, class Values>
struct read_placed {
  Values values;
  RAVEL_HD paired<T, index_t> operator()(index_t i) const { return {T(values(i)), i}; }
};
template <class T, class Seed>
struct seed_placed {
  Seed seed;
  RAVEL_HD paired<T, index_t> operator()() const {
    return {T(seed()), minimum<index_t>::identity()};
  }
};
template <class Keys, class Out>
struct visit_placed {
  Keys keys;
  Out out;
  template <class T>
  RAVEL_HD void operator()(index_t s, paired<T, index_t> const& x) const {
    put_run(keys, out, s, x.first, x.second);
  }
};

}  // namespace detail

struct runs_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why =
      "Any executor, keys, monoid and sink: a segmented reduction of values beside their indices, "
      "which reads twice.";
  template <class Call>
  static constexpr auto types() {
    return needs();
  }
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    using T = typename Call::value_type;
    using M = decltype(c.m);
    segmented_reduce_on(
        ex, c.n, detail::read_placed<T, decltype(c.values)>{c.values},
        detail::runs_as_segments<typename Ex::space>(c), pair_of<M, minimum<index_t>>{c.m, {}},
        detail::seed_placed<T, decltype(c.seed)>{c.seed},
        detail::visit_placed<decltype(c.keys), decltype(c.out)>{c.keys, c.out}, c.total);
  }
};

struct runs_family {
  using by_steps = forms<runs_by_steps>;
};

struct runs_in_any_order {
  static constexpr auto name = "in_any_order";
  static constexpr auto why =
      "Sums of integers, and with them lengths, are the same in any order: the call of the "
      "executor "
      "that same_everywhere was made of.";
  template <class Call>
  static constexpr auto types() {
    return needs(need{commutes<decltype(Call::m)>,
                      "a monoid whose results are the same in any order, as plus of integers"});
  }
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    run_call(ex.own(), c);
  }
  template <class Call, class Machine, class F>
  static void passes_on(Call const& c, same_order<Machine> const& m, F const& f) {
    f(m.own, c);
  }
};

template <class Machine>
struct form_table<runs_family, same_order<Machine>> {
  using type = forms<runs_in_any_order, runs_by_steps>;
};

}  // namespace ravel::inline v0
