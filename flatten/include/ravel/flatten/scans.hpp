#pragma once

/// @file
/// Scans of the sequences of all instances.

#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/fold.hpp>
#include <ravel/flatten/straight.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/scan_visits.hpp>
#include <ravel/primitives/segmented_scan.hpp>

namespace ravel::inline v0 {
namespace flattening {

/// The load of a scan, which executors recognise if it is of memory in order.
template <class T, class E>
load_as<T, E> load_of_scan(E const& e) {
  return {e};
}
template <class T, class U>
contiguous<U> load_of_scan(straight_leaf<U> const& e) {
  return {e.data};
}

template <bool Inclusive, class X, class M>
auto scanned(X const& x, M const& of_call) {
  auto const m = monoid_on<inner_t<X>>(of_call);
  using Monoid = std::remove_const_t<decltype(m)>;
  static_assert(some_monoid<Monoid>, "a scan is by a monoid: m(x, y) and m.identity()");
  using T = carrier_t<Monoid>;
  auto const o = opened_scalars(x);
  auto const& ex = o.inner->ex();
  auto const out = hold<T>(ex, o.inner->n);
  auto const run = [&]<class E>(E const& e) {
    using Visit = std::conditional_t<Inclusive, write_through<T>, write_before<T>>;
    auto const load = load_of_scan<T>(e);
    if (o.outer->n == 1) {
      count_step("scan", o.inner->n, text_of_type<E>());
      detail::seed_identity<Monoid> const seed{m};
      scan_on(ex, o.inner->n, load, Visit{out.data}, m, seed, detail::no_total{});
    } else {
      count_step("segmented scan", o.inner->n, text_of_type<E>());
      segmented_scan_on(ex, o.inner->n, load, segments_by(ex, o.inner->begins, o.outer->n),
                        Visit{out.data}, m);
    }
  };
  if (o.inner->n > 0) {
    using E = decltype(o.elements.e);
    if constexpr (is_leaf<E>::value || cpu::host_executor<typename X::executor_type>) {
      straightened<typename X::executor_type>(o.inner->n, run, o.elements.e);
    } else {
      run(o.elements.e);
    }
  }
  return lift_storage(o.outer, close(o.inner, leaf_of(out.shared())));
}

}  // namespace flattening

/// Combines all elements up to and including each element.
///
///     inclusive_scan([3 1 2], plus{})      [3 4 6]
///
/// Cost     One segmented scan over the elements of all instances.
template <lifted_sequence X, class M = plus<>>
auto inclusive_scan(X const& x, M const& m = {}) {
  return flattening::scanned<true>(x, m);
}
/// Combines all elements before each element.
///
///     exclusive_scan([3 1 2], plus{})      [0 3 4]
template <lifted_sequence X, class M = plus<>>
auto exclusive_scan(X const& x, M const& m = {}) {
  return flattening::scanned<false>(x, m);
}

}  // namespace ravel::inline v0
