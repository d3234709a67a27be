#pragma once

/// @file
/// Radix sort on any executor: a stable split by each digit, the least significant first.

#include <ravel/algorithms/sort_options.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/core/vocabulary.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/rows.hpp>
#include <ravel/primitives/split.hpp>

#include <optional>

namespace ravel::inline v0::detail {

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

/// Sorts `in` to `out`, which may be the same, by the bits in `range` of a key, or
/// lexicographically by several keys.  `spare`, if there is one, serves as scratch.
template <executor Ex, class K, class V, class... Key>
void sort_rows_on(Ex const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                  rows<K, V> spare, bool down, std::optional<bit_range> range, Key... key) {
  int passes = 0;
  for (int const width : {radix_width<sort_key_t<Key, K>>...}) {
    auto const [begin, end] = range.value_or(bit_range{0, width});
    passes += static_cast<int>(div_up(end - begin, digit_width));
  }

  // A pass cannot write over its input.  If `in` is `out` and the number of passes is odd, the rows
  // are copied first.
  bool const set_aside = share_memory(in, out) && passes % 2 == 1;
  index_t const room = spare.keys == nullptr && (passes > 1 || set_aside) ? n : 0;
  auto const spare_keys = ex.template scratch<K>(room);
  auto const spare_values = ex.template scratch<V>(std::same_as<V, no_value> ? 0 : room);
  if (spare.keys == nullptr) spare = {spare_keys.data(), spare_values.data()};

  ping_pong<K, V> passing{in, out, spare, passes, down, range};
  if (set_aside || passes == 0) {
    auto const to = set_aside ? passing.spare : out;
    for_each_index(ex, n, move_row<K, V>{in, to});
    passing.here = to.read();
  }
  passing.sort_by(ex, n, key...);
}

}  // namespace ravel::inline v0::detail
