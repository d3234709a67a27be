#pragma once

/// The description of a radix sort.

#include <ravel/algorithms/sort_options.hpp>
#include <ravel/core/function_ref.hpp>
#include <ravel/core/run_call.hpp>
#include <ravel/primitives/rows.hpp>

#include <optional>
#include <tuple>

namespace ravel::inline v0 {

struct radix_sort_family;

/// Rows of `in`, sorted to `out`, which may be the same, by the bits in `range` of a key, or
/// lexicographically by several keys.
template <class K, class V, class... Key>
struct radix_sort_call {
  using family = radix_sort_family;
  using key_type = K;
  using value_type = V;
  index_t n;
  rows<K const, V const> in;
  rows<K, V> out;
  rows<K, V> spare;  ///< the caller's memory for n rows that serves as scratch, or null
  bool descending;
  std::optional<bit_range> range;  ///< all bits, if empty
  std::tuple<Key...> keys;
};

namespace detail {

template <class K, class V, class... Options>
auto describe_sort_of_rows(index_t n, rows<K const, V const> in, rows<K, V> out, rows<K, V> spare,
                           Options const&... options) {
  return call_with(
      [&]<class... Key>(Key const&... key) {
        return radix_sort_call<K, V, Key...>{
            n, in, out, spare, has<option::descending, Options...>, range_of(options...), {key...}};
      },
      keys_of(options...));
}

/// Sorts rows by their keys.
template <class Ex, class K, class V>
void sort_rows_by_key(Ex const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                      bool descending = false) {
  run_call(ex, radix_sort_call<K, V, the_element>{n, in, out, {}, descending, {}, {}});
}

}  // namespace detail

/// The call of radix_sort with the same arguments.
template <class In, class Out, class... Options>
auto describe_radix_sort(In const& in, Out&& out, Options... options) {
  using rows = rows<element_t<Out>, no_value>;
  return detail::describe_sort_of_rows(view_of(in).size(), {view_of(in).data(), nullptr},
                                       rows{view_of(out).data(), nullptr}, rows{}, options...);
}

/// The call of radix_sort_pairs with the same arguments.
template <class Keys, class Values, class KeysOut, class ValuesOut, class... Options>
auto describe_radix_sort_pairs(Keys const& keys, Values const& values, KeysOut&& keys_out,
                               ValuesOut&& values_out, Options... options) {
  using rows = rows<element_t<KeysOut>, element_t<ValuesOut>>;
  return detail::describe_sort_of_rows(
      view_of(keys).size(), {view_of(keys).data(), view_of(values).data()},
      rows{view_of(keys_out).data(), view_of(values_out).data()}, rows{}, options...);
}

}  // namespace ravel::inline v0
