#pragma once

/// @file
/// List ranking over ranks that hold all links: each walks along a share of the sublists.
///
///     1. each rank gathers all links
///     2. it walks from its share of the heads and of the splitters to the next splitter, in a copy of all
///        cells of its own (algorithms/list_cells.hpp)
///     3. ranks exchange what they know of sublists, and each ranks the list of them
///     4. ranks exchange cells: each node was visited on one rank, and its owner gets its cell
///
/// Source   as list_rank on one executor (algorithms/list_ranking.hpp); only step 2 reads memory at random.

#include <ravel/algorithms/list_cells.hpp>
#include <ravel/algorithms/list_prefix.hpp>
#include <ravel/algorithms/list_walk.hpp>
#include <ravel/core/vocabulary.hpp>
#include <ravel/distributed/communicator.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/marks.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/reduce.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace ravel::inline v0::distributed::detail {

/// Beyond, p copies of all links on each of p ranks take more time and memory than contraction.
inline constexpr index_t most_nodes_by_shares = index_t{1} << 29;
template <class Space>
inline constexpr int most_ranks_by_shares = 8;
/// Beyond, contraction sends less for a list at random.
template <>
inline constexpr int most_ranks_by_shares<host_space> = 6;

template <class I>
struct is_outside {
  index_t n;
  RAVEL_HD index_t operator()(I link) const {
    auto const at = static_cast<index_t>(link);
    return link != static_cast<I>(-1) && (at < 0 || at >= n) ? 1 : 0;
  }
};

/// The cell of a node before walks: its link, or its own number if it is the last of its list.
template <class I, class Cells>
struct begin_own_cell {
  I const* next;
  index_t first;
  Cells all;
  RAVEL_HD void operator()(index_t i) const {
    bool const last = next[i] == static_cast<I>(-1);
    all.begin(first + i, last ? first + i : static_cast<index_t>(next[i]), 1);
  }
};

/// Marks the nodes that a node of this rank links to.
template <class I>
struct claim_linked {
  I const* next;
  index_t first;
  marks<std::uint32_t> linked;
  RAVEL_HD void operator()(index_t i) const {
    auto const at = static_cast<index_t>(next[i]);
    if (next[i] != static_cast<I>(-1) && at != first + i) linked.set(at);
  }
};

/// The sublists that are the first of their list, from what each rank knows: a bit for each, and the prefix
/// before it.
template <class Word>
struct enter_firsts {
  std::uint32_t const* bits;
  Word const* ahead;
  index_t ranks, n;
  ravel::detail::list_of_sublists<Word, Word> to;
  RAVEL_HD void operator()(index_t s) const {
    for (index_t r = 0; r < ranks; ++r) {
      if ((bits[r * div_up(n, 32) + s / 32] >> (s % 32) & 1) != 0) to.enter(s, ahead[r * n + s]);
    }
  }
};

/// The rank of a node of this rank, from the cells that all ranks have of it, of which that of the rank
/// that visited it is the greatest.
template <class Word, class O>
struct rank_of_cells {
  ravel::detail::read_place<ravel::detail::rank_cells<Word>, plus<Word>> place;
  Word const *own, *others;
  index_t n, ranks;
  O* out;
  RAVEL_HD void operator()(index_t i) const {
    Word cell = own[i];
    for (index_t r = 0; r + 1 < ranks; ++r) {
      Word const other = others[r * n + i];
      if (other > cell) cell = other;
    }
    auto found = place;
    found.cells.at = &cell;
    out[i] = static_cast<O>(found(0).known);
  }
};

/// Part r of n things in parts of `each`.
struct share_of_things {
  index_t first, n;
  share_of_things(index_t all, index_t each, index_t r)
      : first(std::min(all, each * r)), n(std::min(all - first, each)) {}
};

/// The lists of all ranks, in cells of one word on each of them.
template <class Ex, class Word>
class shared_lists {
  using local_executor = std::remove_cvref_t<decltype(std::declval<Ex const&>().local())>;
  template <class T>
  using scratch = decltype(std::declval<local_executor const&>().template scratch<T>(0));
  using cells = ravel::detail::rank_cells<Word>;
  using sublists = ravel::detail::list_of_sublists<Word, Word>;
  using splitters = ravel::detail::splitters;

