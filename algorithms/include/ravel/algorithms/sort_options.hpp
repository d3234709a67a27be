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
#include <ravel/primitives/rows.hpp>

#include <concepts>
#include <optional>
#include <tuple>
#include <type_traits>

namespace ravel::inline v0 {

/// Descending order; equal keys still keep their order.
struct descending_t {};
inline constexpr descending_t descending{};

/// Sort by bits [begin, end) of the key only, where bit 0 is the lowest.
struct bit_range {
  int begin;
  int end;
};

/// The caller's memory for rows during a sort.
template <class Keys, class Values>
struct spare_room {
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

template <class... Key>
struct sort_keys {
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

/// Whether these are options of a sort, each given at most once; by_way_of(...) only if `May`.
template <bool May, class... Options>
inline constexpr bool are_options_of_sort =
    ((std::same_as<Options, descending_t> || std::same_as<Options, bit_range> ||
      is_sort_keys<Options> || (May && is_spare_room<Options>)) &&
     ...) &&
    count_of<descending_t, Options...> <= 1 && count_of<bit_range, Options...> <= 1 &&
    (0 + ... + int{is_sort_keys<Options>}) <= 1 && (0 + ... + int{is_spare_room<Options>}) <= 1;
template <class... Options>
inline constexpr bool are_sort_options = are_options_of_sort<false, Options...>;

/// The keys set by the options.
inline std::tuple<the_element> keys_of() { return {}; }
template <class O, class... Rest>
auto keys_of(O const& option, Rest const&... rest) {
  if constexpr (is_sort_keys<O>) {
    return option.keys;
  } else {
    return keys_of(rest...);
  }
}

/// The bits set by the options, if any.
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
