#pragma once

/// Comparison sort: a stable sort of anything, by any strict weak order.

#include <ravel/algorithms/comparison_sort/call.hpp>
#include <ravel/algorithms/comparison_sort/cpu.hpp>
#include <ravel/algorithms/sort_operands.hpp>
#include <ravel/primitives/rows.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/algorithms/cuda/comparison_sort.cuh>  // blocks sort and merge in shared memory
#endif

namespace ravel::inline v0 {
namespace detail {

template <class Ex, class K, class V, class Before>
void comparison_sort_rows(Ex const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                          Before before) {
  static_assert(std::predicate<Before const&, K const&, K const&>,
                "comparison_sort: the order is no predicate of two elements");
  static_assert((held_in_scratch<K> && held_in_scratch<V>) ||
                    (std::same_as<Ex, cpu::sequential> || std::same_as<Ex, cpu::threads>),
                "comparison_sort: elements that cannot be copied, or have no default constructor, "
                "are sorted by executors of the host alone");
  if (n > 0) run_call(ex, comparison_sort_call<K, V, Before>{n, in, out, before});
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
///          sorts 32 MB and more of trivially copyable rows, with keys of up to 16 bytes, by samples,
///          which moves them 3 times; others by merges, once for each doubling of tiles of up to 4352.
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
  using K = element_t<Out>;
  static_assert(std::copyable<K>,
                "comparison_sort: the elements cannot be copied: sort them in place, by "
                "comparison_sort(ex, data, before)");
  detail::sort_keys_of(ex, "comparison_sort", in, out, [&](auto... rows) {
    detail::comparison_sort_rows(detail::own(ex), rows..., before);
  });
}

/// Sorts `data` in place.
template <executor Ex, class Data, class Before = less>
requires(!sequence<Before>) void comparison_sort(Ex const& ex, Data&& data, Before before = {}) {
  if constexpr (writable_on<Data, Ex>) {
    using K = element_t<Data>;
    rows<K, no_value> const in_out{view_of(data).data(), nullptr};
    detail::comparison_sort_rows(detail::own(ex), size_of(data), in_out.read(), in_out, before);
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
  detail::sort_pairs_of(
      ex, "comparison_sort_pairs", keys, values, keys_out, values_out,
      [&](auto... rows) { detail::comparison_sort_rows(detail::own(ex), rows..., before); });
}

}  // namespace ravel::inline v0
