#pragma once

/// Quicksort of keys without values by all threads, in vectors of 64 bytes: keys are divided at pivots
/// until one thread sorts each part in its cache.  More than two threads begin with a split at seven
/// splitters.
///
/// A split by 1024 digits moves keys one after another through write-combining buffers: 3 ns for a key
/// of 4 bytes on a Xeon.  Vectors move 16 of them at once: 0.7 ns for a split in eight, and 0.15 to
/// 0.25 ns for each division in two.

#include <ravel/algorithms/cpu/row.hpp>
#include <ravel/algorithms/cpu/sort_keys_in_cache.hpp>
#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/sort_few.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/grain.hpp>
#include <ravel/core/parallel.hpp>
#include <ravel/primitives/cpu/chunk_counts.hpp>

#include <atomic>
#include <optional>
#include <vector>

namespace ravel::inline v0::cpu::detail {

template <host_executor Ex, class K, class Bits>
class quicksorter {
  using U = typename Bits::bits;
  static constexpr index_t ways = ways_of_keys;
  /// Bytes of keys that are sorted as one task.
  static constexpr index_t task_bytes = index_t{1} << 17;

  Ex const& ex_;
  Bits bits_;

 public:
  /// The keys of a tile, by parts.
  struct chunk {
    index_t below[ways] = {};  // in each part and those before it
    U* to[ways];
    index_t size(int p) const { return below[p] - (p > 0 ? below[p - 1] : 0); }
  };

  quicksorter(Ex const& ex, Bits bits) : ex_(ex), bits_(bits) {}

  /// Whether this is the fastest sort of keys that fit in no cache.  On AMD's processors sorts by bins
  /// are.
  static bool is_fastest(Bits const& bits) {
    return quicksorts_keys() && !on_amd() && sorts_by_all_bits(bits);
  }

  /// Sorts keys row(0), ..., row(n - 1) to `out`.  `room` is scratch for n keys, and may be `out`; row(i)
  /// must not read from it.  Returns false, with `room` overwritten, if some key is ambiguous.
  bool operator()(auto row, index_t n, U* room, K* out) const {
    // a second thread waits for the first division, which takes less than a split
    std::vector<index_t> parts{0, n};
    if constexpr (std::same_as<K, U>) {
      if (threads_of(ex_) <= 2 && row.from.keys == out && bits_.flip == 0) {
        sort_parts(parts, out, out);
        return true;
      }
    }
    bool const moved = threads_of(ex_) <= 2 ? copy(row, n, room) : split(row, n, room, parts);
    if (moved) sort_parts(parts, room, out);
    return moved;
  }

  /// Counts the keys row(0), ..., row(n - 1) in each part of each chunk.  Nothing if some are ambiguous.
  template <class From>
  std::optional<std::vector<chunk>> count(From row, index_t n, key_splitter<U> const& at) const {
    std::vector<chunk> chunks(static_cast<std::size_t>(div_up(n, width(n))));
    std::atomic<bool> right = true;
    ex_.for_each_tile_of(
        width(n), n,
        [&](worker, tile t) {
          chunk& c = chunks[static_cast<std::size_t>(t.id)];
          auto const add = [&](U const* keys, index_t m) { at.count(keys, m, c.below); };
          if (!for_each_block(row, t, add)) right = false;
          c.below[ways - 1] = t.end - t.begin;
        },
        nanoseconds{n / 4});
    if (!right) return {};
    return chunks;
  }

  /// Moves the bits of the keys of part p, counted in chunks, to parts[p], unless that is null.
  void move(auto row, index_t n, key_splitter<U> const& at, std::vector<chunk>& chunks,
            U* const* parts) const {
    for (int p = 0; p < ways; ++p) {
      U* target = parts[p];
      for (chunk& c : chunks) {
        c.to[p] = target;
        if (target != nullptr) target += c.size(p);
      }
    }
    ex_.for_each_tile_of(
        width(n), n,
        [&](worker, tile t) {
          U** const targets = chunks[static_cast<std::size_t>(t.id)].to;
          for_each_block(row, t, [&](U const* keys, index_t m) { at.scatter(keys, m, targets); });
        },
        nanoseconds{n / 2});
  }

 private:
  index_t width(index_t n) const { return chunk_of_split(n, threads_of(ex_)); }

