#pragma once

/// Reduction of a tile by any monoid, in two halves.
///
/// Each application of an operator waits for the one before, so two halves at once take half the time.

#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/structure.hpp>

namespace ravel::inline v0::cpu::detail {

/// Whether a load is the same function on all tiles, as it has no member on(tile).
template <class Load>
inline constexpr bool ignores_tiles = !requires(ravel::detail::under_maps_t<Load> l, tile t) {
  l.on(t);
};

inline index_t middle_of(tile t) { return t.begin + (t.end - t.begin) / 2; }

/// Returns m.identity() * load(begin) * ... * load(end - 1), grouped as two halves.  The halves are
/// combined at once, unless the load is made for a tile, which may read it in its order.
template <class T, class Load, class M>
T reduce_halves(tile t, Load const& load, M const& m) {
  index_t const middle = middle_of(t);
  T first = m.identity(), second = m.identity();
  if constexpr (ignores_tiles<Load>) {
    index_t i = middle;
    for (index_t k = t.begin; k < middle; ++k, ++i) {
      first = m(first, T(load(k)));
      second = m(second, T(load(i)));
    }
    if (i < t.end) second = m(second, T(load(i)));
  } else {
    first = worker::reduce({t.id, t.begin, middle}, load, m, first);
    second = worker::reduce({t.id, middle, t.end}, load, m, second);
  }
  return m(first, second);
}

}  // namespace ravel::inline v0::cpu::detail
