#pragma once

/// Sort of few rows by the bits of one key or of several keys, on the host: a rank sort that
/// compares all pairs in vectors, or a merge sort.

#include <ravel/algorithms/cpu/row.hpp>
#include <ravel/algorithms/cpu/sort_tile.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/function_ref.hpp>
#include <ravel/primitives/rows.hpp>

#include <tuple>

namespace ravel::inline v0::cpu::detail {

/// The lexicographic order by several keys.
template <class K, class... Bits>
struct before_by_bits {
  std::tuple<Bits...> all;

  bool operator()(K const& x, K const& y) const {
    return ravel::detail::call_with([&](auto const&... bits) { return first_of(x, y, bits...); },
                                    all);
  }

 private:
  template <class First, class... Rest>
  static bool first_of(K const& x, K const& y, First const& bits, Rest const&... rest) {
    auto const of_x = bits(row<K, no_value>{x}), of_y = bits(row<K, no_value>{y});
    if constexpr (sizeof...(Rest) > 0) {
      if (of_x == of_y) return first_of(x, y, rest...);
    }
    return of_x < of_y;
  }
};

/// Up to this number of rows are merge sorted: a radix sort would spend longer on clearing its
/// tables of counts.
inline constexpr index_t few_rows = 64;
/// Up to this number of rows are rank sorted, if the compiler has vector comparisons of such keys.
template <class U>
inline constexpr index_t counted_rows = simd::vector_bytes > 16 ? (sizeof(U) <= 4   ? 64
                                                                   : sizeof(U) <= 8 ? 32
                                                                                    : 0)
                                                                : (sizeof(U) <= 4 ? 32 : 0);
inline constexpr index_t merged_rows = 4;

/// Rank sort: the place of a row is the number of rows that precede it.  Each row is compared with
/// `Room` rows, in vectors and without branches.  Inlined, so that the compiler can prove that the
/// arrays of places and keys do not alias.
template <int Room, class U>
[[gnu::always_inline]] inline void count_places(index_t n, U const* sorted_by, U* place) {
  for (index_t i = 0; i < n; ++i) {
    U const key = sorted_by[i], at = static_cast<U>(i);
    for (int k = 0; k < Room; ++k) {
      U const follows = key < sorted_by[k];
      U const equal = key == sorted_by[k];
      U const later = at < static_cast<U>(k);
      place[k] = static_cast<U>(place[k] + (follows | (equal & later)));
    }
  }
}
template <class K, class V, class Bits>
void sort_by_places(index_t n, rows<K const, V const> in, rows<K, V> out, Bits const& bits) {
  using U = typename Bits::bits;
  constexpr int capacity = counted_rows<U>;
  U sorted_by[capacity] = {}, place[capacity] = {};
  row<K, V> row_of[capacity];  // a copy, as `out` may be `in`
  for (index_t i = 0; i < n; ++i) {
    row_of[i] = read_row<K, V>{in}(i);
    sorted_by[i] = bits(row_of[i]);
  }
  if (n <= capacity / 8) {
    count_places<capacity / 8>(n, sorted_by, place);
  } else if (n <= capacity / 4) {
    count_places<capacity / 4>(n, sorted_by, place);
  } else if (n <= capacity / 2) {
    count_places<capacity / 2>(n, sorted_by, place);
  } else {
    count_places<capacity>(n, sorted_by, place);
  }
  for (index_t i = 0; i < n; ++i) {
    write_row<K, V>{out, 0}(static_cast<index_t>(place[i]), row_of[i]);
  }
}

template <class K, class V, class Bits, class... Lower>
void sort_few_rows(index_t n, rows<K const, V const> in, rows<K, V> out, Bits bits,
                   Lower... lower) {
  if constexpr (sizeof...(Lower) == 0) {
    constexpr index_t max_rows = counted_rows<typename Bits::bits>;
    if constexpr (max_rows > 0) {
      if (merged_rows < n && n <= max_rows) return sort_by_places(n, in, out, bits);
    }
  }
  constexpr index_t values = rows<K, V>::has_values ? few_rows : 1;
  K room_for_keys[few_rows];
  V room_for_values[values];
  using order = before_by_bits<K, Bits, Lower...>;
  for (index_t i = 0; i < n; ++i) out.set(i, in, i);
  if (n < 2) return;
  sort_tile<K, V, order>{out, {room_for_keys, room_for_values}, {{bits, lower...}}}(0, {0, 0, n});
}

}  // namespace ravel::inline v0::cpu::detail
