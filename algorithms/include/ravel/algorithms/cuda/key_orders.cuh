#pragma once

/// Maps of the bits of keys to unsigned integers in their order, and from those to the values of numbers.

#include <ravel/core/radix_key.hpp>

#include <cstring>

namespace ravel::inline v0::gpu::detail {

/// An order-preserving map of integers, signed or not, ascending or descending, to unsigned ones by
/// value, and its inverse.
template <class U>
struct integer_order {
  U flip;
  RAVEL_HD U operator()(U x) const { return static_cast<U>(x ^ flip); }
  RAVEL_HD U back(U u) const { return static_cast<U>(u ^ flip); }
  /// Whether no other bit pattern compares equal to x.
  RAVEL_HD bool is_unique(U) const { return true; }
};

/// As integer_order, for the bits of floating-point numbers, where zeros of both signs compare
/// equal, and NaNs are sorted as equal.
template <class U>
struct number_order {
  U infinity;
  U flip;  // all ones if descending
  static constexpr U sign = ravel::detail::sign_bit<U>;
  RAVEL_HD U operator()(U x) const { return static_cast<U>((x & sign ? ~x : x | sign) ^ flip); }
  RAVEL_HD U back(U u) const {
    U const x = static_cast<U>(u ^ flip);
    return static_cast<U>(x & sign ? x ^ sign : ~x);
  }
  RAVEL_HD bool is_unique(U x) const { return x != sign && static_cast<U>(x & ~sign) <= infinity; }
};

/// No values: keys are distributed by their bits alone.
struct no_values {
  static constexpr bool exist = false;
};
/// The floating-point numbers of ordered bits.  Most keys of a bucket have few exponents, which are their
/// highest bits.
template <class U, class Order>
struct values_of_numbers {
  static constexpr bool exist = true;
  static constexpr bool may_repeat = true;  // several keys may have one value
  using number = std::conditional_t<sizeof(U) == 4, float, double>;
  Order order;
  __device__ bool are_in_order() const { return true; }
  __device__ number operator()(U x) const {
    U const bits = order.back(x);
    number v;
    std::memcpy(&v, &bits, sizeof(U));
    return v;
  }
};

}  // namespace ravel::inline v0::gpu::detail
