#pragma once

/// @file
/// Each: a function of every element, at any depth, in parallel.

#include <ravel/flatten/compute.hpp>

#include <type_traits>

namespace ravel::inline v0 {
namespace flattening {

struct lengths_differ {
  extents a, b;
  RAVEL_HD bool operator()(index_t i) const { return a.length(i) != b.length(i); }
};

/// Throws unless the sequences of a and b are of the same lengths.
template <class Ex>
void expect_same_shape(machine<Ex> const& on, char const* call, descriptor_ptr<Ex> const& a,
                       descriptor_ptr<Ex> const& b) {
  auto const opened = a->opened.lock();
  if (a == b || (opened && opened == b->opened.lock())) return;
  bool const both_uniform = a->is_uniform() && b->is_uniform();
  if (both_uniform && (a->uniform == b->uniform || a->n == 0)) return;
  if (!a->is_uniform() && a->begins.data == b->begins.data && a->ends.data == b->ends.data &&
      a->at == b->at) {
    return;
  }
  index_t const bad =
      both_uniform ? 0 : first_where(on, a->n, lengths_differ{a->where(), b->where()});
  if (bad == a->n) return;
  auto const length = [&](descriptor_ptr<Ex> const& d) {
    measure(on, *d);
    auto const& offsets = d->starts.offsets.data;
    return offsets ? on.read(offsets, bad + 1) - on.read(offsets, bad) : d->uniform;
  };
  throw shape_error(sentence(call, ": the sequences differ in length at instance ", bad, ": ",
                             length(a), " and ", length(b)));
}

template <class V>
constexpr void expect_liftable() {
  static_assert(liftable<V>,
                "the lambda of a nested program must return a lifted value or a number");
}

/// The result of a lambda of the program for x.
template <class F, class... X>
auto returned_by(F& f, X const&... x) {
  static_assert(std::is_invocable_v<F&, X const&...>,
                "a function of a nested program cannot be called with its arguments: an element "
                "of each sequence, the members of a state, or itself and its arguments");
  using V = std::remove_cvref_t<std::invoke_result_t<F&, X const&...>>;
  expect_liftable<V>();
  if constexpr (liftable<V>) return f(x...);
}

/// The result of a lambda of the program, for the instances of `there`.
template <class Ex, class V>
auto result_in(context_ptr<Ex> const& there, V const& v) {
  if constexpr (lifted_value<V>) level_of(there, v);
  return storage_in(there, v);
}

template <class F, class X, class... Rest>
auto each_of(F&& f, X const& x, Rest const&... rest) {
  auto const here = ambient(x, rest...);
  using Ex = typename X::executor_type;
  (level_of(here, x), ..., level_of(here, rest));
  auto const first = storage_in(here, x);
  return [&](auto const&... more) {
    (expect_same_shape(*here->on, "each", first.d, more.d), ...);
    auto const inner = open(first.d, here);
    auto const inside_result = [&] {
      inside<Ex> const now(inner);
      return result_in(inner, returned_by(f, lift_storage(inner, elements_of(here, first)),
                                          lift_storage(inner, elements_of(here, more))...));
    }();
    return lift_storage(here, close(inner, inside_result));
  }(storage_in(here, rest)...);
}

}  // namespace flattening

/// Applies f to each element of x, for every sequence of every instance in parallel:
///
///     each(x, f)[i] = f(x[i])                  each(x, y, f)[i] = f(x[i], y[i])
///
///     x                  [3 -4 -9 5]           f(a) = -a
///     each(x, f)         [-3 4 9 -5]
///
/// f is a lambda of the host.  It is called once, for any length of x, with
/// lifted values that stand for all elements, and may use `each` itself.  It may
/// capture any lifted value by reference: a scalar of an outer sequence is the same
/// for all elements of an inner one, and a sequence is not copied.
///
/// Shapes   Up to three sequences of the same length, at every instance; zip more than three.
///          They may be empty, and f is still called, to determine the type of the result.
/// Order    f has no effect but its result: it must not store its arguments.  Since it is called
///          once, `rand()` in it is one number for all elements, and a counter that it
///          increments counts calls, not elements.
/// Cost     O(1) itself.  Each operation in f costs a step over
///          the elements of all sequences together.  Opening a slice, or a sequence
///          of an outer instance, copies its elements once.
/// Errors   shape_error if lengths differ, with the first instance where they do.
/// Source   Blelloch, "NESL: A Nested Data-Parallel Language", CMU-CS-95-170, 1995:
///          apply-to-each.
template <lifted_sequence X, class F>
auto each(X const& x, F&& f) {
  return flattening::each_of(f, x);
}
template <lifted_sequence X, lifted_sequence Y, class F>
auto each(X const& x, Y const& y, F&& f) {
  return flattening::each_of(f, x, y);
}
template <lifted_sequence X, lifted_sequence Y, lifted_sequence Z, class F>
auto each(X const& x, Y const& y, Z const& z, F&& f) {
  return flattening::each_of(f, x, y, z);
}

}  // namespace ravel::inline v0
