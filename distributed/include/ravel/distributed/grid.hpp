#pragma once

/// Exchanges of many ranks in two levels: each sends some 3 sqrt(p) messages, and not p - 1.
///
/// Ranks are a grid of rows of about sqrt(p).  What rank s sends to rank d goes to the rank in the row
/// of s and the column of d, which passes it on within the column:
///
///     0 1 2        0 -> 5:  0 -> 2 -> 5        4 -> 0:  4 -> 3 -> 0
///     3 4 5        6 -> 2:  6 -> 2             rows before a short last one take turns for it
///     6 7
///
/// So a byte crosses the network twice at most.  That is worth it where messages are short.

#include <ravel/distributed/communicator.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace ravel::inline v0::distributed::detail {

/// The fewest ranks whose exchanges may be in two levels.
inline constexpr int fewest_of_grid = 17;
/// How many bytes of a long message take as long as a message of none.
inline constexpr index_t bytes_of_message = index_t{1} << 14;

class grid_of_ranks {
  int ranks_, width_ = 1;

 public:
  explicit grid_of_ranks(int ranks) : ranks_(ranks) {
    while (width_ * width_ < ranks) ++width_;
  }
  int width() const { return width_; }
  int column_of(int rank) const { return rank % width_; }
  /// The rank that passes on what `sender` sends to the ranks of a column.
  int hop(int sender, int column) const {
    int const same_row = sender / width_ * width_ + column;
    return same_row < ranks_ ? same_row : sender % width_ % (ranks_ / width_) * width_ + column;
  }
  std::vector<int> column(int c) const {
    std::vector<int> ranks;
    for (int r = c; r < ranks_; r += width_) ranks.push_back(r);
    return ranks;
  }
  /// The ranks for which `rank` passes on what they send, ascending.
  std::vector<int> senders(int rank) const {
    int const row = rank / width_, rows = ranks_ / width_, last = rows * width_;
    std::vector<int> ranks;
    for (int r = row * width_; r < std::min(ranks_, (row + 1) * width_); ++r) ranks.push_back(r);
    if (row == rows || column_of(rank) < ranks_ - last) return ranks;
    for (int r = last + row; r < ranks_; r += rows) ranks.push_back(r);
    return ranks;
  }
  /// The ranks to which `rank` sends, ascending.
  std::vector<int> hops(int rank) const {
    std::vector<int> ranks;
    ranks.reserve(static_cast<std::size_t>(width_));
    for (int c = 0; c < width_; ++c) ranks.push_back(hop(rank, c));
    std::ranges::sort(ranks);
    return ranks;
  }
};

/// Bytes in the order of the ranks that they go to, or come from.
class parcels {
  std::vector<std::size_t> counts_;
  std::vector<std::byte> bytes_;

 public:
  explicit parcels(int ranks) : counts_(static_cast<std::size_t>(ranks)) {}
  /// Adds bytes for a rank, which is none before that of the last.
  void add(int rank, void const* data, std::size_t n) {
    counts_[static_cast<std::size_t>(rank)] += n;
    auto const* const first = static_cast<std::byte const*>(data);
    bytes_.insert(bytes_.end(), first, first + n);
  }
  void expect(int rank, std::size_t n) { counts_[static_cast<std::size_t>(rank)] += n; }
  /// Sends these, and returns what `received` expects.
  std::vector<std::byte> exchanged_for(auto const& ex, parcels const& received) const {
    std::vector<std::byte> result(
        std::accumulate(received.counts_.begin(), received.counts_.end(), std::size_t{}));
    ex.ranks().all_to_all_v(ex.local(), bytes_.data(), counts_, result.data(), received.counts_);
    return result;
  }
};

inline std::vector<std::size_t> begins_of(byte_counts counts) {
  std::vector<std::size_t> begins{0};
  for (std::size_t const n : counts) begins.push_back(begins.back() + n);
  return begins;
}

