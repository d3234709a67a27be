#pragma once

/// The naive scan: each element combines its own prefix.

#include <ravel/primitives/named/step_doubling.hpp>

namespace ravel::inline v0 {
namespace detail {

/// The inclusive prefix at i, by a loop from the first element.
template <class T, class Load, class M, class Seed>
struct own_prefix {
  Load load;
  M m;
  Seed seed;
  RAVEL_HD T operator()(index_t i) const {
    T sum = seed();
    for (index_t k = 0; k <= i; ++k) sum = m(sum, T(load(k)));
    return sum;
  }
};

}  // namespace detail

namespace scan_algorithm {

/// The type of `naive`.
struct naive_t : detail::named_algorithm<detail::option::scan> {};

/// Each element combines all elements up to it, whatever the others do:
///
///     out[i] = in[0] * ... * in[i], by i operations
///
/// To see what the other algorithms share.  Its one virtue: every result has the bits of the loop,
/// also in floating point.
///
/// Cost     n (n + 1) / 2 work, n steps.  2 launches.  Reads n^2 / 2 elements, most of them from
///          cache, and needs memory for n values.
/// Source   The definition; where courses on parallel algorithms begin.
inline constexpr naive_t naive{};

template <executor Ex, class Load, class Visit, class M, class Seed, class Total>
void scan_by(naive_t, Ex const& ex, index_t n, Load load, Visit visit, M m, Seed seed,
             Total total) {
  using T = carrier_t<M>;
  if (n == 0) return detail::scan_none<T>(ex, seed, total);
  auto const through = ex.template scratch<T>(n);
  map_on(ex, n, detail::own_prefix<T, Load, M, Seed>{load, m, seed},
         detail::store<T>{through.data()});
  for_each_index(
      ex, n, detail::visit_scanned<T, Visit, Seed, Total>{through.data(), visit, n, seed, total});
}

}  // namespace scan_algorithm
}  // namespace ravel::inline v0
