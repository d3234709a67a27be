#pragma once

/// Where digits of the keys of all ranks go, in a few chunks for each rank, and where their rows are until others
/// copy them: what sort_on_devices.cuh plans by.

#include <ravel/distributed/communicator.hpp>

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

/// The places in the room of one rank: of what it gets, chunk by chunk and in the order of ranks, and
/// then of the rows that it sends.  Its own rows of a chunk that no other rank has are where they belong
/// beside those that arrive.
struct places_in_room {
  std::vector<std::vector<index_t>> arrivals;  // of chunk k from rank r
  std::vector<index_t> of_digit = std::vector<index_t>(digits_of_ranks::ways);
  index_t size = 0;
};

/// What all ranks know of all rooms.
class places_of_rows {
  digits_of_ranks const& digits_;
  std::span<index_t const> begins_;
  int rank_;
  std::vector<places_in_room> of_rank_;

  int ranks() const { return static_cast<int>(begins_.size()) - 1; }

  /// Messages begin at multiples of `aligned` rows; or, if chunks are to be without gaps, the first one
  /// of each chunk from another rank.
  places_in_room places_of(int rank, index_t aligned, bool with_gaps) const {
    places_in_room result;
    auto const& chunks = digits_.chunks(rank);
    std::vector<bool> stays(digits_of_ranks::ways);
    for (auto const& c : chunks) {
      index_t const own = digits_.part_of(rank, c).size;
      if (!with_gaps && rank == 0) result.size += digits_of_ranks::round_up(own, aligned) - own;
      std::vector<index_t> from_rank;
      for (int r = 0; r < ranks(); ++r) {
        from_rank.push_back(result.size);
        if (r == rank && !is_shared(rank, c)) {
          for (int d = c.first; d < c.last; ++d) {
            result.of_digit[d] = result.size;
            result.size += digits_.count(rank, d);
            stays[d] = true;
          }
        } else {
          result.size += digits_.part_of(r, c).size;
        }
        if (with_gaps) result.size = digits_of_ranks::round_up(result.size, aligned);
      }
      result.size = digits_of_ranks::round_up(result.size, aligned);
      result.arrivals.push_back(std::move(from_rank));
    }
    std::vector<bool> const begins_chunk = digits_.begin_chunks();
    for (int d = 0; d < digits_of_ranks::ways; ++d) {
      if (stays[d]) continue;
      if (begins_chunk[d]) result.size = digits_of_ranks::round_up(result.size, aligned);
      result.of_digit[d] = result.size;
      result.size += digits_.count(rank, d);
    }
    result.size = digits_of_ranks::round_up(result.size, aligned);
    return result;
  }

 public:
  /// As seen by one of the ranks; `digits`, whose chunks are made, and `begins` live as long.
  places_of_rows(digits_of_ranks const& digits, std::span<index_t const> begins, int rank,
                 index_t aligned, bool with_gaps)
      : digits_(digits), begins_(begins), rank_(rank) {
    for (int r = 0; r < ranks(); ++r) of_rank_.push_back(places_of(r, aligned, with_gaps));
  }

  places_in_room const& mine() const { return of_rank_[rank_]; }
  /// Of the rank with the most.
  index_t size_of_room() const {
    return std::ranges::max_element(of_rank_, {}, &places_in_room::size)->size;
  }
  /// Whether a chunk of a rank has rows that another rank gets, too.
  bool is_shared(int rank, chunk_of_digits const& c) const {
    return digits_.is_cut(c) || c.begin < begins_[rank] || c.end > begins_[rank + 1];
  }
  /// Where rank r has its rows of a chunk that others get.
  run_of_rows sent(int r, chunk_of_digits const& c) const {
    auto const part = digits_.part_of(r, c);
    return {of_rank_[r].of_digit[c.first] + part.begin, part.size};
  }

  /// A column of rows: the bytes of each, and where it begins in each room.
  struct column {
    std::size_t bytes, begin;
  };
  /// The exchange of the k-th chunk of each rank.
  exchange_step step(std::size_t k, std::span<column const> columns, std::byte* room) const {
    exchange_step result;
    for (int s = 1; s < ranks(); ++s) {  // each rank begins with another one
      int const receiver = (rank_ + ranks() - s) % ranks(), sender = (rank_ + s) % ranks();
      run_of_rows const out = sent(rank_, digits_.chunk_of(receiver, k));
      run_of_rows const in = sent(sender, digits_.chunk_of(rank_, k));
      for (auto const& [bytes, begin] : columns) {
        auto const at = [&, bytes = bytes, begin = begin](index_t i) {
          return begin + static_cast<std::size_t>(i) * bytes;
        };
        if (out.size > 0) result.sent.push_back({receiver, at(out.begin), bytes * out.size});
        if (in.size > 0) {
          auto const place = mine().arrivals[k][sender];
          result.received.push_back({sender, at(in.begin), bytes * in.size, room + at(place)});
        }
      }
    }
    return result;
  }
};

}  // namespace ravel::inline v0::distributed::detail
