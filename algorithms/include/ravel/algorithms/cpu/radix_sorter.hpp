#pragma once

/// Radix sort of rows on the host: one split by the highest bits into parts that fit in L2, each of which
/// is then sorted in cache by one thread.
///
/// A least-significant-digit sort would move all rows through memory once for each digit.  Here one
/// pass splits them into up to 1,024 parts whose rows agree in their highest bits, and the other
/// digits are sorted within L2.  Before each split the rows are surveyed: sorted input is copied,
/// keys that descend are reversed, and bits in which no rows differ are skipped.  A part that is
/// too large for L2, as where many keys share their high bits, is split again, by all threads.
/// Keys without values are sorted by quicksort instead where it is faster (cpu/quicksort.hpp).
///
/// Source   Polychroniou and Ross, "A Comprehensive Study of Main-Memory Partitioning
///          and its Application to Large-Scale Comparison- and Radix-Sort", SIGMOD 2014.

#include <ravel/algorithms/cpu/digits_of_rows.hpp>
#include <ravel/algorithms/cpu/quicksort.hpp>
#include <ravel/algorithms/cpu/row.hpp>
#include <ravel/algorithms/cpu/sort_by_counts.hpp>
#include <ravel/algorithms/cpu/sort_keys_in_cache.hpp>
#include <ravel/algorithms/sort_options.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/simd_survey.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/primitives/cpu/split.hpp>
#include <ravel/primitives/map.hpp>

#include <atomic>
#include <optional>
#include <vector>

namespace ravel::inline v0::cpu::detail {

/// Bytes of rows that are sorted in L2, with scratch of the same size.
inline constexpr index_t part_bytes = index_t{1} << 17;

template <host_executor Ex, class K, class V, class Bits>
class radix_sorter {
  using row_type = row<K, V>;
  using U = typename Bits::bits;
  using in_cache = sort_part<K, V, Bits>;
  using starts = std::vector<index_t>;  // begins of parts, and the end of the last

  static constexpr index_t part_rows = std::max<index_t>(part_bytes / sizeof(row_type), 64);
  // of a part that one thread sorts; larger ones are split again
  static constexpr index_t most_rows = 8 * part_rows;
  // of a split: write-combining buffers, a cache line for each part, fit in L2
  static constexpr int most_bits = 10;

  Ex const& ex_;
  Bits bits_;

 public:
  radix_sorter(Ex const& ex, Bits bits) : ex_(ex), bits_(bits) {}

  /// Sorts row(0), ..., row(n - 1) to `out`.  `spare` is scratch for n rows; `extra` is more
  /// scratch, or null, and then allocated if it is needed.  row(i) may read from the memory of
  /// `extra` or `out`.
  void operator()(auto row, index_t n, row_type* spare, row_type* extra,
                  write_row<K, V> out) const {
    bool const quick = sorts_quickly(n);
    key_survey<U> seen;
    if (quick) seen = survey_sample(row, n);
    if (!quick || !seen.falls || width_of(varying(seen)) <= counted_bits) {
      seen = survey_rows(row, n, out);
    }
    if (!seen.falls || (!seen.rises && reverse(row, n, out))) return;
    if constexpr (sorts_integers<K, V, Bits>) {
      if (counting_sorter<Ex, K, Bits>(ex_, bits_)(row, n, seen, out)) return;
    }
    if constexpr (sorts_keys<K, V, Bits>) {
      if (quick) {
        if (quicksort(row, n, spare, out)) return;
        seen = survey_rows(row, n, out);
      }
    }
    if constexpr (sorts_integers<K, V, Bits>) {
      counting_sorter<Ex, K, Bits> const by_counts(ex_, bits_);
      if (auto const sizes = by_counts.around_frequent(row.from.keys, n, &spare->key, out)) {
        auto const [less, greater] = *sizes;
        auto const made = ex_.template scratch<row_type>(extra ? 0 : std::max(less, greater));
        row_type* const room = extra ? extra : made.data();
        (*this)(rows_at(spare), less, room, spare, out);
        row_type* const second = spare + less;
        return (*this)(rows_at(second), greater, room, second, out.after(n - greater));
      }
    }
    starts const parts = split(row, n, varying(seen), spare);
    if (parts.empty()) return sort_whole(row, n, seen, spare, out);
    sort_small(parts, spare, out);
    sort_large(parts, spare, extra, out);
  }

