#pragma once

/// List ranking over ranks that hold all links: each walks along a share of the sublists.
///
///     1. each rank gathers all links
///     2. it walks from its share of the heads and of the splitters to the next splitter, in a copy of all
///        cells of its own (algorithms/list_cells.hpp)
///     3. ranks exchange what they know of sublists
///     4. each ranks the list of them, beside an exchange of cells: each node was visited on one rank, and its
///        owner gets its cell
///
/// Source   as list_rank on one executor (algorithms/list_ranking.hpp); only step 2 reads memory at random.

#include <ravel/algorithms/list_cells.hpp>
#include <ravel/algorithms/list_ranking.hpp>
#include <ravel/algorithms/list_walk.hpp>
#include <ravel/core/atomic.hpp>
#include <ravel/distributed/communicator.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/marks.hpp>
#include <ravel/distributed/routes.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/map.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace ravel::inline v0::distributed::detail {

/// Words of cells and of sublists.
using list_word = std::uint32_t;
using shared_cells = ravel::detail::rank_cells<list_word>;
using shared_sublist = ravel::detail::list_cell<list_word, list_word>;
using shared_sublists = ravel::detail::list_of_sublists<list_word, list_word>;

/// Beyond, p copies of all links on each of p ranks take more time and memory than contraction.  Words hold the
/// cells of so many nodes.
inline constexpr index_t most_nodes_by_shares = index_t{1} << 29;
template <class Space>
inline constexpr int most_ranks_by_shares = 8;
/// Beyond, contraction sends less for a list at random.
template <>
inline constexpr int most_ranks_by_shares<host_space> = 6;

/// The links of this rank, of nodes of all ranks.
template <class I>
struct links_of_rank {
  I const* next;
  index_t first;  // of its nodes
  index_t all;

  /// What node i of this rank links to: itself, if it is the last of its list, or if its link is outside.
  RAVEL_HD index_t operator()(index_t i) const {
    auto const at = static_cast<index_t>(next[i]);
    return 0 <= at && at < all ? at : first + i;
  }
  RAVEL_HD bool is_outside(index_t i) const {
    auto const at = static_cast<index_t>(next[i]);
    return next[i] != static_cast<I>(-1) && !(0 <= at && at < all);
  }
};

/// The cell of a node before walks.  Counts links that are outside.
template <class I>
struct begin_own_cell {
  links_of_rank<I> links;
  shared_cells cells;
  index_t* outside;
  RAVEL_HD void operator()(index_t i) const {
    if (links.is_outside(i)) fetch_add(outside, index_t{1});
    cells.begin(links.first + i, links(i), 1);
  }
};

/// Marks the nodes that a node of this rank links to.
template <class I>
struct claim_linked {
  links_of_rank<I> links;
  marks<std::uint32_t> linked;
  RAVEL_HD void operator()(index_t i) const {
    index_t const at = links(i);
    if (at != links.first + i) linked.set(at);
  }
};

/// The sublists that continue others have numbers of each rank; of all ranks they are one of each in turn.
struct number_of_all {
  index_t of_splitters, ranks, rank;
  RAVEL_HD index_t operator()(index_t s) const {
    return s < of_splitters ? s : of_splitters + (s - of_splitters) * ranks + rank;
  }
};
/// Sublists of a rank with links by numbers of all ranks.
struct number_links {
  shared_sublist const* from;
  number_of_all number;
  shared_sublist* to;
  RAVEL_HD void operator()(index_t i) const {
    to[i] = {static_cast<list_word>(number(static_cast<index_t>(from[i].word))), from[i].value};
  }
};
/// Rows of n sublists, column by column.
struct place_columns {
  shared_sublist const* rows;
  index_t n, count;
  shared_sublist* to;
  RAVEL_HD void operator()(index_t i) const { to[i] = rows[i % count * n + i / count]; }
};

/// The sublists that are the first of their list, from what each rank knows: a bit for each, and the prefix
/// before it.
struct enter_firsts {
  std::uint32_t const* bits;
  index_t words;  // of bits in a row
  list_word const* ahead;
  index_t ranks, n;
  shared_sublists to;
  RAVEL_HD void operator()(index_t s) const {
    for (index_t r = 0; r < ranks; ++r) {
      if ((bits[r * words + s / 32] >> (s % 32) & 1) != 0) to.enter(s, ahead[r * n + s]);
    }
  }
};

