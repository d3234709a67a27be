#pragma once

/// Parts of the rows of all ranks, by digits or intervals of keys: how many rows of each part each rank has, and
/// where parts are cut so that each rank receives its piece of the whole.

#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/sorted_cuts.hpp>
#include <ravel/primitives/rows.hpp>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

namespace ravel::inline v0::distributed::detail {

/// Rows with one digit, or with keys in one interval, on all ranks.
struct part_of_keys {
  index_t begin;                // on this rank
  std::vector<index_t> counts;  // on each rank
  index_t first, total;         // the first of its rows among those of all ranks, and their number
  bool is_equal = false;        // whether all keys are
  index_t edge = -1;            // where its rows begin among those that are sorted to be cut

  /// The place of the first row of a rank among those of all ranks.
  index_t place_of(index_t rank) const {
    return std::accumulate(counts.begin(), counts.begin() + rank, first);
  }
  /// Whether two ranks share it that get those from begins[r] to begins[r + 1] of the whole.
  bool is_cut_by(std::span<index_t const> begins) const {
    return std::ranges::any_of(begins, [&](index_t t) { return first < t && t < first + total; });
  }
};

/// The parts of which this rank has so many rows, from row `begin` on, and all ranks `total`, from
/// `first` on.  is_equal(d) says whether all keys of part d are.
std::vector<part_of_keys> parts_of_ranks(auto const& ex, std::vector<index_t> const& counts,
                                         auto const& is_equal, index_t begin, index_t first,
                                         index_t total) {
  auto const counts_of_all = vectors_of_all(ex, counts);
  index_t const ways = std::ssize(counts), end = first + total;
  std::vector<part_of_keys> made;
  for (index_t d = 0; d < ways; ++d) {
    part_of_keys p{begin, {}, first, 0, is_equal(d)};
    for (index_t r = 0; r < ex.ranks().size(); ++r) {
      p.counts.push_back(counts_of_all[r * ways + d]);
      p.total += p.counts.back();
    }
    begin += counts[d];
    first += p.total;
    made.push_back(std::move(p));
  }
  expects(first == end, not_strict);
  return made;
}

/// For each rank, where what goes to it begins among the rows of this rank, which are in parts; and the end.
/// Rows of a part are in the order of ranks; of one that was sorted, those before cut[k] go before begins[k].
inline std::vector<index_t> cuts_between_parts(std::vector<part_of_keys> const& parts, index_t rank,
                                               std::span<index_t const> begins,
                                               std::vector<index_t> const& cut = {}) {
  std::vector<index_t> out(begins.size());
  for (part_of_keys const& p : parts) {
    for (std::size_t k = 0; k < out.size(); ++k) {
      index_t const n = p.counts[rank];
      index_t const in_order = begins[k] - p.place_of(rank);
      out[k] += std::clamp<index_t>(p.edge >= 0 ? cut[k] - p.edge : in_order, 0, n);
    }
  }
  return out;
}

/// The same, where those parts that two ranks share, unless their keys are equal, are sorted by sort_part(p),
/// which returns the keys of this rank.
template <class K, class Ex, class SortPart, class Order>
std::vector<index_t> cuts_of_parts(Ex const& ex, std::vector<part_of_keys>& parts,
                                   SortPart const& sort_part, std::span<index_t const> begins,
                                   Order const& order) {
  auto const& local = ex.local();
  index_t const rank = ex.ranks().rank();
  std::vector<K> edge;  // the rows of parts that are cut, sorted
  index_t edge_total = 0;
  std::vector<index_t> targets(begins.size());
  for (part_of_keys& p : parts) {
    if (p.is_equal || !p.is_cut_by(begins)) continue;
    auto const keys = sort_part(p);
    p.edge = std::ssize(edge);
    edge.insert(edge.end(), keys.data(), keys.data() + p.counts[rank]);
    edge_total += p.total;
    for (std::size_t k = 0; k < targets.size(); ++k) {
      targets[k] += std::clamp<index_t>(begins[k] - p.first, 0, p.total);
    }
  }
  std::vector<index_t> cut(begins.size());
  if (edge_total > 0) {
    auto const sort = [&](auto const& keys) {
      rows<K, no_value> const data{keys.data(), nullptr};
      order.sort(local, size_of(keys), data.read(), data);
    };
    using Space = typename Ex::space::local;
    cut = cuts_of_sorted(ex, view<K const, Space>(edge.data(), std::ssize(edge)), edge_total,
                         targets, sort, order.before);
  }
  return cuts_between_parts(parts, rank, begins, cut);
}

}  // namespace ravel::inline v0::distributed::detail
