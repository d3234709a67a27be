#pragma once

/// Counts per chunk on the host: each thread takes a few long chunks, and each chunk has its own
/// counts, so that there are few counts and none are shared.

#include <ravel/core/cpu/scratch.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0::cpu::detail {

/// The number of rows of a chunk: enough to amortise the scan of its counts, and so few that the
/// load is balanced.
inline index_t chunk_of_split(index_t n, index_t threads) {
  return std::max(index_t{1} << 14, div_up(n, threads > 1 ? 4 * threads : 1));
}

/// Counts the elements with each digit, over consecutive tiles.  Adjacent elements often have the
/// same digit, so several copies of each counter are used in turn, which avoids store-to-load
/// dependencies.
class digit_counts {
  static constexpr index_t few = 512;  // four copies of 512 counters take half of L1
  index_t ways_, turns_;
  scratch_buffer<index_t> counts_;

  template <int Turns, class Digit>
  void add_in_turns(tile t, Digit const& digit) {
    index_t* copies[Turns];
    for (int k = 0; k < Turns; ++k) copies[k] = counts_.data() + k * ways_;
    index_t i = t.begin;
    for (; i + Turns <= t.end; i += Turns) {
      for (int k = 0; k < Turns; ++k) ++copies[k][digit(i + k)];
    }
    for (; i < t.end; ++i) ++copies[0][digit(i)];
  }

 public:
  static bool has_four(index_t ways) { return ways <= few; }
  explicit digit_counts(index_t ways)
      : ways_(ways), turns_(has_four(ways) ? 4 : 2), counts_(turns_ * ways) {
    std::fill_n(counts_.data(), turns_ * ways, 0);
  }
  void add(tile t, auto const& digit_of_all) {
    auto const digit = ravel::detail::on_tile(digit_of_all, t);
    if (turns_ == 4) {
      add_in_turns<4>(t, digit);
    } else {
      add_in_turns<2>(t, digit);
    }
  }
  /// The number of elements with digit d.
  index_t operator[](index_t d) const {
    index_t count = 0;
    for (index_t k = 0; k < turns_; ++k) count += counts_[k * ways_ + d];
    return count;
  }
};

/// The number of elements of each part in each chunk.  A split then turns them into the position of
/// the first such element.
template <class Ex>
class chunk_counts {
  /// Elements of padding between the counts of two chunks, which avoids false sharing.
  static constexpr index_t apart = 16;
  index_t width_, chunks_, ways_, pitch_;
  decltype(std::declval<Ex const&>().template scratch<index_t>(0)) counts_;

 public:
  chunk_counts(Ex const& ex, index_t n, index_t ways, auto digit)
      : chunk_counts(ex, n, chunk_of_split(n, threads_of(ex)), ways, digit) {}
  /// The same for chunks of `width` rows.
  chunk_counts(Ex const& ex, index_t n, index_t width, index_t ways, auto digit)
      : width_(width),
        chunks_(div_up(n, width_)),
        ways_(ways),
        pitch_(ways + apart),
        counts_(ex.template scratch<index_t>(chunks_ * pitch_)) {
    ex.for_each_tile_of(
        width_, n,
        [&](worker, tile t) {
          digit_counts counts(ways);
          counts.add(t, digit);
          for (index_t d = 0; d < ways; ++d) of(t.id)[d] = counts[d];
        },
        nanoseconds{n / 2});
  }
  index_t width() const { return width_; }
  index_t* of(index_t chunk) const { return counts_.data() + chunk * pitch_; }

  /// Turns the counts of part d into positions, chunk after chunk, starting from `first`.  Returns
  /// the end of the part.
  index_t place(index_t d, index_t first) const {
    for (index_t s = 0; s < chunks_; ++s) {
      index_t const count = of(s)[d];
      of(s)[d] = first;
      first += count;
    }
    return first;
  }
};

}  // namespace ravel::inline v0::cpu::detail
