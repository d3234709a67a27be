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
#include <utility>

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

/// How many elements each of a split's stretches has of each part, and then where its first of
/// each goes.
template <class Ex>
class split_counts {
  index_t width_, stretches_, ways_;
  decltype(std::declval<Ex const&>().template scratch<index_t>(0)) counts_;

 public:
  template <class Digit>
  split_counts(Ex const& ex, index_t n, index_t ways, Digit digit)
      : width_(stretch_of_split(n, threads_of(ex))),
        stretches_(div_up(n, width_)),
        ways_(ways),
        counts_(ex.template scratch<index_t>(stretches_ * ways)) {
    ex.for_each_tile_of(width_, n, [&](worker, tile t) {
      scratch_buffer<index_t> const others(ways);
      count_stretch(t, ravel::detail::on_tile(digit, t), ways, of(t.id), others.data());
    });
  }
  index_t width() const { return width_; }
  index_t* of(index_t stretch) const { return counts_.data() + stretch * ways_; }

  /// Makes places of the counts of part d, of which the first is given; returns that behind all.
  index_t place(index_t d, index_t first) const {
    for (index_t s = 0; s < stretches_; ++s) {
      index_t const count = of(s)[d];
      of(s)[d] = first;
      first += count;
    }
    return first;
  }
};

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
  detail::split_counts<Ex> const counts(ex, n, ways, digit);
  starts[0] = 0;
  for (index_t d = 0; d < ways; ++d) starts[d + 1] = counts.place(d, starts[d]);
  bool const far = n >= beyond_caches / index_t{sizeof(Row)};
  ex.for_each_tile_of(counts.width(), n, [&](worker, tile t) {
    scatter_rows(t, row, ravel::detail::on_tile(digit, t), ways, counts.of(t.id), to, far);
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

/// As ravel::split_apart_on, of elements that are moved as they are; where one of the parts has
/// not room for all, by its steps.
template <host_executor Ex, int Ways, class Digit, class T, class Counts>
requires std::is_trivially_copyable_v<T>
void split_apart_on(Ex const& ex, index_t n, Digit digit, T const* in,
                    split_places<Ways, T> const& to, Counts counts) {
  bool fits = true;
  {
    detail::split_counts<Ex> const places(ex, n, Ways, digit);
    index_t many[Ways];
    for (int d = 0; d < Ways; ++d) {
      many[d] = places.place(d, 0);
      fits &= many[d] <= to.room[d];
    }
    if (fits) {
      bool const far = n >= beyond_caches / index_t{sizeof(T)};
      ex.for_each_tile_of(places.width(), n, [&](worker, tile t) {
        scatter_rows_to(
            t, ravel::detail::read<T>{in}, ravel::detail::on_tile(digit, t), Ways, places.of(t.id),
            [&](index_t d) { return to.to[d]; }, far);
      });
      for (int d = 0; d < Ways; ++d) counts(d, many[d]);
    }
  }
  if (!fits) ravel::split_apart_on<Ex>(ex, n, digit, in, to, counts);
}

}  // namespace ravel::inline v0::cpu
