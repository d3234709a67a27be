#pragma once

/// Sorts of distributed sequences: exact parts, and each row crosses the network once.

#include <ravel/algorithms/selection.hpp>
#include <ravel/algorithms/sort_options.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/operands.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/distributed/sort_by_parts.hpp>
#include <ravel/distributed/sort_by_pivots.hpp>
#include <ravel/distributed/sort_orders.hpp>
#include <ravel/distributed/sorted_cuts.hpp>
#include <ravel/primitives/rows.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#ifdef RAVEL_KERNELS
#  include <ravel/distributed/sort_on_devices.cuh>  // an exchange between two splits
#endif

namespace ravel::inline v0 {
namespace distributed::detail {

/// Up to so many keys of all ranks are sorted by every rank: finding where to cut takes longer.
inline constexpr index_t sorted_everywhere = index_t{1} << 13;

/// Sorts few keys of all ranks, n of them of this rank, on every rank, which keeps those from
/// begins[rank] to begins[rank + 1].
template <class Ex, class K, class Order>
void place_everywhere(Ex const& ex, index_t n, rows<K const, no_value const> in,
                      rows<K, no_value> out, std::span<index_t const> begins, Order const& order) {
  auto const& local = ex.local();
  int const rank = ex.ranks().rank();
  auto const keys = written_by_all<K>(ex, n, [&](K* dst) { local.copy(in.keys, dst, n); });
  rows<K, no_value> const sorted{keys.data(), nullptr};
  order.sort(local, size_of(keys), sorted.read(), sorted);
  local.copy(keys.data() + begins[rank], out.keys, begins[rank + 1] - begins[rank]);
}

/// Where the sorted keys of this rank are cut, so that rank r gets those from begins[r] to begins[r + 1]
/// of the whole of `total` in order.
template <class Ex, class K, class Order>
std::vector<index_t> cuts_of_keys(Ex const& ex, index_t n, K const* sorted, index_t total,
                                  std::span<index_t const> begins, Order const& order) {
  auto const sort = [&](auto const& keys) {
    rows<K, no_value> const data{keys.data(), nullptr};
    order.sort(ex.local(), size_of(keys), data.read(), data);
  };
  return cuts_of_sorted(ex, view<K const, typename Ex::space::local>(sorted, n), total, begins,
                        sort, order.before);
}

/// Sends the rows between the cuts of each rank, which are sorted, and merges what comes.
template <class Ex, class K, class V, class Order>
void place_cut(Ex const& ex, rows<K const, V const> sorted, std::vector<index_t> const& cuts,
               rows<K, V> out, std::span<index_t const> begins, Order const& order) {
  using Space = typename Ex::space::local;
  auto const& local = ex.local();
  route const along = route_by(ex, cuts);
  int const rank = ex.ranks().rank();
  expects(along.total_received() == begins[rank + 1] - begins[rank], not_strict);
  auto const keys = received_along(ex, along, view<K const, Space>(sorted.keys, cuts.back()));
  auto const values =
      local.template scratch<V>(rows<K, V>::has_values ? along.total_received() : 0);
  if constexpr (rows<K, V>::has_values) {
    send_along(ex, along, view<V const, Space>(sorted.values, cuts.back()), values);
  }
  merge_runs(local, along.received, rows<K const, V const>{keys.data(), values.data()}, out, order);
}

/// Moves sorted pieces of `total` rows so that rank r gets those from begins[r] to begins[r + 1] of
/// the whole in order, and merges what it gets.
template <class Ex, class K, class V, class Order>
void place_sorted(Ex const& ex, index_t n, rows<K const, V const> sorted, index_t total,
                  rows<K, V> out, std::span<index_t const> begins, Order const& order) {
  place_cut(ex, sorted, cuts_of_keys(ex, n, sorted.keys, total, begins, order), out, begins, order);
}

/// Sorts the rows of all ranks.
template <class Ex, class K, class V, class Order>
void sort_across(Ex const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                 std::span<index_t const> begins, Order const& order) {
  auto const& local = ex.local();
  if (ex.ranks().size() == 1) return order.sort(local, n, in, out);
  if constexpr (has_ranks_of_keys<Order, K> &&
                cpu::host_executor<std::remove_cvref_t<decltype(local)>>) {
    if constexpr (orders_keys<Order, K, V>) {
      if (sort_by_pivots<Ex, K, Order>(ex, begins, order)(n, in.keys, out.keys)) return;
    }
    using by_parts = sort_by_parts<Ex, K, V, Order>;
    if (by_parts::is_worth(begins.back(), ex.ranks().size())) {
      return by_parts(ex, begins, order)(n, in, out);
    }
  }
  // Found in sort_on_devices.cuh, if it is included.
  if constexpr (requires { sort_between_devices(ex, n, in, out, begins, order); }) {
    if (sort_between_devices(ex, n, in, out, begins, order)) return;
  }
  auto const keys = local.template scratch<K>(n);
  auto const values = local.template scratch<V>(rows<K, V>::has_values ? n : 0);
  rows<K, V> const sorted{keys.data(), values.data()};
  order.sort(local, n, in, sorted);
  place_sorted(ex, n, sorted.read(), begins.back(), out, begins, order);
}

/// How many elements each rank selects first, of n of all and k of them: its share, and five standard
/// deviations more, as if they were in random order.
inline index_t guessed_share(index_t size, index_t n, index_t k) {
  auto const share = static_cast<double>(k) * static_cast<double>(size) / static_cast<double>(n);
  return std::min({size, k, static_cast<index_t>(share + 5 * std::sqrt(share)) + 2});
}

/// Places the smallest of all elements, where select(some) writes the smallest of this rank in order.
template <class Ex, class T, class Order, class Select>
void select_across(Ex const& ex, sequence<T, Ex> const& in, rows<T, no_value> out,
                   std::span<index_t const> begins, Order const& order, Select const& select) {
  auto const& local = ex.local();
  index_t const k = begins.back(), limit = std::min(k, in.size());
  auto const total_of = [&](auto const& selected_of) {
    index_t total = 0;
    for (std::size_t r = 0; r + 1 < begins.size(); ++r) {
      total += selected_of(in.begins()[r + 1] - in.begins()[r]);
    }
    return total;
  };
  auto const selected = local.template scratch<T>(limit);
  auto const found = [&](index_t n) {
    select(view<T, typename Ex::space::local>(selected.data(), n));
    return rows<T const, no_value const>{selected.data(), nullptr};
  };
  auto const capped = [&](index_t n) { return std::min(k, n); };
  if (total_of(capped) <= sorted_everywhere) {
    return place_everywhere(ex, limit, found(limit), out, begins, order);
  }
  auto const guess = [&](index_t n) { return guessed_share(n, in.total_size(), k); };
  index_t const count = guess(in.size());
  auto const chosen = found(count);
  auto const cuts = cuts_of_keys(ex, count, chosen.keys, total_of(guess), begins, order);
  bool const misses_some =
      cuts.back() == count && count < limit;  // elements after those may be smaller
  if (!any_of_ranks(ex.ranks(), misses_some)) {
    return place_cut(ex, chosen, cuts, out, begins, order);
  }
  place_sorted(ex, limit, found(limit), total_of(capped), out, begins, order);
}

/// A sort of the elements of all ranks by `order`.
template <class Ex, class In, class T, class Order>
void sort_elements(Ex const& ex, char const* call, In const& in, sequence<T, Ex>& out,
                   Order const& order) {
  auto const& x = written<T>(ex, in);
  expect_equal_sizes(call, x, out);
  together(ex, call, [&] {
    sort_across(ex, x.size(), rows<T const, no_value const>{x.data(), nullptr},
                rows<T, no_value>{out.data(), nullptr}, out.begins(), order);
  });
}
template <class Ex, class Keys, class Values, class K, class V, class Order>
void sort_keys_and_values(Ex const& ex, char const* call, Keys const& keys, Values const& values,
                          sequence<K, Ex>& keys_out, sequence<V, Ex>& values_out,
                          Order const& order) {
  auto const& x = written<K>(ex, keys);
  auto const& y = written<V>(ex, values);
  expect_equal_sizes(call, x, keys_out);
  expect_same_pieces(call, x, y);
  expect_same_pieces(call, keys_out, values_out);
  together(ex, call, [&] {
    sort_across(ex, x.size(), rows<K const, V const>{x.data(), y.data()},
                rows<K, V>{keys_out.data(), values_out.data()}, keys_out.begins(), order);
  });
}

/// top_k of the elements of all ranks by `order`, that of top_k with these arguments.
template <class Ex, class In, class T, class Order, class... By>
void top_k_by(Ex const& ex, In const& source, sequence<T, Ex>& out, Order const& order,
              By const&... args) {
  auto const& in = written<T>(ex, source);
  index_t const k = out.total_size();
  expects(k <= in.total_size(), "top_k: there is room for ", k, " elements, and there are ",
          in.total_size());
  together(ex, "top_k", [&] {
    select_across(ex, in, rows<T, no_value>{out.data(), nullptr}, out.begins(), order,
                  [&](view<T, typename Ex::space::local> selected) {
                    top_k(ex.local(), in.local(), selected, args...);
                  });
  });
}

}  // namespace distributed::detail

/// Sorts the elements of all ranks, stably:
///
///     ranks      0        1        2
///     in         3 1 2  | 4 1    | 5           the pieces, of any sizes
///     out        1 1    | 2 3    | 4 5
///
/// As on one machine, place(i) = #{j : in[j] < in[i]} + #{j < i : in[j] = in[i]}, and the options are
/// descending, bit_range{...} and by(key, ...).  Each rank gets the elements that its piece of `out`
/// has room for: the sizes of pieces are the caller's choice, and neither skew nor duplicates
/// change them.
///
/// Shapes   in[n], out[n] on all ranks, in pieces of any sizes, which may differ.  `out` may be `in`,
///          and may overlap nothing else.  Elements are trivially copyable.
/// Cost     On each rank a local radix_sort; O(log n / log s) rounds that find where pieces are cut
///          (see detail::cuts_of_sorted), one exchange, and merge passes, or from 9 ranks on another
///          sort, of what comes.  Scratch for the piece of `in` and the piece of `out`.  On hosts, for
///          at least 2^15 elements of each rank and up to 128 ranks: the exchange is between the two
///          passes of a local radix_sort (distributed/sort_by_parts.hpp).  Keys alone of 4 bytes, or of 8 if
///          some are frequent, of 2 to 4 hosts that sort them by quicksort, are split where pieces begin, and
///          sorted once, after the exchange (distributed/sort_by_pivots.hpp).  On devices, for many elements: they
///          are split by their highest 8 bits, or by 255 quantiles of a sample where these are uneven, and
///          sorted in chunks beside the exchange (distributed/sort_on_devices.cuh).  The communicator keeps
///          rooms for the pieces of `in` and `out`, until it ends.
/// Volume   Each element that another rank gets, once: (n / p) (p - 1) / p from a rank, if keys are
///          in random order; twice on more than 16 hosts if messages are short (distributed/grid.hpp).
///          Besides for p ranks 2048 keys and 4096 counts a round, and O(p) counts;
///          on hosts also up to 1024 counts to each rank, for each split; or a sample of 8192 keys of all ranks, of
///          which those that are frequent do not cross; on devices instead 256 counts
///          and 2048 samples, and at most a quarter more elements, since digits that ranks share go to
///          both unless their keys are equal.
/// Errors   contract_error if the sizes differ, or as radix_sort on one machine.
/// Source   Axtmann, Bingmann, Sanders and Schulz, "Practical Massively Parallel Sorting", SPAA 2015,
///          for exact splitters by multi-sequence selection.
/// See also comparison_sort, and balance, which makes pieces even.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In, class T, class... Options>
void radix_sort(Ex const& ex, In const& in, distributed::sequence<T, Ex>& out, Options... options) {
  distributed::detail::sort_elements(ex, "radix_sort", in, out,
                                     distributed::detail::radix_order<T>("radix_sort", options...));
}

/// Sorts `data` in place; pieces keep their sizes.
template <distributed::some_executor Ex, class T, class... Options>
requires(!(sequence<Options> || ...)) void radix_sort(Ex const& ex,
                                                      distributed::sequence<T, Ex>& data,
                                                      Options... options) {
  radix_sort(ex, data, data, options...);
}

/// Sorts keys, and moves the value of each key with it.
///
///     keys       3 1 | 2 1        keys_out      1 1 | 2 3
///     values     a b | c d        values_out    b d | c a
///
/// Shapes   As for radix_sort; keys and values are in the same pieces, and so are the outputs.
template <distributed::some_executor Ex, distributed::operand_of<Ex> Keys,
          distributed::operand_of<Ex> Values, class K, class V, class... Options>
void radix_sort_pairs(Ex const& ex, Keys const& keys, Values const& values,
                      distributed::sequence<K, Ex>& keys_out,
                      distributed::sequence<V, Ex>& values_out, Options... options) {
  distributed::detail::sort_keys_and_values(
      ex, "radix_sort_pairs", keys, values, keys_out, values_out,
      distributed::detail::radix_order<K>("radix_sort_pairs", options...));
}

/// Sorts the elements of all ranks by any strict weak order, stably:
///
///     in         3 1 2 | 4 1 | 5
///     out        4 2 | 3 1 | 1 5               comparison_sort(ex, in, out, even_first{})
///
/// Numbers ordered by < or > are sorted as radix_sort does.  All else is as for radix_sort, with a
/// local comparison_sort, and merge passes for any number of ranks.
///
/// Errors   contract_error if the sizes differ; `error` if `before` is found not to be a strict weak
///          order.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In, class T,
          class Before = less>
requires(!sequence<Before>) void comparison_sort(Ex const& ex, In const& in,
                                                 distributed::sequence<T, Ex>& out,
                                                 Before before = {}) {
  distributed::detail::sort_elements(
      ex, "comparison_sort", in, out,
      distributed::detail::comparison_order<T>("comparison_sort", before));
}

/// Sorts `data` in place; pieces keep their sizes.
template <distributed::some_executor Ex, class T, class Before = less>
requires(!sequence<Before>) void comparison_sort(Ex const& ex, distributed::sequence<T, Ex>& data,
                                                 Before before = {}) {
  comparison_sort(ex, data, data, before);
}

/// Sorts keys by any strict weak order, and moves the value of each key with it, as radix_sort_pairs.
template <distributed::some_executor Ex, distributed::operand_of<Ex> Keys,
          distributed::operand_of<Ex> Values, class K, class V, class Before = less>
void comparison_sort_pairs(Ex const& ex, Keys const& keys, Values const& values,
                           distributed::sequence<K, Ex>& keys_out,
                           distributed::sequence<V, Ex>& values_out, Before before = {}) {
  distributed::detail::sort_keys_and_values(
      ex, "comparison_sort_pairs", keys, values, keys_out, values_out,
      distributed::detail::comparison_order<K>("comparison_sort_pairs", before));
}

/// Writes the smallest elements of all ranks, in order, as many as `out` has on all ranks:
///
///     in         3 1 2 | 4 1 | 5
///     out        1 1 | 2 |                     top_k(ex, in, out)
///     out        5 4 | 3 |                     top_k(ex, in, out, descending)
///
/// Shapes   in[n], out[k] with k <= n, in pieces of any sizes.  Elements are trivially copyable, and
///          anything that radix_key knows.
/// Order    As radix_sort: of equal elements the first ones, in their order.
/// Cost     A local top_k of k elements, or all of a smaller piece.  If up to 2^13 are selected on all
///          ranks, each rank gathers and sorts them.  Otherwise each selects its share of k and a few more, as
///          if elements were in random order, or k if a rank has more of the smallest, and then follows the
///          exchange of radix_sort.
/// Volume   Each selected element to every rank; or each of the k elements that another rank gets, once,
///          and samples and counts as radix_sort.
/// Errors   contract_error if k is more than n.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In, class T, class... Options>
requires(!((sequence<Options> || ravel::detail::order_of_selection<Options, T>) ||
           ...)) void top_k(Ex const& ex, In const& in, distributed::sequence<T, Ex>& out,
                            Options... options) {
  static_assert(ravel::detail::are_options<ravel::detail::takes<ravel::detail::option::descending>,
                                           Options...>,
                "top_k: the only option is descending, once; or an order");
  distributed::detail::top_k_by(
      ex, in, out, distributed::detail::radix_order<T>("top_k", options...), options...);
}

/// The same by any strict weak order of trivially copyable elements:
///
///     in         3 1 2 | 4 1 | 5
///     out        2 4 | 3 |                     top_k(ex, in, out, even_first{})
///
/// Order    As comparison_sort: of elements that are equivalent the first ones, in their order.
template <distributed::some_executor Ex, distributed::operand_of<Ex> In, class T, class Before>
requires(ravel::detail::order_of_selection<Before, T>) void top_k(Ex const& ex, In const& in,
                                                                  distributed::sequence<T, Ex>& out,
                                                                  Before before) {
  distributed::detail::top_k_by(ex, in, out,
                                distributed::detail::comparison_order<T>("top_k", before), before);
}

}  // namespace ravel::inline v0
