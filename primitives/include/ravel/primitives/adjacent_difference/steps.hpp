#pragma once

/// Adjacent difference on any executor: a map that tests for the first element.

#include <ravel/core/table.hpp>
#include <ravel/primitives/adjacent_difference/call.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0 {
namespace detail {

template <class In, class Out, class F>
struct difference_at {
  In const* in;
  F f;
  RAVEL_HD Out operator()(index_t i) const {
    return i == 0 ? static_cast<Out>(in[i]) : static_cast<Out>(f(in[i], in[i - 1]));
  }
};

}  // namespace detail

struct difference_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why = "Any executor: a map that tests for the first element.";
  template <class Ex, class In, class Out, class F>
  static void run(Ex const& ex, difference_call<In, Out, F> const& c) {
    map_on(ex, c.n, detail::difference_at<In, Out, F>{c.in, c.f}, detail::store<Out>{c.out});
  }
};

/// The family of calls of adjacent differences.
struct difference_family : call_family<difference_by_steps> {};

}  // namespace ravel::inline v0
