#pragma once

/// Where digits of the keys of all ranks are, and where they go, in a few chunks for each rank: what
/// sort_on_devices.cuh plans by.

#include <ravel/core/vocabulary.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

namespace ravel::inline v0::distributed::detail {

/// Consecutive digits that a rank gets together.
struct chunk_of_digits {
  int first, last;     // digits [first, last)
  index_t begin, end;  // of their keys among those of all ranks
};

struct run_of_rows {
  index_t begin, size;
};

/// Where the digits of all keys are, and where they go: the same on all ranks.
class digits_of_ranks {
  /// The sizes of chunks: the first is waited for, and each of the others is on its way while the one before it
  /// is sorted, which takes longer.
  static constexpr std::array<index_t, 4> chunk_sizes{3, 4, 4, 5};
  static constexpr index_t all_sizes =
      std::accumulate(chunk_sizes.begin(), chunk_sizes.end(), index_t{});

  int ranks_;
  std::vector<index_t> counts_;                                    // of rank 0, of rank 1, ...
  std::vector<bool> are_of_one_value_;                             // digits whose keys are equal
  std::vector<index_t> through_ = std::vector<index_t>(ways + 1);  // the keys before each digit
  std::vector<std::vector<chunk_of_digits>> chunks_;

  /// The chunks of the rank whose keys are [begin, end) of all.  A digit that it shares is one: as a
  /// whole, or if its keys are equal, only what the rank keeps.
  std::vector<chunk_of_digits> chunks_for(index_t begin, index_t end, int most_digits,
                                          index_t least) const {
    std::vector<chunk_of_digits> chunks;
    if (begin == end) return chunks;
    auto const after = [&](index_t i) {
      return static_cast<int>(std::ranges::upper_bound(through_, i) - through_.begin());
    };
    auto const chunk = [&](int first, int last) {
      index_t const low = through_[first], high = through_[last];
      bool const is_cut = last - first == 1 && are_of_one_value_[static_cast<std::size_t>(first)];
      return is_cut ? chunk_of_digits{first, last, std::max(low, begin), std::min(high, end)}
                    : chunk_of_digits{first, last, low, high};
    };
    int first = after(begin) - 1, last = after(end - 1);
    std::vector<chunk_of_digits> shared;  // at the end, when all ranks have such
    if (last - first > 1 && through_[first] < begin) {
      shared.push_back(chunk(first, first + 1));
      ++first;
    }
    if (last - first > 1 && through_[last] > end) {
      --last;
      shared.push_back(chunk(last, last + 1));
    }
    index_t const size = through_[last] - through_[first];
    for (int d = first; d < last;) {
      auto const k = std::min(chunks.size(), chunk_sizes.size() - 1);
      index_t const wanted = std::max(div_up(size * chunk_sizes[k], all_sizes), least);
      int const start = d++;
      while (d < last && d - start < most_digits && through_[d] - through_[start] < wanted) ++d;
      chunks.push_back(chunk(start, d));
    }
    chunks.insert(chunks.end(), shared.begin(), shared.end());
    return chunks;
  }

 public:
  static constexpr int ways = 256;  // of a digit of 8 bits

  digits_of_ranks(int ranks, std::vector<index_t> counts,
                  std::vector<bool> are_of_one_value = std::vector<bool>(ways))
      : ranks_(ranks), counts_(std::move(counts)), are_of_one_value_(std::move(are_of_one_value)) {
    for (int d = 0; d < ways; ++d) {
      through_[d + 1] = through_[d];
      for (int r = 0; r < ranks_; ++r) through_[d + 1] += count(r, d);
    }
  }

  index_t count(int rank, int digit) const { return counts_[rank * ways + digit]; }
  index_t most_of_a_digit() const {
    index_t largest = 0;
    for (int d = 0; d < ways; ++d) largest = std::max(largest, through_[d + 1] - through_[d]);
    return largest;
  }

  /// Makes the chunks of each rank, of at most so many digits, and of at least so many keys unless one
  /// chunk would be too large.
  void make_chunks(std::span<index_t const> begins, int most_digits, index_t least_keys) {
    for (int r = 0; r < ranks_; ++r) {
      chunks_.push_back(chunks_for(begins[r], begins[r + 1], most_digits, least_keys));
    }
  }
  std::vector<chunk_of_digits> const& chunks(int rank) const { return chunks_[rank]; }
  /// The k-th chunk of a rank, or an empty one.
  chunk_of_digits chunk_of(int rank, std::size_t k) const {
    return k < chunks_[rank].size() ? chunks_[rank][k] : chunk_of_digits{};
  }
  std::size_t most_chunks_of_a_rank() const {
    std::size_t largest = 0;
    for (auto const& chunks : chunks_) largest = std::max(largest, chunks.size());
    return largest;
  }

  /// Whether each rank gets at most a quarter more than it keeps, or than an even part.
  bool are_even(std::span<index_t const> begins) const {
    index_t const even = begins[ranks_] / ranks_;
    for (int r = 0; r < ranks_; ++r) {
      index_t got = 0;
      for (auto const& c : chunks_[r]) got += c.end - c.begin;
      index_t const kept = begins[r + 1] - begins[r];
      if (got > kept + std::max(kept, even) / 4) return false;
    }
    return true;
  }

  bool is_of_one_value(chunk_of_digits const& c) const {
    return c.last - c.first == 1 && are_of_one_value_[static_cast<std::size_t>(c.first)];
  }
  /// Whether a chunk is only some of the equal keys of its digit.
  bool is_cut(chunk_of_digits const& c) const {
    return c.end - c.begin < through_[c.last] - through_[c.first];
  }
  /// The rows of a chunk that a rank has, counted from its first one of these digits.
  run_of_rows part_of(int rank, chunk_of_digits const& c) const {
    index_t size = 0;
    for (int d = c.first; d < c.last; ++d) size += count(rank, d);
    if (!is_cut(c)) return {0, size};
    index_t before = through_[c.first];  // equal keys are in the order of ranks
    for (int r = 0; r < rank; ++r) before += count(r, c.first);
    index_t const first = std::clamp(c.begin - before, index_t{}, size);
    return {first, std::clamp(c.end - before, index_t{}, size) - first};
  }

  /// Whether a chunk begins with a digit.
  std::vector<bool> begin_chunks() const {
    std::vector<bool> begin(ways);
    for (auto const& chunks : chunks_) {
      for (auto const& c : chunks) begin[static_cast<std::size_t>(c.first)] = true;
    }
    return begin;
  }
  static index_t round_up(index_t n, index_t unit) { return div_up(n, unit) * unit; }
};

}  // namespace ravel::inline v0::distributed::detail
