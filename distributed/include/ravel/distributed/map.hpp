#pragma once

/// @file
/// Map over all ranks: a function of each element of distributed sequences.

#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0 {
/// out[i] = f(in[i]), or f of corresponding elements of up to three sequences, which have the same
/// pieces.
///
/// Cost     As on the local executor.
/// Volume   None.
/// Errors   contract_error on every rank if the pieces differ.
template <class Local, class C, class F, class T, class... U>
void map(distributed::executor<Local, C> const& ex, F f,
         distributed::sequence<T, distributed::executor<Local, C>>& out,
         distributed::sequence<U, distributed::executor<Local, C>> const&... in) {
  (distributed::detail::expect_same_pieces("map", out, in), ...);
  distributed::together(ex, "map", [&] { map(ex.local(), f, out.local(), in.local()...); });
}

}  // namespace ravel::inline v0
