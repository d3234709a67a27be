#pragma once

/// Map over all ranks: a function of each element of distributed sequences; and iota and distribute.

#include <ravel/distributed/carries.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/operands.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0 {
/// out[i] = f(in[i]), or f of corresponding elements of up to three sequences, which have the same
/// pieces.
///
///     ranks      0     1     2
///     in         3 1 | 2 4 | 5
///     out        6 2 | 4 8 | 10               with f(x) = x + x
///
/// Cost     O(n / p) work of a rank for n elements in even pieces, O(1) span.  Moves each element once.
/// Volume   None, as of the calls below.
/// Errors   contract_error on every rank if the pieces differ.
template <distributed::some_executor Ex, class F, class T, class... U>
void map(Ex const& ex, F f, distributed::sequence<T, Ex>& out,
         distributed::sequence<U, Ex> const&... in) {
  (distributed::detail::expect_same_pieces("map", out, in), ...);
  together(ex, "map", [&] { map(ex.local(), f, out.local(), in.local()...); });
}
/// The same of a source over sequences in the pieces of `out`, such as that of a deferred scan, or a
/// zip_source of it and others.
///
/// Errors   distributed::error on every rank if the source has another number of elements than `out` on one.
template <distributed::some_executor Ex, class F, class T, class S, class Space>
void map(Ex const& ex, F f, distributed::sequence<T, Ex>& out, sized_source<S, Space> const& in) {
  static_assert(distributed::detail::is_elementwise<S>,
                "map: a source of several ranks is a map or a zip of distributed sequences");
  together(ex, "map", [&] {
    expects(in.n == out.size(), "out has ", out.size(), " elements on rank ", ex.ranks().rank(),
            ", and the source ", in.n);
    map_on(ex.local(), in.n, mapped<S, F>{in.source, f}, ravel::detail::store<T>{out.data()});
  });
}

/// Calls f with each element of `data`, once; f may change it.
///
///     ranks      0     1     2
///     data       3 1 | 2 4 | 5
///     then       4 2 | 3 5 | 6                with f(x) = ++x
///
/// Cost     O(n / p) work of a rank for even pieces, O(1) span.
template <distributed::some_executor Ex, class T, class F>
void for_each(Ex const& ex, distributed::sequence<T, Ex>& data, F f) {
  together(ex, "for_each", [&] { for_each(ex.local(), data.local(), f); });
}

/// Writes `value` to all elements of all ranks.
///
///     ranks      0     1     2
///     out        7 7 | 7 7 | 7                with value = 7, or one element of 7 on each rank
///
/// Cost     O(n / p) work of a rank for even pieces, O(1) span.  Writes each element once.
template <distributed::some_executor Ex, class V, class T>
void distribute(Ex const& ex, V const& value, distributed::sequence<T, Ex>& out) {
  together(ex, "distribute", [&] {
    if constexpr (distributed::detail::is_replica<V>) {
      distribute(ex.local(), value.local(), out.local());
    } else {
      distribute(ex.local(), value, out.local());
    }
  });
}

/// out[i] = first + i step, where i is the place among the elements of all ranks.
///
///     ranks      0     1     2
///     out        0 1 | 2 3 | 4
///
/// Cost     O(n / p) work of a rank for even pieces, O(1) span.  Writes each element once.
template <distributed::some_executor Ex, class T, class First = int, class Step = int>
void iota(Ex const& ex, distributed::sequence<T, Ex>& out, First first = 0, Step step = 1) {
  using namespace distributed::detail;
  using numbers = counted<T>;
  together(ex, "iota", [&] {
    map_on(ex.local(), out.size(),
           shifted<numbers>{{static_cast<T>(first), static_cast<T>(step)}, out.first()},
           ravel::detail::store<T>{out.data()});
  });
}

}  // namespace ravel::inline v0
