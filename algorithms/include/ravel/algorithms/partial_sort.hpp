#pragma once

/// @file
/// Partial sort: the least elements to the front, in order, and the others after them.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/selection.hpp>
#include <ravel/core/checked.hpp>
#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/core/view.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/pack.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace ravel::inline v0 {
namespace detail {

/// The order of numbers by their digits, in which NaNs have a place.
template <bool Down>
struct before_by_digits {
  template <class T>
  RAVEL_HD bool operator()(T const& x, T const& y) const {
    auto const a = radix_key<T>::bits(x), b = radix_key<T>::bits(y);
    return Down ? b < a : a < b;
  }
};
/// Whether an element is before a bound (0), equivalent to it (1), or after it (2).
template <class T, class Before>
struct side_of_bound {
  T const* data;
  T const* bound;
  Before before;
  RAVEL_MAY_CALL_HOST
  RAVEL_HD int operator()(index_t i) const {
    if (before(data[i], *bound)) return 0;
    return before(*bound, data[i]) ? 2 : 1;
  }
};

/// Whether an element is on one side of a bound.
template <class Side>
struct is_on_side {
  Side of;
  int side;
  RAVEL_HD bool operator()(index_t i) const { return of(i) == side; }
};

/// Where the j-th chosen element is: first those before the bound, and then those equivalent to it.
struct find_chosen {
  index_t const *before, *equivalent, *count_before;
  index_t* chosen;
  RAVEL_HD void operator()(index_t j) const {
    chosen[j] = j < *count_before ? before[j] : equivalent[j - *count_before];
  }
};
/// Marks the positions of the front that are chosen.
struct mark_front {
  index_t const* chosen;
  std::uint8_t* stays;
  index_t k;
  RAVEL_HD void operator()(index_t j) const {
    if (chosen[j] < k) stays[chosen[j]] = 1;
  }
};
struct is_zero {
  std::uint8_t const* flags;
  RAVEL_HD bool operator()(index_t i) const { return flags[i] == 0; }
};
struct is_after_front {
  index_t const* chosen;
  index_t k;
  RAVEL_HD bool operator()(index_t j) const { return chosen[j] >= k; }
};
struct write_chosen {
  index_t const* chosen;
  index_t* to;
  RAVEL_HD void operator()(index_t j, index_t place) const { to[place] = chosen[j]; }
};
/// Moves elements of the front that are not chosen to where chosen ones were.
template <class T>
struct move_from_front {
  T* data;
  index_t const *from, *to, *count;
  RAVEL_HD void operator()(index_t t) const {
    if (t < *count) data[to[t]] = data[from[t]];
  }
};

/// The k least of n elements in order, 0 < k < n, and, in any order, where they are.  `select` is top_k.
template <class Ex, class T, class Order, class Select>
void find_least(Ex const& ex, T const* data, index_t n, index_t k, Order order,
                Select const& select, T* least, index_t* chosen) {
  using space = space_of_t<Ex>;
  using side = side_of_bound<T, Order>;
  auto const count = ex.template scratch<index_t>(1);
  auto const lower = ex.template scratch<index_t>(k), equivalent = ex.template scratch<index_t>(k);
  select(view<T const, space>(data, n), view<T, space>(least, k));
  side const of{data, least + (k - 1), order};
  pack_on(ex, n, is_on_side<side>{of, 0}, write_packed_index<index_t>{lower.data(), k},
          store_total<index_t>{count.data()});
  pack_on(ex, n, is_on_side<side>{of, 1}, write_packed_index<index_t>{equivalent.data(), k});
  for_each_index(ex, k, find_chosen{lower.data(), equivalent.data(), count.data(), chosen});
}

/// The k least of n elements in order, 0 < k < n, and then the others.
template <class Ex, class T, class Order, class Select>
void partial_sort_on(Ex const& ex, T* data, index_t n, index_t k, Order order,
                     Select const& select) {
  auto const least = ex.template scratch<T>(k);
  auto const chosen = ex.template scratch<index_t>(k);
  auto const stays = ex.template scratch<std::uint8_t>(k);
  auto const from = ex.template scratch<index_t>(k), to = ex.template scratch<index_t>(k);
  auto const count = ex.template scratch<index_t>(1);
  find_least(ex, static_cast<T const*>(data), n, k, order, select, least.data(), chosen.data());
  distribute(ex, 0, stays);
  for_each_index(ex, k, mark_front{chosen.data(), stays.data(), k});
  pack_on(ex, k, is_zero{stays.data()}, write_packed_index<index_t>{from.data(), k});
  pack_on(ex, k, is_after_front{chosen.data(), k}, write_chosen{chosen.data(), to.data()},
          store_total<index_t>{count.data()});
  for_each_index(ex, k, move_from_front<T>{data, from.data(), to.data(), count.data()});
  map_on(ex, k, contiguous<T>{least.data()}, store<T>{data});
}

}  // namespace detail

/// Sorts the k least elements of `data` to its front, in place; the others follow, in unspecified order:
///
///     data      3  1  2  4  1  5
///     data      1  1  2  .  .  .       partial_sort(ex, data, 3)
///     data      2  4  3  .  .  .       partial_sort(ex, data, 3, even_first{})
///
/// Shapes   data[n] in the memory of `ex`, 0 <= k <= n.
/// Order    As comparison_sort: of equivalent elements the first ones, in their order.
/// Cost     That of top_k, and reading n elements twice more, except on a host if k is at most n / 64.
///          Scratch for k elements and 5 k indices, besides that of top_k.
/// Moves    On the host, elements that cannot be copied, or have no default constructor, are all sorted.
/// Errors   contract_error if k is not in [0, n].  Issued, not awaited.
/// See also top_k, which writes the k least to another place, and leaves `data` as it is.
template <executor Ex, class Data, class Before = less>
void partial_sort(Ex const& ex, Data&& data, index_t k, Before before = {}) {
  if constexpr (!writable_on<Data, Ex>) {
    static_assert(writable_on<Data, Ex>,
                  "partial_sort: data is not a writable contiguous sequence in the executor's "
                  "memory; top_k(ex, in, out) selects from any range");
  } else {
    using T = element_t<Data>;
    static_assert(std::predicate<Before const&, T const&, T const&>,
                  "partial_sort: the order is no predicate of two elements");
    auto const all = view_of(data);
    index_t const n = all.size();
    expects(0 <= k && k <= n, "partial_sort: k is ", k, ", and there are ", n, " elements");
    auto const& own = detail::own(ex);
    if (k == 0) return;
    if (k == n || !detail::held_in_scratch<T>) {
      comparison_sort(own, all, before);
    } else if constexpr (detail::held_in_scratch<T> && detail::by_digits<Before, T>) {
      bool constexpr down = detail::orders_downward<Before, T>;
      detail::partial_sort_on(own, all.data(), n, k, detail::before_by_digits<down>{},
                              [&](auto const& in, auto const& out) {
                                if constexpr (down) {
                                  top_k(own, in, out, descending);
                                } else {
                                  top_k(own, in, out);
                                }
                              });
    } else if constexpr (detail::held_in_scratch<T>) {
      detail::partial_sort_on(own, all.data(), n, k, before, [&](auto const& in, auto const& out) {
        top_k(own, in, out, before);
      });
    }
  }
}

}  // namespace ravel::inline v0

#include <ravel/algorithms/cpu/partial_sort.hpp>  // the few least in one pass
