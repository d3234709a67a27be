#pragma once

/// Merge sort of a tile that fits in cache, by one thread, with branchless merges.
///
/// A branch on which of two runs has the next row would be mispredicted every second time.  So the
/// result of the comparison is added to the indices that are read next.  Two halves are merged from
/// both ends at once, which makes two independent dependency chains.

#include <ravel/core/cpu/either.hpp>
#include <ravel/primitives/rows.hpp>

namespace ravel::inline v0::cpu::detail {

/// Top-down merge sort of the rows of a tile in place.  `room` is scratch of the same size: levels
/// alternate between the two memories, so that no merged half is copied back.
template <class K, class V, class Before>
struct sort_tile {
  static constexpr index_t few = 8;  // up to this length: rank sort or insertion sort
  rows<K, V> at, room;
  Before before;

  void operator()(auto const&, tile t) const { sort(t.begin, t.end, true); }

 private:
  void sort(index_t begin, index_t end, bool stays) const {
    if (end - begin <= few) {
      sort_few(begin, end, stays);
      return;
    }
    index_t const middle = begin + (end - begin) / 2;
    sort(begin, middle, !stays);
    sort(middle, end, !stays);
    if (stays) {
      merge(room.read(), at, begin, middle, end);
    } else {
      merge(at.read(), room, begin, middle, end);
    }
  }

  void sort_few(index_t begin, index_t end, bool stays) const {
    bool placed = false;
    if constexpr (std::is_trivially_copyable_v<K> && sizeof(K) <= 16) {
      // up to this length the rows are not first tested for being in order
      constexpr index_t fewest = 4;
      bool descends = end - begin <= fewest;
      for (index_t k = begin + 1; k < end; ++k) descends |= ahead(k, k - 1);
      placed = descends && place(begin, end);
      if (descends && !placed) insert(begin, end);
    } else {
      insert(begin, end);
    }
    if (placed && stays) {
      for (index_t k = begin; k < end; ++k) at.set(k, room.read(), k);
    } else if (!placed && !stays) {
      for (index_t k = begin; k < end; ++k) room.set(k, at.read(), k);
    }
  }
  bool ahead(index_t j, index_t i) const {
    return before(std::as_const(at.keys[j]), std::as_const(at.keys[i]));
  }

  /// Rank sort to `room`: a row's place is the number of rows that precede it, counted from
  /// comparisons of all pairs without branches.  Returns false, without having written, if two rows
  /// have the same rank, as is possible where `before` is no strict weak order (NaNs by <).
  bool place(index_t begin, index_t end) const {
    index_t const n = end - begin;
    std::uint8_t place_of[few];
    for (index_t j = 0; j < n; ++j) {
      index_t rank = j;  // the rows before j precede it, unless row j overtakes them
      for (index_t i = 0; i < j; ++i) {
        bool const overtakes = ahead(begin + j, begin + i);
        place_of[i] = static_cast<std::uint8_t>(place_of[i] + overtakes);
        rank -= overtakes;
      }
      place_of[j] = static_cast<std::uint8_t>(rank);
    }
    unsigned taken = 0;
    for (index_t k = 0; k < n; ++k) taken |= 1u << place_of[k];
    if (taken + 1 != 1u << n) return false;
    for (index_t k = 0; k < n; ++k) room.set(begin + place_of[k], at.read(), begin + k);
    return true;
  }

  void insert(index_t begin, index_t end) const {
    for (index_t i = begin + 1; i < end; ++i) {
      if (!ahead(i, i - 1)) continue;
      K const key = at.keys[i];
      index_t k = i;
      if constexpr (rows<K, V>::has_values) {
        V const value = at.values[i];
        for (; k > begin && before(key, std::as_const(at.keys[k - 1])); --k) {
          at.set(k, at.read(), k - 1);
        }
        at.values[k] = value;
      } else {
        for (; k > begin && before(key, std::as_const(at.keys[k - 1])); --k) {
          at.set(k, at.read(), k - 1);
        }
      }
      at.keys[k] = key;
    }
  }

  /// Merges [begin, middle) and [middle, end) from both ends at once.  The second run has as many
  /// rows as the first or one more.  Each end takes at most as many rows as the shorter run has, so
  /// no read leaves a run, whatever `before` returns.
  [[gnu::always_inline]] void merge(rows<K const, V const> in, rows<K, V> out, index_t begin,
                                    index_t middle, index_t end) const {
    if (!before(in.keys[middle], in.keys[middle - 1])) {  // the two runs are in order already
      for (index_t k = begin; k < end; ++k) out.set(k, in, k);
      return;
    }
    index_t i = begin, j = middle, last_i = middle - 1, last_j = end - 1;
    for (index_t k = 0; k < middle - begin; ++k) {
      bool const second = before(in.keys[j], in.keys[i]);
      out.set(begin + k, in, either(second, j, i));
      j += second;
      i += !second;
      bool const first = before(in.keys[last_j], in.keys[last_i]);
      out.set(end - 1 - k, in, either(first, last_i, last_j));
      last_i -= first;
      last_j -= !first;
    }
    // The two ends meet if `before` is a strict weak order.  Otherwise, as for NaNs by <, some row
    // may have been taken twice.
    index_t const in_first = last_i + 1 - i, in_all = (end - begin) % 2;
    if (in_first < 0 || in_first > in_all) {
      merge_forward(in, out, begin, middle, end);
    } else if (in_all != 0) {
      out.set(middle, in, in_first != 0 ? i : j);
    }
  }

  /// Merges from the front only, which takes each row once whatever `before` returns.
  [[gnu::noinline]] void merge_forward(rows<K const, V const> in, rows<K, V> out, index_t begin,
                                       index_t middle, index_t end) const {
    index_t i = begin, j = middle;
    for (index_t k = begin; k < end; ++k) {
      bool const second = i == middle || (j < end && before(in.keys[j], in.keys[i]));
      out.set(k, in, second ? j++ : i++);
    }
  }
};

}  // namespace ravel::inline v0::cpu::detail
