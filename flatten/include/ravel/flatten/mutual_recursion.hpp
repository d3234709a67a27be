#pragma once

/// Mutual recursion: functions that call one another.

#include <ravel/flatten/recurse.hpp>

#include <tuple>

namespace ravel::inline v0 {
namespace flattening {

/// Function I of several that call each other, of which `Functions` is made, as a body that calls
/// itself.
template <std::size_t I, class Body, class Functions>
struct body_beside {
  Body body;

  template <class Self, class... X>
  auto operator()(Self const& self, X&&... x) const {
    auto const& functions = static_cast<Functions const&>(*this);
    return functions.call_with_all(self, [&](auto const&... function) {
      constexpr bool takes_them =
          std::is_invocable_v<Body const&, decltype(function)..., decltype(std::forward<X>(x))...>;
      static_assert(takes_them,
                    "rec: a body of several cannot be called with all functions, in the order of "
                    "their signatures, and its arguments");
      if constexpr (takes_them) return body(function..., std::forward<X>(x)...);
    });
  }
};
template <std::size_t I, class Body, class Functions>
inline constexpr bool captures_nothing<body_beside<I, Body, Functions>> =
    Functions::capture_nothing_together;

template <class Indices, class Signatures, class... Body>
struct functions_beside;
template <std::size_t... I, class... Signature, class... Body>
struct functions_beside<std::index_sequence<I...>, std::tuple<Signature*...>, Body...>
    : body_beside<
          I, Body,
          functions_beside<std::index_sequence<I...>, std::tuple<Signature*...>, Body...>>... {
  static constexpr bool capture_nothing_together = capture_nothing<Body...>;
  template <std::size_t K, class B>
  static auto const& body_of(body_beside<K, B, functions_beside> const& body) {
    return body;
  }
  auto call_with_all(auto const& self, auto const& f) const {
    return f(self.template beside<Signature>(body_of<I>(*this))...);
  }
};

/// Function I of several.
template <std::size_t I, class Signature, class Functions>
class recursive_beside {
  Functions all_;

 public:
  explicit recursive_beside(Functions functions) : all_(std::move(functions)) {}

  auto operator()(liftable auto const&... x) const {
    auto const& body = Functions::template body_of<I>(all_);
    return recursive_call<Signature, std::remove_cvref_t<decltype(body)>>(body, {}, 1,
                                                                          nullptr)(x...);
  }
  template <class... X>
  requires(plain_operand<X> || ...) auto operator()(X const&... x) const {
    auto const& body = Functions::template body_of<I>(all_);
    return plain_recursion<Signature, std::remove_cvref_t<decltype(body)>>{&body, {}, 1}(x...);
  }
};

}  // namespace flattening

/// Functions of the given types whose bodies may call themselves and each other: a tuple of them.
///
///     auto const [is_even, is_odd] = rec<bool(int), bool(int)>(
///         [](auto, auto is_odd, auto n) {
///           return if_(n == 0, [&] { return n == n; }, [&] { return is_odd(n - 1); });
///         },
///         [](auto is_even, auto, auto n) {
///           return if_(n == 0, [&] { return n != n; }, [&] { return is_even(n - 1); });
///         });
///     each([3 4 0], is_even)      [false true true]
///
/// The first parameters of each body are all functions, in the order of their types.
///
/// Cost     As of one function: instances that call different functions at one level take a call
///          of each, one after the other.
template <class First, class Second, class... More, class... Body>
requires(std::is_function_v<Second>) auto rec(Body... body) {
  constexpr std::size_t count = 2 + sizeof...(More);
  static_assert(sizeof...(Body) == count,
                "rec: functions that call each other are as many types and as many bodies");
  if constexpr (sizeof...(Body) == count) {
    using signatures = std::tuple<First*, Second*, More*...>;
    return [&]<std::size_t... I>(std::index_sequence<I...> indices) {
      flattening::functions_beside<decltype(indices), signatures, Body...> const functions{
          {std::move(body)}...};
      return std::tuple{
          flattening::recursive_beside<I,
                                       std::remove_pointer_t<std::tuple_element_t<I, signatures>>,
                                       std::remove_const_t<decltype(functions)>>(functions)...};
    }
    (std::make_index_sequence<count>{});
  }
}

}  // namespace ravel::inline v0
