#pragma once

/// Tiles: the partition of [0, n), the same on every executor.

#include <ravel/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ravel::inline v0 {

/// Counts and positions, in elements.  Signed, so that `i - 1` may be written, and of 64 bits also on
/// machines of 32, as WebAssembly is.
using index_t = std::conditional_t<sizeof(std::ptrdiff_t) == 8, std::ptrdiff_t, std::int64_t>;

/// The interval of indices that one team works on.
struct tile {
  index_t id;     ///< its index among the tiles, from 0
  index_t begin;  ///< its first element
  index_t end;    ///< one past its last element
};

/// The number of tiles of `width` elements that cover `n` elements.
RAVEL_HD constexpr index_t div_up(index_t n, index_t width) { return (n + width - 1) / width; }

/// The same for any n, also where n + width overflows.
constexpr index_t div_up_of_any(index_t n, index_t width) {
  return n / width + (n % width != 0 ? 1 : 0);
}

/// Whether n = count * length, also where the product overflows; neither is negative.
constexpr bool is_product(index_t n, index_t count, index_t length) {
  return length == 0 ? n == 0 : n % length == 0 && n / length == count;
}

/// The `id`-th tile of [0, n); only the last may be narrower than `width`.
RAVEL_HD constexpr tile nth_tile(index_t id, index_t width, index_t n) {
  index_t const begin = id * width;
  return {id, begin, begin + width < n ? begin + width : n};
}

/// Functions for which f(i) means f.write(i, f.read(i)), and whose reads may all precede the writes, so
/// that loops keep several reads in flight.
template <class F>
concept reads_ahead = bool{F::reads_ahead};

/// Values that loops keep in registers: of 12 bytes g++ -O3 copies by way of the stack.
template <class T>
inline constexpr bool few_bytes =
    std::is_trivially_copyable_v<T>&& std::is_copy_constructible_v<T> &&
    (sizeof(T) <= 8 || sizeof(T) == 16);

namespace detail {

/// The function object that a load, a visit or any other argument of a step is in one tile: f.on(t) where
/// it has that member, else itself.
template <class F>
RAVEL_HD auto on_tile(F const& f, tile t) {
  if constexpr (requires { f.on(t); }) {
    return f.on(t);
  } else {
    return f;
  }
}
template <class F>
using on_tile_t = decltype(on_tile(std::declval<F const&>(), tile{}));

/// Steps that declare `static constexpr bool divisible = true`: such a step may be called with any
/// intervals that together are [0, n), instead of with tiles.
template <class F>
concept divisible = bool{F::divisible};

}  // namespace detail

}  // namespace ravel::inline v0
