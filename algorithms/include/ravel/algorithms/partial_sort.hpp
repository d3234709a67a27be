#pragma once

/// Partial sort: the least elements to the front, in order, and the others after them.

#include <ravel/algorithms/partial_sort/call.hpp>
#include <ravel/algorithms/partial_sort/cpu.hpp>
#include <ravel/algorithms/partial_sort/steps.hpp>

namespace ravel::inline v0 {

/// Sorts the k least elements of `data` to its front, in place; the others follow, in unspecified order:
///
///     data      3  1  2  4  1  5
///     data      1  1  2  .  .  .       partial_sort(ex, data, 3)
///     data      2  4  3  .  .  .       partial_sort(ex, data, 3, even_first{})
///
/// Shapes   data[n] in the memory of `ex`, 0 <= k <= n.
/// Order    As comparison_sort: of equivalent elements the first ones, in their order.
/// Cost     That of top_k, and reading n elements twice more, except on a host if k is at most n / 64,
///          or n / 16 of up to 2^14 elements.  On a host, if k is more than n / 3, that of comparison_sort.
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
    index_t const n = size_of(data);
    expects(0 <= k && k <= n, "partial_sort: k is ", k, ", and there are ", n, " elements");
    if (k > 0) run_call(detail::own(ex), describe_partial_sort(data, k, before));
  }
}

}  // namespace ravel::inline v0
