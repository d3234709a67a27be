#pragma once

/// Selection by digits: finds the bits of an element of given rank, digit by digit, and the rows
/// up to it.

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/selection/call.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/primitives/histogram.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/rows.hpp>
#include <ravel/primitives/split.hpp>

namespace ravel::inline v0 {
namespace detail {

/// A key as an unsigned integer, inverted if `descending`; and an integer of such bits.
template <class K>
struct selection_key {
  bool descending;
  RAVEL_HD K of(radix_bits_t<K> bits) const requires std::is_integral_v<K> {
    auto const up = static_cast<radix_bits_t<K>>(descending ? ~bits : bits);
    return static_cast<K>(up ^ radix_key<K>::bits(K(0)));
  }
  RAVEL_HD radix_bits_t<K> operator()(K const& x) const {
    auto const bits = radix_key<K>::bits(x);
    return static_cast<radix_bits_t<K>>(descending ? ~bits : bits);
  }
};

/// What is known of the selected element: its highest bits, as a number, and its rank among the
/// elements with these bits.
template <class Bits>
struct selected {
  Bits prefix;
  index_t rank;
};

inline constexpr int selection_digit = 8;  // bits

/// The digit of element i that ends at bit `shift`, if its higher bits match the selected
/// element's.
template <class K>
struct digit_if_selected {
  K const* in;
  selection_key<K> key;
  selected<radix_bits_t<K>> const* known;
  int shift;
  RAVEL_HD index_t operator()(index_t i) const {
    auto const from_shift = static_cast<radix_bits_t<K>>(key(in[i]) >> shift);
    bool const alike =
        static_cast<radix_bits_t<K>>(from_shift >> (selection_digit - 1) >> 1) == known->prefix;
    return alike ? static_cast<index_t>(from_shift & ((1 << selection_digit) - 1)) : -1;
  }
};

/// Determines the next digit of the selected element.
template <class Bits>
struct select_digit {
  index_t const* counts;
  selected<Bits>* known;
  RAVEL_HD void operator()(index_t) const {
    index_t rank = known->rank;
    int digit = 0;
    while (rank >= counts[digit]) rank -= counts[digit++];
    *known = {static_cast<Bits>(known->prefix << (selection_digit - 1) << 1 | Bits(digit)), rank};
  }
};

template <class Bits>
struct begin_selection {
  selected<Bits>* known;
  index_t rank;
  RAVEL_HD void operator()(index_t) const { *known = {Bits(0), rank}; }
};

/// 0, 1 or 2 where element i is less than, equal to, or greater than the selected element.
template <class K>
struct side_of_selected {
  K const* in;
  selection_key<K> key;
  selected<radix_bits_t<K>> const* known;
  RAVEL_HD int operator()(index_t i) const {
    auto const bits = key(in[i]);
    return bits < known->prefix ? 0 : bits == known->prefix ? 1 : 2;
  }
};

/// Keeps rows [first, first + count) of the split.
template <class K, class V>
struct keep_rows {
  rows<K const, V const> from;
  rows<K, V> to;
  index_t first, count;
  RAVEL_HD void operator()(index_t i, int, index_t place) const {
    if (place >= first && place - first < count) to.set(place - first, from, i);
  }
};

/// Splits the rows by the last one selected, `known`, and sorts the selected ones.
template <class Ex, class K, class V>
void split_at_selected(Ex const& ex, selection_call<K, V> const& c,
                       selected<radix_bits_t<K>> const* known) {
  split_on<3>(ex, c.n, side_of_selected<K>{c.in.keys, {c.descending}, known},
              keep_rows<K, V>{c.in, c.out, c.first, c.count}, no_starts{});
  if (c.count > 1) sort_rows_by_key(ex, c.count, c.out.read(), c.out, c.descending);
}

}  // namespace detail

struct select_by_digits {
  static constexpr auto name = "by_digits";
  static constexpr auto why =
      "Any executor and keys: a histogram for each 8 bits of a key, and a split.";
  template <class Ex, class K, class V>
  static void run(Ex const& ex, selection_call<K, V> const& c) {
    using Bits = radix_bits_t<K>;
    constexpr int width = detail::selection_digit;
    detail::selection_key<K> const key{c.descending};
    auto const known = ex.template scratch<detail::selected<Bits>>(1);
    auto const counts = ex.template scratch<index_t>(1 << width);
    for_each_index(ex, 1, detail::begin_selection<Bits>{known.data(), c.first + c.count - 1});
    for (int shift = radix_width<K> - width; shift >= 0; shift -= width) {
      histogram_on(ex, c.n, detail::digit_if_selected<K>{c.in.keys, key, known.data(), shift},
                   counts);
      for_each_index(ex, 1, detail::select_digit<Bits>{counts.data(), known.data()});
    }
    detail::split_at_selected(ex, c, known.data());
  }
};

/// The family of calls of selections by keys.
struct selection_family : call_family_with_devices<select_by_digits> {};

}  // namespace ravel::inline v0
