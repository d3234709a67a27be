#pragma once

/// What every header may use: tiles, views, monoids, the concepts, errors, and the least of the standard library.

#include <ravel/core/error.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/std_algobase.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace ravel::inline v0::detail {

/// x to be assigned to a `To`: x itself if it is one, since a conversion would make another, which for a
/// string may allocate.
template <class To, class X>
RAVEL_HD constexpr decltype(auto) as_assigned(X&& x) {
  if constexpr (std::is_same_v<std::remove_cvref_t<X>, To>) {
    return static_cast<X&&>(x);
  } else {
    static_assert(
        requires { static_cast<To>(static_cast<X&&>(x)); },
        "the elements that this call writes cannot be converted to those of its output");
    return static_cast<To>(static_cast<X&&>(x));
  }
}

}  // namespace ravel::inline v0::detail
