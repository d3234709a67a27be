#pragma once

/// Radix sort: a stable sort by the digits of keys, least significant digit first.

#include <ravel/algorithms/radix_sort/call.hpp>
#include <ravel/algorithms/radix_sort/compiled.hpp>
#include <ravel/algorithms/radix_sort/cpu.hpp>
#include <ravel/algorithms/radix_sort/steps.hpp>
#include <ravel/algorithms/sort_operands.hpp>
#include <ravel/algorithms/sort_options.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/rows.hpp>

#include <optional>
#include <tuple>

#ifdef RAVEL_KERNELS
#  include <ravel/algorithms/cuda/radix_sort.cuh>  // each pass reads and writes rows once
#endif

namespace ravel::inline v0 {

namespace detail {

using ravel::no_value;
using ravel::rows;

/// The bits set by the options, if they are, with static checks of options and keys.
template <class K, class... Key, class... Options>
std::optional<bit_range> checked_range(char const* call, std::tuple<Key...> const&,
                                       Options... options) {
  static_assert(are_options<sort_options_with_room, Options...>,
                "radix_sort: the options are descending, bit_range{...}, by(...) and "
                "by_way_of(...), each once; an order is what comparison_sort takes");
  static_assert((std::invocable<Key const&, K const&> && ...),
                "radix_sort: by(...) has a key that is no function of an element");
  static_assert((radix_sortable<sort_key_t<Key, K>> && ...),
                "radix_sort: a key is no number, and radix_key is not specialised for its type: "
                "by(...) takes a key of each, and comparison_sort has need of none");
  static_assert(sizeof...(Key) == 1 || !has<option::bits, Options...>,
                "radix_sort: bit_range{...} is of one key, and by(...) gives several");

  auto const range = range_of(options...);
  if constexpr ((radix_sortable<sort_key_t<Key, K>> && ...)) {
    for (int const width : {radix_width<sort_key_t<Key, K>>...}) {
      auto const [begin, end] = range.value_or(bit_range{0, width});
      expects(0 <= begin && begin <= end && end <= width, call, ": bits [", begin, ", ", end,
              ") of a key of ", width, " bits");
    }
  }
  return range;
}

/// The caller's memory for n rows that by_way_of(...) passes, if it is one of the options.
template <class Ex, class K, class V>
rows<K, V> spare_of(char const*, index_t) {
  return {nullptr, nullptr};
}
template <class Ex, class K, class V, class O, class... Options>
rows<K, V> spare_of(char const* call, index_t n, O const& option, Options const&... options) {
  if constexpr (option_of<O, option::room>) {
    using Keys = decltype(option.keys);
    using Values = decltype(option.values);
    constexpr bool has_values = rows<K, V>::has_values;
    static_assert(has_values == !std::same_as<Values, no_value>,
                  "radix_sort: by_way_of(...) has room for keys, and for values if there are any");
    static_assert(sequence_on<Keys, Ex> && std::same_as<decltype(option.keys.data()), K*>,
                  "radix_sort: by_way_of(...) has no such keys, or not in the executor's memory");
    expects(option.keys.size() >= n, call, ": by_way_of has room for ", option.keys.size(),
            " keys, and there are ", n);
    if constexpr (has_values) {
      static_assert(sequence_on<Values, Ex> && std::same_as<decltype(option.values.data()), V*>,
                    "radix_sort: by_way_of(...) has no such values, or not in the executor's "
                    "memory");
      expects(option.values.size() >= n, call, ": by_way_of has room for ", option.values.size(),
              " values, and there are ", n);
      return {option.keys.data(), option.values.data()};
    } else {
      return {option.keys.data(), nullptr};
    }
  } else {
    return spare_of<Ex, K, V>(call, n, options...);
  }
}

/// Sorts `in` to `out`, which may be the same, after checking the options.
template <class Ex, class K, class V, class... Key, class... Options>
void sort_rows(Ex const& ex, char const* call, index_t n, rows<K const, V const> in, rows<K, V> out,
               std::tuple<Key...> keys, Options... options) {
  checked_range<K>(call, keys, options...);
  auto const spare = spare_of<Ex, K, V>(call, n, options...);
  constexpr bool held = held_in_scratch<K> && held_in_scratch<V>;
  static_assert(held,
                "radix_sort: elements that cannot be copied, or have no default constructor: "
                "comparison_sort sorts them, by the order by(...)");
  if constexpr (held && (radix_sortable<sort_key_t<Key, K>> && ...)) {
    run_call(own(ex), describe_sort_of_rows(n, in, out, spare, options...));
  }
}

}  // namespace detail

/// Sorts `in` to `out`, stably:
///
///     out[place(i)] = in[i]     place(i) = #{j : in[j] < in[i]} + #{j < i : in[j] = in[i]}
///
///     in     3  1  2  4  1  5
///     out    1  1  2  3  4  5
///     out    5  4  3  2  1  1              with the option `descending`
///     out    2  4  3  1  1  5              with the option bit_range{0, 1}: even, odd
///     out    3  1  4  1  2  5              with the option by(f), f(x) = x mod 3
///
/// With the option by_way_of(other) the caller's memory `other` serves as scratch.
///
/// Numbers are ordered by value: -0.0 equals +0.0, so that both keep their order, and NaNs of
/// either sign are equal, and greater than +infinity.
///
/// Shapes   in[n], out[n], in the memory of `ex`, of the same elements: any type with a radix_key,
///          or any type at all with `by`.  `out` may be `in`, and may overlap nothing else.  n may
///          be 0.
/// Order    Stable, also with `descending`.  A key function may be called twice for each element
///          and pass.
/// Cost     For keys of b bits b / 8 passes, each of O(n) work and O(log n) span
///          that moves 3 n elements.  Scratch for n elements, or by_way_of(...) instead, and
///          2 KiB for each tile.  On the host 6 n elements are moved in all, and 5 n more each time
///          that many keys share their highest ten bits, with scratch for n elements more; sorted
///          input is copied.
/// Errors   contract_error if the sizes differ, or if the bit range exceeds the key.
///          Issued, not awaited.
/// Source   Zagha and Blelloch, "Radix Sort for Vector Multiprocessors",
///          Supercomputing 1991.
/// See also radix_sort_pairs, radix_argsort.
template <executor Ex, class In, class Out, class... Options>
requires(sequence<Out>) void radix_sort(Ex const& ex, In const& in, Out&& out, Options... options) {
  auto const& source = detail::sorted_operand(ex, "radix_sort", in);
  detail::expect_alike<Ex>("radix_sort", source, out);
  using K = element_t<Out>;
  using rows = detail::rows<K, detail::no_value>;
  detail::sort_rows(ex, "radix_sort", size_of(source), {view_of(source).data(), nullptr},
                    rows{view_of(out).data(), nullptr}, detail::keys_of(options...), options...);
}

/// Sorts `data` in place.
template <executor Ex, class Data, class... Options>
requires(!(sequence<Options> || ...)) void radix_sort(Ex const& ex, Data&& data,
                                                      Options... options) {
  if constexpr (writable_on<Data, Ex>) {
    radix_sort(ex, data, data, options...);
  } else {
    static_assert(writable_on<Data, Ex>,
                  "radix_sort: data is not a writable contiguous sequence in the executor's "
                  "memory, to be sorted in place; radix_sort(ex, in, out) sorts any range");
  }
}

/// Sorts keys, and moves the value of each key, of any type, with it.
///
///     keys     3  1  2  1        keys_out      1  1  2  3
///     values   a  b  c  d        values_out    b  d  c  a
///
/// Shapes   As for radix_sort.  An output may be its own input.
/// Cost     As for radix_sort; values are moved once more each pass.  On a device a byte more of scratch
///          for each of 2^26 rows or more.
template <executor Ex, class Keys, class Values, class KeysOut, class ValuesOut, class... Options>
requires(sequence<KeysOut>&& sequence<ValuesOut>) void radix_sort_pairs(
    Ex const& ex, Keys const& keys, Values const& values, KeysOut&& keys_out,
    ValuesOut&& values_out, Options... options) {
  detail::sort_pairs_of(
      ex, "radix_sort_pairs", keys, values, keys_out, values_out, [&](auto... rows) {
        detail::sort_rows(ex, "radix_sort_pairs", rows..., detail::keys_of(options...), options...);
      });
}

/// Sorts pairs in place.
template <executor Ex, class Keys, class Values, class... Options>
requires(!(sequence<Options> || ...)) void radix_sort_pairs(Ex const& ex, Keys&& keys,
                                                            Values&& values, Options... options) {
  radix_sort_pairs(ex, keys, values, keys, values, options...);
}

/// Writes the stable permutation that sorts: in[order[0]], in[order[1]], ... ascends.
///
///     in       3  1  2  1
///     order    1  3  2  0
///
/// Shapes   in[n], order[n], in the memory of `ex`; order of an integer type that
///          can represent n.  They do not overlap.  n may be 0.
/// Cost     As for radix_sort_pairs, with scratch for n more elements.
/// Errors   contract_error if the sizes differ, or if order's type is too narrow.
template <local_executor Ex, class In, class Order, class... Options>
void radix_argsort(Ex const& ex, In const& in, Order&& order, Options... options) {
  static_assert(
      range_on<In const&, Ex> && writable_on<Order, Ex>,
      "radix_argsort: a sequence is not contiguous, writable and in the executor's memory");
  auto const& source = detail::sequence_of(ex, "radix_argsort", in);
  using K = element_t<decltype(source)>;
  using I = element_t<Order>;
  static_assert(detail::are_options<detail::sort_options, Options...>,
                "radix_argsort: the options are descending, bit_range{...} and by(...), each once");
  static_assert(std::integral<I>, "radix_argsort: the elements of order are no integers");
  auto const keys = view_of(source);
  auto const positions = view_of(order);
  expects(positions.size() == keys.size(), "radix_argsort: order has ", positions.size(),
          " elements, and in has ", keys.size());
  detail::expect_room_for_numbers<I>("radix_argsort", keys.size());

  auto const sorted = ex.template scratch<K>(keys.size());
  for_each_index(detail::own(ex), positions.size(), detail::write_index<I>{positions.data()});
  detail::sort_rows(ex, "radix_argsort", keys.size(), {keys.data(), positions.data()},
                    detail::rows<K, I>{sorted.data(), positions.data()},
                    detail::keys_of(options...), options...);
}

}  // namespace ravel::inline v0
