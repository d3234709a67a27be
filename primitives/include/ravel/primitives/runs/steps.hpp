#pragma once

/// Runs of equal keys by steps that run on any executor, also on one that wraps another.

#include <ravel/core/same_everywhere.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/runs/call.hpp>
#include <ravel/primitives/scan_on.hpp>

#include <type_traits>

namespace ravel::inline v0 {
namespace detail {

/// The state of a range of elements: the number of runs that begin in it, and the combination of
/// its elements that belong to the last run, which may have begun before.
template <class T>
struct begun_sum {
  index_t begun;
  T open;
};
template <class M>
struct join_begun_sums {
  using sum = begun_sum<carrier_t<M>>;
  M m;
  RAVEL_HD sum identity() const { return {0, m.identity()}; }
  RAVEL_HD sum operator()(sum const& x, sum const& y) const {
    return {x.begun + y.begun, y.begun > 0 ? y.open : m(x.open, y.open)};
  }
};

template <class T, class Changes, class Values, class M, class Seed>
struct read_begun {
  Changes changes;
  Values values;
  M m;
  Seed seed;
  RAVEL_HD begun_sum<T> operator()(index_t i) const {
    if (i > 0 && !changes(i)) return {0, T(values(i))};
    return {1, m(T(seed()), T(values(i)))};
  }
};

/// Passes on the value of run s, which ends at `end`.  Where runs are not written to memory, it is
/// the length.
template <class Out, class T>
RAVEL_HD void put_value(Out const& out, index_t s, T const& value, index_t end) {
  if constexpr (is_instance<Out, runs_into>) {
    if (has_room(out.values, s)) out.values(s, value);
  } else {
    out(s, paired<T, index_t>{value, end - value});
  }
}
/// At the first element of a run passes on its key, and the value of the run before.
template <class Keys, class Out>
struct visit_begun {
  Keys keys;
  Out out;
  template <class T>
  RAVEL_HD void operator()(index_t i, begun_sum<T> const& before,
                           begun_sum<T> const& through) const {
    index_t const s = before.begun;
    if (through.begun == s) return;
    if constexpr (is_instance<Out, runs_into>) {
      if (has_room(out.keys, s)) out.keys(s, keys(i));
    }
    if (s > 0) put_value(out, s - 1, before.open, i);
  }
};
template <class Out, class Total>
struct total_begun {
  index_t n;
  Out out;
  Total total;
  template <class T>
  RAVEL_HD void operator()(begun_sum<T> const& sum) const {
    if (sum.begun > 0) put_value(out, sum.begun - 1, sum.open, n);
    total(sum.begun);
  }
};
template <class Out>
inline constexpr bool ignores_none<total_begun<Out, no_total>> = true;

}  // namespace detail

struct runs_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why =
      "Any executor, keys, monoid and sink: a scan of the number of runs and of what the last of "
      "them has combined, which passes on a run where the next one begins.";
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    using T = typename Call::value_type;
    using M = decltype(c.m);
    auto const changes = detail::changes_of(c.keys, c.equal);
    using load = detail::read_begun<T, std::remove_const_t<decltype(changes)>, decltype(c.values),
                                    M, decltype(c.seed)>;
    detail::join_begun_sums<M> const join{c.m};
    run_call(ex, describe_scan_on(
                     c.n, load{changes, c.values, c.m, c.seed},
                     detail::visit_begun<decltype(c.keys), decltype(c.out)>{c.keys, c.out}, join,
                     detail::seed_identity<detail::join_begun_sums<M>>{join},
                     detail::total_begun<decltype(c.out), decltype(c.total)>{c.n, c.out, c.total}));
  }
};

/// The family of calls of run-length coding and reductions by key.
struct runs_family : call_family<runs_by_steps> {};

template <class Machine>
struct form_table<runs_family, same_order<Machine>>
    : forms<on_own_executor_in_any_order, runs_by_steps> {};

}  // namespace ravel::inline v0
