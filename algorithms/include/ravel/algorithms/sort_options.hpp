#pragma once

/// @file
/// What sorts can be told besides their operands.
///
///     radix_sort(ex, in, out, by(weight{}), descending, bit_range{0, 16})
///
/// Options stand last, in any order.

#include <ravel/core/config.hpp>
#include <ravel/core/member.hpp>
#include <ravel/core/view.hpp>
#include <ravel/primitives/rows.hpp>

#include <concepts>
#include <optional>
#include <tuple>
#include <type_traits>

namespace ravel::inline v0 {

/// The greatest key first; equal keys still stay in their order.
struct descending_t {};
inline constexpr descending_t descending{};

/// Sort by bits [begin, end) of the key, bit 0 being the lowest, as if there
/// were no others.
struct bit_range {
  int begin;
  int end;
};

/// Memory of the caller's, by way of which rows are sorted.
template <class Keys, class Values>
struct spare_room {
  Keys keys;
  Values values;
};

/// Sort by way of memory of the caller's, the other of two buffers, instead of scratch:
///
///     radix_sort(ex, keys, by_way_of(other_keys))
///     radix_sort_pairs(ex, keys, values, by_way_of(other_keys, other_values))
///
/// It has room for all that is sorted, overlaps nothing of it, and may hold anything afterwards.
template <class Keys>
auto by_way_of(Keys&& keys) {
  return spare_room<decltype(view_of(keys)), no_value>{view_of(keys), {}};
}
template <class Keys, class Values>
auto by_way_of(Keys&& keys, Values&& values) {
  return spare_room<decltype(view_of(keys)), decltype(view_of(values))>{view_of(keys),
                                                                        view_of(values)};
}

template <class... Key>
struct sort_keys {
  std::tuple<Key...> keys;
};

/// Sort by the key that `key(x)` is of an element x, instead of by x; by several
/// keys, the first that differs decides:
///
///     radix_sort(ex, dates, sorted, by(year{}, month{}, day{}))
template <class... Key>
sort_keys<function_t<Key>...> by(Key... key) {
  static_assert(sizeof...(Key) > 0, "by: by what?");
  return {{as_function(key)...}};
}

namespace detail {

struct the_element {
  template <class T>
  RAVEL_HD T const& operator()(T const& x) const {
    return x;
  }
};

/// The type of key(x), for x of type K.
template <class Key, class K>
using sort_key_t = std::remove_cvref_t<std::invoke_result_t<Key const&, K const&>>;

template <class O>
inline constexpr bool is_sort_keys = false;
template <class... Key>
inline constexpr bool is_sort_keys<sort_keys<Key...>> = true;

template <class O>
inline constexpr bool is_spare_room = false;
template <class Keys, class Values>
inline constexpr bool is_spare_room<spare_room<Keys, Values>> = true;

template <class O, class... Options>
inline constexpr int count_of = (0 + ... + int{std::same_as<O, Options>});

/// Whether these are options of a sort, each given once at most; by_way_of(...) if it `may` be.
template <bool May, class... Options>
inline constexpr bool are_options_of_sort =
    ((std::same_as<Options, descending_t> || std::same_as<Options, bit_range> ||
      is_sort_keys<Options> || (May && is_spare_room<Options>)) &&
     ...) &&
    count_of<descending_t, Options...> <= 1 && count_of<bit_range, Options...> <= 1 &&
    (0 + ... + int{is_sort_keys<Options>}) <= 1 && (0 + ... + int{is_spare_room<Options>}) <= 1;
template <class... Options>
inline constexpr bool are_sort_options = are_options_of_sort<false, Options...>;

/// The keys that the options ask for.
inline std::tuple<the_element> keys_of() { return {}; }
template <class O, class... Rest>
auto keys_of(O const& option, Rest const&... rest) {
  if constexpr (is_sort_keys<O>) {
    return option.keys;
  } else {
    return keys_of(rest...);
  }
}

/// The bits that the options ask for, if they do.
inline std::optional<bit_range> range_of() { return {}; }
template <class O, class... Rest>
std::optional<bit_range> range_of(O const& option, Rest const&... rest) {
  if constexpr (std::same_as<O, bit_range>) {
    return option;
  } else {
    return range_of(rest...);
  }
}

}  // namespace detail
}  // namespace ravel::inline v0
