#pragma once

/// Radix sort of rows that fit in a cache, by one thread.
///
/// Slightly more than log2(m) bits distinguish most of m rows.  So only the highest bits
/// in which rows differ are radix sorted, lowest digit first; the remaining runs of equal digits,
/// mostly of a few rows, are sorted by the lower bits.

#include <ravel/algorithms/cpu/row.hpp>
#include <ravel/core/std_algorithm.hpp>

namespace ravel::inline v0::cpu::detail {

/// The number of bits up to the highest set bit.
template <class U>
constexpr int width_of(U bits) {
  if constexpr (sizeof(U) > 8) {
    auto const high = static_cast<std::uint64_t>(bits >> 64);
    return high != 0 ? 64 + width_of(high) : width_of(static_cast<std::uint64_t>(bits));
  } else {
    return static_cast<int>(std::bit_width(bits));
  }
}

/// The digits by which some rows are radix sorted: bits [shift[p], shift[p] + width) in pass p.
/// The bits set in `below` are lower than all digits; runs of equal digits are sorted by them
/// afterwards.
template <class U>
struct digits {
  static constexpr int widest = 11;  // 2048 ways: one cache line for each fits in L2
  // passes; 14 are needed for keys of 128 bits that differ in every ninth bit only
  static constexpr int most = 16;
  int width;
  int passes = 0;
  int shift[most];
  int begin;  ///< the lowest bit of the lowest digit
  U below;

  /// Chooses digits for `m` rows that differ in the bits of `varies`, at least one.
  digits(index_t m, U varies) {
    int const log = width_of(static_cast<std::uint64_t>(m));
    int const end = width_of(varies);
    begin = end;
    for (int wanted = log + 4; wanted > 0 && begin > 0;
         wanted -= static_cast<int>(varies >> begin & 1)) {
      --begin;
    }
    int const limit = std::clamp(log - 1, 5, widest);
    int const count = static_cast<int>(div_up(end - begin, limit));
    width = static_cast<int>(div_up(end - begin, count));
    begin = std::max(0, end - count * width);
    below = static_cast<U>(varies & ((U{1} << begin) - 1));
    for (int s = begin; s < end; s += width) {
      if ((varies >> s & mask()) != 0) shift[passes++] = s;
    }
  }
  U mask() const { return static_cast<U>((U{1} << width) - 1); }
  int ways() const { return 1 << width; }
};

/// Sorts rows, with scratch of the same size.
template <class K, class V, class Bits>
class sort_in_cache {
  using row_type = row<K, V>;
  using U = typename Bits::bits;
  using digits_type = digits<U>;
  using writer = write_row<K, V>;

  static constexpr index_t few = 32;  // insertion sort is faster up to here

  Bits bits_;
  row_type* room_;
  std::uint32_t (*counts_)[1 << digits_type::widest];

 public:
  static constexpr int tables = digits_type::most;
  using table = std::uint32_t[1 << digits_type::widest];

  /// The scratch needed to sort up to `max_rows` rows, in rows.
  static constexpr index_t room_for(index_t max_rows) { return max_rows; }

  /// `room` is scratch for room_for(m) rows, m being the most that are sorted; `counts` points to
  /// `tables` tables of counts.
  sort_in_cache(Bits bits, row_type* room, table* counts)
      : bits_(bits), room_(room), counts_(counts) {}

  /// Sorts the m rows at `rows` to `out`.  The rows at `rows` are used as scratch and left
  /// unspecified.
  void operator()(row_type* rows, index_t m, writer out) const {
    row_type const* const sorted = sort(rows, room_, m);
    for (index_t i = 0; i < m; ++i) out(i, sorted[i]);
  }

