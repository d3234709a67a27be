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
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/split.hpp>

#include <concepts>
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
  RAVEL_HD int operator()(index_t i) const {
    if (before(data[i], *bound)) return 0;
    return before(*bound, data[i]) ? 2 : 1;
  }
};

/// The k least of n elements in order, 0 < k < n, and then the others.
template <class Ex, class T, class Before, class Side, class Select>
void partial_sort_on(Ex const& ex, T* data, index_t n, index_t k, Before before, Side side,
                     Select const& select) {
  using space = space_of_t<Ex>;
  auto const bound = ex.template scratch<T>(1);
  select(view<T const, space>(data, n), view<T, space>(bound.data(), 1));
  auto const parted = ex.template scratch<T>(n);
  split_on<3>(ex, n, side_of_bound<T, Side>{data, bound.data(), side},
              place_element<T, T>{data, parted.data()}, no_starts{});
  map_on(ex, n - k, contiguous<T>{parted.data() + k}, store<T>{data + k});
  comparison_sort(ex, view<T const, space>(parted.data(), k), view<T, space>(data, k), before);
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
/// Cost     That of nth_element, a sort of k elements, and 4 n elements moved.  Scratch for n elements.
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
    static_assert(detail::held_in_scratch<T>,
                  "partial_sort: elements that cannot be copied, or have no default constructor: "
                  "comparison_sort(ex, data, before) sorts them");
    auto const all = view_of(data);
    index_t const n = all.size();
    expects(0 <= k && k <= n, "partial_sort: k is ", k, ", and there are ", n, " elements");
    auto const& own = detail::own(ex);
    if (k == 0) return;
    if (k == n) {
      comparison_sort(own, all, before);
    } else if constexpr (detail::by_digits<Before, T>) {
      bool constexpr down = detail::orders_downward<Before, T>;
      detail::partial_sort_on(own, all.data(), n, k, before, detail::before_by_digits<down>{},
                              [&](auto const& in, auto const& out) {
                                if constexpr (down) {
                                  nth_element(own, in, k - 1, out, descending);
                                } else {
                                  nth_element(own, in, k - 1, out);
                                }
                              });
    } else {
      detail::partial_sort_on(
          own, all.data(), n, k, before, before,
          [&](auto const& in, auto const& out) { nth_element(own, in, k - 1, out, before); });
    }
  }
}

}  // namespace ravel::inline v0
