#pragma once

/// Serial: a loop over each sequence, one thread for each, for all sequences in parallel.

#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/open.hpp>
#include <ravel/flatten/straight_expression.hpp>
#include <ravel/primitives/segmented_apply.hpp>

namespace ravel::inline v0 {
namespace flattening {

/// The elements of sequences, in place.
template <class E>
struct load_element {
  E e;
  extents where;
  RAVEL_HD index_t of_segment(index_t s, index_t begin) const { return where.begin(s) - begin; }
  RAVEL_HD auto load(index_t ahead, index_t i) const { return e(ahead + i); }
};

}  // namespace flattening

/// x, modified by f(first, n), which runs on a copy of each sequence with n elements from `first`:
///
///     struct sort_few {
///       template <class T>
///       RAVEL_HD void operator()(T* first, index_t n) const;      // by insertion
///     };
///     each([[3 1 2] [] [5 4]], [](auto row) { return serially(row, sort_few{}); })
///                                                                [[1 2 3] [] [4 5]]
///
/// Flattened steps pass over short sequences repeatedly, where one thread would finish each
/// in a few iterations.  So a recursion ends well with a serial base case,
/// chosen by an `if_`.
///
/// Shapes   Elements are scalars, and their number does not change.  f accesses those alone;
///          for a device it is a named struct, as for lift.
/// Order    Sequences are processed in any order; f is called once for each.
/// Cost     One step and a wait for the sum of the lengths.  The step takes as long as the longest
///          sequence by one thread, so that it is not for long sequences.
/// Source   Hardwick, "Practical Parallel Divide-and-Conquer Algorithms", CMU-CS-97-197, 1997:
///          nested recursions that end in serial code.
template <lifted_sequence X, class F>
auto serially(X const& x, F const& f) {
  using namespace flattening;
  using Ex = typename X::executor_type;
  using T = typename nested_type<element_of<X>>::of;
  auto const c = resolve(x);
  auto const s = storage_in(c, x);
  static_assert(is_cells<std::remove_const_t<decltype(s.child)>>,
                "serially: the elements must be scalars");
  static_assert(std::invocable<F const&, T*, index_t>,
                "serially: f is no function of where the elements begin and how many there are");
  measure(*c->on, *s.d);
  auto const out = hold<T>(c->ex(), s.d->total);
  auto const run = [&](auto const& e, extents where) {
    count_step("serial", s.d->total + c->n, text_of_type<F>());
    segmented_apply_on(c->ex(), segments_by(c->ex(), s.d->starts, c->n),
                       load_element<std::remove_cvref_t<decltype(e)>>{e, where}, out.data, f);
  };
  if (c->n > 0) {
    if constexpr (is_leaf<decltype(s.child.e)>::value) {
      auto const stored = written_down(c, s);
      run(straight_leaf<T>{{}, stored.child.e.data}, stored.d->where());
    } else {
      run(s.child.e, s.d->where());
    }
  }
  return lift_storage(c, ragged<Ex, cells<leaf<T>>>{rows_by<Ex>(c->n, s.d->total, s.d->starts),
                                                    leaf_of(out.shared())});
}

}  // namespace ravel::inline v0
