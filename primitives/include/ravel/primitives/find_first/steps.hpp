#pragma once

/// Find first by a reduction, which runs on any executor, also on one that wraps another.

#include <ravel/core/same_everywhere.hpp>
#include <ravel/primitives/find_first/call.hpp>
#include <ravel/primitives/reduce.hpp>

namespace ravel::inline v0 {
namespace detail {

/// The load of that reduction, by minimum: i where the predicate is true, and n elsewhere.
template <class Holds>
struct place_where {
  Holds holds;
  index_t n;
  RAVEL_HD index_t operator()(index_t i) const { return holds(i) ? i : n; }
};
struct one_past_last {
  index_t n;
  RAVEL_HD index_t operator()() const { return n; }
};

}  // namespace detail

struct find_first_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why = "Any executor: the least position, by a reduction of all.";
  static void run(auto const& ex, auto const& c) {
    reduce_on(ex, c.n, detail::place_where<decltype(c.holds)>{c.holds, c.n}, minimum<index_t>{},
              detail::one_past_last{c.n}, c.found);
  }
};

/// The family of calls that search for the first position of a match.
struct find_first_family : call_family_with_devices<find_first_by_steps> {};

template <class Machine>
struct form_table<find_first_family, same_order<Machine>> : forms<on_own_executor> {};

}  // namespace ravel::inline v0
