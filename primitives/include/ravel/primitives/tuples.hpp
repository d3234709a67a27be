#pragma once

/// Tuples: the parts of a scan that processes every S-th element by itself, S times.
///
/// Element i of a sequence is in tuple i / S, at place i % S.  A scan of tuples, place by place, is
/// a scan of the sequence with stride S.
///
/// Source   Maleki, Yang and Burtscher, "Higher-Order and Tuple-Based Massively-Parallel
///          Prefix Sums", PLDI 2016.

#include <ravel/primitives/map.hpp>

namespace ravel::inline v0 {
namespace detail {

/// S values.
template <class T, int S>
struct tuple_of {
  T x[S];
};

/// A monoid on each of them.
template <class M, int S>
struct tuple_monoid {
  M m;
  using T = tuple_of<carrier_t<M>, S>;
  RAVEL_HD T identity() const {
    T z;
    for (int k = 0; k < S; ++k) z.x[k] = m.identity();
    return z;
  }
  RAVEL_HD T operator()(T const& a, T const& b) const {
    T z;
    for (int k = 0; k < S; ++k) z.x[k] = m(a.x[k], b.x[k]);
    return z;
  }
};

/// The elements, of n, in the tuples of a tile.
template <int S>
RAVEL_HD tile elements_of(tile t, index_t n) {
  return {t.id, S * t.begin, S * t.end < n ? S * t.end : n};
}

/// Tuples from a load of elements; the last tuple is padded with the identity.
template <int S, class Load, class M>
struct load_tuple {
  Load load;
  M m;
  index_t n;
  RAVEL_HD auto on(tile t) const {
    return load_tuple<S, on_tile_t<Load>, M>{on_tile(load, elements_of<S>(t, n)), m, n};
  }
  RAVEL_HD auto operator()(index_t i) const {
    using T = carrier_t<M>;
    tuple_of<T, S> z;
    for (int k = 0; k < S; ++k) z.x[k] = S * i + k < n ? T(load(S * i + k)) : T(m.identity());
    return z;
  }
};

/// A visit of the elements of tuples.
template <int S, class Visit>
struct visit_tuple {
  static constexpr bool only_through = detail::only_through<Visit>;
  Visit visit;
  index_t n;
  RAVEL_HD auto on(tile t) const {
    return visit_tuple<S, on_tile_t<Visit>>{on_tile(visit, elements_of<S>(t, n)), n};
  }
  template <class T>
  RAVEL_HD void operator()(index_t i, T const& before, T const& through) const {
    for (int k = 0; k < S; ++k) {
      if (S * i + k < n) visit(S * i + k, before.x[k], through.x[k]);
    }
  }
};

/// The same seed at each place.
template <int S, class T, class Seed>
struct seed_tuple {
  Seed seed;
  RAVEL_HD tuple_of<T, S> operator()() const {
    tuple_of<T, S> z;
    for (int k = 0; k < S; ++k) z.x[k] = T(seed());
    return z;
  }
};

}  // namespace detail

template <class M, int S>
inline constexpr bool commutes<detail::tuple_monoid<M, S>> = commutes<M>;

}  // namespace ravel::inline v0
