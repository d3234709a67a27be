#pragma once

/// @file
/// Calls of a function with the members of a tuple.

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ravel::inline v0::detail {

/// f(x0, x1, ...) for a std::tuple of these.  std::apply takes compilers three times as long, since it
/// also determines whether the call throws.
template <class F, class Tuple>
constexpr decltype(auto) call_with(F&& f, Tuple&& all) {
  return [&]<std::size_t... I>(std::index_sequence<I...>)->decltype(auto) {
    return f(std::get<I>(all)...);
  }
  (std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<Tuple>>>{});
}

}  // namespace ravel::inline v0::detail
