#pragma once

/// @file
/// Merge of two sorted sequences, and the merge path.

#include <ravel/core/checked.hpp>
#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/run_call.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/merge/call.hpp>
#include <ravel/primitives/merge/cpu.hpp>
#include <ravel/primitives/merge/cuda.hpp>
#include <ravel/primitives/merge/path.hpp>
#include <ravel/primitives/merge/steps.hpp>
#include <ravel/primitives/verify.hpp>

#include <concepts>
#include <type_traits>

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
  static_assert(sequence_on<A const&, Ex> && sequence_on<B const&, Ex>,
                "merge_path: a or b is not a contiguous sequence in the executor's memory");
  static_assert(sequence_on<Diagonals const&, Ex>,
                "merge_path: diagonals is not a contiguous sequence in the executor's memory");
  static_assert(writable_on<Out, Ex>,
                "merge_path: out is not a writable contiguous sequence in the executor's memory");
  static_assert(std::integral<element_t<Diagonals const&>> && std::integral<element_t<Out>>,
                "merge_path: diagonals and out must be integers");
  auto const at = view_of(diagonals);
  auto const to = view_of(out);
  expects(to.size() == at.size(), "merge_path: out has ", to.size(), " elements, and there are ",
          at.size(), " diagonals");
  detail::verify_sorted(ex, "merge_path", "a", a, before);
  detail::verify_sorted(ex, "merge_path", "b", b, before);
  detail::verify_indices(ex, "merge_path", at, size_of(a) + size_of(b) + 1, "diagonal");
  auto const first = detail::const_view_of(a);
  auto const second = detail::const_view_of(b);
  for_each_index(
      ex, to.size(),
      detail::find_point<element_t<Out>, std::remove_const_t<decltype(first)>,
                         std::remove_const_t<decltype(second)>, element_t<Diagonals const&>,
                         Before>{to.data(), first, second, at.data(), before});
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
  static_assert(sequence_on<A const&, Ex> && sequence_on<B const&, Ex>,
                "merge: a or b is not a contiguous sequence in the executor's memory");
  static_assert(writable_on<Out, Ex>,
                "merge: out is not a writable contiguous sequence in the executor's memory");
  detail::verify_sorted(ex, "merge", "a", a, before);
  detail::verify_sorted(ex, "merge", "b", b, before);
  run_call(detail::own(ex), describe_merge(a, b, out, before));
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
  static_assert(sequence_on<KeysA const&, Ex> && sequence_on<KeysB const&, Ex>,
                "merge_pairs: keys are not a contiguous sequence in the executor's memory");
  static_assert(sequence_on<ValuesA const&, Ex> && sequence_on<ValuesB const&, Ex>,
                "merge_pairs: values are not a contiguous sequence in the executor's memory");
  static_assert(writable_on<KeysOut, Ex> && writable_on<ValuesOut, Ex>,
                "merge_pairs: keys_out or values_out is not a writable contiguous sequence in the "
                "executor's memory");
  auto const call =
      describe_merge_pairs(keys_a, values_a, keys_b, values_b, keys_out, values_out, before);
  detail::verify_sorted(ex, "merge_pairs", "keys_a", keys_a, before);
  detail::verify_sorted(ex, "merge_pairs", "keys_b", keys_b, before);
  run_call(detail::own(ex), call);
}

}  // namespace ravel::inline v0

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/merge.cuh>  // defines the forms that merge/cuda.hpp declares
#endif
