#pragma once

/// @file
/// Rows scattered to many places at once, by the line.
///
/// A row that is written where no cache holds its line fetches that line first, and a
/// page table entry for each of the many places.  Here the rows for a place wait in a
/// line of their own, which the nearest caches hold, until it is full and is streamed.
///
/// Source   Wassenberg and Sanders, "Engineering a Multi-core Radix Sort", Euro-Par
///          2011: software write-combining.

#include <ravel/core/cpu/scratch.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/tile.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace ravel::inline v0::cpu {
namespace detail {

inline constexpr index_t line_bytes = 64;

template <class Row>
inline constexpr bool fills_lines =
    std::is_trivially_copyable_v<Row>&& line_bytes % index_t{sizeof(Row)} == 0;

/// One line, to where a line begins.
[[gnu::always_inline]] inline void stream_line(void* to, void const* from) {
  for (index_t k = 0; k < line_bytes; k += simd::vector_bytes) {
    simd::stream_vector(static_cast<char*>(to) + k, static_cast<char const*>(from) + k);
  }
}

/// The same, where every line is streamed.  The places are counted from where a
/// line begins, `phase` rows ahead of `to`.
template <class Row, class From, class Digit>
void scatter_lines(tile t, From row, Digit digit, index_t ways, index_t* __restrict next, Row* to,
                   index_t phase) {
  constexpr index_t width = line_bytes / index_t{sizeof(Row)};
  struct alignas(line_bytes) line {
    std::aligned_storage_t<sizeof(Row), alignof(Row)> rows[width];
  };
  static_assert(sizeof(line) == line_bytes);
  scratch_buffer<line> const lines(ways);
  scratch_buffer<index_t> const first(ways);
  Row* const __restrict waiting = reinterpret_cast<Row*>(lines.data());
  for (index_t d = 0; d < ways; ++d) first[d] = next[d] += phase;

  for (index_t i = t.begin; i < t.end; ++i) {
    auto const d = static_cast<index_t>(digit(i));
    Row const x = row(i);
    index_t const place = next[d]++;
    Row* const mine = waiting + d * width;
    mine[place % width] = x;
    if (place % width != width - 1) continue;
    index_t const begin = place - (width - 1);
    if (begin >= first[d]) {
      stream_line(to + (begin - phase), mine);
    } else {  // others write the beginning of this line
      for (index_t k = first[d]; k <= place; ++k) to[k - phase] = mine[k % width];
    }
  }
  for (index_t d = 0; d < ways; ++d) {
    index_t const begin = std::max(first[d], next[d] / width * width);
    for (index_t k = begin; k < next[d]; ++k) to[k - phase] = waiting[d * width + k % width];
    next[d] -= phase;
  }
  stream_fence();
}

}  // namespace detail

/// For each i of `t`, in order:
///
///     to[next[digit(i)]++] = row(i)            digits are in [0, ways)
///
/// Others may write other places meanwhile.  What is `far` no cache holds, and none
/// will want soon: it is written past them.
template <class Row, class From, class Digit>
void scatter_rows(tile t, From row, Digit digit, index_t ways, index_t* __restrict next, Row* to,
                  bool far) {
  if constexpr (detail::fills_lines<Row>) {
    auto const address = reinterpret_cast<std::uintptr_t>(to);
    if (far && address % sizeof(Row) == 0) {
      auto const phase = static_cast<index_t>(address % detail::line_bytes / sizeof(Row));
      return detail::scatter_lines(t, row, digit, ways, next, to, phase);
    }
  }
  for (index_t i = t.begin; i < t.end; ++i) {
    auto const d = static_cast<index_t>(digit(i));
    to[next[d]++] = row(i);
  }
}

}  // namespace ravel::inline v0::cpu