/// The rank of a node of this rank, from the cells that all ranks have of it, of which that of the rank
/// that visited it is the greatest.
template <class O>
struct rank_of_cells {
  shared_cells cells;
  ravel::detail::value_cells<list_word, list_word> sublists;
  number_of_all number;  // of sublists of this rank
  list_word const *own, *others;
  index_t n;
  O* out;
  RAVEL_HD void operator()(index_t i) const {
    list_word cell = own[i];
    index_t visitor = number.rank;
    for (index_t k = 1; k < number.ranks; ++k) {
      list_word const other = others[(k - 1) * n + i];
      if (other > cell) {
        cell = other;
        visitor = (number.rank + k) % number.ranks;
      }
    }
    list_word const sublist = cells.sublist(cell);
    list_word ahead = 0;
    if (cells.is_visited(cell) && sublist != cells.whole) {
      number_of_all const number_of{number.of_splitters, number.ranks, visitor};
      ahead = sublists.read(number_of(static_cast<index_t>(sublist))).value;
    }
    out[i] = static_cast<O>(ahead + cells.known(cell));
  }
};

/// Part r of n things in parts of `width`.
struct share_of_things {
  index_t first, n;
  share_of_things(index_t total, index_t width, index_t r)
      : first(std::min(total, width * r)), n(std::min(total - first, width)) {}
};

/// The lists of all ranks, in cells of one word on each of them.
template <class Ex>
class shared_lists {
  template <class T>
  using scratch = scratch_of<Ex, T>;
  using splitters = ravel::detail::splitters;

  Ex const& ex_;
  local_of<Ex> const& local_;
  std::span<index_t const> begins_;
  index_t ranks_, rank_, n_, own_first_, own_;
  splitters by_;
  index_t each_, of_splitters_;  // sublists of splitters of a rank and of all
  scratch<list_word> apart_;     // the words, where ranks lend no rooms
  list_word* words_;
  shared_cells cells_;
  index_t share_of_bits_;          // words of bits of nodes
  scratch<std::uint32_t> linked_;  // bits of nodes that a node of this rank links to
  index_t more_;                   // sublists that continue others, of a rank
  // of this rank: the sublists of splitters, and those that continue others
  scratch<shared_sublist> table_;
  scratch<list_word> ended_early_;
  scratch<index_t> outside_;  // how many links of this rank are
  // in a row of each rank: the sublists that are the first of a list, and what is before them
  scratch<std::uint32_t> are_first_;
  scratch<list_word> ahead_;

  /// Whether the words are in a room of this rank, which others copy from without multiprocessors.
  static constexpr bool in_rooms = std::same_as<typename Ex::space::local, device_space> &&
                                   lends_rooms<ranks_of<Ex>, local_of<Ex>>;
  list_word* open_words() const {
    if constexpr (in_rooms) {
      return reinterpret_cast<list_word*>(ex_.ranks().open_room(local_, sizeof(list_word) * n_));
    } else {
      return apart_.data();
    }
  }

  /// So few splitters that words have enough bits for a sublist and a rank in it.
  int log_spacing() const {
    using ravel::detail::log_splitter_spacing;  // or that of a device
    return std::max(n_ > index_t{1} << 27 ? 6 : 3, log_splitter_spacing(local_, n_));
  }
  index_t row_of_bits() const { return div_up(table_.size(), 32); }
  std::uint32_t* row_of_bits(index_t rank) const {
    return are_first_.data() + row_of_bits() * rank;
  }
  list_word* row_ahead(index_t rank) const { return ahead_.data() + of_splitters_ * rank; }

