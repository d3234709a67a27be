#pragma once

/// @file
/// Map over all ranks: a function of each element of distributed sequences.

#include <ravel/core/error.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/map.hpp>

#include <algorithm>

namespace ravel::inline v0 {
namespace distributed::detail {

/// Refuses sequences in different pieces, on every rank alike.
template <class X, class Y>
void expect_same_pieces(char const* call, X const& x, Y const& y) {
  for (std::size_t r = 0; r + 1 < x.begins().size(); ++r) {
    index_t const a = x.begins()[r + 1] - x.begins()[r], b = y.begins()[r + 1] - y.begins()[r];
    expects(a == b, call, ": out has ", a, " elements on rank ", r, ", and an input has ", b);
  }
}

}  // namespace distributed::detail

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
