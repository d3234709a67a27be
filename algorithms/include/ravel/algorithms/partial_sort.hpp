#pragma once

/// @file
/// Partial sort: the least elements to the front, in order, and the others after them.

#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/cpu/partial_sort.hpp>
#include <ravel/algorithms/partial_sort/steps.hpp>
#include <ravel/algorithms/selection.hpp>
#include <ravel/core/checked.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/core/vocabulary.hpp>

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
///          Scratch for k elements, 5 k indices and k bytes, besides that of top_k.
/// Moves    On the host, elements that cannot be copied, or have no default constructor, are all sorted.
/// Errors   contract_error if k is not in [0, n].  Issued, not awaited.
/// See also top_k, which writes the k least to another place, and leaves `data` as it is.
template <local_executor Ex, class Data, class Before = less>
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
