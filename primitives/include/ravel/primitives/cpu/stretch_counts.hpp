#pragma once

/// @file
/// Counts on the host: each thread has a few long stretches, and each stretch counts of its own,
/// so that counts are few and nobody waits for another's.

#include <ravel/core/cpu/scratch.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/map.hpp>

#include <algorithm>
#include <utility>

namespace ravel::inline v0::cpu::detail {

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

/// How many elements each of some stretches has of each part; of a split then where its first
/// of each goes.
template <class Ex>
class stretch_counts {
  /// Elements between the counts of two stretches, so that they share no line: threads would wait
  /// for each other's with every element.
  static constexpr index_t apart = 16;
  index_t width_, stretches_, ways_, pitch_;
  decltype(std::declval<Ex const&>().template scratch<index_t>(0)) counts_;

 public:
  template <class Digit>
  stretch_counts(Ex const& ex, index_t n, index_t ways, Digit digit)
      : stretch_counts(ex, n, stretch_of_split(n, threads_of(ex)), ways, digit) {}
  /// Of stretches of `width`.
  template <class Digit>
  stretch_counts(Ex const& ex, index_t n, index_t width, index_t ways, Digit digit)
      : width_(width),
        stretches_(div_up(n, width_)),
        ways_(ways),
        pitch_(ways + apart),
        counts_(ex.template scratch<index_t>(stretches_ * pitch_)) {
    ex.for_each_tile_of(width_, n, [&](worker, tile t) {
      scratch_buffer<index_t> const others(ways);
      count_stretch(t, ravel::detail::on_tile(digit, t), ways, of(t.id), others.data());
    });
  }
  index_t width() const { return width_; }
  /// How many of part d all stretches have.
  index_t total(index_t d) const {
    index_t sum = 0;
    for (index_t s = 0; s < stretches_; ++s) sum += of(s)[d];
    return sum;
  }
  index_t* of(index_t stretch) const { return counts_.data() + stretch * pitch_; }

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

}  // namespace ravel::inline v0::cpu::detail
