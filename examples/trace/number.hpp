#pragma once

/// A number that knows of which numbers it was made, for programs of `each` that are drawn.

#include <ravel/core/radix_key.hpp>

#include <compare>
#include <cstdint>
#include <limits>

namespace ravel::trace {

/// A number, and the operation that made it: an element of the sequences of a traced program.
struct number {
  std::int32_t is = 0;
  std::uint32_t id = 0;  // of the operation or the input that made it; 0 of a constant

  number() = default;
  constexpr number(std::int32_t constant) : is(constant) {}

  /// What an operation with that sign made of two numbers; of one that changes nothing, such as
  /// adding 0, the other one.
  static number made(std::int32_t is, number a, number b, char const* sign);

  friend number operator+(number a, number b) { return made(a.is + b.is, a, b, "+"); }
  friend number operator-(number a, number b) { return made(a.is - b.is, a, b, "-"); }
  friend number operator*(number a, number b) { return made(a.is * b.is, a, b, "*"); }
  friend number operator/(number a, number b) { return made(a.is / b.is, a, b, "/"); }
  friend number operator%(number a, number b) { return made(a.is % b.is, a, b, "%"); }
  friend bool operator==(number a, number b) { return a.is == b.is; }
  friend auto operator<=>(number a, number b) { return a.is <=> b.is; }
};

}  // namespace ravel::trace

/// Numbers are sorted by what they are.
template <>
struct ravel::radix_key<ravel::trace::number> {
  static auto bits(ravel::trace::number x) { return radix_key<std::int32_t>::bits(x.is); }
};

template <>
struct std::numeric_limits<ravel::trace::number> : std::numeric_limits<std::int32_t> {
  using number = ravel::trace::number;
  static constexpr number max() { return std::numeric_limits<std::int32_t>::max(); }
  static constexpr number min() { return std::numeric_limits<std::int32_t>::min(); }
  static constexpr number lowest() { return min(); }
};