 private:
  /// Sorts the m rows at `rows`, with scratch for m rows at `room`.  Returns `rows` or `room`,
  /// where the sorted rows are.
  row_type* sort(row_type* rows, row_type* room, index_t m) const {
    if (m <= few) return insert(rows, m);
    U any_set = 0;
    U all_set = static_cast<U>(~U{0});
    for (index_t i = 0; i < m; ++i) {
      U const bits = bits_(rows[i]);
      any_set |= bits;
      all_set &= bits;
    }
    U const varies = static_cast<U>(any_set & ~all_set);
    if (varies == 0) return rows;
    digits_type const radix(m, varies);
    count(rows, m, radix);
    for (int p = 0; p < radix.passes; ++p) {
      pass(rows, m, radix.shift[p], radix.mask(), counts_[p], room);
      std::swap(rows, room);
    }
    if (radix.below != 0) finish(rows, room, m, radix.begin);
    return rows;
  }

  row_type* insert(row_type* rows, index_t m) const {
    for (index_t i = 1; i < m; ++i) {
      row_type const x = rows[i];
      U const bits = bits_(x);
      index_t k = i;
      for (; k > 0 && bits < bits_(rows[k - 1]); --k) rows[k] = rows[k - 1];
      rows[k] = x;
    }
    return rows;
  }

  /// Sets counts_[p][d] to the number of rows whose digit of pass p is less than d: where digit d
  /// begins.
  void count(row_type const* rows, index_t m, digits_type const& radix) const {
    for (int p = 0; p < radix.passes; ++p) std::fill_n(counts_[p], radix.ways(), 0);
    int p = 0;
    for (; p + 3 <= radix.passes; p += 3)
      count<3>(rows, m, radix.shift + p, radix.mask(), counts_ + p);
    if (radix.passes - p == 2) count<2>(rows, m, radix.shift + p, radix.mask(), counts_ + p);
    if (radix.passes - p == 1) count<1>(rows, m, radix.shift + p, radix.mask(), counts_ + p);
    for (p = 0; p < radix.passes; ++p) {
      std::uint32_t sum = 0;
      for (int d = 0; d < radix.ways(); ++d) sum += std::exchange(counts_[p][d], sum);
    }
  }
  template <int Passes>
  [[gnu::noinline]] void count(row_type const* rows, index_t m, int const* shift, U mask,
                               table* counts) const {
    auto const bits_of = bits_;
    int shifts[Passes];  // a local copy, which the compiler knows not to alias the counters
    std::copy_n(shift, Passes, shifts);
    for (index_t i = 0; i < m; ++i) {
      U const bits = bits_of(rows[i]);
      for (int p = 0; p < Passes; ++p)
        ++counts[p][static_cast<std::uint32_t>(bits >> shifts[p] & mask)];
    }
  }

  /// Moves each row to the next place of its digit.
  [[gnu::noinline]] void pass(row_type const* __restrict in, index_t m, int shift, U mask,
                              std::uint32_t* __restrict next, row_type* __restrict out) const {
    auto const bits_of = bits_;
    for (index_t i = 0; i < m; ++i) {
      row_type const x = in[i];
      out[next[static_cast<std::uint32_t>(bits_of(x) >> shift & mask)]++] = x;
    }
  }

  /// The rows are sorted by their bits from `shift` on.  Sorts each run of rows that agree in these
  /// bits by the lower bits, unless the run is in order.
  void finish(row_type* rows, row_type* room, index_t m, int shift) const {
    U before = bits_(rows[0]);
    for (index_t i = 1; i < m; ++i) {
      U const bits = bits_(rows[i]);
      if (before <= bits) {
        before = bits;
        continue;
      }
      U const run = static_cast<U>(bits >> shift);
      index_t begin = i - 1;
      while (begin > 0 && static_cast<U>(bits_(rows[begin - 1]) >> shift) == run) --begin;
      index_t end = i + 1;
      while (end < m && static_cast<U>(bits_(rows[end]) >> shift) == run) ++end;
      row_type const* const sorted = sort(rows + begin, room + begin, end - begin);
      if (sorted != rows + begin) std::copy_n(sorted, end - begin, rows + begin);
      i = end - 1;
      before = bits_(rows[i]);
    }
  }
};

}  // namespace ravel::inline v0::cpu::detail
