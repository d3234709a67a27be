#pragma once

/// @file
/// Comparison sort: a stable sort of anything, by any strict weak order.

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/atomic.hpp>
#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/core/readable.hpp>
#include <ravel/core/search.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/core/view.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/merge.hpp>
#include <ravel/primitives/rows.hpp>

#include <concepts>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace ravel::inline v0 {
namespace detail {

/// Two adjacent runs: [begin, middle) and [middle, end).
struct pair_of_runs {
  index_t begin, middle, end;
};

/// Runs of `run` rows each; the last may be shorter.
struct equal_runs {
  index_t n, run;
  RAVEL_HD pair_of_runs around(index_t i) const {
    index_t const begin = i / (2 * run) * (2 * run);
    return {begin, begin + run < n ? begin + run : n, begin + 2 * run < n ? begin + 2 * run : n};
  }
  index_t pairs() const { return div_up(n, 2 * run); }
};

/// The runs of each merge pass: `run` rows before the first pass, twice as many before each next
/// one.
struct doubling_runs {
  index_t n, run;
  equal_runs operator()(int pass) const { return {n, run << pass}; }
};

/// One merge pass, whose result is cut into tiles of `width` rows: entered[t] is the number of rows
/// of the first run of tile t's pair that precede the tile.
///
/// If `before` is a strict weak order, the path through a tile ends where the next tile enters, and
/// each row is taken once.  Where it does not, the pass has failed and no later pass writes: the
/// input of the failed pass still holds every row.  Its output holds some of these rows, so that
/// later passes read initialised elements.
struct merge_pass {
  index_t* failed;  // failed[p] is 1 + the first pass before pass p > 0 that failed, or 0
  int pass;
  index_t width;
  index_t* entered;

  RAVEL_HD void begin() const { failed[pass + 1] = pass > 0 ? failed[pass] : 0; }
  RAVEL_HD bool is_off() const { return pass > 0 && failed[pass] != 0; }
  RAVEL_HD void fail() const {
    if (!is_off()) store_whole(failed + pass + 1, index_t{pass} + 1);
  }
};

/// Finds where a tile enters the merge path.
template <class K, class Runs, class Before>
struct enter_tile {
  K const* keys;
  Runs runs;
  Before before;
  merge_pass pass;
  RAVEL_HD void operator()(index_t t) const {
    auto const [begin, middle, end] = runs.around(t * pass.width);
    view<K const> const a(keys + begin, middle - begin), b(keys + middle, end - middle);
    pass.entered[t] = merge_path_point(a, b, t * pass.width - begin, before);
    if (t == 0) pass.begin();  // last: it waits for a load
  }
};

/// Merges the parts of the pairs of runs that are in a tile: row d of the result is row s of the
/// input.
template <class K, class V, class Runs, class Before>
struct walk_tile {
  static constexpr index_t length = walk_of_elements;
  index_t n;
  rows<K const, V const> from;
  rows<K, V> to;
  Runs runs;
  Before before;
  merge_pass pass;

  RAVEL_HD index_t size() const { return n; }
  RAVEL_HD bool is_off() const { return pass.is_off(); }

