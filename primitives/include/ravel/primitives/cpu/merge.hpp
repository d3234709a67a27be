#pragma once

/// @file
/// Merge on the host: where a walk is along the path of a merge, it keeps in registers.
///
/// Either of the two may have the next element, so that a branch on it is mispredicted every second
/// time.  Here nobody branches: the answer is added to the places that are read next.

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

template <class A, class B, class Before, class Visit>
struct walk_of_merge {
  A a;
  B b;
  Before before;
  Visit visit;

  void operator()(worker, tile t) const {
    index_t i = merge_path_point(a, b, t.begin, before);
    index_t j = t.begin - i;
    index_t const end_i = merge_path_point(a, b, t.end, before);
    index_t const end_j = t.end - end_i;
    index_t d = t.begin;
    visit_merged<Visit> const take{visit};
    while (i < end_i && j < end_j) {
      // So many steps look beyond neither.
      for (index_t const until = d + std::min(end_i - i, end_j - j); d < until; ++d) {
        bool const second = before(b[j], a[i]);
        take(d, second, i, j);
        j += second;
        i += !second;
      }
    }
    while (i < end_i) visit(d++, false, i++);
    while (j < end_j) visit(d++, true, j++);
  }
};

}  // namespace detail

/// As the step of merges.
template <host_executor Ex, class A, class B, class Before, class Visit>
void merge_on(Ex const& ex, A a, B b, Before before, Visit visit) {
  ex.for_each_tile(a.size() + b.size(),
                   detail::walk_of_merge<A, B, Before, Visit>{a, b, before, visit});
}

}  // namespace ravel::inline v0::cpu
