#pragma once

/// @file
/// Comparison sort: a stable sort of anything, by any strict weak order.

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/core/search.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/rows.hpp>

#include <algorithm>
#include <concepts>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace ravel::inline v0 {
namespace detail {

/// Whether element i of a run goes ahead of x, which is of the other run of its pair: of
/// equals, those of the first run do.
template <class K, class Before>
struct goes_ahead_of {
  K const* keys;
  K const* x;
  Before const* before;
  bool of_first;
  RAVEL_HD bool operator()(index_t i) const {
    return of_first ? !(*before)(*x, keys[i]) : static_cast<bool>((*before)(keys[i], *x));
  }
};

/// Two neighbouring runs: [begin, middle) and [middle, end).
struct pair_of_runs {
  index_t begin, middle, end;
};

/// Runs of `run` rows each, and a last one of what is left.
struct equal_runs {
  index_t n, run;
  RAVEL_HD pair_of_runs around(index_t i) const {
    index_t const begin = i / (2 * run) * (2 * run);
    return {begin, begin + run < n ? begin + run : n, begin + 2 * run < n ? begin + 2 * run : n};
  }
};

/// Merges pairs of sorted runs: row i goes behind those ahead of it in its own run, and
/// those of the other run that go ahead of it.
template <class K, class V, class Runs, class Before>
struct merge_runs {
  rows<K const, V const> from;
  rows<K, V> to;
  Runs runs;
  Before before;

  RAVEL_HD void operator()(index_t i) const {
    auto const [begin, middle, end] = runs.around(i);
    bool const in_first = i < middle;
    goes_ahead_of<K, Before> const ahead{from.keys, from.keys + i, &before, !in_first};
    index_t const others = in_first ? partition_point(middle, end, ahead) - middle
                                    : partition_point(begin, middle, ahead) - begin;
    to.set(in_first ? i + others : i - (middle - begin) + others, from, i);
  }
};

template <class K, class V>
struct copy_row {
  rows<K const, V const> from;
  rows<K, V> to;
  RAVEL_HD void operator()(index_t i) const { to.set(i, from, i); }
};

/// Moves rows to `to`, which may be where they are, such that runs of so many rows as it
/// returns are sorted.
template <class Ex, class K, class V, class Before>
index_t sort_runs_on(Ex const& ex, index_t n, rows<K const, V const> from, rows<K, V> to, Before) {
  if (from.keys != to.keys || from.values != to.values) {
    for_each_index(ex, n, copy_row<K, V>{from, to});
  }
  return 1;
}

/// How many times runs of `run` rows double until there is one.
constexpr int doublings(index_t n, index_t run) {
  int passes = 0;
  for (; run < n; run *= 2) ++passes;
  return passes;
}

/// Sorts rows to `out`, which may be `in`: sorted runs, and then pairs of runs merged.
template <class Ex, class K, class V, class Before>
void merge_sort_on(Ex const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                   Before before) {
  auto const spare_keys = ex.template scratch<K>(n);
  auto const spare_values = ex.template scratch<V>(rows<K, V>::has_values ? n : 0);
  rows<K, V> here = out, there{spare_keys.data(), spare_values.data()};
  index_t run = sort_runs_on(ex, n, in, here, before);
  bool const odd = doublings(n, run) % 2 == 1;
  if (odd) {  // so that the last merge is to `out`
    for_each_index(ex, n, copy_row<K, V>{here.read(), there});
    std::swap(here, there);
  }
  for (; run < n; run *= 2) {
    for_each_index(ex, n,
                   merge_runs<K, V, equal_runs, Before>{here.read(), there, {n, run}, before});
    std::swap(here, there);
  }
}

template <class T, class... U>
inline constexpr bool is_one_of = (std::same_as<T, U> || ...);

/// Orders of numbers for which their digits do as well.
template <class Before, class K>
inline constexpr bool ascends = is_one_of<Before, less, std::less<>, std::less<K>>;
template <class Before, class K>
inline constexpr bool descends = is_one_of<Before, std::greater<>, std::greater<K>>;
template <class Before, class K>
inline constexpr bool by_digits = std::is_arithmetic_v<K>&& radix_sortable<K> &&
                                  (ascends<Before, K> || descends<Before, K>);

template <class Ex, class K, class V, class Before>
void comparison_sort_rows(Ex const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                          Before before) {
  static_assert(std::predicate<Before const&, K const&, K const&>,
                "comparison_sort: the order is no predicate of two elements");
  if (n == 0) return;
  if constexpr (by_digits<Before, K>) {
    sort_rows_on(ex, n, in, out, rows<K, V>{nullptr, nullptr}, descends<Before, K>,
                 std::optional<bit_range>{}, the_element{});
  } else {
    merge_sort_on(ex, n, in, out, before);
  }
}

}  // namespace detail