 private:
  /// A function object that reads rows in scratch.  Keys without values are read as a column of
  /// keys, so that the same loops are instantiated as for the input.
  static auto rows_at(row_type const* rows) {
    if constexpr (std::same_as<V, no_value>) {
      return read_row<K, V>{{reinterpret_cast<K const*>(rows), nullptr}};
    } else {
      return contiguous<row_type>{rows};
    }
  }

  /// The bits in which keys differ.
  static U varying(key_survey<U> const& seen) { return static_cast<U>(seen.any & ~seen.all); }

  /// Whether keys alone that fit in no cache are sorted by quicksort.
  bool sorts_quickly(index_t n) const {
    if constexpr (sorts_keys<K, V, Bits>) {
      return bits_of_split(n) > 0 && quicksorter<Ex, K, Bits>::is_fastest(bits_);
    } else {
      return false;
    }
  }
  /// Sorts in `out`, or in `spare` where keys are read from the memory of `out`.  Returns false, without
  /// having written to the memory of the keys, if some key is ambiguous.
  template <class From>
  bool quicksort(From row, index_t n, row_type* spare, write_row<K, V> out) const {
    K const* const in = row.from.keys;
    K* const target = out.to.keys + out.first;
    bool const apart = in + n <= target || target + n <= in;
    U* const room = reinterpret_cast<U*>(apart ? target : &spare->key);
    return quicksorter<Ex, K, Bits>(ex_, bits_)(row, n, room, target);
  }
  /// Surveys a sample: whether keys seem to ascend, and to have few distinct values.
  key_survey<U> survey_sample(auto const& row, index_t n) const {
    key_survey<U> seen;
    for (index_t k = 0; k + 1 < sampled; ++k) {
      U const x = bits_(row(n / sampled * k)), next = bits_(row(n / sampled * (k + 1)));
      seen.add(x);
      seen.add_pair(x, next);
    }
    return seen;
  }

  /// How many bits to split by: so many that parts fit in L2 and each thread has several parts.  On
  /// two threads, rows that fit in L2 are not split: the split costs more than the second thread
  /// gains.
  int bits_of_split(index_t n) const {
    bool const alone = !worth_sharing([&] { return threads_of(ex_); }, nanoseconds{2 * n});
    if (n <= most_rows && (alone || threads_of(ex_) == 2)) return 0;
    return std::clamp(width_of(static_cast<std::uint64_t>(n / part_rows)), alone ? 1 : 5,
                      most_bits);
  }

  /// Splits rows by the highest bits in which they differ.  If a sample is uneven by these bits (as
  /// uneven as with an eighth of it in one part), and octave_digit is at most half as uneven,
  /// splits by octaves instead.  Returns where parts begin; returns nothing if no split is needed
  /// because the rows fit in L2 (integers without values are split even then if they are uneven).
  template <class From>
  starts split(From row, index_t n, U varies, row_type* spare) const {
    int const width = width_of(varies);
    auto const highest = [&](int bits) {
      U const mask = static_cast<U>((U{1} << bits) - 1);
      return high_digit<From, Bits>{row, bits_, width - bits, mask};
    };
    if constexpr (sizeof(U) <= 8) {
      bool const may_split = sorts_integers<K, V, Bits> || bits_of_split(n) > 0;
      index_t const uneven =
          may_split && n >= worth_a_sample ? unevenness(n, highest(std::min(most_bits, width))) : 0;
      if (uneven >= (sampled / 8) * (sampled / 8)) {
        octave_digit<From, Bits> const octaves(row, bits_, width, 0),
            below_top(row, bits_, width, std::min(most_bits - 1, width / 2));
        index_t const by_octaves = unevenness(n, octaves), by_top = unevenness(n, below_top);
        if (2 * std::min(by_octaves, by_top) <= uneven) {
          auto const& digit = by_top < by_octaves ? below_top : octaves;
          return split_by(digit, row, n, digit.ways(), spare);
        }
      }
    }
    int const bits = std::min(bits_of_split(n), width);
    if (bits == 0) return starts();
    return split_by(highest(bits), row, n, index_t{1} << bits, spare, far_bytes_of_even_parts);
  }
  starts split_by(auto digit, auto row, index_t n, index_t ways, row_type* spare,
                  index_t far_bytes = beyond_caches) const {
    starts parts(static_cast<std::size_t>(ways) + 1);
    split_rows_on(ex_, n, ways, digit, row, spare, parts.data(), far_bytes);
    return parts;
  }

