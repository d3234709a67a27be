#pragma once

/// Exact splitters: where sorted pieces are cut so that each rank receives its part of the whole.

#include <ravel/core/transfer.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/primitives/search.hpp>

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

namespace ravel::inline v0::distributed::detail {

/// The search for the first element of a part: element `target` of the whole.  On this rank, it is
/// one of [low, high), or equal to `equal` elements from `high` on.
struct splitter {
  index_t target;
  index_t low, high;
  index_t total_low, total_high;  // of all ranks
  index_t equal = 0;

  bool found() const { return total_low == total_high; }
  index_t length() const { return found() ? 0 : high - low; }
};

/// The number of keys that all ranks together sample in a round, unless there are more windows, ...
inline constexpr index_t samples_in_a_round = 2048;
/// ... of which each gets about as many as this, by the share of each rank in it.
inline constexpr index_t samples_of_a_window = 64;

/// Evenly spaced positions in the windows of all splitters.  Ranks take different quantiles of theirs,
/// so that samples of similar windows are not equal; and of shares that are less than a sample, as on
/// many ranks, some ranks take one, others for each window.
inline std::vector<index_t> positions_to_sample(std::vector<splitter> const& splitters, int ranks,
                                                int rank) {
  index_t const open = std::ranges::count(splitters, false, &splitter::found);
  index_t const max = std::max<index_t>(1, samples_in_a_round / (open * ranks));
  auto const wanted = static_cast<double>(std::max(samples_of_a_window, samples_in_a_round / open));
  auto const turn = [rank](index_t window) {  // of [0, 1), evenly spaced over ranks
    auto const bits = static_cast<std::uint64_t>(rank) * 0x9e3779b97f4a7c15 +
                      static_cast<std::uint64_t>(window) * 0xbf58476d1ce4e5b9;
    return static_cast<double>(bits >> 11) * 0x1p-53;
  };
  std::vector<index_t> at;
  for (splitter const& s : splitters) {
    if (s.found()) continue;
    double const share =
        wanted * static_cast<double>(s.length()) / static_cast<double>(s.total_high - s.total_low);
    double const rounded = std::min(static_cast<double>(max), share) + turn(&s - splitters.data());
    index_t const count = std::min(static_cast<index_t>(rounded), s.length());
    for (index_t k = 0; k < count; ++k) {
      index_t const quantile = 2 * (k * ranks + rank) + 1;
      at.push_back(s.low + quantile * s.length() / (2 * count * ranks));
    }
  }
  return at;
}

/// The elements in all windows of all ranks.
inline index_t undecided(std::vector<splitter> const& splitters) {
  index_t n = 0;
  for (splitter const& s : splitters) n += s.total_high - s.total_low;
  return n;
}

inline constexpr auto not_strict = "the order is not a strict weak order";

/// For each candidate, how many elements are less, and how many are less or equal.
struct counts_of_candidates {
  std::vector<index_t> less, upto;

  bool are_of_an_order() const {
    return std::ranges::is_sorted(less) && std::ranges::is_sorted(upto) &&
           std::ranges::equal(less, upto, std::less_equal());
  }
};

/// Narrows the window of a splitter to what is between two adjacent candidates.
inline void narrow(splitter& s, counts_of_candidates const& here, counts_of_candidates const& all) {
  auto const after = std::ranges::upper_bound(all.upto, s.target) - all.upto.begin();
  auto const k = static_cast<std::size_t>(after);
  if (k > 0 && all.upto[k - 1] > s.total_low) {
    s.low = here.upto[k - 1];
    s.total_low = all.upto[k - 1];
  }
  if (k < all.upto.size() && all.less[k] < s.total_high) {
    s.high = here.less[k];
    s.total_high = all.less[k];
    s.equal = here.upto[k] - here.less[k];
  }
}

/// Where this rank's piece is cut, for each target t of [0, n]: the elements before the cut are
/// those that are among the first t of the whole, sorted so that equal elements are in the order of
/// ranks.
///
///     pieces      1 1 4 | 1 2 3 | 1 5          targets 0 3 6 8: parts 1 1 1 | 1 2 3 | 4 5
///     cuts        0 2 2 3 | 0 1 3 3 | 0 0 1 2
///
/// Each round takes samples of the windows in which splitters may be, and counts the elements that
/// are less than each sample, or equal.  What remains of a window is between two samples, and all
/// elements that equal a sample are settled, so that neither skew nor duplicates add rounds.
///
/// `sort` sorts a sequence on the local executor, by the order `before`.
///
/// Errors   contract_error if `before` is found not to be a strict weak order.
/// Cost     O(log n / log s) rounds for s samples of a window of all ranks: 2048 / p, but at least 64, or
///          p if that is less.  In each, a rank gets and searches for 2048 keys, or 64 p, and sends its own
///          of them and two counts of each.  Memory for those, and for a few numbers of each target.
template <class Ex, class K, class Space, class Sort, class Before>
std::vector<index_t> cuts_of_sorted(Ex const& ex, view<K const, Space> sorted, index_t total,
                                    std::span<index_t const> targets, Sort sort, Before before) {
  auto const& local = ex.local();
  auto const& ranks = ex.ranks();
  std::vector<splitter> splitters;
  for (index_t const t : targets) {
    bool const at_begin = t == 0, at_end = t == total;
    splitters.push_back({t, at_end ? sorted.size() : 0, at_begin ? 0 : sorted.size(),
                         at_end ? total : 0, at_begin ? 0 : total});
  }
  for (index_t open = undecided(splitters), last = 0; open > 0; open = undecided(splitters)) {
    expects(open != last, not_strict);
    last = open;
    auto const keys =
        picked_of_all(ex, sorted, positions_to_sample(splitters, ranks.size(), ranks.rank()));
    sort(keys);
    index_t const n = keys.size();
    // Counts of this rank and of all: less than a key, and less or equal.
    auto const counts = local.template scratch<index_t>(4 * n);
    index_t* const of_all = counts.data() + 2 * n;
    lower_bound(local, keys, sorted, view<index_t, Space>(counts.data(), n), before);
    upper_bound(local, keys, sorted, view<index_t, Space>(counts.data() + n, n), before);
    local.copy(counts.data(), of_all, 2 * n);
    all_reduce(ex, view<index_t, Space>(of_all, 2 * n), plus<index_t>{});
    auto const found = to_host(local, counts);
    auto const part = [&](index_t k) {
      return std::vector<index_t>(found.begin() + k * n, found.begin() + (k + 1) * n);
    };
    counts_of_candidates const here{part(0), part(1)}, all{part(2), part(3)};
    expects(here.are_of_an_order() && all.are_of_an_order(), not_strict);
    for (splitter& s : splitters) narrow(s, here, all);
  }

  // Elements equal to the target's are taken from the first ranks.
  std::vector<index_t> equal;
  equal.reserve(splitters.size());
  for (splitter const& s : splitters) equal.push_back(s.equal);
  auto const equal_before = sums_of_ranks_before(ex, equal);
  std::vector<index_t> cuts;
  for (std::size_t b = 0; b < splitters.size(); ++b) {
    splitter const& s = splitters[b];
    index_t const wanted = s.target - s.total_high - equal_before[b];
    cuts.push_back(s.high + std::clamp<index_t>(wanted, 0, s.equal));
  }
  expects(std::ranges::is_sorted(cuts), not_strict);
  return cuts;
}

}  // namespace ravel::inline v0::distributed::detail
