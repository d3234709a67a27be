#pragma once

/// @file
/// Where the highest digits of the keys of all ranks are, and where they go, in a few chunks for each rank:
/// what sort_on_devices.cuh plans by.

#include <ravel/core/tile.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace ravel::inline v0::distributed::detail {

/// Consecutive digits that a rank gets together.
struct chunk_of_digits {
  int first, last;     // digits [first, last)
  index_t begin, end;  // of their keys among those of all ranks
};

/// Where the digits of all keys are, and where they go: the same on all ranks.
class digits_of_ranks {
  static constexpr int most_chunks = 4;

  int ranks_;
  std::vector<index_t> counts_;                                    // of rank 0, of rank 1, ...
  std::vector<index_t> through_ = std::vector<index_t>(ways + 1);  // the keys before each digit
  std::vector<std::vector<chunk_of_digits>> chunks_;

  chunk_of_digits chunk(int first, int last) const {
    return {first, last, through_[first], through_[last]};
  }

  /// The chunks of the rank whose keys are [begin, end) of all: a digit that it shares is one.
  std::vector<chunk_of_digits> chunks_for(index_t begin, index_t end, int most_digits,
                                          index_t least) const {
    std::vector<chunk_of_digits> chunks;
    if (begin == end) return chunks;
    auto const after = [&](index_t i) {
      return static_cast<int>(std::ranges::upper_bound(through_, i) - through_.begin());
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
    index_t const each = std::max(div_up(size, index_t{most_chunks}), least);
    for (int d = first; d < last;) {
      int const from = d++;
      while (d < last && d - from < most_digits && through_[d] - through_[from] < each) ++d;
      chunks.push_back(chunk(from, d));
    }
    chunks.insert(chunks.end(), shared.begin(), shared.end());
    return chunks;
  }

 public:
  static constexpr int ways = 256;  // of a digit of 8 bits

  digits_of_ranks(int ranks, std::vector<index_t> counts)
      : ranks_(ranks), counts_(std::move(counts)) {
    for (int d = 0; d < ways; ++d) {
      through_[d + 1] = through_[d];
      for (int r = 0; r < ranks_; ++r) through_[d + 1] += count(r, d);
    }
  }

  index_t count(int rank, int digit) const { return counts_[rank * ways + digit]; }
  index_t most_of_a_digit() const {
    index_t most = 0;
    for (int d = 0; d < ways; ++d) most = std::max(most, through_[d + 1] - through_[d]);
    return most;
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
    return k < chunks_[rank].size() ? chunks_[rank][k] : chunk(0, 0);
  }
  std::size_t most_chunks_of_a_rank() const {
    std::size_t most = 0;
    for (auto const& of : chunks_) most = std::max(most, of.size());
    return most;
  }

  /// Whether each rank gets at most a quarter more than it keeps.
  bool are_even(std::span<index_t const> begins) const {
    for (int r = 0; r < ranks_; ++r) {
      index_t got = 0;
      for (auto const& c : chunks_[r]) got += c.end - c.begin;
      if (got > (begins[r + 1] - begins[r]) * 5 / 4) return false;
    }
    return true;
  }

  /// Where a rank puts each digit: chunks begin at multiples of `aligned` keys.  The last is the end.
  std::vector<index_t> places(int rank, index_t aligned) const {
    std::vector<bool> begins_chunk(ways);
    for (auto const& of : chunks_) {
      for (auto const& c : of) begins_chunk[c.first] = true;
    }
    std::vector<index_t> at(ways + 1);
    index_t end = 0;
    for (int d = 0; d < ways; ++d) {
      if (begins_chunk[d]) end = round_up(end, aligned);
      at[d] = end;
      end += count(rank, d);
    }
    at[ways] = end;
    return at;
  }
  static index_t round_up(index_t n, index_t to) { return div_up(n, to) * to; }
};

}  // namespace ravel::inline v0::distributed::detail