  /// Moves the bits of keys to parts in `room`, and sets the begins of the parts and the end of the
  /// last.  Returns false, with nothing moved, if some are ambiguous.
  template <class From>
  bool split(From row, index_t n, U* room, std::vector<index_t>& begins) const {
    auto const at = splitters(row, n);
    auto chunks = count(row, n, at);
    if (!chunks) return false;
    U* parts[ways];
    begins = {0};
    for (int p = 0; p < ways; ++p) {
      parts[p] = room + begins.back();
      index_t size = 0;
      for (chunk const& c : *chunks) size += c.size(p);
      begins.push_back(begins.back() + size);
    }
    move(row, n, at, *chunks, parts);
    return true;
  }

  /// Copies the bits of keys to `room`.  Returns false if some are ambiguous.
  bool copy(auto row, index_t n, U* room) const {
    std::atomic<bool> right = true;
    ex_.for_each_tile_of(
        width(n), n,
        [&](worker, tile t) {
          U* dst = room + t.begin;
          auto const move = [&](U const* keys, index_t m) { dst = std::copy_n(keys, m, dst); };
          if (!for_each_block(row, t, move)) right = false;
        },
        nanoseconds{n / 4});
    return right;
  }

  /// Sorts each part of the bits to `out`.
  void sort_parts(std::vector<index_t> const& begins, U* bits, K* out) const {
    int const depth =
        2 * static_cast<int>(std::bit_width(static_cast<std::uint64_t>(begins.back())));
    parallel_for(
        ex_, std::ssize(begins) - 1,
        [&](index_t p) {
          index_t const begin = begins[static_cast<std::size_t>(p)];
          index_t const end = begins[static_cast<std::size_t>(p) + 1];
          sort(bits + begin, end - begin, out + begin, depth);
        },
        grain(1));
  }

  key_splitter<U> splitters(auto row, index_t n) const {
    constexpr index_t sampled = most_few<U>;
    alignas(64) U sample[sampled];
    for (index_t k = 0; k < sampled; ++k) sample[k] = bits_(row(k * n / sampled));
    sort_few(sample, sampled);
    key_splitter<U> at;
    for (index_t p = 1; p < ways; ++p) at.ends[p - 1] = sample[p * sampled / ways];
    return at;
  }

  /// Calls f(bits, m) for the bits of the keys of a tile, m at a time.  Returns false if some are
  /// ambiguous.
  template <class From, class F>
  bool for_each_block(From row, tile t, F const& f) const {
    if constexpr (std::same_as<From, read_row<K, no_value>> && std::same_as<K, U>) {
      if (bits_.flip == 0) {
        f(row.from.keys + t.begin, t.end - t.begin);
        return true;
      }
    }
    constexpr index_t block_size = 1024;
    alignas(64) U block[block_size];
    auto const bits_of = bits_;
    U ambiguous = 0;
    for (index_t i = t.begin; i < t.end; i += block_size) {
      index_t const m = std::min(block_size, t.end - i);
      for (index_t k = 0; k < m; ++k) {
        auto const x = row(i + k);
        block[k] = bits_of(x);
        ambiguous |= static_cast<U>(is_ambiguous(x.key));
      }
      f(block, m);
    }
    return ambiguous == 0;
  }

  /// Sorts the keys with these bits to `out`.  Pivots may divide `depth` times; std::sort takes over
  /// where they divide too unevenly.
  void sort(U* bits, index_t n, K* out, int depth) const {
    bool const is_small = n <= task_bytes / index_t{sizeof(U)};
    if (depth == 0 || is_small) {
      if (!is_small || !quicksort_keys(bits, n)) std::sort(bits, bits + n);
      return write(bits, n, out);
    }
    auto const [less, rest] = divide_keys(bits, n);
    write(bits + less, rest - less, out + less);
    parallel_do(
        ex_, [&, m = less] { sort(bits, m, out, depth - 1); },
        [&, m = rest] { sort(bits + m, n - m, out + m, depth - 1); });
  }
  void write(U const* bits, index_t n, K* out) const {
    if constexpr (std::same_as<K, U>) {
      if (bits == out && bits_.flip == 0) return;
    }
    write_keys(n, bits, bits_, write_row<K, no_value>{{out, nullptr}, 0});
  }
};

}  // namespace ravel::inline v0::cpu::detail
