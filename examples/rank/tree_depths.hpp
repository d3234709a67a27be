#pragma once

/// The depth of each node of a forest, by an Euler tour.

#include <ravel/algorithms/list_ranking.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/concepts.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::examples {

/// The tour goes down into each node and up out of it: step v is the first, step
/// n + v the second.  The successor of a step depends only on the node, its first child
/// and its next sibling; so the tour is a linked list that need not be constructed serially.
template <class Link>
struct follow_tour {
  index_t n;
  Link const* parents;
  Link const* children;  // the nodes sorted by parent, roots first
  Link* first_child;     // initially -1 for every node
  Link* next;

  RAVEL_HD Link parent(index_t k) const { return k < n ? parents[children[k]] : Link(-2); }

  /// For the k-th of `children`: its next sibling, or the step up from its parent; and whether it
  /// is a first child.
  RAVEL_HD void operator()(index_t k) const {
    Link const v = children[k], mine = parent(k);
    if (mine < 0) {
      next[n + v] = Link(-1);
    } else {
      next[n + v] = parent(k + 1) == mine ? children[k + 1] : static_cast<Link>(n + mine);
      if (k == 0 || parent(k - 1) != mine) first_child[mine] = v;
    }
  }
};
template <class Link>
struct enter_node {
  index_t n;
  Link const* first_child;
  Link* next;
  Link* step;
  RAVEL_HD void operator()(index_t v) const {
    next[v] = first_child[v] < 0 ? static_cast<Link>(n + v) : first_child[v];
    step[v] = 1;
    step[n + v] = -1;
  }
};

struct itself {
  template <class T>
  RAVEL_HD T operator()(T const& x) const {
    return x;
  }
};

/// The number of ancestors of each node of a forest:
///
///     node        0  1  2  3  4          3 is the root, 0 and 4 are its children
///     parents     3  0  0 -1  3
///     depths      1  2  2  0  1
///
/// Shapes   parents[n], each a node, or -1 for a root; depths[n]; in the memory of `ex`.
/// Cost     That of a radix sort of n keys and a list scan of 2 n nodes.
/// Errors   `fault` receives the first node on a cycle, if there is one.
/// Source   Tarjan and Vishkin, "An Efficient Parallel Biconnectivity Algorithm", SIAM J.
///          Comput. 14(4), 1985.
template <executor Ex, class Parents, class Depths, class Fault>
void tree_depths(Ex const& ex, Parents const& parents, Depths const& depths, Fault const& fault) {
  using Link = element_t<Parents const&>;
  index_t const n = size_of(parents);
  auto const children = ex.template allocate<Link>(n);
  auto const first_child = ex.template allocate<Link>(n);
  auto const next = ex.template allocate<Link>(2 * n);
  auto const step = ex.template allocate<Link>(2 * n);
  radix_argsort(ex, parents, children);
  distribute(ex, Link(-1), first_child);
  for_each_index(ex, n,
                 follow_tour<Link>{n, view_of(parents).data(), children.data(), first_child.data(),
                                   next.data()});
  for_each_index(ex, n, enter_node<Link>{n, first_child.data(), next.data(), step.data()});
  exclusive_list_scan(ex, next, step, step, plus{}, fault_to(fault));
  map(ex, itself{}, depths, view_of(step).slice(0, n));
}

}  // namespace ravel::examples