  /// Surveys the keys of a tile: the bits in which they differ and, if `wants_order`, whether they
  /// ascend; the last row is compared with the first of the next tile.  For keys that are sorted by
  /// all of their bits also the least and the greatest.
  template <class From>
  key_survey<U> survey_tile(From const& row, tile t, index_t n, bool wants_order) const {
    if constexpr (sorts_keys<K, V, Bits> && std::same_as<From, read_row<K, V>>) {
      if (sorts_by_all_bits(bits_)) {
        return survey_by(bits_, row.from.keys + t.begin, std::min(t.end + 1, n) - t.begin);
      }
    }
    auto const bits = bits_;
    key_survey<U> seen;
    U descends = 0;  // as wide as keys, so that the loops vectorise
    for (index_t i = t.begin; i < t.end; ++i) {
      U const x = bits(row(i));
      seen.any |= x;
      seen.all &= x;
    }
    for (index_t i = t.begin; wants_order && i < std::min(t.end, n - 1); ++i) {
      descends |= static_cast<U>(bits(row(i + 1)) < bits(row(i)));
    }
    seen.falls = descends != 0;
    return seen;
  }

  /// Surveys all rows.  Until a thread finds two rows out of order, the survey also copies rows to
  /// `out`: sorted input is read once, and its result is complete then.
  key_survey<U> survey_rows(auto const& row, index_t n, write_row<K, V> out) const {
    // One tile if the calling thread sorts alone: waking another costs more than it surveys.
    index_t const width =
        bits_of_split(n) == 0 ? std::max<index_t>(n, 1) : chunk_of_split(n, threads_of(ex_));
    bool const far = n >= beyond_caches / index_t{sizeof(row_type)};
    std::vector<key_survey<U>> seen(static_cast<std::size_t>(div_up(n, width)));
    std::atomic<bool> all_in_order = true;
    ex_.for_each_tile_of(
        width, n,
        [&](worker, tile t) {
          key_survey<U> survey;
          for (index_t k = 0; k < div_up(t.end - t.begin, 1024); ++k) {
            tile const block{k, t.begin + k * 1024, std::min(t.end, t.begin + (k + 1) * 1024)};
            bool const may_copy = all_in_order.load(std::memory_order_relaxed);
            key_survey<U> const seen_here = survey_tile(row, block, n, may_copy);
            survey.add(seen_here);
            if (seen_here.falls) {
              all_in_order.store(false, std::memory_order_relaxed);
            } else if (may_copy) {
              copy_rows(row, block, out, far);
            }
          }
          if (far) stream_fence();
          seen[static_cast<std::size_t>(t.id)] = survey;
        },
        nanoseconds{n / 4});
    key_survey<U> survey;
    for (key_survey<U> const& of_tile : seen) survey.add(of_tile);
    return survey;
  }

  /// Writes keys that all descend in reverse.  Returns false, with nothing written, if some ascend or are
  /// ambiguous.
  template <class From>
  bool reverse(From const& row, index_t n, write_row<K, V> out) const {
    if constexpr (sorts_keys<K, V, Bits> && std::same_as<From, read_row<K, V>>) {
      K const* const in = row.from.keys;
      K* const target = out.to.keys + out.first;
      bool const apart = in == target || in + n <= target || target + n <= in;
      if (!apart || !sorts_by_all_bits(bits_)) return false;
      index_t const width = chunk_of_split(n, threads_of(ex_));
      std::atomic<bool> descend = true;
      ex_.for_each_tile_of(
          width, n,
          [&](worker, tile t) {
            constexpr index_t block = 4096;
            for (index_t i = t.begin; i < t.end && descend; i += block) {
              index_t const end = std::min({i + block + 1, t.end + 1, n});
              auto const seen = survey_by(bits_, in + i, end - i);
              if (seen.rises || seen.are_ambiguous) descend = false;
            }
          },
          nanoseconds{n / 4});
      if (!descend) return false;
      ex_.for_each_tile_of(
          width, div_up(n, index_t{2}),
          [&](worker, tile t) {
            for (index_t i = t.begin; i < t.end; ++i) {
              K const first = in[i], last = in[n - 1 - i];
              target[i] = last;
              target[n - 1 - i] = first;
            }
          },
          nanoseconds{n / 4});
      return true;
    } else {
      return false;
    }
  }

  template <class From>
  static void copy_rows(From const& row, tile t, write_row<K, V> out, bool far) {
    if constexpr (std::same_as<From, read_row<K, V>>) {
      copy_column(row.from.keys, out.to.keys + out.first, t, far);
      if constexpr (!std::same_as<V, no_value>) {
        copy_column(row.from.values, out.to.values + out.first, t, far);
      }
    } else {
      for (index_t i = t.begin; i < t.end; ++i) out(i, row(i));
    }
  }
  template <class T>
  static void copy_column(T const* in, T* out, tile t, bool far) {
    if (in == out) return;
    if constexpr (simd::number<T>) {
      if (far) return stream(in + t.begin, out + t.begin, t.end - t.begin);
    }
    std::copy_n(in + t.begin, t.end - t.begin, out + t.begin);
  }

