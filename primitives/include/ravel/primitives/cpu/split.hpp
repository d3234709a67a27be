#pragma once

/// Split on the host: rows are scattered to all parts in one pass, by whole cache lines.
///
/// The generic steps cut [0, n) into as many tiles as fit in cache, each with a count of every
/// part.  Here each thread has a few long chunks, so that counts are few, and rows are written to
/// their part by whole cache lines (core/cpu/write_combining.hpp).  For two parts the digits are
/// bits, evaluated 64 at once, and each part is packed.

#include <ravel/core/cpu/either.hpp>
#include <ravel/core/cpu/flag_words.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/cpu/write_combining.hpp>
#include <ravel/primitives/cpu/chunk_counts.hpp>
#include <ravel/primitives/cpu/pack.hpp>
#include <ravel/primitives/split/call.hpp>

namespace ravel::inline v0::cpu {

/// So many bytes of rows, in hundreds of parts of similar sizes, are written by non-temporal stores: 2^22
/// keys of 32 bits sort in 29 ms of two threads of a Xeon, for 34.  Of uneven parts a few lines are
/// written again and again: 2^22 keys by Zipf's law take 6 % longer.
inline constexpr index_t far_bytes_of_even_parts = beyond_caches / 4;

/// Splits rows to a number of ways given at run time.  For each i of [0, n):
///
///     out[place(i)] = row(i)     place(i) = #{j : digit(j) < digit(i)}
///                                         + #{j < i : digit(j) = digit(i)}
///     starts[d] = #{j : digit(j) < d}               for d in [0, ways]
///
/// as split_on does.  `out` must not overlap the input.  From `far_bytes` bytes of rows on, rows are
/// written by non-temporal stores.
///
/// Cost     O(n) work; span O(n / threads + ways threads).  Reads the input of `digit` twice, and
///          that of `row` once.
template <host_executor Ex, class Digit, class From, class Row>
void split_rows_on(Ex const& ex, index_t n, index_t ways, Digit digit, From row, Row* out,
                   index_t* starts, index_t far_bytes = beyond_caches) {
  detail::chunk_counts<Ex> const counts(ex, n, ways, digit);
  starts[0] = 0;
  for (index_t d = 0; d < ways; ++d) starts[d + 1] = counts.place(d, starts[d]);
  bool const far = n >= far_bytes / index_t{sizeof(Row)};
  ex.for_each_tile_of(
      counts.width(), n,
      [&](worker, tile t) {
        scatter_rows(t, row, ravel::detail::on_tile(digit, t), ways, counts.of(t.id), out, far);
      },
      detail::nanoseconds{n});
}

namespace detail {

/// The digit of a split in two as a predicate: whether the element belongs to the second part.
template <class Digit>
struct in_second {
  Digit digit;
  RAVEL_HD bool operator()(index_t i) const { return digit(i) != 0; }
};

/// For each 64 elements of a tile calls word(k, bits), with their digits as bits.
void digits_as_bits(tile t, auto const& digit_of_all, auto const& word) {
  using digit_type = decltype(ravel::detail::on_tile(digit_of_all, t));
  flag_words<in_second<digit_type>> const words{{ravel::detail::on_tile(digit_of_all, t)}};
  for (index_t i = t.begin; i < t.end; i += 64) {
    word((i - t.begin) / 64, words(i, std::min<index_t>(64, t.end - i)));
  }
}

/// Elements of a tile of a split in two: the digits of a tile, as bits, fit on the stack.
inline constexpr index_t width_in_two = index_t{1} << 14;

index_t count_second(tile t, auto const& digit) {
  index_t count = 0;
  digits_as_bits(t, digit, [&](index_t, std::uint64_t word) { count += std::popcount(word); });
  return count;
}

/// Packs the two parts of a tile to `first` and to `second`.
template <class Digit, class T>
void place_both(tile t, Digit const& digit, T const* in, T* first, T* second, bool far) {
  std::uint64_t is_first[width_in_two / 64], is_second[width_in_two / 64];
  digits_as_bits(t, digit, [&](index_t k, std::uint64_t word) {
    is_second[k] = word;
    is_first[k] = ~word;
  });
  index_t const many = t.end - t.begin;
  auto const pack_to = [&](std::uint64_t const* bits, T* out) {
    compress_blocks(in + t.begin, many, bits, 0,
                    [&](T const* kept, index_t count, index_t place, bool more) {
                      return put_block(kept, count, out, place, many, far, more);
                    });
  };
  pack_to(is_first, first);
  pack_to(is_second, second);
}

/// Splits in two: counts the second part of each tile, then packs both parts of each tile.  Returns
/// the size of the first part.
template <class Ex, class Digit, class T>
index_t split_in_two(Ex const& ex, index_t n, Digit const& digit, T const* in, T* out) {
  if (n <= width_in_two) {
    tile const whole{0, 0, n};
    index_t const first = n - count_second(whole, digit);
    place_both(whole, digit, in, out, out + first, false);
    return first;
  }
  index_t const tiles = div_up(n, width_in_two);
  // the number of elements of each tile in the second part; later its exclusive prefix
  auto const second = ex.template scratch<index_t>(tiles);
  // of both loops together, as after the first the threads are awake
  nanoseconds const least{n / 4};
  ex.for_each_tile_of(
      width_in_two, n, [&](worker, tile t) { second[t.id] = count_second(t, digit); }, least);
  index_t all_second = 0;
  for (index_t& count : second) all_second += std::exchange(count, all_second);
  index_t const first = n - all_second;
  bool const far = n >= beyond_caches / index_t{sizeof(T)};
  ex.for_each_tile_of(
      width_in_two, n,
      [&](worker, tile t) {
        place_both(t, digit, in, out + (t.begin - second[t.id]), out + (first + second[t.id]), far);
        if (far) stream_fence();
      },
      least);
  return first;
}

/// Splits few elements serially; it counts their parts itself.
template <int Ways, class Digit, class T>
void split_few(index_t n, Digit const& digit, T const* in, T* out, index_t* begins) {
  if constexpr (Ways == 2) {  // the two positions stay in registers
    index_t first = 0, second = 0;
    for (index_t i = 0; i < n; ++i) second += digit(i) == 0;
    begins[1] = second;
    begins[2] = n;
    for (index_t i = 0; i < n; ++i) {
      bool const is_second = digit(i) != 0;
      out[either(is_second, second, first)] = in[i];
      second += is_second;
      first += !is_second;
    }
  } else {
    index_t next[Ways + 1] = {};
    for (index_t i = 0; i < n; ++i) ++next[digit(i) + 1];
    for (int d = 0; d < Ways; ++d) begins[d + 1] = next[d + 1] += next[d];
    for (index_t i = 0; i < n; ++i) out[next[digit(i)]++] = in[i];
  }
}

}  // namespace detail

}  // namespace ravel::inline v0::cpu
