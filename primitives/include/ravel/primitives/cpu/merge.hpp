#pragma once

/// @file
/// Merge on the host: where a walk is along the path of a merge, it keeps in registers.

#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/merge.hpp>

namespace ravel::inline v0::cpu {
namespace detail {

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
    for (; i < end_i && j < end_j; ++d) {
      if (before(b[j], a[i])) {
        visit(d, true, j++);
      } else {
        visit(d, false, i++);
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
