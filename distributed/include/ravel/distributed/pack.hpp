#pragma once

/// @file
/// Compaction over all ranks: filter_sync and pack_sync of distributed sequences.
///
///     index_t const kept = filter_sync(ex, x, is_odd, y);    // y.total_size() on each rank
///
/// Results stay on the rank where their elements are: `y` gets pieces of new sizes, which balance(x)
/// evens out.  `y` has room for the results of each piece of `x`, such as that of a sequence with
/// the pieces of `x`.
///
/// Order    That of the elements.
/// Cost     As on the local executor.
/// Volume   8 bytes to each other rank: the number of results.

#include <ravel/core/error.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/pack.hpp>

namespace ravel::inline v0 {
namespace distributed::detail {

/// Packs the piece of this rank by pack_piece(room), which returns how many elements are kept; `out`
/// then has as many on this rank.  Returns how many there are on all.
template <class Ex, class T, class Pack>
index_t pack_pieces(Ex const& ex, char const* call, sequence<T, Ex>& out, Pack const& pack_piece) {
  together(ex, call, [&] {
    index_t const kept = pack_piece(out.memory());
    expects(kept <= out.memory().size(), "out has room for ", out.memory().size(),
            " elements, and ", kept, " are kept");
    out.keep_piece(ex, 0, kept);
  });
  return out.total_size();
}

}  // namespace distributed::detail

/// The elements for which `keep` is true.  Returns their number.
template <class Local, class C, class T, class Keep, class U>
index_t filter_sync(distributed::executor<Local, C> const& ex,
                    distributed::sequence<T, distributed::executor<Local, C>> const& in, Keep keep,
                    distributed::sequence<U, distributed::executor<Local, C>>& out) {
  return distributed::detail::pack_pieces(ex, "filter_sync", out, [&](auto const& to) {
    return filter_sync(ex.local(), in.local(), keep, to);
  });
}

/// The elements whose flag is nonzero; flags have the pieces of `in`.  Returns their number.
template <class Local, class C, class T, class F, class U>
index_t pack_sync(distributed::executor<Local, C> const& ex,
                  distributed::sequence<T, distributed::executor<Local, C>> const& in,
                  distributed::sequence<F, distributed::executor<Local, C>> const& flags,
                  distributed::sequence<U, distributed::executor<Local, C>>& out) {
  return distributed::detail::pack_pieces(ex, "pack_sync", out, [&](auto const& to) {
    return pack_sync(ex.local(), in.local(), flags.local(), to);
  });
}

}  // namespace ravel::inline v0
