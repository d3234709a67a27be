#pragma once

/// @file
/// Partial sort on any executor: a selection finds the k least elements, and the elements that they
/// displace from the front move to where they were.

#include <ravel/core/structure.hpp>
#include <ravel/core/vocabulary.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/pack.hpp>

namespace ravel::inline v0::detail {

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

/// The position of the j-th selected element: elements before the bound first, then equivalent
/// ones.
struct find_chosen {
  index_t const *before, *equivalent, *count_before;
  index_t* chosen;
  RAVEL_HD void operator()(index_t j) const {
    chosen[j] = j < *count_before ? before[j] : equivalent[j - *count_before];
  }
};
/// Marks positions among the first k that are selected themselves: their elements need not move.
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
/// Moves the elements of the front that are not selected to the places of selected ones outside of
/// it.
template <class T>
struct move_from_front {
  T* data;
  index_t const *from, *to, *count;
  RAVEL_HD void operator()(index_t t) const {
    if (t < *count) data[to[t]] = data[from[t]];
  }
};

/// Writes the k least of n elements, 0 < k < n, in order, and their positions in any order.
/// `select` is top_k.
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

/// Rearranges n elements: the k least in order, 0 < k < n, and then the others.
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

}  // namespace ravel::inline v0::detail
