#pragma once

/// @file
/// Merge of two sorted sequences, and the merge path.

#include <ravel/core/atomic.hpp>
#include <ravel/core/checked.hpp>
#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/search.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/verify.hpp>

#include <concepts>
#include <type_traits>

namespace ravel::inline v0 {
namespace detail {

/// Whether a[i] precedes its opposite on the diagonal.
template <class A, class B, class Before>
struct goes_ahead {
  A const& a;
  B const& b;
  index_t diagonal;
  Before const& before;
  RAVEL_HD bool operator()(index_t i) const { return !before(b[diagonal - 1 - i], a[i]); }
};

}  // namespace detail

/// The number of elements among the first `diagonal` elements of the merge of `a` and `b` that come
/// from `a`; the others come from `b`.  Kernels can call it.
///
/// The merge is a path through the matrix of all pairs (i, j), from (0, 0) to the sizes of both: a
/// step down takes a[i], and one to the right b[j].  The path crosses every diagonal i + j = d
/// once, at the point (p, d - p) that this finds: the parts before and after it can be merged
/// independently.
///
///     a    1  3  5           d    0  1  2  3  4  5
///     b    2  3              p    0  1  1  2  2  3
///
/// Shapes   `a` and `b` have size() and [i], and are sorted by `before`;
///          diagonal is in [0, a.size() + b.size()].
/// Cost     O(log min(a.size(), b.size(), diagonal)).
/// Source   Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path - Parallel Merging
///          Made Simple", IPDPSW 2012.
template <class A, class B, class Before = less>
RAVEL_HD index_t merge_path_point(A const& a, B const& b, index_t diagonal, Before before = {}) {
  auto const m = static_cast<index_t>(a.size());
  auto const n = static_cast<index_t>(b.size());
  index_t const first = diagonal > n ? diagonal - n : 0;
  index_t const last = diagonal < m ? diagonal : m;
  return partition_point(first, last, detail::goes_ahead<A, B, Before>{a, b, diagonal, before});
}

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

/// Elements of a merge that one walk takes after its search.
inline constexpr index_t walk_of_elements = 16;

/// Finds where a walk begins: entered[k] of the elements before it are from `a`.
template <class A, class B, class Before>
struct enter_walk {
  A a;
  B b;
  Before before;
  index_t* entered;
  index_t* failed;
  RAVEL_HD void operator()(index_t k) const {
    if (k == 0) *failed = 0;
    entered[k] = merge_path_point(a, b, k * walk_of_elements, before);
  }
};

/// The k-th walk, which ends where the next begins if `a` and `b` are sorted by a strict weak
/// order.  Then each element is taken once: from source s, which is a[s], or b[s - a.size()].
template <class A, class B, class Before, class Visit>
struct walk_merged {
  static constexpr index_t length = walk_of_elements;
  A a;
  B b;
  Before before;
  Visit visit;
  index_t const* entered;
  index_t* failed;

  RAVEL_HD index_t size() const { return a.size() + b.size(); }
  RAVEL_HD static constexpr bool is_off() { return false; }

