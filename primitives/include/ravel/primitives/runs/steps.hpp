#pragma once

/// @file
/// Runs of equal keys by steps that run on any executor, also on one that wraps another.

#include <ravel/core/same_everywhere.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/runs/call.hpp>
#include <ravel/primitives/segmented_reduce.hpp>

namespace ravel::inline v0 {
namespace detail {

/// A value paired with its index.  The minimum of the indices of a run is its begin.
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

/// The family of calls of run-length coding and reductions by key.
struct runs_family {
  using by_steps = forms<runs_by_steps>;
};

template <class Machine>
struct form_table<runs_family, same_order<Machine>> {
  using type = forms<on_own_executor_in_any_order, runs_by_steps>;
};

}  // namespace ravel::inline v0
