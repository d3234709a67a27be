#pragma once

/// @file
/// Semirings: what adds and what multiplies, where it need not be + and x.

#include <ravel/core/monoid.hpp>

namespace ravel::inline v0 {

/// A monoid that adds, and an operation that multiplies and distributes over it:
///
///     a * (b + c) == a * b + a * c          (a + b) * c == a * c + b * c
///
/// Either may leave its type to the call, as `plus{}` does.  The zero of the
/// semiring is the identity of `add`.
///
///     semiring{minimum{}, plus{}}           lengths of shortest paths
///     semiring{maximum{}, minimum{}}        widest paths
///     semiring{logical_or{}, logical_and{}} reachability
///
/// The multiplication is associative wherever it is used more than once; one
/// product with a vector does not ask for that.
template <class Add, class Multiply>
struct semiring {
  Add add;
  Multiply multiply;
};
template <class Add, class Multiply>
semiring(Add, Multiply) -> semiring<Add, Multiply>;

inline constexpr semiring plus_times{plus{}, multiplies{}};
inline constexpr semiring min_plus{minimum{}, plus{}};
inline constexpr semiring or_and{logical_or{}, logical_and{}};

}  // namespace ravel::inline v0
