#pragma once

/// Functions of numbers: roots, powers, logarithms and the like, the lesser and the greater of two,
/// and random numbers.

#include <ravel/core/std_math.hpp>
#include <ravel/flatten/lift.hpp>

namespace ravel::inline v0 {
namespace flattening {

struct root_of {
  template <class T>
  RAVEL_HD auto operator()(T const& x) const {
    using ravel::detail::math::sqrt;
    return sqrt(x);
  }
};
struct exponential_of {
  template <class T>
  RAVEL_HD auto operator()(T const& x) const {
    using ravel::detail::math::exp;
    return exp(x);
  }
};
struct logarithm_of {
  template <class T>
  RAVEL_HD auto operator()(T const& x) const {
    using ravel::detail::math::log;
    return log(x);
  }
};
struct sine_of {
  template <class T>
  RAVEL_HD auto operator()(T const& x) const {
    using ravel::detail::math::sin;
    return sin(x);
  }
};
struct cosine_of {
  template <class T>
  RAVEL_HD auto operator()(T const& x) const {
    using ravel::detail::math::cos;
    return cos(x);
  }
};
/// The least integer is its own, as its negation wraps around.
struct magnitude_of {
  template <class T>
  RAVEL_HD auto operator()(T const& x) const {
    if constexpr (std::unsigned_integral<T>) {
      return x;
    } else if constexpr (std::integral<T>) {
      return x < 0 ? negated{}(x) : static_cast<decltype(negated{}(x))>(x);
    } else {
      using ravel::detail::math::abs;
      return abs(x);
    }
  }
};
struct power_of {
  template <class T, class U>
  RAVEL_HD auto operator()(T const& x, U const& y) const {
    using ravel::detail::math::pow;
    using C = std::common_type_t<T, U>;
    return pow(static_cast<C>(x), static_cast<C>(y));
  }
};
struct lesser_of {
  template <class T, class U>
  RAVEL_HD auto operator()(T const& x, U const& y) const {
    using C = std::common_type_t<T, U>;
    return ravel::minimum<C>{}(static_cast<C>(x), static_cast<C>(y));
  }
};
struct greater_of {
  template <class T, class U>
  RAVEL_HD auto operator()(T const& x, U const& y) const {
    using C = std::common_type_t<T, U>;
    return ravel::maximum<C>{}(static_cast<C>(x), static_cast<C>(y));
  }
};

/// The finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), of a seed and a counter.
struct mixed_bits {
  template <class S, class K>
  RAVEL_HD std::uint64_t operator()(S seed, K counter) const {
    auto x = static_cast<std::uint64_t>(seed) * 0xd1342543de82ef95u +
             (static_cast<std::uint64_t>(counter) + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  }
};

}  // namespace flattening

/// A function of <cmath>, or of std::complex, on a scalar or element by element.
template <operand X>
auto sqrt(X const& x) {
  return lift(flattening::root_of{})(x);
}
template <operand X>
auto exp(X const& x) {
  return lift(flattening::exponential_of{})(x);
}
template <operand X>
auto log(X const& x) {
  return lift(flattening::logarithm_of{})(x);
}
template <operand X>
auto sin(X const& x) {
  return lift(flattening::sine_of{})(x);
}
template <operand X>
auto cos(X const& x) {
  return lift(flattening::cosine_of{})(x);
}
/// Of integers too.
template <operand X>
auto abs(X const& x) {
  return lift(flattening::magnitude_of{})(x);
}
template <class X, class Y>
requires flattening::lifted_operands<X, Y>
auto pow(X const& x, Y const& y) { return lift(flattening::power_of{})(x, y); }

/// The lesser of two numbers, for each instance; of sequences element by element.
///
///     min(x, 3)
///
/// NaN if either is.
template <class X, class Y>
requires flattening::lifted_operands<X, Y>
auto min(X const& x, Y const& y) { return lift(flattening::lesser_of{})(x, y); }
/// The greater of two numbers, as min.
template <class X, class Y>
requires flattening::lifted_operands<X, Y>
auto max(X const& x, Y const& y) { return lift(flattening::greater_of{})(x, y); }

/// A random 64-bit number for each counter of a seed: the same for the same operands, on every
/// executor.
///
///     auto const coin = random_bits(round, indices(vertices)) % 2u == 0u;
///
/// Cost     None of its own, some ten instructions where it is used.
/// Source   Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014: not for
///          cryptography.
template <class S, class K>
requires flattening::lifted_operands<S, K>
auto random_bits(S const& seed, K const& counter) {
  return lift(flattening::mixed_bits{})(seed, counter);
}

}  // namespace ravel::inline v0
