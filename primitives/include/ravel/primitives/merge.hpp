#pragma once

/// Merge of two sorted sequences, and the merge path.

#include <ravel/primitives/map.hpp>
#include <ravel/primitives/merge/call.hpp>
#include <ravel/primitives/merge/cpu.hpp>
#include <ravel/primitives/merge/path.hpp>
#include <ravel/primitives/merge/steps.hpp>
#include <ravel/primitives/verify.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/merge.cuh>  // defines the forms that merge/cuda.hpp declares
#endif

namespace ravel::inline v0 {
namespace detail {

template <class Out, class A, class B, class D, class Before>
struct find_point {
  Out* out;
  A a;
  B b;
  D const* diagonals;
  Before before;
  RAVEL_HD void operator()(index_t k) const {
    out[k] = static_cast<Out>(merge_path_point(a, b, static_cast<index_t>(diagonals[k]), before));
  }
};

template <class R>
auto const_view_of(R const& r) {
  auto const v = view_of(r);
  return view<element_t<R const&> const, space_of_t<R>>(v.data(), v.size());
}

}  // namespace detail

/// Finds where the path of a merge crosses diagonals:
///
///     out[k] = #{of the first diagonals[k] elements of the merge : those from a}
///
///     a            1  3  5
///     b            2  3
///     diagonals    0  2  4  5
///     out          0  1  2  3
///
/// Between two adjacent points, a merge is an independent merge: diagonals at equal distances cut
/// it into parts of equal size.
///
/// Shapes   a[m] and b[n], sorted by `before`; diagonals[k] of an integer type,
///          each in [0, m + n], in any order; out[k] of an integer type that
///          holds m; all in the memory of `ex`.  `out` may be the diagonals, and
///          may overlap nothing else.
/// Cost     O(k log min(m, n)) work, O(log min(m, n)) span.
/// Errors   contract_error if the sizes differ; on a checked executor, if a diagonal is
///          outside of [0, m + n], or `a` or `b` is not sorted.  Issued, not awaited.
/// See also merge_path_point, which a kernel calls for one diagonal.
template <executor Ex, class A, class B, class Diagonals, class Out, class Before = less>
void merge_path(Ex const& ex, A const& a, B const& b, Diagonals const& diagonals, Out&& out,
                Before before = {}) {
  RAVEL_EXPECT_RANGE(A, Ex, "merge_path: a");
  RAVEL_EXPECT_RANGE(B, Ex, "merge_path: b");
  RAVEL_EXPECT_RANGE(Diagonals, Ex, "merge_path: diagonals");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "merge_path: out");
  auto const& x = detail::sequence_of(ex, "merge_path", a);
  auto const& y = detail::sequence_of(ex, "merge_path", b);
  auto const& all = detail::sequence_of(ex, "merge_path", diagonals);
  auto const at = view_of(all);
  auto const dst = view_of(out);
  static_assert(std::integral<element_t<decltype(all)>> && std::integral<element_t<Out>>,
                "merge_path: diagonals and out must be integers");
  expects(dst.size() == at.size(), "merge_path: out has ", dst.size(), " elements, and there are ",
          at.size(), " diagonals");
  detail::verify_sorted(ex, "merge_path", "a", x, before);
  detail::verify_sorted(ex, "merge_path", "b", y, before);
  detail::verify_indices(ex, "merge_path", at, size_of(x) + size_of(y) + 1, "diagonal");
  auto const first = detail::const_view_of(x);
  auto const second = detail::const_view_of(y);
  for_each_index(
      ex, dst.size(),
      detail::find_point<element_t<Out>, std::remove_const_t<decltype(first)>,
                         std::remove_const_t<decltype(second)>, element_t<decltype(all)>, Before>{
          dst.data(), first, second, at.data(), before});
}

/// Merges two sorted sequences:
///
///     a      1  3  5
///     b      2  3
///     out    1  2  3  3  5
///
/// Shapes   a[m] and b[n], sorted by `before`; out[m + n]; all in the memory of
///          `ex`.  `out` overlaps nothing.  m and n may be 0.
/// Order    Stable: equal elements of `a` precede those of `b`, and each sequence keeps its order.
///          `before` is a strict weak order, and called only as before(b[j], a[i]).  If it is not,
///          or `a` or `b` is not sorted, `out` still has each element of both exactly once, in an
///          unspecified order.
/// Cost     O(m + n) work, O(log (m + n)) span, and scratch for two indices for each of several
///          tiles on the host, and for one for every 16 elements elsewhere.  Moves 2 (m + n)
///          elements.  All tiles of `out` are the same amount of work, whatever the sequences.
/// Errors   contract_error if the sizes do not fit; on a checked executor, if `a` or `b` is
///          not sorted.  Issued, not awaited.
/// Source   Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path - Parallel Merging
///          Made Simple", IPDPSW 2012.
/// See also merge_path, for the points where tiles of a merge begin.
template <executor Ex, class A, class B, class Out, class Before = less>
void merge(Ex const& ex, A const& a, B const& b, Out&& out, Before before = {}) {
  RAVEL_EXPECT_RANGE(A, Ex, "merge: a");
  RAVEL_EXPECT_RANGE(B, Ex, "merge: b");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "merge: out");
  auto const& x = detail::sequence_of(ex, "merge", a);
  auto const& y = detail::sequence_of(ex, "merge", b);
  detail::verify_sorted(ex, "merge", "a", x, before);
  detail::verify_sorted(ex, "merge", "b", y, before);
  run_call(detail::own(ex), describe_merge(x, y, out, before));
}

/// Merges two sorted sequences of keys, and moves the value of each key:
///
///     keys_a      1  3  5     keys_out      1  2  3  3  5
///     values_a    a  b  c     values_out    a  x  b  y  c
///     keys_b      2  3
///     values_b    x  y
///
/// All else is as for merge.
template <executor Ex, class KeysA, class ValuesA, class KeysB, class ValuesB, class KeysOut,
          class ValuesOut, class Before = less>
void merge_pairs(Ex const& ex, KeysA const& keys_a, ValuesA const& values_a, KeysB const& keys_b,
                 ValuesB const& values_b, KeysOut&& keys_out, ValuesOut&& values_out,
                 Before before = {}) {
  static_assert(range_on<KeysA const&, Ex> && range_on<KeysB const&, Ex>,
                "merge_pairs: keys is no range in the executor's memory");
  static_assert(range_on<ValuesA const&, Ex> && range_on<ValuesB const&, Ex>,
                "merge_pairs: values is no range in the executor's memory");
  RAVEL_EXPECT_WRITABLE(KeysOut, Ex, "merge_pairs: keys_out");
  RAVEL_EXPECT_WRITABLE(ValuesOut, Ex, "merge_pairs: values_out");
  auto const& x = detail::sequence_of(ex, "merge_pairs", keys_a);
  auto const& y = detail::sequence_of(ex, "merge_pairs", keys_b);
  auto const& beside_x = detail::sequence_of(ex, "merge_pairs", values_a);
  auto const& beside_y = detail::sequence_of(ex, "merge_pairs", values_b);
  auto const call = describe_merge_pairs(x, beside_x, y, beside_y, keys_out, values_out, before);
  detail::verify_sorted(ex, "merge_pairs", "keys_a", x, before);
  detail::verify_sorted(ex, "merge_pairs", "keys_b", y, before);
  run_call(detail::own(ex), call);
}

}  // namespace ravel::inline v0
