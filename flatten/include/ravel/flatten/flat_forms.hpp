#pragma once

/// Flat forms: conversion between nested sequences and values with offsets, lengths or row
/// ids.
///
/// All of these describe the rows [[3 1] [] [2]]:
///
///     values     3 1 2
///     offsets    0 2 2 3       Arrow's offsets, TensorFlow's row_splits, CSR's row pointers
///     lengths    2 0 1
///     row ids    0 0 2         TensorFlow's value_rowids, the rows of a matrix by coordinates

#include <ravel/flatten/compute.hpp>
#include <ravel/flatten/errors.hpp>
#include <ravel/flatten/from.hpp>
#include <ravel/flatten/machine.hpp>
#include <ravel/flatten/open.hpp>
#include <ravel/flatten/reshape.hpp>
#include <ravel/primitives/segment_forms.hpp>

namespace ravel::inline v0 {
namespace flattening {

/// Whether offset i is invalid for so many elements.
template <class O>
struct wrong_offset {
  O const* offsets;
  index_t last, elements;
  RAVEL_HD bool operator()(index_t i) const {
    auto const here = static_cast<index_t>(offsets[i]);
    if (i == 0 && here != 0) return true;
    return i == last ? here != elements : static_cast<index_t>(offsets[i + 1]) < here;
  }
};
/// Whether row id i is out of range or less than the preceding one.
template <class I>
struct wrong_row_id {
  I const* ids;
  index_t rows;
  RAVEL_HD bool operator()(index_t i) const {
    auto const here = static_cast<index_t>(ids[i]);
    return here < 0 || here >= rows || (i > 0 && here < static_cast<index_t>(ids[i - 1]));
  }
};

/// A sequence of n rows of borrowed values.
template <class Ex, class V>
auto rows_of_values(context_ptr<Ex> const& root, index_t n, V const& values,
                    indices_held const& offsets) {
  using T = element_t<V const&>;
  static_assert(sequence_on<V const&, Ex>,
                "the values are not a contiguous sequence in the executor's memory");
  static_assert(atom<T>, "the values are no atoms");
  auto const view = view_of(values);
  return value<Ex, nested<nested<T>>>{
      {uniform_rows<Ex>(1, n), {dense_rows<Ex>(n, view.size(), offsets), {{view.data(), {}}, {}}}},
      root};
}

/// The descriptor of the elements of x, which are sequences, at the root.
template <class Ex, class S>
descriptor_ptr<Ex> rows_in(char const* call, lifted<Ex, S> const& x) {
  expect_one(call, x.c);
  static_assert(is_rows<S> && is_rows<decltype(x.s.child)>, "the elements must be sequences");
  open(x.s.d, x.c);
  auto const d = elements_of(x.c, x.s).d;
  measure(*x.c->on, *d);
  return d;
}

}  // namespace flattening

/// Values and the offsets of their rows, both in the memory of `ex`, as a sequence of sequences:
///
///     from_offsets(ex, [3 1 2], [0 2 2 3])      [[3 1] [] [2]]
///
/// They must remain unchanged while the value, or anything made from it, is used.
///
/// Shapes   offsets[n + 1] of any integer type, ascending from 0 to the number of values.
/// Cost     Offsets are checked, with a wait, and copied unless they are of index_t.
/// Errors   shape_error, with the first wrong offset.
/// See also row_offsets, from_lengths, from_row_ids.
template <executor Ex, class V, class O>
auto from_offsets(Ex const& ex, V const& values, O const& offsets) {
  using namespace flattening;
  static_assert(sequence_on<O const&, Ex>,
                "from_offsets: the offsets are not a contiguous sequence in the executor's memory");
  using T = element_t<O const&>;
  static_assert(std::integral<T>, "from_offsets: the offsets must be integers");
  auto const root = root_on(ex);
  auto const given = view_of(offsets);
  index_t const n = given.size() - 1;
  if (n < 0)
    throw shape_error("from_offsets: there is one offset more than rows, and none is given");
  index_t const elements = view_of(values).size();
  index_t const wrong = first_where(*root->on, n + 1, wrong_offset<T>{given.data(), n, elements});
  if (wrong <= n) {
    throw shape_error(sentence("from_offsets: offset ", wrong,
                               " is wrong: they must ascend from 0 to ", elements));
  }
  if constexpr (std::same_as<T, index_t>) {
    return rows_of_values(root, n, values, {nullptr, given.data(), n + 1});
  } else {
    auto const wide = hold<index_t>(ex, n + 1);
    visit_indices(ex, n + 1, evaluate<leaf<T>, index_t>{{given.data(), {}}, wide.data});
    return rows_of_values(root, n, values, wide.shared());
  }
}

/// Values and the lengths of their rows, as from_offsets:
///
///     from_lengths(ex, [3 1 2], [2 0 1])      [[3 1] [] [2]]
///
/// Cost     A scan over the lengths, and a wait.
/// Errors   shape_error if they do not add up to the number of values, or one is negative.
/// See also row_lengths, and unflatten, for lengths of a nested program.
template <executor Ex, class V, class L>
auto from_lengths(Ex const& ex, V const& values, L const& lengths) {
  static_assert(std::integral<element_t<L const&>>, "from_lengths: the lengths must be integers");
  using namespace flattening;
  return cut(borrow(ex, values), borrow(ex, lengths), "from_lengths", fault_of::from_lengths);
}

/// Values and the row id of each, of n rows, as from_offsets:
///
///     from_row_ids(ex, [3 1 2], [0 0 2], 4)      [[3 1] [] [2] []]
///
/// Shapes   One row id for each value, ascending, in [0, n).
/// Cost     O(n log m) for m values, and a wait.
/// Errors   shape_error, with the first wrong row id.
/// See also row_ids.
template <executor Ex, class V, class I>
auto from_row_ids(Ex const& ex, V const& values, I const& ids, index_t n) {
  using namespace flattening;
  static_assert(sequence_on<I const&, Ex>,
                "from_row_ids: the ids are not a contiguous sequence in the executor's memory");
  using T = element_t<I const&>;
  static_assert(std::integral<T>, "from_row_ids: the ids must be integers");
  auto const root = root_on(ex);
  auto const given = view_of(ids);
  index_t const elements = view_of(values).size();
  if (n < 0 || given.size() != elements) {
    throw shape_error(sentence("from_row_ids: there are ", given.size(), " row ids of ", n,
                               " rows for ", elements, " values"));
  }
  index_t const wrong = first_where(*root->on, elements, wrong_row_id<T>{given.data(), n});
  if (wrong < elements) {
    throw shape_error(
        sentence("from_row_ids: row id ", wrong, " is wrong: they must ascend, in [0, ", n, ")"));
  }
  auto const offsets = hold<index_t>(ex, n + 1);
  count_step("search", n + 1);
  offsets_of_segment_ids(ex, given, seen_by(ex, offsets));
  return rows_of_values(root, n, values, offsets.shared());
}

/// Where each row of x begins in elements(flatten(x)), and where the last one ends, in the
/// memory of its executor:
///
///     row_offsets([[3 1] [] [2]])      0 2 2 3
///
/// Cost     Nothing is copied, unless rows are slices or a selection of others.
/// See also from_offsets.
template <lifted_sequence X>
auto row_offsets(X const& x) {
  using Ex = typename X::executor_type;
  auto const d = flattening::rows_in("row_offsets", x);
  return computed_elements<index_t, space_of_t<Ex>>(
      flattening::offsets_in_memory(x.c->ex(), d->starts, d->n));
}

/// The elements of all rows, and the offsets of these.
template <class T, class Space>
struct elements_in_rows : computed_elements<T, Space> {
  computed_elements<index_t, Space> offsets;
};
template <lifted_sequence X>
auto elements_with_offsets(X const& x) {
  auto const values = elements(flatten(x));
  using Elements = std::remove_const_t<decltype(values)>;
  return elements_in_rows<typename Elements::value_type, typename Elements::space>{values,
                                                                                   row_offsets(x)};
}

/// The number of elements of each row of x:
///
///     row_lengths([[3 1] [] [2]])      2 0 1
template <lifted_sequence X>
auto row_lengths(X const& x) {
  using namespace flattening;
  using Ex = typename X::executor_type;
  auto const& ex = x.c->ex();
  auto const d = rows_in("row_lengths", x);
  auto const out = hold<index_t>(ex, d->n);
  visit_indices(ex, d->n, evaluate<length_of, index_t>{{d->where()}, out.data});
  return computed_elements<index_t, space_of_t<Ex>>(out.shared());
}

/// The row id of each of elements(flatten(x)):
///
///     row_ids([[3 1] [] [2]])      0 0 2
template <lifted_sequence X>
auto row_ids(X const& x) {
  using namespace flattening;
  using Ex = typename X::executor_type;
  auto const& ex = x.c->ex();
  auto const d = rows_in("row_ids", x);
  auto const out = hold<index_t>(ex, d->total);
  if (d->total > 0) {
    count_step("segment ids", d->total);
    segment_ids_of(ex, segments_by(ex, d->starts, d->n), seen_by(ex, out));
  }
  return computed_elements<index_t, space_of_t<Ex>>(out.shared());
}

}  // namespace ravel::inline v0