  Ex const& ex_;
  local_executor const& local_;
  std::span<index_t const> begins_;
  index_t ranks_, rank_, n_, own_first_, own_;
  splitters by_;
  index_t each_;  // sublists of splitters of a rank
  scratch<Word> words_;
  cells cells_;
  scratch<std::uint32_t> linked_;  // bits of nodes that a node of this rank links to
  index_t more_;                   // sublists that continue others, of a rank
  index_t all_sublists_;
  scratch<ravel::detail::list_cell<Word, Word>> table_;
  // of each rank, and then of all
  scratch<std::uint32_t> bits_;
  scratch<Word> ahead_;
  scratch<Word> ended_early_;

  static std::byte* bytes(Word* at) { return reinterpret_cast<std::byte*>(at); }
  index_t bits() const { return div_up(all_sublists_, 32); }
  sublists known_to(index_t rank) const {
    return {{table_.data(), all_sublists_},
            bits_.data() + rank * bits(),
            ahead_.data() + rank * all_sublists_,
            ended_early_.data(),
            each_ * ranks_};
  }

 public:
  /// The splitters of n nodes, which do not depend on the words.
  static splitters splitters_of(Ex const& ex, index_t n) {
    using ravel::detail::log_splitter_spacing;  // or that of a device
    return {n, std::max(3, log_splitter_spacing(ex.local(), n))};
  }
  /// Whether words have enough bits for a sublist and a rank in it.
  static bool suffice(Ex const& ex, index_t n) {
    return cells::enough_rank_bits(n * ex.ranks().size(), splitters_of(ex, n).count) > 0;
  }

  shared_lists(Ex const& ex, std::span<index_t const> begins)
      : ex_(ex),
        local_(ex.local()),
        begins_(begins),
        ranks_(ex.ranks().size()),
        rank_(ex.ranks().rank()),
        n_(begins[ranks_]),
        own_first_(begins[rank_]),
        own_(begins[rank_ + 1] - own_first_),
        by_(splitters_of(ex, n_)),
        each_(div_up(by_.count, ranks_)),
        words_(local_.template scratch<Word>(n_)),
        cells_{words_.data(), n_, cells::enough_rank_bits(n_ * ranks_, by_.count)},
        linked_(local_.template scratch<std::uint32_t>(div_up(n_, 32))),
        more_(cells_.more_sublists()),
        all_sublists_((each_ + more_) * ranks_),
        table_(local_.template scratch<ravel::detail::list_cell<Word, Word>>(all_sublists_)),
        bits_(local_.template scratch<std::uint32_t>((ranks_ + 1) * bits())),
        ahead_(local_.template scratch<Word>((ranks_ + 1) * all_sublists_)),
        ended_early_(local_.template scratch<Word>(1)) {}

  /// Step 1.
  template <class I>
  void gather_links(I const* next) const {
    std::vector<run_of_bytes> sent(ranks_), received(ranks_);
    for (index_t r = 0; r < ranks_; ++r) {
      sent[r] = {sizeof(Word) * own_first_, sizeof(Word) * own_};
      received[r] = {sizeof(Word) * begins_[r], sizeof(Word) * (begins_[r + 1] - begins_[r])};
    }
    std::byte* const all = bytes(words_.data());
    auto const begin_own = [&](local_executor const& on) {
      for_each_index(on, own_, begin_own_cell<I, cells>{next, own_first_, cells_});
    };
    auto const claim = [&] {
      for_each_index(local_, own_, claim_linked<I>{next, own_first_, {local_, linked_.data()}});
    };
    distribute(local_, std::uint32_t{0}, linked_);
    ex_.ranks().exchange_beside(local_, all, sent, all, received, work_around{begin_own, claim});
  }

