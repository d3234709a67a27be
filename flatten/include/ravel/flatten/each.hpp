#pragma once

/// Each: a function of every element, at any depth, in parallel.

#include <ravel/core/function_ref.hpp>
#include <ravel/flatten/compute.hpp>

#include <tuple>

namespace ravel::inline v0 {
namespace flattening {

struct lengths_differ {
  extents a, b;
  RAVEL_HD bool operator()(index_t i) const { return a.length(i) != b.length(i); }
};

struct expect_same_lengths {
  lengths_differ differ;
  fault fails;
  RAVEL_HD void operator()(index_t i) const {
    if (differ(i)) fails(i, differ.a.length(i), differ.b.length(i));
  }
};

/// Throws unless the sequences of a and b are of the same lengths.  A device waits for the numbers of
/// their elements alone, which are wanted anyway; if these agree, and lengths do not, the next wait
/// throws.
template <class Ex>
void expect_same_shape(machine<Ex> const& on, fault_of call, descriptor_ptr<Ex> const& a,
                       descriptor_ptr<Ex> const& b) {
  auto const opened = a->opened.lock();
  if (a == b || (opened && opened == b->opened.lock())) return;
  bool const both_uniform = a->is_uniform() && b->is_uniform();
  if (both_uniform && (a->uniform == b->uniform || a->n == 0)) return;
  if (!a->is_uniform() && a->begins.data == b->begins.data && a->ends.data == b->ends.data &&
      a->at == b->at) {
    // On a device, where finding it waits, each takes what the other knows.
    if constexpr (!cpu::host_executor<Ex>) {
      for (auto const& [src, dst] : {std::pair{a.get(), b.get()}, std::pair{b.get(), a.get()}}) {
        if (dst->total >= 0 || known_total(*src) < 0) continue;
        measure(on, *src);
        dst->starts = src->starts;
        dst->total = src->total;
      }
    }
    return;
  }
  bool is_known = both_uniform;
  if constexpr (!cpu::host_executor<Ex>) {
    measure_all<Ex>(on, {a.get(), b.get()});
    if (a->total == b->total) {
      if (a->n < 2) return;
      count_step("check", a->n, text_of_type<lengths_differ>());
      return for_each_index(on.ex, a->n,
                            expect_same_lengths{{a->where(), b->where()}, on.next_fault(call)});
    }
    is_known |= a->n == 1;
  }
  index_t const bad = is_known ? 0 : first_where(on, a->n, lengths_differ{a->where(), b->where()});
  if (bad == a->n) return measure_as(on, *a, *b);
  auto const length = [&](descriptor_ptr<Ex> const& d) {
    measure(on, *d);
    auto const& offsets = d->starts.offsets.data;
    return offsets ? on.read(offsets, bad + 1) - on.read(offsets, bad) : d->starts.length;
  };
  throw_lengths_differ(call, bad, length(a), length(b));
}

template <class V>
constexpr void expect_liftable() {
  static_assert(
      liftable<V>,
      "the lambda of a nested program must return a lifted value or a number; a record is "
      "tup(x, y), and a sequence list(x, y)");
}

/// The result of a lambda of the program for x.
auto returned_by(auto& f, auto const&... x) {
  constexpr bool takes_them = requires { f(x...); };  // std::is_invocable takes compilers longer
  static_assert(
      takes_them,
      "a function of a nested program cannot be called with its arguments: an element "
      "of each sequence, the members of a state, or itself and its arguments.  Of a lifted "
      "x, say at(x, i) for x[i], len(x) for x.size(), fst(x) for x.first, cast<T>(x) for "
      "static_cast<T>(x), sqrt(x) for std::sqrt(x), lift(f)(x) for functions of your own; "
      "append(x, y) for x.push_back(y), and from(ex, v) for a vector v of the host");
  using V = std::remove_cvref_t<decltype(f(x...))>;
  expect_liftable<V>();
  if constexpr (liftable<V>) return f(x...);
}

/// The result of a lambda of the program, for the instances of c.
template <class Ex, class V>
auto result_in(context_ptr<Ex> const& c, V const& v) {
  if constexpr (lifted_value<V>) level_of(c, v);
  return storage_in(c, v);
}

/// The same for values of c: what f takes by value is the only copy, so that f can update it in
/// place, or end it.
template <class Ex, class F, class... S>
auto call_with_parts(context_ptr<Ex> const& c, F& f, S&... part) {
  if constexpr (std::is_invocable_v<F&, lifted<Ex, S>...>) {
    using V = std::remove_cvref_t<std::invoke_result_t<F&, lifted<Ex, S>...>>;
    expect_liftable<V>();
    if constexpr (liftable<V>) return f(lift_storage(c, std::move(part))...);
  } else {
    return returned_by(f, lift_storage(c, part)...);
  }
}

/// The values of x, ..., of which those that were moved end.
template <class Ex, class... X>
auto storages_of(context_ptr<Ex> const& here, X&&... x) {
  std::tuple storages{storage_in(here, x)...};
  (end_moved(std::forward<X>(x)), ...);
  return storages;
}

/// The sequences of `results`, which takes the context of the elements of x, and the values of those
/// and of the elements of the others there.
template <class Results, class X, class... Rest>
auto each_by(Results const& results, X&& x, Rest&&... rest) {
  using Ex = executor_of_t<X>;
  auto const here = ambient(x, rest...);
  (level_of(here, x), ..., level_of(here, rest));
  context_ptr<Ex> inner;
  auto const opened = [&](auto const& first, auto const&... more) {
    (expect_same_shape(*here->on, fault_of::lengths_of_each, first.d, more.d), ...);
    inner = open(first.d, here);
    return std::tuple{elements_of(here, first), elements_of(here, more)...};
  };
  auto parts = ravel::detail::call_with(
      opened, storages_of(here, std::forward<X>(x), std::forward<Rest>(rest)...));
  auto const values =
      ravel::detail::call_with([&](auto&... part) { return results(inner, part...); }, parts);
  return lift_storage(here, close(inner, values));
}
template <class F, class X, class... Rest>
auto each_of(F& f, X&& x, Rest&&... rest) {
  using Ex = executor_of_t<X>;
  return each_by(
      [&](context_ptr<Ex> const& inner, auto&... part) {
        inside<Ex> const scope(inner);
        return result_in(inner, call_with_parts(inner, f, part...));
      },
      std::forward<X>(x), std::forward<Rest>(rest)...);
}

}  // namespace flattening

/// Applies f to each element of x, for every sequence of every instance in parallel:
///
///     each(x, f)[i] = f(x[i])                  each(x, y, f)[i] = f(x[i], y[i])
///
///     x                  [3 -4 -9 5]           f(a) = -a
///     each(x, f)         [-3 4 9 -5]
///
/// f is a lambda of the host.  It is called once, for any length of x, with lifted values that stand
/// for all elements, and may use `each` itself.  It may capture any lifted value by reference: a scalar
/// of an outer sequence is the same for all elements of an inner one, and a sequence is not copied.
///
/// Shapes   Up to three sequences of the same length, at every instance; zip more than three.
///          They may be empty, and f is still called, to determine the type of the result.
/// Order    f has no effect but its result: it must not store its arguments.  Since it is called
///          once, `rand()` in it is one number for all elements, and a counter that it
///          increments counts calls, not elements.
/// Cost     O(1) itself.  Each operation in f costs a step over the elements of all sequences together.
///          Opening a slice, or a sequence of an outer instance, copies its elements once.
/// Errors   shape_error if lengths differ, with the first instance where they do.
/// Source   Blelloch, "NESL: A Nested Data-Parallel Language", CMU-CS-95-170, 1995:
///          apply-to-each.
template <lifted_sequence X, class F>
auto each(X&& x, F&& f) {
  return flattening::each_of(f, std::forward<X>(x));
}
template <lifted_sequence X, lifted_sequence Y, class F>
auto each(X&& x, Y&& y, F&& f) {
  return flattening::each_of(f, std::forward<X>(x), std::forward<Y>(y));
}
template <lifted_sequence X, lifted_sequence Y, lifted_sequence Z, class F>
auto each(X&& x, Y&& y, Z&& z, F&& f) {
  return flattening::each_of(f, std::forward<X>(x), std::forward<Y>(y), std::forward<Z>(z));
}

/// Refused, with a message: a sequence of the host, or a number.
template <class X, class F>
requires(atom<X> || requires(X const& x) { x.data(); }) void each(X const&, F const&) {
  static_assert(flattening::never<X>,
                "each: the operand is a value of the host: lift it by from(ex, x); the numbers "
                "below a lifted n are iota(n)");
}

/// Ends values: nothing holds their memory from then on but copies of them, and expressions that
/// read them.  A later use is a context_error.
///
///     auto const equal = filter(a, [&](auto e) { return e == pivot; });
///     discard(a);                                        // not held while the recursion runs
///     auto const sorted = each(std::move(halves), self);
///
/// A variable of a lambda holds its memory until the lambda returns.  That is long where the lambda
/// calls itself: what it does not read after the call is best discarded before, or moved into the
/// call.  `each(std::move(x), f)`, and a call of a `rec`, end their moved operands.
///
/// Order    Branches of `if_` and `switch_` run in the order of their text: the last that uses a
///          value may discard it.
template <lifted_value... X>
requires(!std::is_const_v<X> && ...) void discard(X&... x) {
  (flattening::end_moved(std::move(x)), ...);
}

}  // namespace ravel::inline v0
