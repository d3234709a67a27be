#pragma once

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

/// Scans x, the elements of sequences, each from its beginning, with room for the results in `out`.
template <class Ex, class E, class T, class Visit, class M>
void scan_elements(context_ptr<Ex> const& inner, cells<E> const& x, held<T> const& out,
                   Visit const& visit, M const& m) {
  auto const& ex = inner->ex();
  index_t const n = inner->n, sequences = inner->up->n;
  auto const alone = [&]<class Form>(Form const& e) {
    count_step("scan", n, text_of_type<Form>());
    scan_on(ex, n, load_of_scan<T>(e), visit, m, detail::seed_identity<M>{m}, detail::no_total{});
  };
  if constexpr (cpu::host_executor<Ex>) {
    auto const each_alone = [&]<class Form>(Form const& e) {
      if (sequences == 1) return alone(e);
      count_step("segmented scan", n, text_of_type<Form>());
      segmented_scan_on(ex, n, load_of_scan<T>(e), segments_by(ex, inner->begins, sequences), visit,
                        m);
    };
    straightened<Ex>(n, each_alone, x.e);
  } else if (sequences > 1) {
    // A device scans segments of memory four to five times as fast as those of computed elements.
    auto const src = in_memory_or(inner, x, out);
    count_step("segmented scan", n, text_of_type<leaf<T>>());
    with_segments(ex, inner->begins, sequences, [&](auto const& segments) {
      segmented_scan_on(ex, n, contiguous<T>{src.data}, segments, visit, m);
    });
  } else if constexpr (is_leaf<E>::value) {
    straightened<Ex>(n, alone, x.e);
  } else {
    alone(x.e);
  }
}

template <bool Inclusive, class X, class M>
auto scanned(X const& x, M const& of_call) {
  auto const m = monoid_on<inner_t<X>>(of_call);
  using Monoid = std::remove_const_t<decltype(m)>;
  static_assert(some_monoid<Monoid>, "a scan is by a monoid: m(x, y) and m.identity()");
  using T = carrier_t<Monoid>;
  using Visit = std::conditional_t<Inclusive, write_through<T>, write_before<T>>;
  auto const o = opened_scalars(x);
  auto const out = hold<T>(o.inner->ex(), o.inner->n);
  if (o.inner->n > 0) scan_elements(o.inner, o.elements, out, Visit{out.data}, m);
  return lift_storage(o.outer, close(o.inner, leaf_of(out.shared())));
}

}  // namespace flattening

/// Combines all elements up to and including each element.
///
///     inclusive_scan([3 1 2], plus{})      [3 4 6]
///
/// Cost     One segmented scan over the elements of all instances; on a device computed elements are
///          written first, in the place of the results.
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
