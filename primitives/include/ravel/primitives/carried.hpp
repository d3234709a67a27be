#pragma once

/// The carry of a linear recurrence from each element to the next, and the effect of a run of
/// elements on it.
///
/// A scan carries one value.  A sum of order q carries q running sums, and a recurrence of order k
/// its last k results: c.  An element x maps c to A c + x u with constant A and u, so a run of n
/// elements maps it to A^n c + d, where d is the result for c = 0.  Runs of any lengths are joined
/// by
/// makes of zeros.  Runs of any lengths are joined by
///
///     (A^m, d) * (A^n, e) = (A^(m + n), A^n d + e)
///
/// which is associative, so that a scan over runs computes the recurrence.
///
/// For sums, A adds each running sum to the next.  With c as the polynomial c[0] + c[1] z + ...
/// modulo z^q, that is a division by 1 - z, so a power of A is a polynomial as well: q values, the
/// binomials, instead of a matrix.
///
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990, for
///          recurrences as scans; Maleki, Yang and Burtscher, "Higher-Order and
///          Tuple-Based Massively-Parallel Prefix Sums", PLDI 2016, for orders.

#include <ravel/primitives/options.hpp>
#include <ravel/primitives/tuples.hpp>

namespace ravel::inline v0::detail {

/// Q running sums, each over the one before it.
template <class T, int Q>
struct carried_sums {
  using element = T;
  using value = wrapping_t<T>;
  static constexpr int size = Q;
  struct power {
    value p[Q];  // the polynomial 1 / (1 - z)^n
  };

  static RAVEL_HD power none() {
    power one;
    for (int k = 0; k < Q; ++k) one.p[k] = value(k == 0);
    return one;
  }
  static RAVEL_HD power step() {
    power one;
    for (int k = 0; k < Q; ++k) one.p[k] = value(1);
    return one;
  }
  static RAVEL_HD power then(power const& a, power b) {
    apply(a, b.p);
    return b;
  }
  static RAVEL_HD void apply(power const& a, value* c) {
    for (int k = Q - 1; k >= 0; --k) {
      value sum = a.p[0] * c[k];
      for (int j = 1; j <= k; ++j) sum += a.p[j] * c[k - j];
      c[k] = sum;
    }
  }
  /// Advances the carry by element x.
  static RAVEL_HD void next(value* c, value x) {
    c[0] += x;
    for (int k = 1; k < Q; ++k) c[k] += c[k - 1];
  }
  /// Prepends x to the elements whose carry back to the first of them is c.
  static RAVEL_HD void before(value* c, value x) {
    for (int k = Q - 1; k > 0; --k) c[k] -= c[k - 1];
    c[0] += x;
  }
  /// The result in a carry; or, in a carry before all elements, the component that is the first
  /// result.
  static RAVEL_HD value& result(value* c) { return c[Q - 1]; }
  static RAVEL_HD value const& result(value const* c) { return c[Q - 1]; }
};

/// The last K results of  y[i] = x[i] + a[0] y[i - 1] + ... + a[K - 1] y[i - K].
template <class T, int K>
struct carried_results {
  using element = T;
  using value = wrapping_t<T>;
  static constexpr int size = K;
  struct power {
    value p[K][K];
  };
  value a[K];

  /// Where powers have overflowed, zeros stay zeros.
  static RAVEL_HD value product(value const& x, value const& y) {
    return x == value(0) || y == value(0) ? value(0) : x * y;
  }

