#pragma once

/// The orders of sorts over all ranks: how a rank sorts and merges by them on its own, and what each sort is given.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/cpu/row.hpp>
#include <ravel/algorithms/merge_segments.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/sort_options.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/primitives/rows.hpp>

#include <numeric>
#include <span>
#include <tuple>
#include <vector>

namespace ravel::inline v0::distributed::detail {

/// The order of a radix sort by bits [begin, begin + width of mask) of a key.
template <class K, class Key, bool Descending>
struct before_by_digits {
  using bits_of = radix_key<ravel::detail::sort_key_t<Key, K>>;
  using bits_t = radix_bits_t<ravel::detail::sort_key_t<Key, K>>;
  Key key;
  int begin;
  bits_t mask;
  RAVEL_HD bits_t digits(K const& x) const {
    return static_cast<bits_t>(bits_of::bits(key(x)) >> begin & mask);
  }
  bool sorts_by_all_bits() const { return mask == static_cast<bits_t>(~bits_t{}); }
  /// The digits, or their complement: ascending in this order.
  RAVEL_HD bits_t rank(K const& x) const {
    return static_cast<bits_t>(Descending ? mask ^ digits(x) : digits(x));
  }
  RAVEL_HD bool operator()(K const& x, K const& y) const {
    return Descending ? digits(y) < digits(x) : digits(x) < digits(y);
  }
};

/// The bits by which a local sort on a host orders rows.
template <class K, class Key, bool Descending>
cpu::detail::sorted_bits<K, Key> sorted_bits_of(
    before_by_digits<K, Key, Descending> const& before) {
  using bits = typename cpu::detail::sorted_bits<K, Key>::bits;
  return {before.key, Descending ? static_cast<bits>(~bits{}) : bits{},
          static_cast<bits>(before.mask << before.begin)};
}

/// The order that the options of a radix sort make, as a predicate.
template <class K, class Key, class... Options>
auto order_by_digits(char const* call, std::tuple<Key> const& keys, Options const&... options) {
  using ravel::detail::has;
  using order = before_by_digits<K, Key, has<ravel::detail::option::descending, Options...>>;
  using bits_t = typename order::bits_t;
  constexpr int width = static_cast<int>(8 * sizeof(bits_t));
  auto const range = ravel::detail::checked_range<K>(call, keys, options...);
  auto const [begin, end] = range.value_or(bit_range{0, width});
  bool const none = begin == end;  // and then `begin` may be all bits
  auto const mask =
      none ? bits_t{}
           : static_cast<bits_t>(static_cast<bits_t>(~bits_t{}) >> (width - (end - begin)));
  return order{std::get<0>(keys), none ? 0 : begin, mask};
}

/// The order by one, and where that has neither element first by another.
template <class Before, class Then>
struct before_in_turn {
  Before before;
  Then then;
  template <class K>
  RAVEL_HD bool operator()(K const& x, K const& y) const {
    return before(x, y) || (!before(y, x) && then(x, y));
  }
};
template <class K, class Key, class Next, class... Rest, class... Options>
auto order_by_digits(char const* call, std::tuple<Key, Next, Rest...> const& keys,
                     Options const&... options) {
  auto const then = ravel::detail::call_with(
      [&](auto const&, auto const&... rest) {
        return order_by_digits<K>(call, std::tuple(rest...), options...);
      },
      keys);
  auto const before = order_by_digits<K>(call, std::tuple(std::get<0>(keys)), options...);
  return before_in_turn<std::remove_const_t<decltype(before)>, std::remove_const_t<decltype(then)>>{
      before, then};
}

/// Sorts and merges by digits on a local executor.
template <class Before, class... Options>
struct by_radix {
  char const* call;
  Before before;
  std::tuple<Options...> options;

  /// Merge passes of more runs than this take longer than a radix sort.
  static constexpr index_t most_merged = index_t{1} << ravel::detail::merges_of_a_sort;

