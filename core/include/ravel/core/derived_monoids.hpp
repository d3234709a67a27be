#pragma once

/// Monoids derived from others: with an adjoined identity, products, with flipped operands, and
/// segmented.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0 {

/// An optional `T`.
template <class T>
struct maybe {
  T value{};
  bool is = false;

  maybe() = default;
  RAVEL_HD constexpr maybe(T const& x) : value(x), is(true) {}
  RAVEL_HD constexpr operator T() const { return value; }
  friend RAVEL_HD constexpr bool operator==(maybe const& a, maybe const& b) {
    return a.is == b.is && (!a.is || a.value == b.value);
  }
};

/// The monoid of an associative function object that has no identity on T: an empty `maybe` is the
/// identity.  Scans and reductions read and write T.
///
///     inclusive_scan(ex, in, out, adjoin_identity<T>(op));
template <class T, class Op>
struct adjoined {
  Op op;
  static RAVEL_HD constexpr maybe<T> identity() { return {}; }
  RAVEL_HD constexpr maybe<T> operator()(maybe<T> const& x, maybe<T> const& y) const {
    if (!x.is) return y;
    if (!y.is) return x;
    return maybe<T>(op(x.value, y.value));
  }
};
template <class T, class Op>
constexpr adjoined<T, Op> adjoin_identity(Op op) {
  return {op};
}

/// Two values.
template <class A, class B>
struct paired {
  A first;
  B second;
  friend RAVEL_HD constexpr bool operator==(paired const& x, paired const& y) {
    return x.first == y.first && x.second == y.second;
  }
};

/// The product of two monoids:  (a, b) * (c, d) = (m(a, c), n(b, d)).
template <class M, class N>
struct pair_of {
  M m;
  N n;
  using T = paired<carrier_t<M>, carrier_t<N>>;

  RAVEL_HD constexpr T identity() const { return {m.identity(), n.identity()}; }
  RAVEL_HD constexpr T operator()(T const& x, T const& y) const {
    return {m(x.first, y.first), n(x.second, y.second)};
  }
};
template <class M, class N>
pair_of(M, N) -> pair_of<M, N>;

/// W values of one type.
template <class T, int W>
struct side_by_side {
  T of[W];
  friend RAVEL_HD constexpr bool operator==(side_by_side const& x, side_by_side const& y) {
    for (int i = 0; i < W; ++i) {
      if (!(x.of[i] == y.of[i])) return false;
    }
    return true;
  }
};

/// The W-fold product of a monoid:  (x * y)[i] = m(x[i], y[i]).
template <class M, int W>
struct each_of {
  M m;
  using T = side_by_side<carrier_t<M>, W>;

  RAVEL_HD constexpr T identity() const {
    T result{};
    for (int i = 0; i < W; ++i) result.of[i] = m.identity();
    return result;
  }
  RAVEL_HD constexpr T operator()(T const& x, T const& y) const {
    T result{};
    for (int i = 0; i < W; ++i) result.of[i] = m(x.of[i], y.of[i]);
    return result;
  }
};

/// As M does.
template <class M, int W>
inline constexpr bool commutes<each_of<M, W>> = commutes<M>;

/// The monoid with exchanged operands: a scan from the right over `m` is a scan of the reversed
/// sequence over `flipped{m}`.
template <class M>
struct flipped {
  M m;
  using T = carrier_t<M>;

  RAVEL_HD constexpr T identity() const { return m.identity(); }
  RAVEL_HD constexpr T operator()(T const& x, T const& y) const { return m(y, x); }
};
template <class M>
flipped(M) -> flipped<M>;
/// As M does.
template <class M>
inline constexpr bool commutes<flipped<M>> = commutes<M>;

/// A value, and whether a segment starts at it.
template <class T>
struct flagged {
  T value;
  bool head;
  friend RAVEL_HD constexpr bool operator==(flagged const& a, flagged const& b) {
    return a.value == b.value && a.head == b.head;
  }
};

/// Lifts a monoid on `T` to one on `flagged<T>` that drops its left operand wherever a segment
/// starts:
///
///     (x, f) * (y, g) = (g ? y : m(x, y), f or g)
///
/// An ordinary scan over the lifted monoid is a segmented scan over `m`.
///
/// Source   Blelloch, "Scans as Primitive Parallel Operations", IEEE Trans.
///          Computers 38(11), 1989; the operator transformation of Sengupta,
///          Harris and Garland, NVR-2008-003.
template <class M>
struct segmented {
  M m;
  using T = carrier_t<M>;

  RAVEL_HD constexpr flagged<T> identity() const { return {m.identity(), false}; }
  RAVEL_HD constexpr flagged<T> operator()(flagged<T> const& x, flagged<T> const& y) const {
    return {y.head ? y.value : m(x.value, y.value), x.head || y.head};
  }
};
template <class M>
segmented(M) -> segmented<M>;

/// Whether `M` has the same results, to the last bit, however its operands are grouped: commutative
/// monoids, and segmented ones made of them, which do not commute.
template <class M>
inline constexpr bool groups_freely = commutes<M>;
template <class M>
inline constexpr bool groups_freely<segmented<M>> = groups_freely<M>;

}  // namespace ravel::inline v0