  static RAVEL_HD power none() {
    power one;
    for (int i = 0; i < K; ++i) {
      for (int j = 0; j < K; ++j) one.p[i][j] = value(i == j);
    }
    return one;
  }
  RAVEL_HD power step() const {
    power one;
    for (int i = 0; i < K; ++i) {
      for (int j = 0; j < K; ++j) one.p[i][j] = i == 0 ? a[j] : value(i == j + 1);
    }
    return one;
  }
  static RAVEL_HD power then(power const& a, power const& b) {
    power ab;
    for (int i = 0; i < K; ++i) {
      for (int j = 0; j < K; ++j) {
        ab.p[i][j] = product(b.p[i][0], a.p[0][j]);
        for (int k = 1; k < K; ++k) ab.p[i][j] += product(b.p[i][k], a.p[k][j]);
      }
    }
    return ab;
  }
  static RAVEL_HD void apply(power const& a, value* c) {
    value made[K];
    for (int i = 0; i < K; ++i) {
      made[i] = product(a.p[i][0], c[0]);
      for (int j = 1; j < K; ++j) made[i] += product(a.p[i][j], c[j]);
    }
    for (int i = 0; i < K; ++i) c[i] = made[i];
  }
  static bool is_finite(power const& a) {
    for (int i = 0; i < K; ++i) {
      for (int j = 0; j < K; ++j) {
        if (a.p[i][j] - a.p[i][j] != value(0)) return false;
      }
    }
    return true;
  }
  /// The last result is added last, because the next element depends on it.
  RAVEL_HD void next(value* c, value x) const {
    for (int k = K - 1; k > 0; --k) {
      x += a[k] * c[k];
      c[k] = c[k - 1];
    }
    c[0] = x + a[0] * c[0];
  }
  static RAVEL_HD value& result(value* c) { return c[0]; }
  static RAVEL_HD value const& result(value const* c) { return c[0]; }
};

/// The carry at each of S places.
template <class C, int S>
struct carried_of {
  typename C::value c[S][C::size];
};

/// A^n.
template <class C>
typename C::power power_of(C const& carry, index_t n) {
  auto made = carry.none();
  for (auto square = carry.step(); n > 0; n /= 2, square = carry.then(square, square)) {
    if (n % 2 != 0) made = carry.then(made, square);
  }
  return made;
}

/// The effect of a run of tuples.
template <class C, int S>
struct run : carried_of<C, S> {
  typename C::power power;
};

template <class C, int S>
struct join_runs {
  C of;
  RAVEL_HD run<C, S> identity() const {
    run<C, S> none{};
    none.power = of.none();
    return none;
  }
  RAVEL_HD run<C, S> operator()(run<C, S> a, run<C, S> const& b) const {
    for (int s = 0; s < S; ++s) {
      of.apply(b.power, a.c[s]);
      for (int k = 0; k < C::size; ++k) a.c[s][k] += b.c[s][k];
    }
    a.power = of.then(a.power, b.power);
    return a;
  }
};

/// Runs of one tuple each, from a load of n elements.
template <class C, int S, class Load>
struct load_run {
  C of;
  Load load;
  index_t n;
  RAVEL_HD auto on(tile t) const {
    return load_run<C, S, on_tile_t<Load>>{of, on_tile(load, elements_of<S>(t, n)), n};
  }
  RAVEL_HD typename C::value element(index_t i) const {
    return static_cast<typename C::value>(static_cast<typename C::element>(load(i)));
  }
  RAVEL_HD run<C, S> operator()(index_t i) const {
    run<C, S> one{};
    one.power = of.step();
    for (int s = 0; s < S; ++s) {
      if (S * i + s < n) of.next(one.c[s], element(S * i + s));
    }
    return one;
  }
};

template <class C, int S, class Visit>
struct visit_run {
  static constexpr bool only_through = detail::only_through<Visit>;
  Visit visit;
  index_t n;
  RAVEL_HD auto on(tile t) const {
    return visit_run<C, S, on_tile_t<Visit>>{on_tile(visit, elements_of<S>(t, n)), n};
  }
  RAVEL_HD void operator()(index_t i, run<C, S> const& before, run<C, S> const& through) const {
    for (int s = 0; s < S; ++s) {
      if (S * i + s < n) visit(S * i + s, C::result(before.c[s]), C::result(through.c[s]));
    }
  }
};

template <class C, int S, class Seed>
struct seed_run {
  Seed seed;
  RAVEL_HD run<C, S> operator()() const {
    run<C, S> first{};
    first.power = C::none();
    for (int s = 0; s < S; ++s) {
      C::result(first.c[s]) = static_cast<typename C::value>(seed());
    }
    return first;
  }
};

template <class C, class Total>
struct total_of_run {
  Total total;
  RAVEL_HD void operator()(carried_of<C, 1> const& carry) const { total(C::result(carry.c[0])); }
};
template <class C, class Total>
auto total_of_runs(Total total) {
  return total_of_run<C, Total>{total};
}
template <class C>
no_total total_of_runs(no_total none) {
  return none;
}

}  // namespace ravel::inline v0::detail
