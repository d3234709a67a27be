#pragma once

/// The merge path: where a diagonal crosses it.

#include <ravel/core/search.hpp>

namespace ravel::inline v0 {
namespace detail {

/// Whether a[i] precedes its opposite on the diagonal.
template <class A, class B, class Before>
struct goes_ahead {
  A const& a;
  B const& b;
  index_t diagonal;
  Before const& before;
  RAVEL_MAY_CALL_HOST
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

}  // namespace ravel::inline v0