 public:
  shared_lists(Ex const& ex, std::span<index_t const> begins)
      : ex_(ex),
        local_(ex.local()),
        begins_(begins),
        ranks_(ex.ranks().size()),
        rank_(ex.ranks().rank()),
        n_(begins[ranks_]),
        own_first_(begins[rank_]),
        own_(begins[rank_ + 1] - own_first_),
        by_(n_, log_spacing()),
        each_(div_up(by_.count, ranks_)),
        of_splitters_(each_ * ranks_),
        apart_(local_.template scratch<list_word>(in_rooms ? 0 : n_)),
        words_(open_words()),
        cells_{words_, n_, shared_cells::enough_rank_bits(n_, of_splitters_)},
        share_of_bits_(div_up(div_up(n_, 32), ranks_)),
        linked_(local_.template scratch<std::uint32_t>(share_of_bits_ * ranks_)),
        more_(cells_.more_sublists()),
        table_(local_.template scratch<shared_sublist>(of_splitters_ + more_)),
        ended_early_(local_.template scratch<list_word>(1)),
        outside_(local_.template scratch<index_t>(1)),
        are_first_(local_.template scratch<std::uint32_t>(row_of_bits() * ranks_)),
        ahead_(local_.template scratch<list_word>(of_splitters_ * ranks_)) {}

  /// Step 1.
  template <class I>
  void gather_links(I const* next) const {
    links_of_rank<I> const links{next, own_first_, n_};
    distribute(local_, index_t{0}, outside_);
    distribute(local_, std::uint32_t{0}, linked_);
    meet();
    for_each_index(local_, own_, begin_own_cell<I>{links, cells_, outside_.data()});
    auto const claim = [&] {
      for_each_index(local_, own_, claim_linked<I>{links, {local_, linked_.data()}});
    };
    copy_words(
        words_, [&](index_t, index_t rank) { return begins_[rank]; },
        [](index_t, index_t sender) { return sender; }, claim);
  }

  /// Step 2.
  void walk() const {
    using namespace ravel::detail;
    using seed = seed_of_lists<seed_value<list_word>>;
    using heads = heads_by_bits<seed>;
    shared_sublists const own{{table_.data(), table_.size()},
                              row_of_bits(rank_),
                              row_ahead(rank_),
                              ended_early_.data(),
                              of_splitters_};
    for_each_index(local_, table_.size(),
                   clear_sublists<list_word, list_word, plus<list_word>>{own, plus<list_word>()});
    // also lets no rank overwrite words before the others have copied them
    std::vector<index_t> const shares(static_cast<std::size_t>(ranks_), share_of_bits_);
    auto const rows = local_.template scratch<std::uint32_t>(share_of_bits_ * ranks_);
    exchange(ex_, linked_, shares, rows, shares);
    auto const linked = view_of(linked_).slice(0, share_of_bits_);
    for_each_index(local_, share_of_bits_,
                   combine_rows<std::uint32_t, bit_or<std::uint32_t>>{
                       rows.data(), share_of_bits_, ranks_, {}, linked.data()});
    share_of_things const nodes(n_, 32 * share_of_bits_, rank_);

    share_of_things const starts(by_.count, each_, rank_);
    splitters own_splitters = by_;
    own_splitters.first = starts.first;
    own_splitters.count = starts.n;
    using walks = list_walks<shared_cells, heads, splitters, plus<list_word>, false>;
    run_call(local_,
             list_walk_call<walks>{
                 {cells_, heads{linked.data(), ~std::uint32_t{0}, nodes.n, seed{{0}}, nodes.first},
                  own_splitters, own, plus<list_word>()}});
  }

  /// Step 3.
  scratch<shared_sublist> gather_sublists() const {
    gather_pieces(ex_, row_of_bits(rank_), row_of_bits(), are_first_.data());
    gather_pieces(ex_, row_ahead(rank_), of_splitters_, ahead_.data());
    index_t const continued = most_continued();
    auto sublists = local_.template scratch<shared_sublist>(of_splitters_ + continued * ranks_);
    auto const rows = local_.template scratch<shared_sublist>(continued * ranks_);
    auto const gather = [&](index_t first, index_t n, shared_sublist* out) {
      number_of_all const number{of_splitters_, ranks_, rank_};
      for_each_index(local_, n, number_links{table_.data() + first, number, out + n * rank_});
      gather_pieces(ex_, out + n * rank_, n, out);
    };
    gather(each_ * rank_, each_, sublists.data());
    gather(of_splitters_, continued, rows.data());
    for_each_index(local_, continued * ranks_,
                   place_columns{rows.data(), continued, ranks_, sublists.data() + of_splitters_});
    return sublists;
  }

