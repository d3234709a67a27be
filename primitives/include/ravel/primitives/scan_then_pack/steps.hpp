#pragma once

/// Scan then pack by steps that run on any executor.

#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/scan_then_pack/call.hpp>

namespace ravel::inline v0 {
namespace detail {

template <class U>
struct is_made {
  U const* made;
  RAVEL_HD bool operator()(index_t i) const { return made[i].is; }
};
template <class U, class Visit>
struct visit_made {
  U const* made;
  Visit visit;
  RAVEL_HD void operator()(index_t i, index_t place) const { visit(place, made[i].value); }
};

}  // namespace detail

struct scan_then_pack_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why =
      "Any executor: what is made of the results goes to scratch, and is packed from there.";
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    using T = typename Call::value_type;
    using U = detail::made_by_t<decltype(c.step), T>;
    auto const made = ex.template scratch<U>(c.n);
    scan_on(ex, c.n, c.load, write_made<decltype(c.step), U>{c.step, made.data()}, c.m, c.seed,
            detail::state_of<T>(c.total));
    pack_on(ex, c.n, detail::is_made<U>{made.data()},
            detail::visit_made<U, decltype(c.visit)>{made.data(), c.visit}, c.total);
  }
};

/// The family of calls of scans that keep some of their results.
struct scan_then_pack_family : call_family_with_devices<scan_then_pack_by_steps> {};

}  // namespace ravel::inline v0
