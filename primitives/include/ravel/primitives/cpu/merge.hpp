#pragma once

/// @file
/// Merge on the host: a walk along the path of a merge keeps its position in registers.
///
/// A branch on which of two sequences has the next element would be mispredicted every second time.
/// The merge is branchless: the comparison's result is added to the indices that are read next.

#include <ravel/core/cpu/either.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/merge.hpp>

#include <algorithm>

namespace ravel::inline v0::cpu {
namespace detail {

/// visit(d, second, second ? j : i)
template <class Visit>
struct visit_merged {
  Visit visit;
  void operator()(index_t d, bool second, index_t i, index_t j) const {
    visit(d, second, either(second, j, i));
  }
};
template <class Out, class T>
struct visit_merged<ravel::detail::write_merged<Out, T, T>> {
  ravel::detail::write_merged<Out, T, T> visit;
  void operator()(index_t d, bool second, index_t i, index_t j) const {
    visit.out[d] = static_cast<Out>(*either(second, visit.b + j, visit.a + i));
  }
};
template <class Keys, class Values>
struct visit_merged<ravel::detail::write_merged_pair<Keys, Values>> {
  ravel::detail::write_merged_pair<Keys, Values> visit;
  void operator()(index_t d, bool second, index_t i, index_t j) const {
    visit_merged<Keys>{visit.keys}(d, second, i, j);
    visit_merged<Values>{visit.values}(d, second, i, j);
  }
};

/// The indices of the first sequence at which the merge path enters and leaves tiles.  Tile t
/// enters at entered[t], found by a search, and leaves at left[t + 1]: this is where the next tile
/// enters if the sequences are sorted by a strict weak order.
struct crossings {
  index_t* entered;
  index_t* left;

  /// Whether all tiles meet, and so take each element once.
  bool meet(index_t tiles) const { return std::equal(entered + 1, entered + tiles, left + 1); }
};

template <class A, class B, class Before, class Visit>
struct walk_of_merge {
  A a;
  B b;
  Before before;
  Visit visit;
  crossings at;

  void operator()(worker, tile t) const {
    index_t const m = a.size(), n = b.size();
    index_t i = at.entered[t.id] = merge_path_point(a, b, t.begin, before);
    index_t j = t.begin - i;
    visit_merged<Visit> const take{visit};
    for (index_t d = t.begin; d < t.end;) {
      // For this many steps neither sequence can end, so the loop needs no bounds tests.
      index_t const steps = std::min({m - i, n - j, t.end - d});
      for (index_t const until = d + steps; d < until; ++d) {
        bool const second = before(b[j], a[i]);
        take(d, second, i, j);
        j += second;
        i += !second;
      }
      if (i < m && j < n) continue;
      for (; d < t.end && i < m; ++d) visit(d, false, i++);
      for (; d < t.end; ++d) visit(d, true, j++);
    }
    at.left[t.id + 1] = i;
  }
};

}  // namespace detail

/// The step of merges.  If tiles do not meet, because the sequences are not sorted by a strict weak
/// order, one thread merges again, so that each element is still taken once.
template <host_executor Ex, class A, class B, class Before, class Visit>
void merge_on(Ex const& ex, A a, B b, Before before, Visit visit) {
  index_t const n = a.size() + b.size(), tiles = ex.tile_count(n);
  auto const room = ex.template scratch<index_t>(2 * (tiles + 1));
  detail::crossings const at{room.data(), room.data() + tiles + 1};
  detail::walk_of_merge<A, B, Before, Visit> const walk{a, b, before, visit, at};
  ex.for_each_tile(n, walk);
  if (tiles > 1 && !at.meet(tiles)) walk(worker{}, tile{0, 0, n});
}

}  // namespace ravel::inline v0::cpu
