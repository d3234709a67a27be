#pragma once

/// Scan each tile, then propagate the prefixes: the common part of work_efficient,
/// warp_hierarchical and mindex.

#include <ravel/primitives/scan.hpp>

namespace ravel::inline v0::detail {

/// Each tile again, with its exclusive prefix.
template <class T, class Visit, class M, class Seed, class Total>
struct propagate {
  T const* through;  // per element, the inclusive prefix within its tile
  T const* totals;   // per tile, scanned
  Visit visit;
  index_t n;
  M m;
  Seed seed;
  Total total;

  template <class There>
  struct visit_one {
    T const* through;
    There visit;
    index_t first, n;
    T ahead;
    M m;
    Total total;
    RAVEL_HD void operator()(index_t i) const {
      T const with_this = m(ahead, through[i]);
      visit(i, i > first ? T(m(ahead, through[i - 1])) : ahead, with_this);
      if (i == n - 1) total(with_this);
    }
  };
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    auto const visit_here = on_tile(visit, t);
    T const ahead = t.id > 0 ? T(m(T(seed()), totals[t.id - 1])) : T(seed());
    team.for_each(t, visit_one<std::remove_const_t<decltype(visit_here)>>{
                         through, visit_here, t.begin, n, ahead, m, total});
  }
};

/// A named scan by steps `Sweep{load, through, totals, m}`, which scan a tile: they write to `through` the inclusive
/// prefix of each element within the tile, and to `totals` the tile's total.  `through` may be the input.
template <template <class, class, class> class Sweep>
struct by_sweeps : named_algorithm<option::scan> {};

/// Three kernels, if the totals fit in one tile; two more for each further power of the tile's
/// width.
template <template <class, class, class> class Sweep, executor Ex, class Load, class Visit, class M,
          class Seed, class Total>
void scan_by(by_sweeps<Sweep> algorithm, Ex const& ex, index_t n, Load load, Visit visit, M m,
             Seed seed, Total total) {
  using T = carrier_t<M>;
  if (n == 0) return scan_none<T>(ex, seed, total);
  index_t const tiles = ex.tile_count(n);
  auto const through = ex.template scratch<T>(n);
  auto const totals = ex.template scratch<T>(tiles + 1);  // and the total of totals
  ex.for_each_tile(n, Sweep<T, Load, M>{load, through.data(), totals.data(), m});
  if (tiles > 1 && ex.tile_count(tiles) == 1) {
    using of_totals = Sweep<T, contiguous<T>, M>;
    ex.for_each_tile(tiles, of_totals{{totals.data()}, totals.data(), totals.data() + tiles, m});
  } else if (tiles > 1) {
    scan_by(algorithm, ex, tiles, contiguous<T>{totals.data()}, write_through<T>{totals.data()}, m,
            seed_identity<M>{m}, no_total{});
  }
  ex.for_each_tile(n, propagate<T, Visit, M, Seed, Total>{through.data(), totals.data(), visit, n,
                                                          m, seed, total});
}

}  // namespace ravel::inline v0::detail