  /// Step 4.
  template <class O>
  void write_ranks(scratch<shared_sublist> const& table, O* out) const {
    auto const first = local_.template scratch<std::uint32_t>(div_up(table.size(), 32));
    auto const ahead = local_.template scratch<list_word>(table.size());
    auto const remote_words = local_.template scratch<list_word>(own_ * (ranks_ - 1));
    shared_sublists const ranking{
        {table.data(), table.size()}, first.data(), ahead.data(), nullptr, table.size()};
    auto const rank_all = [&] {
      distribute(local_, std::uint32_t{0}, first);
      for_each_index(local_, of_splitters_,
                     enter_firsts{are_first_.data(), row_of_bits(), ahead_.data(), ranks_,
                                  of_splitters_, ranking});
      run_call(local_, sublist_ranking_call<shared_sublists, plus<list_word>>{ranking, {}});
    };
    copy_words(
        remote_words.data(), [&](index_t row, index_t) { return own_ * row; },
        [](index_t receiver, index_t) { return receiver; }, rank_all);
    number_of_all const number{of_splitters_, ranks_, rank_};
    for_each_index(local_, own_,
                   rank_of_cells<O>{cells_, ranking.sublists, number, words_ + own_first_,
                                    remote_words.data(), own_, out});
  }

 private:
  /// What is issued from now on begins once what was issued before is done on all ranks.
  void meet() const {
    auto const values = local_.template scratch<index_t>(ranks_);
    gather_pieces(ex_, outside_.data(), 1, values.data());
  }

  /// Copies words of the other ranks, beside work(): rank `sender` has those of the nodes of rank
  /// part(receiver, sender) for `receiver`.  Those of rank r, the k-th of the others, go to dst[offset(k, r)].
  void copy_words(list_word* dst, auto const& offset, auto const& part, auto const& work) const {
    auto const begin = [&](index_t r) {
      return sizeof(list_word) * static_cast<std::size_t>(begins_[r]);
    };
    auto const size = [&](index_t r) { return begin(r + 1) - begin(r); };
    auto* const bytes = reinterpret_cast<std::byte*>(dst);
    exchange_step step;
    for (index_t k = 1; k < ranks_; ++k) {  // from each of them another rank copies at a time
      int const r = static_cast<int>((rank_ + k) % ranks_);
      index_t const theirs = part(r, rank_), expected = part(rank_, r);
      step.sent.push_back({r, begin(theirs), size(theirs)});
      step.received.push_back(
          {r, begin(expected), size(expected), bytes + sizeof(list_word) * offset(k - 1, r)});
    }
    if constexpr (in_rooms) {
      auto const arrive = ex_.ranks().start_exchanges(local_, {step});
      work();
      arrive[0].wait(local_);
    } else {
      std::vector<run_of_bytes> out(ranks_), in(ranks_);
      for (auto const& run : step.sent) out[run.rank] = {run.begin, run.size};
      for (auto const& run : step.received) {
        in[run.rank] = {static_cast<std::size_t>(run.to - bytes), run.size};
      }
      ex_.ranks().exchange_beside(local_, words_, out, dst, in, work_around{no_work(), work});
    }
  }

  /// Of the ranks, the most sublists that continue others.  Throws if links are outside.
  index_t most_continued() const {
    list_word count = 0;
    index_t outside = 0;
    local_.copy(ended_early_.data(), &count, 1);
    local_.copy(outside_.data(), &outside, 1);
    ex_.wait();
    expects(outside == 0, "list_rank: ", outside, " links of this rank are outside of [0, ", n_,
            ")");
    return std::ranges::max(
        gather_values(ex_.ranks(), std::min(more_, static_cast<index_t>(count))));
  }
};

/// Ranks lists of up to most_nodes_by_shares nodes.
template <class Ex, class I, class O>
void rank_by_shares(Ex const& ex, sequence<I, Ex> const& next, sequence<O, Ex>& out) {
  index_t const n = next.total_size();
  if (n == 0) return;
  shared_lists<Ex> const lists(ex, next.begins());
  lists.gather_links(next.data());
  lists.walk();
  lists.write_ranks(lists.gather_sublists(), out.data());
}

}  // namespace ravel::inline v0::distributed::detail
