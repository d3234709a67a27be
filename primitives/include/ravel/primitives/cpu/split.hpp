#pragma once

/// @file
/// Split on the host: rows to many parts at once, by the line.
///
/// The steps cut [0, n) into as many tiles as fit a cache, and each has a count of
/// every part.  Here each thread has a few long stretches, so that counts are few,
/// and rows leave for their part by the line (core/cpu/write_combining.hpp).

#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/cpu/write_combining.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/split.hpp>

#include <algorithm>
#include <type_traits>

namespace ravel::inline v0::cpu {
namespace detail {

/// How many rows a stretch has: as many as make it worth its counts, and so few that
/// no thread waits long for another's last.
inline index_t stretch_of_split(index_t n, index_t threads) {
  return std::max(index_t{1} << 14, div_up(n, threads > 1 ? 4 * threads : 1));
}

/// Sets counts[d] to how many i of `t` have digit d.  Neighbours often have the same,
/// so two counts of each take turns, and neither waits for the other.
template <class Digit>
void count_stretch(tile t, Digit digit, index_t ways, index_t* __restrict counts,
                   index_t* __restrict others) {
  std::fill_n(counts, ways, 0);
  std::fill_n(others, ways, 0);
  index_t i = t.begin;
  for (; i + 1 < t.end; i += 2) {
    ++counts[digit(i)];
    ++others[digit(i + 1)];
  }
  if (i < t.end) ++counts[digit(i)];
  for (index_t d = 0; d < ways; ++d) counts[d] += others[d];
}

}  // namespace detail

/// For each i of [0, n):
///
///     to[place(i)] = row(i)      place(i) = #{j : digit(j) < digit(i)}
///                                         + #{j < i : digit(j) = digit(i)}
///     starts[d] = #{j : digit(j) < d}               for d in [0, ways]
///
/// as split_on, with as many ways as the caller says when it runs.  `to` overlaps
/// nothing.
///
/// Cost     O(n) work; span O(n / threads + ways threads).  Reads what `digit` reads
///          twice, and `row` once.
template <host_executor Ex, class Digit, class From, class Row>
void split_rows_on(Ex const& ex, index_t n, index_t ways, Digit digit, From row, Row* to,
                   index_t* starts) {
  index_t const width = detail::stretch_of_split(n, detail::threads_of(ex));
  index_t const stretches = div_up(n, width);
  auto const counts = ex.template scratch<index_t>(stretches * ways);
  auto const counts_of = [&](index_t stretch) { return counts.data() + stretch * ways; };
  ex.for_each_tile_of(width, n, [&](worker, tile t) {
    scratch_buffer<index_t> const others(ways);
    detail::count_stretch(t, ravel::detail::on_tile(digit, t), ways, counts_of(t.id),
                          others.data());
  });
  index_t place = 0;
  for (index_t d = 0; d < ways; ++d) {
    starts[d] = place;
    for (index_t s = 0; s < stretches; ++s) {
      index_t const count = counts_of(s)[d];
      counts_of(s)[d] = place;
      place += count;
    }
  }
  starts[ways] = place;
  bool const far = n >= beyond_caches / index_t{sizeof(Row)};
  ex.for_each_tile_of(width, n, [&](worker, tile t) {
    scatter_rows(t, row, ravel::detail::on_tile(digit, t), ways, counts_of(t.id), to, far);
  });
}

/// As ravel::split_on, of elements that are moved as they are.
template <int Ways, host_executor Ex, class Digit, class T, class Starts>
requires std::is_trivially_copyable_v<T>
void split_on(Ex const& ex, index_t n, Digit digit, ravel::detail::place_element<T, T> move,
              Starts starts) {
  index_t begins[Ways + 1];
  split_rows_on(ex, n, Ways, digit, ravel::detail::read<T>{move.from}, move.to, begins);
  for (int d = 0; d <= Ways; ++d) starts(d, begins[d]);
}

}  // namespace ravel::inline v0::cpu