  /// Calls take(d, s) for each element of the walk.
  template <class Take>
  RAVEL_HD void walk(index_t k, Take const& take) const {
    index_t const m = a.size(), n = b.size();
    index_t d = k * length, i = entered[k], j = d - i;
    index_t const end = d + length < m + n ? d + length : m + n;
    using X = element_t<A const&>;
    using Y = element_t<B const&>;
    if constexpr (std::is_trivial_v<X> && std::is_trivial_v<Y> && sizeof(X) + sizeof(Y) <= 16) {
      X x{};  // in registers: each element is loaded once
      Y y{};
      if (i < m) x = a[i];
      if (j < n) y = b[j];
      for (; d < end; ++d) {
        if (i == m || (j < n && before(y, x))) {
          take(d, m + j++);
          if (j < n) y = b[j];
        } else {
          take(d, i++);
          if (i < m) x = a[i];
        }
      }
    } else {
      for (; d < end; ++d) {
        bool const from_b = i == m || (j < n && before(b[j], a[i]));
        take(d, from_b ? m + j++ : i++);
      }
    }
    if (end < m + n && i != entered[k + 1]) store_whole(failed, index_t{1});
  }
  RAVEL_HD void store(index_t d, index_t s) const {
    bool const from_b = s >= a.size();
    visit(d, from_b, from_b ? s - a.size() : s);
  }
  RAVEL_HD void operator()(index_t k) const {
    walk(k, [this](index_t d, index_t s) { store(d, s); });
  }
};

/// If walks did not meet, takes all of `a` and then all of `b`.
template <class Walk>
struct append_if_failed {
  Walk walk;
  RAVEL_HD void operator()(index_t d) const {
    if (*walk.failed != 0) walk.store(d, d);
  }
};

/// Calls f(k), a search or a walk, for each k of [0, n).
template <class Ex, class F>
void for_each_search(Ex const& ex, index_t n, F f) {
  for_each_index(ex, n, f);
}
template <class Ex, class Walk>
void for_each_walk(Ex const& ex, index_t n, Walk walk) {
  for_each_index(ex, n, walk);
}

template <class Out, class A, class B>
struct write_merged {
  Out* out;
  A const* a;
  B const* b;
  RAVEL_HD void operator()(index_t d, bool from_b, index_t k) const {
    out[d] = from_b ? static_cast<Out>(b[k]) : static_cast<Out>(a[k]);
  }
};
template <class Keys, class Values>
struct write_merged_pair {
  Keys keys;
  Values values;
  RAVEL_HD void operator()(index_t d, bool from_b, index_t k) const {
    keys(d, from_b, k);
    values(d, from_b, k);
  }
};

/// Calls visit(d, from_b, k) for each d, in any order: the d-th element of the merge is a[k], or
/// b[k] if `from_b`.  If `a` and `b` are not sorted by a strict weak order, it may do so twice: the
/// last calls for all d take each element once.
template <class Ex, class A, class B, class Before, class Visit>
void merge_on(Ex const& ex, A a, B b, Before before, Visit visit) {
  index_t const n = a.size() + b.size(), walks = div_up(n, walk_of_elements);
  if (n == 0) return;
  auto const entered = ex.template scratch<index_t>(walks + 1);
  index_t* const failed = entered.data() + walks;
  walk_merged<A, B, Before, Visit> const walk{a, b, before, visit, entered.data(), failed};
  for_each_search(ex, walks, enter_walk<A, B, Before>{a, b, before, entered.data(), failed});
  for_each_walk(ex, walks, walk);
  for_each_index(ex, n, append_if_failed<walk_merged<A, B, Before, Visit>>{walk});
}

/// The visit that writes the merge of `a` and `b` to `out`.
template <class A, class B, class Out>
auto merged_to(char const* call, char const* what, A const& a, B const& b, Out&& out) {
  auto const to = view_of(out);
  expects(to.size() == size_of(a) + size_of(b), call, ": ", what, " has ", to.size(),
          " elements, and what is merged has ", size_of(a), " and ", size_of(b));
  return write_merged<element_t<Out>, element_t<A const&>, element_t<B const&>>{
      to.data(), view_of(a).data(), view_of(b).data()};
}

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
  using detail::merge_on;
  merge_on(detail::own(ex), detail::const_view_of(a), detail::const_view_of(b), before,
           detail::merged_to("merge", "out", a, b, out));
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
  expects(size_of(values_a) == size_of(keys_a), "merge_pairs: there are ", size_of(keys_a),
          " keys of a, and ", size_of(values_a), " values");
  expects(size_of(values_b) == size_of(keys_b), "merge_pairs: there are ", size_of(keys_b),
          " keys of b, and ", size_of(values_b), " values");
  detail::verify_sorted(ex, "merge_pairs", "keys_a", keys_a, before);
  detail::verify_sorted(ex, "merge_pairs", "keys_b", keys_b, before);
  auto const keys = detail::merged_to("merge_pairs", "keys_out", keys_a, keys_b, keys_out);
  auto const values =
      detail::merged_to("merge_pairs", "values_out", values_a, values_b, values_out);
  detail::write_merged_pair<std::remove_const_t<decltype(keys)>,
                            std::remove_const_t<decltype(values)>> const both{keys, values};
  using detail::merge_on;
  merge_on(detail::own(ex), detail::const_view_of(keys_a), detail::const_view_of(keys_b), before,
           both);
}

}  // namespace ravel::inline v0

#include <ravel/primitives/cpu/merge.hpp>  // two places, in registers
#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/merge.cuh>  // one thread for each walk
#endif