  /// Sorts rows that fit in L2, on the calling thread.  Keys without values go directly from the
  /// input to bins; other rows are copied to `spare` first.
  template <class From>
  void sort_whole(From row, index_t n, key_survey<U> const& seen, row_type* spare,
                  write_row<K, V> out) const {
    scratch_buffer<row_type> const room(in_cache::room_for(n));
    scratch_buffer<typename in_cache::table> const tables(in_cache::tables);
    in_cache const sort(bits_, room.data(), tables.data());
    if constexpr (sorts_keys<K, V, Bits> && std::same_as<From, read_row<K, V>>) {
      auto const keys = reinterpret_cast<row_type const*>(row.from.keys);
      if (sort.from(keys, n, seen, out)) return;
    }
    for (index_t i = 0; i < n; ++i) spare[i] = row(i);
    sort_in_cache<K, V, Bits>(bits_, room.data(), tables.data())(spare, n, out);
  }

  /// Sorts the parts that fit in L2: each by one thread.
  void sort_small(starts const& parts, row_type* spare, write_row<K, V> out) const {
    index_t largest = 0;
    for (std::size_t d = 1; d < parts.size(); ++d) {
      index_t const m = parts[d] - parts[d - 1];
      if (m <= most_rows) largest = std::max(largest, m);
    }
    std::atomic<std::size_t> next = 1;
    ex_.on_each_thread(largest > 0 ? std::ssize(parts) - 1 : 0, [&] {
      scratch_buffer<row_type> const room(in_cache::room_for(largest));
      scratch_buffer<typename in_cache::table> const tables(in_cache::tables);
      in_cache const sort(bits_, room.data(), tables.data());
      for (std::size_t d; (d = next++) < parts.size();) {
        index_t const begin = parts[d - 1];
        index_t const m = parts[d] - begin;
        if (0 < m && m <= most_rows) sort(spare + begin, m, out.after(begin));
      }
    });
  }

  /// Sorts the parts that do not fit in L2: one after another, each by all threads.
  void sort_large(starts const& parts, row_type* spare, row_type* extra,
                  write_row<K, V> out) const {
    index_t largest = 0;
    for (std::size_t d = 1; d < parts.size(); ++d) {
      largest = std::max(largest, parts[d] - parts[d - 1]);
    }
    if (largest <= most_rows) return;
    auto const made = ex_.template scratch<row_type>(extra ? 0 : largest);
    for (std::size_t d = 1; d < parts.size(); ++d) {
      row_type* const part = spare + parts[d - 1];
      index_t const m = parts[d] - parts[d - 1];
      if (m <= most_rows) continue;
      (*this)(rows_at(part), m, extra ? extra : made.data(), part, out.after(parts[d - 1]));
    }
  }
};

/// The bits of a key to sort by: those in a range, or all.
template <class K, class Key>
sorted_bits<K, Key> bits_sorted_by(Key key, bool down, std::optional<bit_range> range) {
  using U = typename sorted_bits<K, Key>::bits;
  constexpr int width = radix_width<typename sorted_bits<K, Key>::key_type>;
  auto const [begin, end] = range.value_or(bit_range{0, width});
  U const ones = static_cast<U>(~U{0});
  U const keep = begin == end
                     ? U{0}
                     : static_cast<U>(static_cast<U>(ones >> (width - (end - begin))) << begin);
  return {key, down ? ones : U{0}, keep};
}

/// Sorts by several keys, the last key first: as each sort is stable, the first key decides in the
/// end.
template <host_executor Ex, class K, class V, class Key, class... Lower>
void sort_rows_by(Ex const& ex, index_t n, row<K, V>* spare, rows<K const, V const> in,
                  rows<K, V> out, bool down, std::optional<bit_range> range, Key key,
                  Lower... lower) {
  if constexpr (sizeof...(Lower) > 0) {
    sort_rows_by(ex, n, spare, in, out, down, range, lower...);
    in = out.read();
  }
  auto const bits = bits_sorted_by<K>(key, down, range);
  radix_sorter<Ex, K, V, sorted_bits<K, Key>>(ex, bits)(read_row<K, V>{in}, n, spare, nullptr,
                                                        write_row<K, V>{out, 0});
}

}  // namespace ravel::inline v0::cpu::detail
