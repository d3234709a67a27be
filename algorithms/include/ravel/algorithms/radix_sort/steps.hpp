#pragma once

/// Radix sort on any executor: a stable split by each digit, the least significant first.

#include <ravel/algorithms/radix_sort/call.hpp>
#include <ravel/algorithms/sort_options.hpp>
#include <ravel/core/function_ref.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/rows.hpp>
#include <ravel/primitives/split.hpp>

#include <optional>

namespace ravel::inline v0 {
namespace detail {

/// The sink of a split: moves row i to its place.
template <class K, class V>
struct move_row {
  rows<K const, V const> from;
  rows<K, V> to;
  RAVEL_HD void operator()(index_t i, int, index_t place) const { to.set(place, from, i); }
  RAVEL_HD void operator()(index_t i) const { to.set(i, from, i); }
};

/// The digit of row i at bit `shift` of its key; digits are inverted if `descending`.
template <class K, class Key>
struct digit_of_row {
  K const* keys;
  Key key;
  int shift;
  int greatest;
  bool descending;
  RAVEL_HD int operator()(index_t i) const {
    auto const bits = radix_key<sort_key_t<Key, K>>::bits(key(keys[i]));
    int const digit = static_cast<int>(bits >> shift) & greatest;
    return descending ? greatest - digit : digit;
  }
};

inline constexpr int digit_width = 8;

/// The rows between passes.  Each pass moves them to the other one of `out` and `spare`
/// (ping-pong), so that the last pass moves them to `out`.
template <class K, class V>
struct ping_pong {
  rows<K const, V const> here;
  rows<K, V> out;
  rows<K, V> spare;
  int passes;
  bool descending;
  std::optional<bit_range> range;

  /// Sorts by the last key first, and by each key's lowest digit first: passes are stable, so the
  /// first key's highest digit decides.
  template <class Ex, class Key, class... Lower>
  void sort_by(Ex const& ex, index_t n, Key key, Lower... lower) {
    if constexpr (sizeof...(Lower) > 0) sort_by(ex, n, lower...);
    auto const [begin, end] = range.value_or(bit_range{0, radix_width<sort_key_t<Key, K>>});
    for (int shift = begin; shift < end; shift += digit_width) {
      int const greatest = (1 << std::min(digit_width, end - shift)) - 1;
      auto const next = --passes % 2 == 0 ? out : spare;
      split_on<1 << digit_width>(ex, n,
                                 digit_of_row<K, Key>{here.keys, key, shift, greatest, descending},
                                 move_row<K, V>{here, next}, no_starts{});
      here = next.read();
    }
  }
};

}  // namespace detail

struct radix_sort_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why = "Any executor and rows: a stable split by each digit of 8 bits.";
  template <class Ex, class K, class V, class... Key>
  static void run(Ex const& ex, radix_sort_call<K, V, Key...> const& c) {
    int passes = 0;
    for (int const width : {radix_width<detail::sort_key_t<Key, K>>...}) {
      auto const [begin, end] = c.range.value_or(bit_range{0, width});
      passes += static_cast<int>(div_up(end - begin, detail::digit_width));
    }

    // A pass cannot write over its input.  If `in` is `out` and the number of passes is odd, the
    // rows are copied first.
    bool const set_aside = share_memory(c.in, c.out) && passes % 2 == 1;
    bool const given = c.spare.keys != nullptr;
    index_t const room = !given && (passes > 1 || set_aside) ? c.n : 0;
    auto const spare_keys = ex.template scratch<K>(room);
    auto const spare_values = ex.template scratch<V>(rows<K, V>::has_values ? room : 0);
    rows<K, V> const spare = given ? c.spare : rows<K, V>{spare_keys.data(), spare_values.data()};

    detail::ping_pong<K, V> passing{c.in, c.out, spare, passes, c.descending, c.range};
    if (set_aside || passes == 0) {
      auto const target = set_aside ? spare : c.out;
      for_each_index(ex, c.n, detail::move_row<K, V>{c.in, target});
      passing.here = target.read();
    }
    detail::call_with([&](auto const&... key) { passing.sort_by(ex, c.n, key...); }, c.keys);
  }
};

/// The family of calls of radix sorts.
struct radix_sort_family : call_family_with_devices<radix_sort_by_steps> {};

}  // namespace ravel::inline v0
