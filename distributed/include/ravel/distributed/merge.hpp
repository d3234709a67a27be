#pragma once

/// @file
/// Merges of two sorted distributed sequences.

#include <ravel/core/config.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/core/view.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/distributed/sort.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/merge.hpp>
#include <ravel/primitives/rows.hpp>

#include <span>

namespace ravel::inline v0 {
namespace distributed::detail {

/// An element, and which sequence it is of: equal elements of the first precede those of the second,
/// on whatever ranks they are.
template <class T>
struct of_sequence {
  T element;
  bool is_second;
};
template <class T, bool Second>
struct tag_element {
  RAVEL_HD of_sequence<T> operator()(T const& x) const { return {x, Second}; }
};
struct untag_element {
  template <class T>
  RAVEL_HD T operator()(of_sequence<T> const& x) const {
    return x.element;
  }
};
template <class Before>
struct before_tagged {
  Before before;
  template <class T>
  RAVEL_HD bool operator()(of_sequence<T> const& x, of_sequence<T> const& y) const {
    if (before(x.element, y.element)) return true;
    return x.is_second < y.is_second && !before(y.element, x.element);
  }
};

/// Merges the pieces of each rank, and moves the rows of all to the pieces of the output.
template <class Ex, class T, class Space, class Order>
void merge_across(Ex const& ex, view<T const, Space> a, view<T const, Space> b, view<T, Space> out,
                  std::span<index_t const> begins, Order const& order) {
  index_t const n = a.size() + b.size();
  auto const merged = ex.local().template scratch<T>(n);
  merge(ex.local(), a, b, merged, order.before);
  place_sorted(ex, n, rows<T const, no_value const>{merged.data(), nullptr}, begins.back(),
               rows<T, no_value>{out.data(), nullptr}, begins, order);
}

/// The same for elements of which equal ones differ.
template <class Ex, class T, class Space, class Before>
void merge_tagged(Ex const& ex, view<T const, Space> a, view<T const, Space> b, view<T, Space> out,
                  std::span<index_t const> begins, by_comparison<Before> const& order) {
  using tagged = of_sequence<T>;
  auto const& local = ex.local();
  auto const first = local.template scratch<tagged>(a.size());
  auto const second = local.template scratch<tagged>(b.size());
  auto const merged = local.template scratch<tagged>(out.size());
  map(local, tag_element<T, false>{}, first, a);
  map(local, tag_element<T, true>{}, second, b);
  merge_across(ex, view<tagged const, Space>(first.data(), a.size()),
               view<tagged const, Space>(second.data(), b.size()),
               view<tagged, Space>(merged.data(), out.size()), begins,
               by_comparison<before_tagged<Before>>{order.call, {order.before}});
  map(local, untag_element{}, out, merged);
}

/// The same with a value for each element.  Equal keys of numbers are tagged, too: their values differ.
template <class Ex, class K, class V, class Before>
void merge_tagged_pairs(Ex const& ex, sequence<K, Ex> const& keys_a,
                        sequence<V, Ex> const& values_a, sequence<K, Ex> const& keys_b,
                        sequence<V, Ex> const& values_b, sequence<K, Ex>& keys_out,
                        sequence<V, Ex>& values_out, Before const& before) {
  using row = of_sequence<K>;
  using order = before_tagged<Before>;
  auto const& local = ex.local();
  index_t const n = keys_a.size() + keys_b.size();
  auto const first = local.template scratch<row>(keys_a.size());
  auto const second = local.template scratch<row>(keys_b.size());
  auto const merged = local.template scratch<row>(n),
             placed = local.template scratch<row>(keys_out.size());
  auto const values = local.template scratch<V>(n);
  map(local, tag_element<K, false>{}, first, keys_a.local());
  map(local, tag_element<K, true>{}, second, keys_b.local());
  merge_pairs(local, first, values_a.local(), second, values_b.local(), merged, values,
              order{before});
  place_sorted(ex, n, rows<row const, V const>{merged.data(), values.data()}, keys_out.total_size(),
               rows<row, V>{placed.data(), values_out.data()}, keys_out.begins(),
               by_comparison<order>{"merge_pairs", {before}});
  map(local, untag_element{}, keys_out.local(), placed);
}

}  // namespace distributed::detail

/// Merges two sequences, each sorted over all ranks:
///
///     ranks      0     1     2
///     a          1 3 | 5   |
///     b          2   |     | 3
///     out        1 2 | 3 3 | 5             pieces of any sizes
///
/// Shapes   a[m], b[n] and out[m + n], each in pieces of any sizes; `out` overlaps nothing.  Elements
///          are trivially copyable.
/// Order    Stable: equal elements of `a` precede those of `b`.  Numbers ordered by < or > are in the
///          order of comparison_sort, in which equal ones have the same bits.
/// Cost     On each rank a merge of its pieces, and radix_sort's exchange and merge passes.  Elements
///          other than numbers are copied with a flag.
/// Volume   Each element that another rank gets, once, with a flag if it is no number; samples and
///          counts as radix_sort.
/// Errors   contract_error if the sizes do not fit; `error` if `before` is found not to be a strict
///          weak order, or a sequence is found not to be sorted.
template <class Local, class C, class T, class Before = less>
void merge(distributed::executor<Local, C> const& ex,
           distributed::sequence<T, distributed::executor<Local, C>> const& a,
           distributed::sequence<T, distributed::executor<Local, C>> const& b,
           distributed::sequence<T, distributed::executor<Local, C>>& out, Before before = {}) {
  using namespace distributed::detail;
  expects(a.total_size() + b.total_size() == out.total_size(), "merge: a has ", a.total_size(),
          " elements, b ", b.total_size(), ", and out ", out.total_size());
  auto const order = comparison_order<T>("merge", before);
  distributed::together(ex, "merge", [&] {
    if constexpr (ravel::detail::by_digits<Before, T>) {
      merge_across(ex, a.local(), b.local(), out.local(), out.begins(), order);
    } else {
      merge_tagged(ex, a.local(), b.local(), out.local(), out.begins(), order);
    }
  });
}

/// Merges keys as merge does, and moves the value of each key with it:
///
///     keys_a     1 3 | 5        keys_b      2 | 3        keys_out      1 2 | 3 3 5
///     values_a   a b | c        values_b    d | e        values_out    a d | b e c
///
/// Shapes   As for merge; values are in the pieces of their keys.  Values are trivially copyable.
/// Volume   Each key that another rank gets, with a flag, and its value, once; samples and counts as
///          radix_sort.
template <class Local, class C, class K, class V, class Before = less>
void merge_pairs(distributed::executor<Local, C> const& ex,
                 distributed::sequence<K, distributed::executor<Local, C>> const& keys_a,
                 distributed::sequence<V, distributed::executor<Local, C>> const& values_a,
                 distributed::sequence<K, distributed::executor<Local, C>> const& keys_b,
                 distributed::sequence<V, distributed::executor<Local, C>> const& values_b,
                 distributed::sequence<K, distributed::executor<Local, C>>& keys_out,
                 distributed::sequence<V, distributed::executor<Local, C>>& values_out,
                 Before before = {}) {
  using namespace distributed::detail;
  expects(keys_a.total_size() + keys_b.total_size() == keys_out.total_size(), "merge_pairs: a has ",
          keys_a.total_size(), " elements, b ", keys_b.total_size(), ", and out ",
          keys_out.total_size());
  expect_same_pieces("merge_pairs", keys_a, values_a);
  expect_same_pieces("merge_pairs", keys_b, values_b);
  expect_same_pieces("merge_pairs", keys_out, values_out);
  auto const order = comparison_order<K>("merge_pairs", before);
  distributed::together(ex, "merge_pairs", [&] {
    merge_tagged_pairs(ex, keys_a, values_a, keys_b, values_b, keys_out, values_out, order.before);
  });
}

}  // namespace ravel::inline v0
