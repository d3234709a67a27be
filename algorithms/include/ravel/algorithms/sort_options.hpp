#pragma once

/// Options of sorts.
///
///     radix_sort(ex, in, out, by(weight{}), descending, bit_range{0, 16})
///
/// Options come last, in any order.

#include <ravel/core/member.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/core/structure.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/rows.hpp>

#include <optional>
#include <tuple>

namespace ravel::inline v0 {

namespace detail::option {
struct descending {};
struct bits {};
struct keys {};
struct room {};
}  // namespace detail::option

/// Descending order; equal keys still keep their order.
struct descending_t {
  using kind = detail::option::descending;
};
inline constexpr descending_t descending{};

/// Sort by bits [begin, end) of the key only, where bit 0 is the lowest.
struct bit_range {
  using kind = detail::option::bits;
  int begin;
  int end;
};

/// The caller's memory for rows during a sort.
template <class Keys, class Values>
struct spare_room {
  using kind = detail::option::room;
  Keys keys;
  Values values;
};

/// Use the caller's memory instead of scratch, as the second of two buffers:
///
///     radix_sort(ex, keys, by_way_of(other_keys))
///     radix_sort_pairs(ex, keys, values, by_way_of(other_keys, other_values))
///
/// It must hold as many elements as are sorted and overlap none of them; its contents are
/// unspecified afterwards.
template <class Keys>
auto by_way_of(Keys&& keys) {
  return spare_room<decltype(view_of(keys)), no_value>{view_of(keys), {}};
}
template <class Keys, class Values>
auto by_way_of(Keys&& keys, Values&& values) {
  return spare_room<decltype(view_of(keys)), decltype(view_of(values))>{view_of(keys),
                                                                        view_of(values)};
}

/// What `by` returns: the keys of a sort, and, called with two elements, the order of their keys.
template <class... Key>
struct sort_keys;
template <>
struct sort_keys<> {
  std::tuple<> all() const { return {}; }
};
template <class Key, class... Rest>
struct sort_keys<Key, Rest...> {
  using kind = detail::option::keys;
  Key key;
  sort_keys<Rest...> rest;

  std::tuple<Key, Rest...> all() const { return std::tuple_cat(std::tuple(key), rest.all()); }

  RAVEL_MAY_CALL_HOST
  template <class T>
  requires requires(Key const& key, T const& x) {
    { key(x) < key(x) } -> std::convertible_to<bool>;
  }
  RAVEL_HD bool operator()(T const& x, T const& y) const {
    if constexpr (sizeof...(Rest) == 0) {
      return key(x) < key(y);
    } else {
      return key(x) < key(y) || (!(key(y) < key(x)) && rest(x, y));
    }
  }
};

namespace detail {

inline sort_keys<> chain_of_keys() { return {}; }
template <class Key, class... Rest>
sort_keys<Key, Rest...> chain_of_keys(Key key, Rest... rest) {
  return {key, chain_of_keys(rest...)};
}

/// before(key(x), key(y)).
template <class Before, class Key>
struct order_of_keys {
  Before before;
  Key key;
  RAVEL_MAY_CALL_HOST
  template <class T>
  requires std::predicate<Before const&, std::invoke_result_t<Key const&, T const&>,
                          std::invoke_result_t<Key const&, T const&>>
      RAVEL_HD bool operator()(T const& x, T const& y) const {
    return before(key(x), key(y));
  }
};

}  // namespace detail

/// Sort by `key(x)` of each element x, instead of by x; by several keys in lexicographic order:
///
///     radix_sort(ex, dates, sorted, by(year{}, month{}, day{}))
///
/// Where a call takes an order this is one too, of any keys that have a <:
///
///     comparison_sort(ex, people, by(&person::name))
///     max_element_sync(ex, people, by(&person::age))
template <class... Key>
sort_keys<function_t<Key>...> by(Key... key) {
  static_assert(sizeof...(Key) > 0, "by: a key function is needed");
  return detail::chain_of_keys(as_function(key)...);
}

/// The order of elements whose keys are in the order `before`: of std::ranges, a comparison and a
/// projection.
///
///     comparison_sort(ex, people, order_by(std::greater{}, &person::name))
template <class Before, class Key>
detail::order_of_keys<Before, function_t<Key>> order_by(Before before, Key key) {
  return {before, as_function(key)};
}

namespace detail {

/// The key of a sort by whole elements.
using the_element = identity_function;

/// The type of key(x) for x of type K.
template <class Key, class K>
using sort_key_t = std::remove_cvref_t<std::invoke_result_t<Key const&, K const&>>;

using sort_options = takes<option::descending, option::bits, option::keys>;
using sort_options_with_room = takes<option::descending, option::bits, option::keys, option::room>;

/// The keys set by the options.
auto keys_of(auto const&... options) {
  return option_or<option::keys>(sort_keys<the_element>{}, options...).all();
}

/// The number of bits that integers in [0, n) need.
inline int bits_below(index_t n) {
  return n < 2 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n - 1)));
}

/// The bits in which integers in [0, n) of type I can differ; I may be too narrow for all of them.
template <std::integral I>
bit_range bits_of_numbers_below(index_t n) {
  return {0, std::min(bits_below(n), radix_width<I>)};
}

/// The bits set by the options, if any.
std::optional<bit_range> range_of(auto const&... options) {
  return option_or<option::bits>(std::optional<bit_range>{}, options...);
}

}  // namespace detail
}  // namespace ravel::inline v0
