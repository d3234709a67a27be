#pragma once

/// List ranking over all ranks: linked lists are contracted by exchanges, and expanded again.

#include <ravel/algorithms/list_ranking.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/gather.hpp>
#include <ravel/distributed/list_rank_by_shares.hpp>
#include <ravel/distributed/pack.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/iota.hpp>
#include <ravel/primitives/map.hpp>

#include <vector>

namespace ravel::inline v0 {
namespace distributed::detail {

/// What a node links to, and how many nodes further along its list that is.
struct link {
  index_t next;  // -1 for the last node of a list
  index_t distance;
};

/// The nodes of this rank.
struct own_links {
  link* links;
  std::uint8_t* is_passed;
  index_t first;

  /// Whether a node is in the contracted list of those that link to another.
  RAVEL_HD bool operator()(index_t node) const {
    return links[node - first].next != -1 && is_passed[node - first] == 0;
  }
};

template <class I>
struct set_link {
  I const* next;
  own_links own;
  RAVEL_HD void operator()(index_t i) const {
    index_t const at = static_cast<index_t>(next[i]), node = own.first + i;
    own.links[i] = {at == node || next[i] == static_cast<I>(-1) ? -1 : at, 1};
    own.is_passed[i] = 0;
  }
};

/// A coin of each node in each round, the same on every rank.
RAVEL_HD inline bool coin(index_t node, index_t round) {
  std::uint64_t z = static_cast<std::uint64_t>(node) * 0x9e3779b97f4a7c15 +
                    static_cast<std::uint64_t>(round) * 0xd1342543de82ef95;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return (z ^ z >> 31) & 1;
}

/// Whether a node passes over the node that it links to, which itself passes over none.
struct passes_over {
  own_links own;
  index_t round;
  RAVEL_HD bool operator()(index_t node) const {
    return coin(node, round) && !coin(own.links[node - own.first].next, round);
  }
};

/// The nodes that pass over another in a round, and what they passed.
template <class Ex>
struct passing {
  sequence<index_t, Ex> by, over, distance;
};

/// Links node by[i] to what `past[i]`, the link of over[i], links to.
struct pass_over {
  own_links own;
  index_t const* by;
  link const* past;
  index_t* distance;
  RAVEL_HD void operator()(index_t i) const {
    link& own_link = own.links[by[i] - own.first];
    distance[i] = own_link.distance;
    own_link = {past[i].next == by[i] ? -1 : past[i].next, own_link.distance + past[i].distance};
  }
};

struct next_of {
  own_links own;
  RAVEL_HD index_t operator()(index_t node) const { return own.links[node - own.first].next; }
};
template <class O>
struct rank_beyond {
  O const* ranks;
  index_t first;
  RAVEL_HD O operator()(index_t node, index_t distance) const {
    return static_cast<O>(ranks[node - first] + static_cast<O>(distance));
  }
};

/// Contracts all lists to their heads.  Returns which nodes were passed, round by round.
template <class Ex, class I>
std::vector<passing<Ex>> contract_lists(Ex const& ex, sequence<I, Ex> const& next) {
  sequence<link, Ex> links(ex, next);
  sequence<std::uint8_t, Ex> is_passed(ex, next);
  sequence<index_t, Ex> nodes(ex, next), active(ex, next);
  own_links const own{links.data(), is_passed.data(), next.first()};
  for_each_index(ex.local(), next.size(), set_link<I>{next.data(), own});
  iota(ex.local(), nodes.local(), next.first());

  std::vector<passing<Ex>> rounds;
  for (index_t round = 0; filter_sync(ex, nodes, own, active) > 0; ++round) {
    sequence<index_t, Ex> passers(ex, active);
    if (filter_sync(ex, active, passes_over{own, round}, passers) > 0) {
      sequence<index_t, Ex> over(ex, passers), distance(ex, passers);
      sequence<link, Ex> past(ex, passers);
      sequence<std::uint8_t, Ex> passed(ex, passers);
      map(ex.local(), next_of{own}, over.local(), passers.local());
      gather(ex, links, over, past);
      for_each_index(ex.local(), passers.size(),
                     pass_over{own, passers.data(), past.data(), distance.data()});
      distribute(ex.local(), std::uint8_t{1}, passed.local());
      scatter(ex, passed, over, is_passed);
      rounds.push_back({std::move(passers), std::move(over), std::move(distance)});
    }
    std::swap(nodes, active);
  }
  return rounds;
}

}  // namespace distributed::detail

/// Counts the nodes before each node in its linked list, as on one machine:
///
///     ranks      0     1       2
///     node       0 1 | 2  3  | 4          the lists  3 -> 0 -> 4  and  1 -> 2
///     next       4 2 | -1 0  | -1
///     out        1 0 | 1  0  | 2
///
/// Links are global places.  In each round, nodes that a coin chooses pass over the nodes that they
/// link to, a quarter of those left, until each list is its head; then ranks are sent from each
/// node to those that it passed, in the order of rounds from the last to the first.
///
/// Shapes   next[n] and out[n] of integers of 32 or 64 bits, in the same pieces, of any sizes.  The
///          last node of a list links to itself, or holds -1.
/// Order    Exact, and the same for any number of ranks and any pieces.
/// Cost     O(n / p) work and scratch, expected, on each rank, in some 2.4 log2 n rounds of two
///          exchanges; list_rank on the local executor if there is one rank.  On up to 6 hosts or 8 devices,
///          for up to 2^29 nodes: every rank gathers all links, in O(n) streamed work and scratch, and
///          walks along O(n / p) nodes.
/// Volume   For each node that is passed by one of another rank 33 bytes, to and fro, in the round,
///          and 8 and its rank after all: in a random order 45 n / p bytes from a rank, expected, for
///          ranks of 32 bits.  Besides 16 p + 32 bytes to each other rank a round.  On up to 6 hosts or 8
///          devices 8 n (p - 1) / p bytes in any order, for heads 1 / 64 of that, and for sublists at most
///          (1 + p / 2) / 8.
/// Errors   contract_error if the pieces differ or ranks do not fit their type; `error` if a link is
///          outside of [0, n).  Where links do not form lists, nodes have arbitrary ranks.
/// Source   Miller and Reif, "Parallel Tree Contraction and Its Application", FOCS 1985, for the
///          coins; Anderson and Miller, "A Simple Randomized Parallel Algorithm for List-Ranking",
///          1990.
template <distributed::some_executor Ex, class I, class O>
void list_rank(Ex const& ex, distributed::sequence<I, Ex> const& next,
               distributed::sequence<O, Ex>& out) {
  static_assert(counter<I> && counter<O>,
                "list_rank: links and ranks must be integers of 32 or 64 bits");
  using namespace distributed::detail;
  expect_same_pieces("list_rank", next, out);
  expects(std::cmp_less_equal(next.total_size(), bounds<O>::highest()),
          "list_rank: ", next.total_size(), " ranks are too many for their type");
  together(ex, "list_rank", [&] {
    auto const& local = ex.local();
    if (ex.ranks().size() == 1) return list_rank(local, next.local(), out.local());
    if (next.total_size() <= most_nodes_by_shares &&
        ex.ranks().size() <= most_ranks_by_shares<typename Ex::space::local>) {
      return rank_by_shares(ex, next, out);
    }
    auto rounds = contract_lists(ex, next);
    distribute(local, O{}, out.local());
    for (; !rounds.empty(); rounds.pop_back()) {
      auto const& [passers, over, distance] = rounds.back();
      distributed::sequence<O, Ex> ranks(ex, passers);
      map(local, rank_beyond<O>{out.data(), out.first()}, ranks.local(), passers.local(),
          distance.local());
      scatter(ex, ranks, over, out);
    }
  });
}

}  // namespace ravel::inline v0