  /// Step 2.
  void walk() const {
    using namespace ravel::detail;
    using seed = seed_of_lists<seed_value<Word>>;
    using heads = heads_by_bits<seed>;
    sublists own = known_to(rank_);
    for_each_index(local_, all_sublists_,
                   clear_sublists<Word, Word, plus<Word>>{own, plus<Word>()});
    index_t const words = div_up(n_, 32), width = div_up(words, ranks_);
    share_of_things const share(words, width, rank_);
    std::vector<index_t> sent(static_cast<std::size_t>(ranks_));
    for (index_t r = 0; r < ranks_; ++r) {
      sent[static_cast<std::size_t>(r)] = share_of_things(words, width, r).n;
    }
    auto const rows = local_.template scratch<std::uint32_t>(share.n * ranks_);
    exchange(ex_, linked_, sent, rows, std::vector<index_t>(ranks_, share.n));
    auto const linked = view_of(linked_).slice(0, share.n);
    for_each_index(local_, share.n,
                   combine_rows<std::uint32_t, bit_or<std::uint32_t>>{
                       rows.data(), share.n, ranks_, {}, linked.data()});
    share_of_things const nodes(n_, 32 * width, rank_);

    share_of_things const starts(by_.count, each_, rank_);
    splitters by = by_;
    by.first = starts.first;
    by.count = starts.n;
    own.of_splitters += more_ * rank_;
    own.sublists.n = own.of_splitters + more_;
    walk_all(local_,
             list_walks<cells, heads, splitters, plus<Word>, false>{
                 cells_, heads{linked.data(), ~std::uint32_t{0}, nodes.n, seed{{0}}, nodes.first},
                 by, own, plus<Word>()});
  }

  /// Step 3.
  sublists rank_list_of_sublists() const {
    auto* const continued = table_.data() + each_ * ranks_;
    gather_pieces(ex_, table_.data() + each_ * rank_, each_, table_.data());
    gather_pieces(ex_, continued + more_ * rank_, more_, continued);
    gather_pieces(ex_, bits_.data() + bits() * rank_, bits(), bits_.data());
    gather_pieces(ex_, ahead_.data() + all_sublists_ * rank_, all_sublists_, ahead_.data());
    sublists const all = known_to(ranks_);
    distribute(local_, std::uint32_t{0}, view_of(bits_).slice(bits() * ranks_, bits()));
    for_each_index(local_, all_sublists_,
                   enter_firsts<Word>{bits_.data(), ahead_.data(), ranks_, all_sublists_, all});
    rank_sublists(local_, all, plus<Word>());
    return all;
  }

  /// Step 4.
  template <class O>
  void write_ranks(sublists const& all, O* out) const {
    std::vector<std::size_t> sent(ranks_), received(ranks_, sizeof(Word) * own_);
    for (index_t r = 0; r < ranks_; ++r) sent[r] = sizeof(Word) * (begins_[r + 1] - begins_[r]);
    received[rank_] = 0;
    auto const others = local_.template scratch<Word>(own_ * (ranks_ - 1));
    ex_.ranks().all_to_all_v(local_, bytes(words_.data()), sent, bytes(others.data()), received);
    for_each_index(local_, own_,
                   rank_of_cells<Word, O>{{cells_, all.sublists, {}},
                                          words_.data() + own_first_,
                                          others.data(),
                                          own_,
                                          ranks_,
                                          out});
  }
};

/// Ranks lists of up to most_nodes_by_shares nodes.
template <class Ex, class I, class O>
void rank_by_shares(Ex const& ex, sequence<I, Ex> const& next, sequence<O, Ex>& out) {
  index_t const n = next.total_size();
  index_t const outside = reduce_sync(ex.local(), map_source(next.local(), is_outside<I>{n}));
  expects(outside == 0, "list_rank: ", outside, " links of this rank are outside of [0, ", n, ")");
  if (n == 0) return;
  auto const rank_in = [&]<class Word>(Word) {
    shared_lists<Ex, Word> const lists(ex, next.begins());
    lists.gather_links(next.data());
    lists.walk();
    lists.write_ranks(lists.rank_list_of_sublists(), out.data());
  };
  if (shared_lists<Ex, std::uint32_t>::suffice(ex, n)) {
    rank_in(std::uint32_t{});
  } else {
    rank_in(std::uint64_t{});
  }
}

}  // namespace ravel::inline v0::distributed::detail
