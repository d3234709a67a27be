#pragma once

/// Sort of keys without values that fit in a cache, by one thread: a distribution to bins, each of
/// which is then sorted in vector registers; unevenly spread keys by a vectorised quicksort, where
/// vectors have 64 bytes.
///
/// Equal keys are identical, so stability is unobservable.  Each bin is an interval of keys of the
/// same width, with as many places as fit in registers.  Keys are distributed without a preceding
/// counting pass.  If a bin overflows, the input is still unchanged, and is radix sorted instead.
/// If the range of values is less than half the number of keys, each value is counted and written
/// as often as it occurs.

#include <ravel/algorithms/cpu/row.hpp>
#include <ravel/algorithms/cpu/sort_in_cache.hpp>
#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/simd_survey.hpp>
#include <ravel/core/cpu/sort_few.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0::cpu::detail {

/// Whether equal keys have equal bits, except for a few values.
template <class K>
inline constexpr bool distinct_by_bits = (sizeof(K) == 4 || sizeof(K) == 8) &&
                                         ((std::integral<K> && !std::same_as<K, bool>) ||
                                          std::floating_point<K>);

/// The key with these bits.
template <class K, class U>
[[gnu::always_inline]] inline K key_of_bits(U bits) {
  constexpr U sign = ravel::detail::sign_bit<U>;
  if constexpr (std::floating_point<K>) {
    return std::bit_cast<K>(static_cast<U>((bits & sign) != 0 ? bits ^ sign : ~bits));
  } else {
    return static_cast<K>(std::signed_integral<K> ? bits ^ sign : bits);
  }
}

/// Whether the sorts of this file apply: keys without values, compared by their own bits.
template <class K, class V, class Bits>
inline constexpr bool sorts_keys = false;
template <class K>
inline constexpr bool sorts_keys<K, no_value, sorted_bits<K, ravel::detail::the_element>> =
    distinct_by_bits<K>;
/// Whether these are integers without values, compared by their own bits.
template <class K, class V, class Bits>
inline constexpr bool sorts_integers = false;
template <std::integral K>
requires(!std::same_as<K, bool>) inline constexpr bool sorts_integers<
    K, no_value, sorted_bits<K, ravel::detail::the_element>> = true;
template <class Bits>
bool sorts_by_all_bits(Bits const& bits) {
  return bits.keep == static_cast<typename Bits::bits>(~typename Bits::bits{0});
}

/// Surveys m keys, which are sorted by all of their bits.
template <class Bits, class K>
key_survey<typename Bits::bits> survey_by(Bits const& bits, K const* keys, index_t m) {
  auto seen = survey_keys(keys, m);
  if (bits.flip != 0) seen = seen.reversed();
  return seen;
}

/// Writes m keys, given their bits.
template <class K, class V, class Bits, class U>
[[gnu::always_inline]] inline void write_keys(index_t m, U const* bits, Bits const& bits_of,
                                              write_row<K, V> out) {
  K* const target = out.to.keys + out.first;
  U const flip = bits_of.flip;
  for (index_t i = 0; i < m; ++i) target[i] = key_of_bits<K>(static_cast<U>(bits[i] ^ flip));
}

/// Writes `count` copies of the key with these bits to `out`, where `left` places are left.  Up to
/// 16 copies are written by a fixed number of stores, without a branch that depends on `count`.
template <class K>
[[gnu::always_inline]] inline K* write_key(K key, index_t count, K* out, index_t left) {
  constexpr index_t at_once = 16;
  if (left < at_once) {
    std::fill_n(out, count, key);
  } else {
    for (index_t i = 0; i < at_once; ++i) out[i] = key;
    if (count > at_once) std::fill_n(out + at_once, count - at_once, key);
  }
  return out + count;
}

/// Sorts keys row(0), ..., row(m - 1) to `out` in vector registers, with scratch for most_few<U>
/// keys, or for m.  Returns false, without having written, if some key is ambiguous, or if pivots
/// divided more keys than most_few<U> too unevenly.
template <class K, class V, class Bits, class From, class U>
bool sort_in_registers(index_t m, From row, write_row<K, V> out, Bits bits_of, U* room) {
  U ambiguous = 0;
  for (index_t i = 0; i < m; ++i) {
    auto const x = row(i);
    room[i] = bits_of(x);
    ambiguous |= static_cast<U>(is_ambiguous(x.key));
  }
  if (ambiguous != 0) return false;
  if (m <= most_few<U>) {
    sort_few(room, m);
  } else if (!quicksort_keys(room, m)) {
    return false;
  }
  write_keys(m, room, bits_of, out);
  return true;
}

/// Whether the first 16 keys are in order: then probably all of them are.
bool begin_in_order(auto row, auto const& bits_of) {
  index_t i = 1;
  while (i < 16 && bits_of(row(i - 1)) <= bits_of(row(i))) ++i;
  return i == 16;
}