  template <class Local, class K, class V>
  void sort(Local const& local, index_t n, rows<K const, V const> in, rows<K, V> out) const {
    ravel::detail::call_with(
        [&](auto const&... option) {
          ravel::detail::sort_rows(local, call, n, in, out, ravel::detail::keys_of(option...),
                                   option...);
        },
        options);
  }
};

/// Sorts and merges by a predicate.
template <class Before>
struct by_comparison {
  char const* call;
  Before before;
  static constexpr index_t most_merged = std::numeric_limits<index_t>::max();

  template <class Local, class K, class V>
  void sort(Local const& local, index_t n, rows<K const, V const> in, rows<K, V> out) const {
    ravel::detail::comparison_sort_rows(local, n, in, out, before);
  }
};

/// Whether the order of keys is that of an integer of each.
template <class Order, class K>
concept has_ranks_of_keys = requires(Order const& order, K const& x) {
  order.before.rank(x);
};

/// What a sort of the rows of all ranks is given: their order, and where the pieces of the output begin.
template <class Ex, class Order>
class sort_over_ranks {
 protected:
  Ex const& ex_;
  local_of<Ex> const& local_;
  std::span<index_t const> begins_;
  Order const& order_;
  int ranks_, rank_;

  /// The rows that this rank gets, among those of all.
  index_t begin() const { return begins_[rank_]; }
  index_t end() const { return begins_[rank_ + 1]; }

 public:
  sort_over_ranks(Ex const& ex, std::span<index_t const> begins, Order const& order)
      : ex_(ex),
        local_(ex.local()),
        begins_(begins),
        order_(order),
        ranks_(ex.ranks().size()),
        rank_(ex.ranks().rank()) {}
};

/// Merges runs, one from each rank, which are next to one another.
template <class Local, class K, class V, class Order>
void merge_runs(Local const& local, std::vector<index_t> const& lengths, rows<K const, V const> in,
                rows<K, V> out, Order const& order) {
  using Space = typename Local::space;
  index_t const n = std::accumulate(lengths.begin(), lengths.end(), index_t{});
  if (std::ssize(lengths) > Order::most_merged) return order.sort(local, n, in, out);
  auto const runs = ravel::to(local, lengths);
  view<K const, Space> const keys(in.keys, n);
  view<K, Space> const keys_out(out.keys, n);
  if constexpr (rows<K, V>::has_values) {
    merge_segments_pairs(local, keys, view<V const, Space>(in.values, n), by_lengths(runs),
                         keys_out, view<V, Space>(out.values, n), order.before);
  } else {
    merge_segments(local, keys, by_lengths(runs), keys_out, order.before);
  }
}

template <class K, class... Options>
auto radix_order(char const* call, Options const&... options) {
  static_assert(ravel::detail::are_options<ravel::detail::sort_options, Options...>,
                "sorts of several ranks: the options are descending, bit_range{...} and "
                "by(...), each once; for by_way_of(...) each rank has scratch of its own");
  auto const before = order_by_digits<K>(call, ravel::detail::keys_of(options...), options...);
  return by_radix<std::remove_const_t<decltype(before)>, Options...>{call, before, {options...}};
}

/// An order for comparisons.  Numbers have that of their digits, which places NaNs.
template <class K, class Before>
auto comparison_order(char const* call, Before const& before) {
  static_assert(std::predicate<Before const&, K const&, K const&>,
                "sorts and merges of several ranks: the order is no predicate of two elements; of "
                "options, radix_sort takes by(...), bit_range{...} and descending");
  if constexpr (!ravel::detail::by_digits<Before, K>) {
    return by_comparison<Before>{call, before};
  } else if constexpr (ravel::detail::orders_downward<Before, K>) {
    return radix_order<K>(call, descending);
  } else {
    return radix_order<K>(call);
  }
}

}  // namespace ravel::inline v0::distributed::detail
