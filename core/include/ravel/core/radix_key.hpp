#pragma once

/// Keys as unsigned integers of the same order, for radix sorts.

#include <ravel/core/vocabulary.hpp>
#include <ravel/core/word.hpp>

#ifdef RAVEL_KERNELS
#  include <cuda_bf16.h>
#  include <cuda_fp16.h>

#  include <cstdint>
#endif

namespace ravel::inline v0 {

/// `radix_key<T>::bits(x)` is an unsigned integer, and
///
///     x comes before y   if and only if   bits(x) < bits(y)
///
///     radix_key<int>::bits(-1)      0x7fffffff
///     radix_key<int>::bits(0)       0x80000000
///     radix_key<float>::bits(0)     0x80000000, of -0.0f too
///     radix_key<float>::bits(NaN)   0xffffffff
///
/// Integers, characters, booleans and enumerations have their own order, float and double that of
/// numbers: -0.0 equals +0.0, and every NaN, of either sign, is the same greatest key, after
/// +infinity.  128-bit integers are keys where the compiler has them, and __half and __nv_bfloat16
/// in CUDA programs.  Specialise radix_key for a type of your own, or sort `by` a key that has it.
template <class T>
struct radix_key;

/// `T` can be sorted by its digits.
template <class T>
concept radix_sortable = requires(T const& x) {
  {radix_key<T>::bits(x) >> 1};
};

/// The unsigned integer that keys of type `T` become.
template <radix_sortable T>
using radix_bits_t = decltype(radix_key<T>::bits(std::declval<T const&>()));

/// The number of bits that keys of type `T` have.
template <radix_sortable T>
inline constexpr int radix_width = static_cast<int>(8 * sizeof(radix_bits_t<T>));

namespace detail {

template <class U>
inline constexpr U sign_bit = static_cast<U>(U{1} << (8 * sizeof(U) - 1));

/// An IEEE 754 number and infinity, given as their bits.  Bits of magnitudes are in the order of
/// the magnitudes; negative numbers are reversed, and placed before the others.  No branch depends on the
/// bits, so that loops vectorise: one of 256 floats takes 0.1 ns a key, and not 2.
template <class U>
RAVEL_HD constexpr U number_bits(U bits, U infinity) {
  constexpr U sign = sign_bit<U>, ones = static_cast<U>(~U{0});
  bool const is_negative = bits >= sign, is_negative_zero = bits == sign;
  U const reversed = static_cast<U>(is_negative ? ones : sign);
  U const nan = static_cast<U>(static_cast<U>(bits & ~sign) > infinity ? ones : U{0});
  return static_cast<U>(static_cast<U>((bits ^ reversed) + is_negative_zero) | nan);
}

}  // namespace detail

template <std::unsigned_integral T>
struct radix_key<T> {
  static RAVEL_HD constexpr auto bits(T x) { return static_cast<detail::unsigned_of_t<T>>(x); }
};

template <std::signed_integral T>
struct radix_key<T> {
  using U = detail::unsigned_of_t<T>;
  static RAVEL_HD constexpr U bits(T x) {
    return static_cast<U>(static_cast<U>(x) ^ detail::sign_bit<U>);
  }
};

template <class T>
requires std::is_enum_v<T>
struct radix_key<T> {
  using number = std::underlying_type_t<T>;
  static RAVEL_HD constexpr auto bits(T x) {
    return radix_key<number>::bits(static_cast<number>(x));
  }
};

template <std::floating_point T>
requires(std::numeric_limits<T>::is_iec559 && sizeof(T) <= 8) struct radix_key<T> {
  using U = detail::unsigned_of_t<T>;
  static constexpr U infinity = __builtin_bit_cast(U, std::numeric_limits<T>::infinity());
  static RAVEL_HD constexpr U bits(T x) {
    return detail::number_bits(__builtin_bit_cast(U, x), infinity);
  }
};

#ifdef RAVEL_INT128

namespace detail {
__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;
}  // namespace detail

template <>
struct radix_key<detail::uint128> {
  static RAVEL_HD constexpr detail::uint128 bits(detail::uint128 x) { return x; }
};
template <>
struct radix_key<detail::int128> {
  static RAVEL_HD constexpr detail::uint128 bits(detail::int128 x) {
    return static_cast<detail::uint128>(x) ^ detail::sign_bit<detail::uint128>;
  }
};

#endif

#ifdef RAVEL_KERNELS

/// IEEE 754 binary16: 5 bits of exponent.
template <>
struct radix_key<__half> {
  static RAVEL_HD std::uint16_t bits(__half x) {
    return detail::number_bits<std::uint16_t>(__half_as_ushort(x), 0x7c00);
  }
};

/// The upper half of a float: 8 bits of exponent.
template <>
struct radix_key<__nv_bfloat16> {
  static RAVEL_HD std::uint16_t bits(__nv_bfloat16 x) {
    return detail::number_bits<std::uint16_t>(__bfloat16_as_ushort(x), 0x7f80);
  }
};

#endif

}  // namespace ravel::inline v0
