#pragma once

/// Scans that read and write each element once: the carry of a rank is kept beside its piece.
///
///     auto const sums = deferred_inclusive_scan(ex, x, y);   // y: scans of the pieces
///     reduce(ex, sums.source(), total, maximum{});           // reads y with the carry
///     map(ex, square{}, z, sums.source());
///     filter_sync(ex, sums.source(), is_odd{}, z);
///     on(ex, sums.source()) | filter(is_odd{}) | into(z);    // z has the pieces of y
///     sums.settle();                                         // y: the scan over all ranks
///
/// A rank of a scan over all ranks cannot write before the ranks before it have read all, so it reads
/// twice.  Here the scan of each piece is written at once, and the next call that reads it
/// combines the carry with each element: as a source, or in settle().
///
/// Cost     Moves 2 n elements, where inclusive_scan moves 3 n; settle() moves 2 n.
/// Volume   One value of the monoid to each other rank.

#include <ravel/distributed/carries.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>

namespace ravel::inline v0::distributed {

/// x -> carry * x
template <class T, class M>
struct after_carry {
  M m;
  T const* carry;
  template <class U>
  RAVEL_HD T operator()(U const& x) const {
    return m(*carry, static_cast<T>(x));
  }
};

/// The result of deferred_inclusive_scan and deferred_exclusive_scan; `out` must outlive it.
template <class Ex, class U, class M, class Carry>
class deferred_scan {
  using T = carrier_t<M>;
  Ex ex_;
  sequence<U, Ex>* out_;
  M m_;
  Carry carry_;

 public:
  deferred_scan(Ex const& ex, sequence<U, Ex>& out, M m, Carry carry)
      : ex_(ex), out_(&out), m_(m), carry_(std::move(carry)) {}

  /// The elements of the scan, before settle() and after it, as an operand of what reads elements where they
  /// are: reduce, scans, maps, packs, runs, histogram, segmented calls, searches and pipelines; and of sorts
  /// and others that move elements, each of which writes them first, in memory for the piece of a rank.
  auto source() const { return map_source(*out_, after_carry<T, M>{m_, carry_.data()}); }

  /// Makes `out` the scan over all ranks.  The carry is the identity from then on, so that sources stay
  /// right, and another call changes nothing.
  void settle() const {
    together(ex_, "settle", [&] {
      auto const& local = ex_.local();
      ravel::map(local, after_carry<T, M>{m_, carry_.data()}, out_->local(), out_->local());
      ravel::reduce(local, carry_.local().slice(0, 0), carry_.local(), m_);
    });
  }
};

namespace detail {

/// Scans the pieces by scan(local, in, out, m, total), and gathers their totals.
template <class Ex, class T, class U, class M, class Scan>
auto defer_carry(Ex const& ex, char const* call, sequence<T, Ex> const& in, sequence<U, Ex>& out,
                 M const& m, Scan const& scan) {
  expect_same_pieces(call, out, in);
  return together(ex, call, [&] {
    auto const monoid = monoid_on<U>(m);
    using V = carrier_t<decltype(monoid)>;
    auto const& local = ex.local();
    auto const totals = ex.template scratch<V>(ex.ranks().size());
    auto carry = ex.template replicate<V>(1);
    gather_carries(ex, totals.local(), [&](V* total) {
      scan(local, in.local(), out.local(), monoid,
           total_to(view<V, typename Ex::space::local>(total, 1)));
    });
    reduce(local, totals.local().slice(0, ex.ranks().rank()), carry.local(), monoid);
    return deferred_scan(ex, out, monoid, std::move(carry));
  });
}

}  // namespace detail

/// inclusive_scan(ex, in, out, m) of which each rank has its part: `out` holds the scan of the piece,
/// and the result what comes before it.
///
///     in        3 1 | 2 4          out       3 4 | 2 6
///     source    3 4 | 6 10         carries     0 | 4
///
/// Shapes   `in` and `out` have the same pieces; `out` may be `in`.
/// Cost     O(n / p + p) work of a rank for n elements in even pieces, O(log n + p) span; reads and writes each
///          element once.
/// Volume   One value of the monoid.
/// Errors   contract_error on every rank if the pieces differ.
template <some_executor Ex, class T, class U, class M = plus<>, class... Options>
auto deferred_inclusive_scan(Ex const& ex, sequence<T, Ex> const& in, sequence<U, Ex>& out,
                             M m = {}, Options...) {
  static_assert(sizeof...(Options) == 0,
                "deferred_inclusive_scan: it takes no options; inclusive_scan does");
  return detail::defer_carry(ex, "deferred_inclusive_scan", in, out, m,
                             [](auto const&... a) { inclusive_scan(a...); });
}

/// exclusive_scan(ex, in, out, m) likewise.
///
///     in        3 1 | 2 4          out       0 3 | 0 2
///     source    0 3 | 4 6          carries     0 | 4
///
/// Cost     That of deferred_inclusive_scan, and its Volume and Errors.
template <some_executor Ex, class T, class U, class M = plus<>, class... Options>
auto deferred_exclusive_scan(Ex const& ex, sequence<T, Ex> const& in, sequence<U, Ex>& out,
                             M m = {}, Options...) {
  static_assert(sizeof...(Options) == 0,
                "deferred_exclusive_scan: it takes no options; exclusive_scan does");
  return detail::defer_carry(ex, "deferred_exclusive_scan", in, out, m,
                             [](auto const&... a) { exclusive_scan(a...); });
}

}  // namespace ravel::inline v0::distributed