/// As sort_in_registers, with scratch for `Most` keys on the stack.
template <index_t Most, class K, class V, class Bits>
bool sort_on_stack(index_t m, rows<K const, V const> in, rows<K, V> out, Bits const& bits_of) {
  alignas(64) typename Bits::bits room[Most];  // as vectors are loaded
  return sort_in_registers(m, read_row<K, V>{in}, write_row<K, V>{out, 0}, bits_of, room);
}
/// The same, unless keys seem to be in order; not inlined, as its stack frame is large.
template <index_t Most, class K, class V, class Bits>
[[gnu::noinline]] bool quicksort_on_stack(index_t m, rows<K const, V const> in, rows<K, V> out,
                                          Bits bits_of) {
  return !begin_in_order(read_row<K, V>{in}, bits_of) && sort_on_stack<Most>(m, in, out, bits_of);
}

/// As sort_in_registers, for so many keys that vector registers pay (insertion sort is as fast below
/// 9 keys), and so few that quicksort is faster without the survey of sort_keys_in_cache, whose time
/// is that of sorting 300 keys: up to 16 KB.  Returns false for other numbers of keys, and for more
/// than registers hold that seem to be in order.
template <class K, class V, class Bits>
bool sort_few_in_registers(index_t m, rows<K const, V const> in, rows<K, V> out,
                           Bits const& bits_of) {
  if constexpr (sorts_keys<K, V, Bits>) {
    constexpr index_t least = 9, few = most_few<typename Bits::bits>, limit = 16 * few;
    if (m < least || m > limit || !sorts_in_vectors() || !sorts_by_all_bits(bits_of)) return false;
    if (m <= few) return sort_on_stack<few>(m, in, out, bits_of);
    return quicksorts_keys() && quicksort_on_stack<limit>(m, in, out, bits_of);
  } else {
    return false;
  }
}

/// The sorter; the caller provides its scratch.
template <class K, class V, class Bits>
class sort_keys_in_cache {
  using row_type = row<K, V>;
  using U = typename Bits::bits;
  using by_digits = sort_in_cache<K, V, Bits>;
  using writer = write_row<K, V>;

  static constexpr index_t room_of_bin = most_few<U>;
  /// The average number of keys in a bin.  With random keys an overflow is 4.8 standard deviations
  /// away.
  static constexpr index_t keys_of_bin = room_of_bin == 256 ? 184 : 82;

  Bits bits_;
  U* bins_;
  typename by_digits::table* tables_;
  by_digits digits_;
  bool tries_;

 public:
  static constexpr int tables = 1 + by_digits::tables;  // one for bins, besides those for digits
  using table = typename by_digits::table;
  static constexpr index_t room_for(index_t max_keys) { return bins_for(max_keys) * room_of_bin; }

  /// `room` is scratch for room_for(m) keys, m being the most that are sorted; `counts` points to
  /// `tables` tables.
  sort_keys_in_cache(Bits bits, row_type* room, table* counts)
      : bits_(bits),
        bins_(reinterpret_cast<U*>(room)),
        tables_(counts),
        digits_(bits, room, counts + 1),
        tries_(sorts_in_vectors() && sorts_by_all_bits(bits)) {}

  /// Sorts the m keys at `keys` to `out`.  The keys at `keys` are used as scratch and left
  /// unspecified.
  void operator()(row_type* keys, index_t m, writer out) const {
    key_survey<U> seen;
    if (tries_ && m > room_of_bin) seen = survey_by(bits_, reinterpret_cast<K const*>(keys), m);
    if (!from(keys, m, seen, out)) digits_(keys, m, out);
  }

  /// Sorts the m keys at `keys` to `out`, which may be the same memory; `seen` is their survey, and
  /// is not read if registers hold all keys.  Returns false if none of the forms below suits the
  /// keys.
  bool from(row_type const* keys, index_t m, key_survey<U> const& seen, writer out) const {
    if (!tries_ || m < few) return false;
    if (m <= room_of_bin) {
      return sort_in_registers(m, contiguous<row_type>{keys}, out, bits_, bins_);
    }
    if (seen.are_ambiguous) return false;
    U const range = static_cast<U>(seen.greatest - seen.least);
    if (range == 0) {
      for (index_t i = 0; i < m; ++i) out(i, keys[i]);
      return true;
    }
    if (range < static_cast<U>(std::min(most_bins, m / 2))) {
      count(keys, m, seen.least, static_cast<index_t>(range) + 1, out);
      return true;
    }
    return (prefers_bins(m) && by_bins(keys, m, seen.least, range, out)) || by_pivots(keys, m, out);
  }

 private:
  static constexpr index_t few = 8;
  static constexpr index_t most_bins = sizeof(table) / sizeof(std::uint32_t);

  static constexpr index_t bins_for(index_t m) {
    return m <= room_of_bin ? 1 : div_up(m, keys_of_bin);
  }