/// Sorts `in` to `out` by any strict weak order, stably:
///
///     in     3  1  2  4  1  5      comparison_sort(ex, in, out)
///     out    1  1  2  3  4  5
///     out    4  2  3  1  1  5      comparison_sort(ex, in, out, even_first{})
///
/// Shapes   in[n], out[n], in the memory of `ex`, of the same elements.  `out` may be `in`,
///          and may overlap nothing else.  n may be 0.
/// Order    Stable.  before(x, y) says whether x is ahead of y: irreflexive, transitive,
///          and so is being neither ahead nor behind.
/// Cost     O(n log n) work whatever the elements, O(log^2 n) span, and scratch for n
///          elements.  Numbers by < or > are sorted as radix_sort does.
/// Errors   contract_error if the sizes differ.  Issued, not awaited.
/// Source   Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path - Parallel Merging Made
///          Simple", IPDPSW 2012, for merges that are cut into equal parts.
/// See also radix_sort, for keys that have digits.
template <executor Ex, class In, class Out, class Before = less>
requires(sequence<Out>) void comparison_sort(Ex const& ex, In const& in, Out&& out,
                                             Before before = {}) {
  detail::expect_alike<Ex>("comparison_sort", in, out);
  using K = element_t<Out>;
  detail::comparison_sort_rows(ex, size_of(in),
                               rows<K const, no_value const>{view_of(in).data(), nullptr},
                               rows<K, no_value>{view_of(out).data(), nullptr}, before);
}

/// Sorts `data` where it is.
template <executor Ex, class Data, class Before = less>
requires(!sequence<Before>) void comparison_sort(Ex const& ex, Data&& data, Before before = {}) {
  comparison_sort(ex, data, data, before);
}

/// Sorts keys, and moves with each its value, of any type.
///
///     keys     3  1  2  1        keys_out      1  1  2  3
///     values   a  b  c  d        values_out    b  d  c  a
///
/// Shapes   As for comparison_sort.  An output may be its own input.
template <executor Ex, class Keys, class Values, class KeysOut, class ValuesOut,
          class Before = less>
void comparison_sort_pairs(Ex const& ex, Keys const& keys, Values const& values, KeysOut&& keys_out,
                           ValuesOut&& values_out, Before before = {}) {
  detail::expect_alike<Ex>("comparison_sort_pairs", keys, keys_out);
  detail::expect_alike<Ex>("comparison_sort_pairs", values, values_out);
  expects(size_of(keys) == size_of(values), "comparison_sort_pairs: there are ", size_of(keys),
          " keys and ", size_of(values), " values");
  using K = element_t<KeysOut>;
  using V = element_t<ValuesOut>;
  detail::comparison_sort_rows(
      ex, size_of(keys), rows<K const, V const>{view_of(keys).data(), view_of(values).data()},
      rows<K, V>{view_of(keys_out).data(), view_of(values_out).data()}, before);
}

}  // namespace ravel::inline v0

#include <ravel/algorithms/cpu/comparison_sort.hpp>  // runs as long as a thread sorts at once
#ifdef __CUDACC__
#  include <ravel/algorithms/cuda/comparison_sort.cuh>  // blocks sort and merge in shared memory
#endif
