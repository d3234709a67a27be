#pragma once

/// Software write-combining: scatters rows to many destinations, each through a buffer of two cache
/// lines.
///
/// A store to a line that is not cached first fetches that line, and each of the many destinations
/// needs a TLB entry.  Here the rows of a destination collect in a buffer of two lines, which stays
/// in L1 or L2 and is written by non-temporal stores when it is full.  The branch on a full buffer
/// is mispredicted each time it is: with one line the scatter of 2^26 rows of 8 bytes takes a
/// seventh longer, with four it gains little.
///
/// Source   Wassenberg and Sanders, "Engineering a Multi-core Radix Sort", Euro-Par 2011: software
///          write-combining.

#include <ravel/core/cpu/scratch.hpp>
#include <ravel/core/cpu/stream.hpp>

namespace ravel::inline v0::cpu {
namespace detail {

inline constexpr index_t bytes_at_once = 128;

template <class Row>
inline constexpr bool fills_lines =
    std::is_trivially_copyable_v<Row>&& bytes_at_once % index_t{sizeof(Row)} == 0;

/// A buffer of two cache lines, for rows of any type.
struct alignas(bytes_at_once) lines {
  std::byte bytes[bytes_at_once];
};

/// Writes two cache lines by non-temporal stores.
[[gnu::always_inline]] inline void stream_lines(void* target, void const* source) {
  for (index_t k = 0; k < bytes_at_once; k += simd::vector_bytes) {
    simd::stream_vector(static_cast<char*>(target) + k, static_cast<char const*>(source) + k);
  }
}

/// The form of scatter_rows_to with buffers and non-temporal stores.  Within it, the positions of
/// destination d are counted from the 128-byte boundary before out(d).
template <class Row, class From, class Digit, class To>
void scatter_lines(tile t, From row, Digit digit, index_t ways, index_t* __restrict next, To out) {
  constexpr index_t width = bytes_at_once / index_t{sizeof(Row)};
  scratch_buffer<lines> const room(ways);
  scratch_buffer<index_t> const first(ways);
  Row* const __restrict waiting = reinterpret_cast<Row*>(room.data());
  auto const phase = [&](index_t d) {
    return static_cast<index_t>(reinterpret_cast<std::uintptr_t>(out(d)) % bytes_at_once /
                                sizeof(Row));
  };
  for (index_t d = 0; d < ways; ++d) first[d] = next[d] += phase(d);

  for (index_t i = t.begin; i < t.end; ++i) {
    auto const d = static_cast<index_t>(digit(i));
    Row const x = row(i);
    index_t const place = next[d]++;
    Row* const buffered = waiting + d * width;
    buffered[place % width] = x;
    if (place % width != width - 1) continue;
    index_t const begin = place - (width - 1);
    if (begin >= first[d]) {
      stream_lines(out(d) + (begin - phase(d)), buffered);
    } else {  // these lines begin with rows of another destination
      for (index_t k = first[d]; k <= place; ++k) out(d)[k - phase(d)] = buffered[k % width];
    }
  }
  for (index_t d = 0; d < ways; ++d) {
    index_t const begin = std::max(first[d], next[d] / width * width);
    for (index_t k = begin; k < next[d]; ++k) {
      out(d)[k - phase(d)] = waiting[d * width + k % width];
    }
    next[d] -= phase(d);
  }
  stream_fence();
}

}  // namespace detail

/// Scatters rows.  For each i of `t`, in order:
///
///     out(d)[next[d]++] = row(i)           with d = digit(i) in [0, ways)
///
/// Other threads may write other places meanwhile.  `far` means that the rows fit in no cache and
/// are not read soon: then they are written by non-temporal stores.
template <class From, class Digit, class To>
void scatter_rows_to(tile t, From row, Digit digit, index_t ways, index_t* __restrict next, To out,
                     bool far) {
  using Row = std::remove_pointer_t<std::invoke_result_t<To const&, index_t>>;
  if constexpr (detail::fills_lines<Row>) {
    for (index_t d = 0; d < ways; ++d) {
      far &= reinterpret_cast<std::uintptr_t>(out(d)) % sizeof(Row) == 0;
    }
    if (far) return detail::scatter_lines<Row>(t, row, digit, ways, next, out);
  }
  for (index_t i = t.begin; i < t.end; ++i) {
    auto const d = static_cast<index_t>(digit(i));
    out(d)[next[d]++] = row(i);
  }
}

/// Scatters rows to one output sequence:  out[next[digit(i)]++] = row(i).
template <class Row, class From, class Digit>
void scatter_rows(tile t, From row, Digit digit, index_t ways, index_t* __restrict next, Row* out,
                  bool far) {
  scatter_rows_to(
      t, row, digit, ways, next, [out](index_t) { return out; }, far);
}

}  // namespace ravel::inline v0::cpu