  /// Whether bins are faster than quicksort.  ns a key of evenly spread keys, bins / quicksort with
  /// vectors of 64 bytes, which for u64 on the Xeon includes no survey:
  ///
  ///                     2^13       2^14       2^15       2^16       2^17       2^18
  ///     EPYC, u32       2.3 / 2.2  2.3 / 2.3  2.3 / 2.4  2.4 / 2.6
  ///     Xeon, u32       1.9 / 1.9  2.1 / 2.0  2.7 / 2.1  3.3 / 2.3  3.6 / 2.5  4.1 / 2.9
  ///     EPYC, u64       3.3 / 4.0  3.3 / 4.3  3.3 / 4.6  3.4 / 5.0
  ///     Xeon, u64       4.5 / 4.3  5.0 / 4.5  5.6 / 4.9  7.2 / 6.8
  static bool prefers_bins(index_t m) {
    if (!quicksorts_keys()) return true;
    return sizeof(U) == 8 ? m > 1 << 11 : on_amd() && m > 1 << 13;
  }

  /// Sorts by bins.  Returns false if keys are spread too unevenly: some bin would overflow.
  bool by_bins(row_type const* keys, index_t m, U least, U range, writer out) const {
    index_t const bins = bins_for(m);
    if (bins > most_bins || range < static_cast<U>(bins)) return false;
    if (!to_bins(keys, m, least, range, bins)) return false;
    sort_bins(bins, out);
    return true;
  }

  /// Sorts by quicksort.  Returns false where vectors have fewer than 64 bytes.
  bool by_pivots(row_type const* keys, index_t m, writer out) const {
    if (!quicksorts_keys()) return false;
    auto const bits_of = bits_;
    U* const room = bins_;
    for (index_t i = 0; i < m; ++i) room[i] = bits_of(keys[i]);
    if (!quicksort_keys(room, m)) return false;
    write_keys(m, room, bits_, out);
    return true;
  }

  /// Sorts the keys of each bin in registers and writes them to `out`, bin after bin.
  void sort_bins(index_t bins, writer out) const {
    for (index_t b = 0; b < bins; ++b) {
      index_t const count = tables_[0][b];
      sort_few(bins_ + b * room_of_bin, count);
      write_keys(count, bins_ + b * room_of_bin, bits_, out);
      out = out.after(count);
    }
  }

  /// Counting sort of keys with `values` possible values from `least` on.  It counts in several
  /// tables in turn: adjacent keys are often equal, and increments of one counter would depend on
  /// each other.
  void count(row_type const* keys, index_t m, U least, index_t values, writer out) const {
    auto const bits_of = bits_;
    std::uint32_t* const a = tables_[0];
    std::uint32_t* const b = tables_[1];
    std::uint32_t* const c = tables_[2];
    std::uint32_t* const d = tables_[3];
    for (auto* const counts : {a, b, c, d}) std::fill_n(counts, values, 0);
    auto const value = [&](index_t i) {
      return static_cast<std::uint32_t>(bits_of(keys[i]) - least);
    };
    index_t i = 0;
    for (; i + 4 <= m; i += 4) {
      ++a[value(i)];
      ++b[value(i + 1)];
      ++c[value(i + 2)];
      ++d[value(i + 3)];
    }
    for (; i < m; ++i) ++a[value(i)];
    K* target = out.to.keys + out.first;
    K* const end = target + m;
    for (index_t k = 0; k < values; ++k) {
      auto const key = key_of_bits<K>(static_cast<U>((least + static_cast<U>(k)) ^ bits_.flip));
      target = write_key(key, index_t{a[k]} + b[k] + c[k] + d[k], target, end - target);
    }
  }

  /// Moves each key to its bin.  Returns false if a bin overflowed.  Keys stay at `keys`.
  bool to_bins(row_type const* __restrict keys, index_t m, U least, U range, index_t bins) const {
    auto const bits_of = bits_;
    int const shift = std::max(0, width_of(range) - 32);
    std::uint64_t const scale =
        (static_cast<std::uint64_t>(bins) << 32) / (static_cast<std::uint64_t>(range >> shift) + 1);
    std::uint32_t* const __restrict counts = tables_[0];
    U* const __restrict bin_keys = bins_;
    auto const bin_of = [=](U x) {
      return static_cast<std::uint64_t>(static_cast<U>(x - least) >> shift) * scale >> 32;
    };
    auto const fullest = [=] { return *std::max_element(counts, counts + bins); };
    // a sample of every 32nd key finds uneven keys early: quicksort is then faster
    if (quicksorts_keys()) {
      constexpr index_t apart = 32;
      std::fill_n(counts, bins, 0);
      for (index_t i = 0; i < m; i += apart) ++counts[bin_of(bits_of(keys[i]))];
      if (fullest() > 3 * room_of_bin / apart) return false;
    }
    std::fill_n(counts, bins, 0);
    for (index_t i = 0; i < m; ++i) {
      U const x = bits_of(keys[i]);
      std::uint64_t const bin = bin_of(x);
      std::uint32_t const place = counts[bin]++;
      bin_keys[bin * room_of_bin + place % room_of_bin] = x;
    }
    return fullest() <= room_of_bin;
  }
};

/// The sorter of rows that fit in a cache: sort_keys_in_cache where it applies, else the radix
/// sort.
template <class K, class V, class Bits>
using sort_part = typename std::conditional_t<sorts_keys<K, V, Bits>,
                                              std::type_identity<sort_keys_in_cache<K, V, Bits>>,
                                              std::type_identity<sort_in_cache<K, V, Bits>>>::type;

}  // namespace ravel::inline v0::cpu::detail
