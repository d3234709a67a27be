#pragma once

/// @file
/// Options of sorts.
///
///     radix_sort(ex, in, out, by(weight{}), descending, bit_range{0, 16})
///
/// Options come last, in any order.

#include <ravel/core/config.hpp>
#include <ravel/core/member.hpp>
#include <ravel/core/view.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/rows.hpp>

#include <optional>
#include <tuple>
#include <type_traits>

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

/// What `by_key` returns.
template <class... Key>
struct sort_keys {
  using kind = detail::option::keys;
  std::tuple<Key...> keys;
};

/// Sort by `key(x)` of each element x, instead of by x; by several keys in lexicographic order:
///
///     radix_sort(ex, dates, sorted, by(year{}, month{}, day{}))
template <class... Key>
sort_keys<function_t<Key>...> by(Key... key) {
  static_assert(sizeof...(Key) > 0, "by: a key function is needed");
  return {{as_function(key)...}};
}

namespace detail {

struct the_element {
  template <class T>
  RAVEL_HD T const& operator()(T const& x) const {
    return x;
  }
};

/// The type of key(x) for x of type K.
template <class Key, class K>
using sort_key_t = std::remove_cvref_t<std::invoke_result_t<Key const&, K const&>>;

using sort_options = takes<option::descending, option::bits, option::keys>;
using sort_options_with_room = takes<option::descending, option::bits, option::keys, option::room>;

/// The keys set by the options.
template <class... Options>
auto keys_of(Options const&... options) {
  return option_or<option::keys>(sort_keys<the_element>{}, options...).keys;
}

/// The bits set by the options, if any.
template <class... Options>
std::optional<bit_range> range_of(Options const&... options) {
  return option_or<option::bits>(std::optional<bit_range>{}, options...);
}

}  // namespace detail
}  // namespace ravel::inline v0
