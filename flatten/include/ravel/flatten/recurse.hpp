#pragma once

/// @file
/// Recursion: a function that calls itself, for all instances at once, until none
/// is left that does.

#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/finish.hpp>

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ravel::inline v0 {
namespace flattening {

template <class Signature, class Body>
class recursive;
template <class R, class... A, class Body>
class recursive<R(A...), Body> {
  Body body_;

  template <class Ex, class T, class X>
  static lifted<Ex, column_t<Ex, T>> argument(context_ptr<Ex> const& here, X const& x) {
    if constexpr (lifted_value<X> || !std::convertible_to<X, T>) {
      static_assert(std::same_as<element_of<X>, T>,
                    "rec: an argument is not of the type that the signature says");
      level_of(here, x);
      return lift_storage(here, column(here, storage_in(here, x)));
    } else {
      return lift_storage(here, column(here, storage_in(here, static_cast<T>(x))));
    }
  }

 public:
  explicit recursive(Body body) : body_(std::move(body)) {}

  template <liftable... X>
  auto operator()(X const&... x) const
      -> lifted<executor_of_t<X...>, column_t<executor_of_t<X...>, R>> {
    static_assert(sizeof...(X) == sizeof...(A),
                  "rec: the signature has another number of arguments");
    using Ex = executor_of_t<X...>;
    auto const here = ambient(x...);
    if (here->n == 0) return lift_storage(here, empty_column<Ex, R>(here->ex()));
    return called(here, argument<Ex, A>(here, x)...);
  }

 private:
  template <class Ex, class... X>
  lifted<Ex, column_t<Ex, R>> called(context_ptr<Ex> const& here, X const&... x) const {
    if constexpr (far_from_host<Ex> && capture_nothing<Body>) {
      if (is_for_host(here, x.s...)) {
        return lift_storage(here, finished_on_host(here, *this, x.s...));
      }
    }
    auto const result = returned_by(body_, *this, x...);
    static_assert(std::same_as<element_of<decltype(result)>, R>,
                  "rec: the body's type differs from the declared result");
    level_of(here, result);
    return lift_storage(here, column(here, storage_in(here, result)));
  }
};

}  // namespace flattening

/// A function of the given type whose body may call it:
///
///     auto const factorial = rec<int(int)>([](auto self, auto n) {
///       return if_(n < 2, [&] { return n * 0 + 1; }, [&] { return n * self(n - 1); });
///     });
///     each([3 1 7], factorial)      [6 1 5040]
///
/// The body gets the function itself first.  Where no instance is left it is not
/// called, so that recursion ends when all instances have.
///
/// Shapes   The types are element types: rec<nested<int>(nested<int>, int)>.
/// Cost     As many steps as the deepest instance needs, if there is one call in
///          the body: of two calls one behind the other each doubles the steps, so
///          let `each(list(a, b), self)` make both at once.
///          On a device, a call whose arguments have fewer than `tuned().nested`
///          elements together is finished by the host, if the body captures nothing.
template <class Signature, class Body>
auto rec(Body body) {
  return flattening::recursive<Signature, Body>(std::move(body));
}

}  // namespace ravel::inline v0
