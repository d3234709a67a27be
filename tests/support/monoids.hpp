#pragma once

/// Monoids that detect errors which addition hides.

#include <ravel/core/config.hpp>

#include <cstdint>
#include <ostream>

namespace ravel::testing {

/// x -> a x + b, exact in unsigned.
struct affine {
  std::uint32_t a, b;
  friend RAVEL_HD bool operator==(affine const& f, affine const& g) {
    return f.a == g.a && f.b == g.b;
  }
  friend std::ostream& operator<<(std::ostream& os, affine const& f) {
    return os << f.a << "x+" << f.b;
  }
};

/// Composition of affine maps: associative, and not commutative.
struct then {
  static RAVEL_HD constexpr affine identity() { return {1, 0}; }
  RAVEL_HD constexpr affine operator()(affine const& f, affine const& g) const {
    return {f.a * g.a, f.b * g.a + g.b};
  }
};

/// The i-th of a sequence of affine maps that do not commute.
inline affine nth_affine(std::uint32_t i) { return {2 * i + 1, i % 17}; }

}  // namespace ravel::testing
