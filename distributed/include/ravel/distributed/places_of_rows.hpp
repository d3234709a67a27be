#pragma once

/// Where ranks put the rows that they exchange, in rooms that the others can copy from.

#include <ravel/distributed/communicator.hpp>
#include <ravel/distributed/digits_of_ranks.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace ravel::inline v0::distributed::detail {

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
