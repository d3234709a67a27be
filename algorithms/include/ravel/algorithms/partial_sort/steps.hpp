#pragma once

/// Partial sort on any executor: a selection finds the k least elements, and the elements that they
/// displace from the front move to where they were.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/partial_sort/call.hpp>
#include <ravel/algorithms/selection.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/pack.hpp>

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
/// The order in which top_k of the same call has its elements.
template <class T, class Space, class Before>
auto order_of_elements(partial_sort_call<T, Space, Before> const& c) {
  if constexpr (by_digits<Before, T>) {
    return before_by_digits<orders_downward<Before, T>>{};
  } else {
    return c.before;
  }
}

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

/// The k least elements: numbers by their digits.
template <class Ex, class T, class Space, class Before>
void select_least(Ex const& ex, partial_sort_call<T, Space, Before> const& c,
                  view<T, Space> least) {
  if constexpr (!by_digits<Before, T>) {
    top_k(ex, c.data, least, c.before);
  } else if constexpr (orders_downward<Before, T>) {
    top_k(ex, c.data, least, descending);
  } else {
    top_k(ex, c.data, least);
  }
}

/// Writes the k least of n elements, 0 < k < n, in order, and their positions in any order.
template <class Ex, class T, class Space, class Before>
void find_least(Ex const& ex, partial_sort_call<T, Space, Before> const& c, T* least,
                index_t* chosen) {
  using side = side_of_bound<T, decltype(order_of_elements(c))>;
  index_t const n = c.data.size(), k = c.k;
  auto const count = ex.template scratch<index_t>(1);
  auto const lower = ex.template scratch<index_t>(k), equivalent = ex.template scratch<index_t>(k);
  select_least(ex, c, view<T, Space>(least, k));
  side const side_of{c.data.data(), least + (k - 1), order_of_elements(c)};
  pack_on(ex, n, is_on_side<side>{side_of, 0}, write_packed_index<index_t>{lower.data(), k},
          store_total<index_t>{count.data()});
  pack_on(ex, n, is_on_side<side>{side_of, 1}, write_packed_index<index_t>{equivalent.data(), k});
  for_each_index(ex, k, find_chosen{lower.data(), equivalent.data(), count.data(), chosen});
}

/// Rearranges n elements: the k least in order, 0 < k < n, and then the others.  `find` is
/// find_least.
template <class Ex, class T, class Space, class Before, class Find>
void bring_to_front(Ex const& ex, partial_sort_call<T, Space, Before> const& c, Find const& find) {
  index_t const k = c.k;
  T* const data = c.data.data();
  auto const least = ex.template scratch<T>(k);
  auto const chosen = ex.template scratch<index_t>(k);
  auto const stays = ex.template scratch<std::uint8_t>(k);
  auto const sources = ex.template scratch<index_t>(k), targets = ex.template scratch<index_t>(k);
  auto const count = ex.template scratch<index_t>(1);
  find(least.data(), chosen.data());
  distribute(ex, 0, stays);
  for_each_index(ex, k, mark_front{chosen.data(), stays.data(), k});
  pack_on(ex, k, is_zero{stays.data()}, write_packed_index<index_t>{sources.data(), k});
  pack_on(ex, k, is_after_front{chosen.data(), k}, write_chosen{chosen.data(), targets.data()},
          store_total<index_t>{count.data()});
  for_each_index(ex, k, move_from_front<T>{data, sources.data(), targets.data(), count.data()});
  map_on(ex, k, contiguous<T>{least.data()}, store<T>{data});
}

}  // namespace detail

struct partial_sort_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why =
      "Any executor: top_k, packs of where these elements are, and swaps with the front.";
  template <class Call>
  static constexpr auto types = needs(need{
      detail::held_in_scratch<typename Call::value_type>,
      "elements that are copied, and have a default constructor"});
  static auto now(auto const& c, auto const&) {
    return needs(need{c.k < c.data.size(), "more elements than are sorted"});
  }
  template <class Ex, class T, class Space, class Before>
  static void run(Ex const& ex, partial_sort_call<T, Space, Before> const& c) {
    detail::bring_to_front(
        ex, c, [&](T* least, index_t* chosen) { detail::find_least(ex, c, least, chosen); });
  }
};

struct partial_sort_of_all {
  static constexpr auto name = "of_all";
  static constexpr auto why = "All elements are sorted, in place.";
  static void run(auto const& ex, auto const& c) { comparison_sort(ex, c.data, c.before); }
};

/// The family of partial sorts.
struct partial_sort_family : call_family<partial_sort_by_steps, partial_sort_of_all> {};

}  // namespace ravel::inline v0