  /// Calls take(d, s) for each row of the tile.
  template <class Take>
  RAVEL_HD void walk(index_t t, Take const& take) const {
    index_t d = t * length;
    index_t const tile_end = d + length < size() ? d + length : size();
    for (index_t entered = pass.entered[t]; d < tile_end; entered = 0) {
      auto const [begin, middle, end] = runs.around(d);
      index_t const stop = end < tile_end ? end : tile_end;
      index_t i = begin + entered, j = middle + (d - i);
      for (; d < stop; ++d) {
        bool const second = i == middle || (j < end && before(from.keys[j], from.keys[i]));
        take(d, second ? j++ : i++);
      }
      if (stop < end && i - begin != pass.entered[t + 1]) pass.fail();
    }
  }
  RAVEL_HD void store(index_t d, index_t s) const { to.set(d, from, s); }
  RAVEL_HD void operator()(index_t t) const {
    if (!is_off()) walk(t, [this](index_t d, index_t s) { store(d, s); });
  }
};

template <class K, class V>
struct copy_row {
  rows<K const, V const> from;
  rows<K, V> to;
  RAVEL_HD void operator()(index_t i) const { to.set(i, from, i); }
};

/// Copies the input of the first pass that failed to `out`, if a pass has failed.
template <class K, class V>
struct restore_row {
  index_t const* failed;  // of all passes
  int passes;
  rows<K const, V const> in;
  rows<K, V> out, other;
  RAVEL_HD void operator()(index_t i) const {
    if (*failed == 0) return;
    if (*failed == 1) {
      out.set(i, in, i);
    } else if ((passes - *failed) % 2 == 0) {  // that pass wrote to `out`
      out.set(i, other.read(), i);
    }
  }
};

/// Calls pass_on(p, from, to) for each pass p, with its input and output: the first pass reads
/// `in`, the others alternate between `other` and `out`, and the last writes to `out`.
template <class K, class V, class PassOn>
void in_turns(int passes, rows<K const, V const> in, rows<K, V> out, rows<K, V> other,
              PassOn pass_on) {
  if (passes % 2 == 0) std::swap(out, other);
  for (int p = 0; p < passes; ++p) {
    pass_on(p, in, out);
    in = out.read();
    std::swap(out, other);
  }
}

template <class Ex, class K, class V, class Runs, class Before>
void merge_by_walks(Ex const& ex, index_t n, rows<K const, V const> from, rows<K, V> to, Runs runs,
                    Before before, index_t* failed, int pass) {
  index_t const tiles = div_up(n, walk_of_elements);
  auto const entered = ex.template scratch<index_t>(tiles);
  merge_pass const now{failed, pass, walk_of_elements, entered.data()};
  for_each_search(ex, tiles, enter_tile<K, Runs, Before>{from.keys, runs, before, now});
  for_each_walk(ex, tiles, walk_tile<K, V, Runs, Before>{n, from, to, runs, before, now});
}

/// Merges pairs of runs, those of runs_of(p) in pass p, until one run is left.  The first pass
/// reads `in` and writes to `other` if the number of passes is even, else to `out`, which must not
/// be `in` then.
template <class Ex, class K, class V, class RunsOf, class Before>
void merge_passes_on(Ex const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                     rows<K, V> other, int passes, RunsOf runs_of, Before before) {
  auto const failed = ex.template scratch<index_t>(passes + 1);
  in_turns(passes, in, out, other, [&](int p, auto const& from, auto const& to) {
    merge_by_walks(ex, n, from, to, runs_of(p), before, failed.data(), p);
  });
  if (passes > 0) {
    for_each_index(ex, n, restore_row<K, V>{failed.data() + passes, passes, in, out, other});
  }
}

/// The number of passes until runs of `run` rows have become one.
constexpr int doublings(index_t n, index_t run) {
  int passes = 0;
  for (; run < n; run *= 2) ++passes;
  return passes;
}

/// Merge sort from runs of one row.  `out` may be `in`.
template <class Ex, class K, class V, class Before>
void merge_sort_on(Ex const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                   Before before) {
  auto const spare_keys = ex.template scratch<K>(n);
  auto const spare_values = ex.template scratch<V>(rows<K, V>::has_values ? n : 0);
  rows<K, V> const spare{spare_keys.data(), spare_values.data()};
  int const passes = doublings(n, 1);
  rows<K, V> const here = passes % 2 == 0 ? out : spare;  // so that the last pass writes to `out`
  if (in.keys != here.keys || in.values != here.values) {
    for_each_index(ex, n, copy_row<K, V>{in, here});
  }
  merge_passes_on(ex, n, here.read(), out, spare, passes, doubling_runs{n, 1}, before);
}

template <class T, class... U>
inline constexpr bool is_one_of = (std::same_as<T, U> || ...);

/// Whether the order is ascending by value, for which a radix sort serves.
template <class Before, class K>
inline constexpr bool orders_upward = is_one_of<Before, less, std::less<>, std::less<K>>;
template <class Before, class K>
inline constexpr bool orders_downward = is_one_of<Before, std::greater<>, std::greater<K>>;
template <class Before, class K>
inline constexpr bool by_digits = std::is_arithmetic_v<K>&& radix_sortable<K> &&
                                  (orders_upward<Before, K> || orders_downward<Before, K>);

template <class Ex, class K, class V, class Before>
void comparison_sort_rows(Ex const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                          Before before) {
  static_assert(std::predicate<Before const&, K const&, K const&>,
                "comparison_sort: the order is no predicate of two elements");
  static_assert((held_in_scratch<K> && held_in_scratch<V>) ||
                    (std::same_as<Ex, cpu::sequential> || std::same_as<Ex, cpu::threads>),
                "comparison_sort: elements that cannot be copied, or have no default constructor, "
                "are sorted by executors of the host alone");
  if (n == 0) return;
  if constexpr (by_digits<Before, K>) {
    sort_rows_on(ex, n, in, out, rows<K, V>{nullptr, nullptr}, orders_downward<Before, K>,
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
/// Order    Stable.  before(x, y) returns whether x goes before y.  It must be a strict weak order:
///          irreflexive and transitive, with transitive equivalence.  If it is not, as `<` of
///          numbers that may be NaN in a function of the caller's, `out` is still a permutation of
///          `in`, in unspecified order.
/// Cost     O(n log n) work for any input, O(log^2 n) span, and scratch for n elements; on a device 2
///          bytes more for each.  Numbers ordered by < or > are sorted as radix_sort does.  A device
///          sorts 32 MB and more of trivially copyable keys of up to 16 bytes by samples, which moves
///          them 3 times; others by merges, once for each doubling of tiles of up to 4352.
/// Moves    On the host, elements without a default constructor are sorted by position, and then
///          moved once.  So are, in place, elements that cannot be copied, such as std::unique_ptr.
///          If the order throws, `out` is as it was.
/// Errors   contract_error if the sizes differ.  Issued, not awaited.
/// Source   Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path - Parallel Merging Made
///          Simple", IPDPSW 2012: merges cut into equal parts.  Frazer and McKellar, "Samplesort",
///          J. ACM 17(3), 1970.
/// See also radix_sort, for keys that have digits.
template <executor Ex, class In, class Out, class Before = less>
requires(sequence<Out>) void comparison_sort(Ex const& ex, In const& in, Out&& out,
                                             Before before = {}) {
  auto const& from = detail::sorted_operand(ex, "comparison_sort", in);
  detail::expect_alike<Ex>("comparison_sort", from, out);
  using K = element_t<Out>;
  static_assert(std::copyable<K>,
                "comparison_sort: the elements cannot be copied: sort them in place, by "
                "comparison_sort(ex, data, before)");
  detail::comparison_sort_rows(detail::own(ex), size_of(from),
                               rows<K const, no_value const>{view_of(from).data(), nullptr},
                               rows<K, no_value>{view_of(out).data(), nullptr}, before);
}

/// Sorts `data` in place.
template <executor Ex, class Data, class Before = less>
requires(!sequence<Before>) void comparison_sort(Ex const& ex, Data&& data, Before before = {}) {
  if constexpr (writable_on<Data, Ex>) {
    using K = element_t<Data>;
    rows<K, no_value> const all{view_of(data).data(), nullptr};
    detail::comparison_sort_rows(detail::own(ex), size_of(data), all.read(), all, before);
  } else {
    static_assert(writable_on<Data, Ex>,
                  "comparison_sort: data is not a writable contiguous sequence in the executor's "
                  "memory, to be sorted in place; comparison_sort(ex, in, out) sorts any range");
  }
}

/// The same, as the parallel algorithms of std::ranges spell it: by an order, or the order of a key of
/// each element.
///
///     sort(ex, people, {}, &person::age)
template <executor Ex, class Data, class Before = less>
void sort(Ex const& ex, Data&& data, Before before = {}) {
  comparison_sort(ex, std::forward<Data>(data), before);
}
template <executor Ex, class Data, class Before = less, class Key>
void sort(Ex const& ex, Data&& data, Before before, Key key) {
  comparison_sort(ex, std::forward<Data>(data), order_by(before, key));
}
/// sort, which is stable.
template <executor Ex, class Data, class... Order>
void stable_sort(Ex const& ex, Data&& data, Order... order) {
  sort(ex, std::forward<Data>(data), order...);
}

/// Sorts keys, and moves the value of each key, of any type, with it.
///
///     keys     3  1  2  1        keys_out      1  1  2  3
///     values   a  b  c  d        values_out    b  d  c  a
///
/// Shapes   As for comparison_sort.  An output may be its own input.
template <executor Ex, class Keys, class Values, class KeysOut, class ValuesOut,
          class Before = less>
void comparison_sort_pairs(Ex const& ex, Keys const& keys, Values const& values, KeysOut&& keys_out,
                           ValuesOut&& values_out, Before before = {}) {
  auto const& from = detail::sorted_operand(ex, "comparison_sort_pairs", keys);
  auto const& beside = detail::sorted_operand(ex, "comparison_sort_pairs", values);
  detail::expect_pairs_alike<Ex>("comparison_sort_pairs", from, beside, keys_out, values_out);
  using K = element_t<KeysOut>;
  using V = element_t<ValuesOut>;
  detail::comparison_sort_rows(detail::own(ex), size_of(from),
                               rows<K const, V const>{view_of(from).data(), view_of(beside).data()},
                               rows<K, V>{view_of(keys_out).data(), view_of(values_out).data()},
                               before);
}

}  // namespace ravel::inline v0

#include <ravel/algorithms/cpu/comparison_sort.hpp>  // each thread sorts long runs first
#ifdef RAVEL_KERNELS
#  include <ravel/algorithms/cuda/comparison_sort.cuh>  // blocks sort and merge in shared memory
#endif