/// all_to_all_v in two levels, of data in memory of the host; size[s * members + m] bytes go from
/// the s-th of the ranks for which this one passes on to the m-th of its column.
void pass_in_grid(auto const& ex, void const* src, byte_counts counts, void* dst,
                  byte_counts to_counts, std::vector<std::size_t> const& size) {
  int const p = ex.ranks().size(), rank = ex.ranks().rank();
  auto const at = [](int r) { return static_cast<std::size_t>(r); };
  grid_of_ranks const grid(p);
  auto const senders = grid.senders(rank), members = grid.column(grid.column_of(rank));
  auto const first = begins_of(counts), first_to = begins_of(to_counts), places = begins_of(size);
  parcels sent(p), input(p), passed(p), arriving(p);
  for (int const hop : grid.hops(rank)) {
    for (int const r : grid.column(grid.column_of(hop))) {
      bool const stays = r == rank && to_counts[at(r)] == 0;
      sent.add(hop, static_cast<std::byte const*>(src) + first[at(r)], stays ? 0 : counts[at(r)]);
    }
  }
  for (std::size_t k = 0; k < size.size(); ++k) input.expect(senders[k / members.size()], size[k]);
  auto const passing = sent.exchanged_for(ex, input);
  for (std::size_t m = 0; m < members.size(); ++m) {
    for (std::size_t k = m; k < size.size(); k += members.size()) {
      passed.add(members[m], passing.data() + places[k], size[k]);
    }
  }
  for (int const hop : members) {
    for (int const s : grid.senders(hop)) arriving.expect(hop, to_counts[at(s)]);
  }
  auto const arrived = passed.exchanged_for(ex, arriving);
  auto const* next = arrived.data();
  for (int const hop : members) {
    for (int const s : grid.senders(hop)) {
      std::copy_n(next, to_counts[at(s)], static_cast<std::byte*>(dst) + first_to[at(s)]);
      next += to_counts[at(s)];
    }
  }
}

/// all_to_all_v in two levels, of data in memory of the host.
///
/// Volume   Of each rank 8 p bytes, and its data twice.
void all_to_all_in_grid(auto const& ex, void const* src, byte_counts counts, void* dst,
                        byte_counts to_counts) {
  int const p = ex.ranks().size(), rank = ex.ranks().rank();
  grid_of_ranks const grid(p);
  auto const senders = grid.senders(rank);
  std::size_t const members = grid.column(grid.column_of(rank)).size();
  parcels sent(p), expected(p);
  for (int const hop : grid.hops(rank)) {
    for (int const r : grid.column(grid.column_of(hop))) {
      auto const k = static_cast<std::size_t>(r);
      std::size_t const n = r == rank && to_counts[k] == 0 ? 0 : counts[k];
      sent.add(hop, &n, sizeof n);
    }
  }
  for (int const s : senders) expected.expect(s, members * sizeof(std::size_t));
  auto const bytes = sent.exchanged_for(ex, expected);
  std::vector<std::size_t> size(senders.size() * members);
  std::memcpy(size.data(), bytes.data(), bytes.size());
  pass_in_grid(ex, src, counts, dst, to_counts, size);
}

/// The number that each rank has for this one, of which `counts` has one for each.
///
/// Volume   Of each rank 16 p bytes.
std::vector<index_t> counts_in_grid(auto const& ex, std::vector<index_t> const& counts) {
  int const rank = ex.ranks().rank();
  grid_of_ranks const grid(ex.ranks().size());
  std::vector<index_t> result(counts.size());
  std::vector<std::size_t> const of_each(counts.size(), sizeof(index_t));
  std::vector<std::size_t> const passed(
      grid.senders(rank).size() * grid.column(grid.column_of(rank)).size(), sizeof(index_t));
  pass_in_grid(ex, counts.data(), of_each, result.data(), of_each, passed);
  return result;
}

}  // namespace ravel::inline v0::distributed::detail
