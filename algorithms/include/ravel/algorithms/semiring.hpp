#pragma once

/// Semirings: an addition and a multiplication other than + and x.

#include <ravel/core/monoid.hpp>

namespace ravel::inline v0 {

/// A monoid as addition, and an operation as multiplication that distributes over it:
///
///     a * (b + c) == a * b + a * c          (a + b) * c == a * c + b * c
///
/// Either may deduce its type at the call, as `plus{}` does.  The zero of the
/// semiring is the identity of `add`.
///
///     semiring{minimum{}, plus{}}           lengths of shortest paths
///     semiring{maximum{}, minimum{}}        widest paths
///     semiring{logical_or{}, logical_and{}} reachability
///
/// Multiplication must be associative only where several are chained; a
/// matrix-vector product does not need that.
template <class Add, class Multiply>
struct semiring {
  Add add;
  Multiply multiply;
};
template <class Add, class Multiply>
semiring(Add, Multiply) -> semiring<Add, Multiply>;

/// Sums of products; paths of least length; reachability.
inline constexpr semiring plus_times{plus{}, multiplies{}};
inline constexpr semiring min_plus{minimum{}, plus{}};
inline constexpr semiring or_and{logical_or{}, logical_and{}};

}  // namespace ravel::inline v0
