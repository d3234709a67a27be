#pragma once

/// Step doubling (Hillis and Steele): each element with the one 1, 2, 4, ... places before it.

#include <ravel/primitives/scan.hpp>

#include <utility>

namespace ravel::inline v0 {
namespace detail {

/// The loaded elements; the first is combined with the seed.
template <class T, class Load, class M, class Seed>
struct load_after_seed {
  Load load;
  M m;
  Seed seed;
  RAVEL_HD auto on(tile t) const {
    return load_after_seed<T, on_tile_t<Load>, M, Seed>{on_tile(load, t), m, seed};
  }
  RAVEL_HD T operator()(index_t i) const {
    return i > 0 ? T(load(i)) : T(m(T(seed()), T(load(i))));
  }
};

/// The combination of `2 distance` elements up to i, from those of `distance` elements.
template <class T, class M>
struct with_the_one_at {
  index_t distance;
  T const* from;
  M m;
  RAVEL_HD T operator()(index_t i) const {
    return i >= distance ? T(m(from[i - distance], from[i])) : from[i];
  }
};

/// Visits each element with its exclusive and inclusive prefix.
template <class T, class Visit, class Seed, class Total>
struct visit_scanned {
  T const* through;
  Visit visit;
  index_t n;
  Seed seed;
  Total total;
  RAVEL_HD auto on(tile t) const {
    return visit_scanned<T, on_tile_t<Visit>, Seed, Total>{through, on_tile(visit, t), n, seed,
                                                           total};
  }
  RAVEL_HD void operator()(index_t i) const {
    visit(i, i > 0 ? through[i - 1] : T(seed()), through[i]);
    if (i == n - 1) total(through[i]);
  }
};

}  // namespace detail

namespace scan_algorithm {

/// The type of `step_doubling`.
struct step_doubling_t : detail::named_algorithm<detail::option::scan> {};

/// In step k every element is combined with the one 2^k positions before it; after log2 n steps
/// with all:
///
///     3   1   2   4   1   5
///     3   4   3   6   5   6        with the one 1 before
///     3   4   6  10   8  12        with the one 2 before
///     3   4   6  10  11  16        with the one 4 before
///
/// The fewest steps, but not the least work: n log n operations, where n - 1 suffice.  Each step
/// reads one array and writes another, to avoid overwriting its input.
///
/// Cost     n log n work, log2 n steps.  ceil(log2 n) + 2 launches.  Moves 2 n (log2 n + 2), and
///          needs memory for 2 n values.
/// Source   Hillis and Steele, "Data Parallel Algorithms", CACM 29(12), 1986; within
///          a warp or as a circuit, Kogge and Stone, IEEE Trans. Computers C-22(8), 1973.
inline constexpr step_doubling_t step_doubling{};

template <executor Ex, class Load, class Visit, class M, class Seed, class Total>
void scan_by(step_doubling_t, Ex const& ex, index_t n, Load load, Visit visit, M m, Seed seed,
             Total total) {
  using T = carrier_t<M>;
  if (n == 0) return detail::scan_none<T>(ex, seed, total);
  auto const first = ex.template scratch<T>(n);
  auto const second = ex.template scratch<T>(n);
  T* prev = first.data();
  T* next = second.data();
  map_on(ex, n, detail::load_after_seed<T, Load, M, Seed>{load, m, seed}, detail::store<T>{prev});
  for (index_t distance = 1; distance < n; distance *= 2) {
    map_on(ex, n, detail::with_the_one_at<T, M>{distance, prev, m}, detail::store<T>{next});
    std::swap(prev, next);
  }
  for_each_index(ex, n, detail::visit_scanned<T, Visit, Seed, Total>{prev, visit, n, seed, total});
}

}  // namespace scan_algorithm
}  // namespace ravel::inline v0
