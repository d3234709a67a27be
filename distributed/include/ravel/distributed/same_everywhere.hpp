#pragma once

/// Reductions and scans whose bits depend neither on the number of ranks nor on where pieces begin.
///
///     same_everywhere const same(ex);           // ex is an executor of several ranks
///     double const sum = reduce_sync(same, x);  // the bits that one machine has
///     inclusive_scan(same, x, y);
///
/// Elements are combined in the tiles of 2048 that core/same_everywhere.hpp defines, counted from the
/// first element of all ranks, and totals of tiles in the same order on every rank.  Results are
/// those of same_everywhere on one machine.  Where order makes no difference, as in sums of
/// integers, the calls are those of the executor itself.
///
/// Options  from(...), total_to(...); scans go forward.
/// Order    As core/same_everywhere.hpp defines.
/// Cost     As same_everywhere on the local executor, for the piece and the rest of the tiles that it
///          begins and ends in; and for the totals of all tiles, n / 2048, on every rank.
/// Volume   To each other rank the totals of the tiles that begin in the piece; and to the ranks that
///          share a tile with it less than 2048 elements each.  Of a scan one value more; 8 bytes.

#include <ravel/core/same_everywhere.hpp>
#include <ravel/distributed/carries.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/operands.hpp>
#include <ravel/distributed/reduce.hpp>
#include <ravel/distributed/scan.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/map.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace ravel::inline v0 {
namespace distributed {
namespace detail {

inline constexpr index_t tile_width = ravel::detail::one_order::tile_width;

/// The elements [begin, end) of the tiles that the piece of a rank shares; all, if they are one tile.
struct shared_tiles {
  index_t begin, end;

  shared_tiles(std::span<index_t const> begins, std::size_t rank)
      : begin(begins[rank]), end(begins[rank + 1]) {
    index_t const n = begins.back();
    if (n <= tile_width) {
      begin = 0;
      end = n;
    } else if (begin < end) {
      begin = begin / tile_width * tile_width;
      end = std::min(n, div_up(end, tile_width) * tile_width);
    }
  }
};

/// The elements of other ranks before the piece, the piece, and those after it.
template <class T, class Load>
struct piece_among {
  T const* others;
  index_t before, n;
  Load load;
  RAVEL_HD T operator()(index_t i) const {
    if (i < before) return others[i];
    return i < before + n ? static_cast<T>(load(i - before)) : others[i - n];
  }
};

/// Visits the piece alone, and keeps the last result in it.
template <class T, class Visit>
struct visit_piece {
  index_t before, n;
  Visit visit;
  T* last;
  RAVEL_HD void operator()(index_t i, T const& until, T const& through) const {
    index_t const k = i - before;
    if (k < 0 || k >= n) return;
    visit(k, until, through);
    if (k == n - 1) *last = through;
  }
};

template <class T>
struct repeat_totals {
  T const* totals;
  index_t n;
  T* to;
  RAVEL_HD void operator()(index_t i) const { to[i] = totals[i % n]; }
};

/// Scans tiles, of which the first is tile `first` of all, from the scanned totals of all tiles.
template <class T, class Load, class Visit, class M, class Seed>
struct scan_tiles {
  Load load;
  Visit visit;
  T const* totals;
  index_t first;
  M m;
  Seed seed;
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    index_t const k = first + t.id;
    team.scan(t, load, visit, m, k > 0 ? T(m(T(seed()), totals[k - 1])) : T(seed()));
  }
};

/// The piece of this rank, with the rest of the tiles that it shares, and the totals of all tiles.
template <class Ex, class Call>
struct tiles_of_ranks {
  using T = typename Call::value_type;
  using Load = piece_among<T, decltype(Call::load)>;

  using buffer = scratch_of<Ex, T>;
  static buffer scratch(Ex const& ex, index_t n) { return ex.local().template scratch<T>(n); }

  std::vector<index_t> begins;
  shared_tiles here;
  buffer others;
  Load load;
  index_t tiles;  // of all ranks
  buffer totals;  // of each, if there are several

  tiles_of_ranks(Ex const& ex, Call const& c)
      : begins(begins_of(ex, c.n)),
        here(begins, rank_of(ex)),
        others(scratch(ex, here.end - here.begin - c.n)),
        load{others.data(), begins[rank_of(ex)] - here.begin, c.n, c.load},
        tiles(div_up(begins.back(), tile_width)),
        totals(scratch(ex, tiles > 1 ? tiles : 0)) {
    fetch_others(ex, c);
    if (tiles > 1) gather_totals(ex, c);
  }

  static std::size_t rank_of(Ex const& ex) { return static_cast<std::size_t>(ex.ranks().rank()); }
  index_t size() const { return here.end - here.begin; }

 private:
  void fetch_others(Ex const& ex, Call const& c) const {
    std::size_t const rank = rank_of(ex), ranks = begins.size() - 1;
    std::vector<index_t> counts(ranks), to_counts(ranks), firsts(ranks);
    index_t total = 0;
    // What the piece of `src` has of the tiles of `dst`.
    auto const shared = [&](std::size_t src, std::size_t dst) {
      shared_tiles const w(begins, dst);
      index_t const begin = std::max(src < dst ? w.begin : begins[dst + 1], begins[src]);
      index_t const end = std::min(src < dst ? begins[dst] : w.end, begins[src + 1]);
      return tile{0, begin, src == dst ? begin : std::max(begin, end)};
    };
    for (std::size_t r = 0; r < ranks; ++r) {
      tile const sent = shared(rank, r), received = shared(r, rank);
      counts[r] = sent.end - sent.begin;
      to_counts[r] = received.end - received.begin;
      firsts[r] = sent.begin - begins[rank];
      total += counts[r];
    }
    auto const copies = scratch(ex, total);
    T* out = copies.data();
    for (std::size_t r = 0; r < ranks; out += counts[r++]) {
      if (counts[r] == 0) continue;
      map_on(ex.local(), counts[r], shifted<decltype(c.load)>{c.load, firsts[r]},
             ravel::detail::store<T>{out});
    }
    exchange(ex, copies, counts, others, to_counts);
  }

  /// The totals of the tiles that begin in each piece, from the rank that has it.
  void gather_totals(Ex const& ex, Call const& c) const {
    same_everywhere const same(ex.local());
    std::size_t const rank = rank_of(ex), ranks = begins.size() - 1;
    auto const sums = scratch(ex, same.tile_count(size()));
    same.for_each_tile(size(),
                       ravel::detail::upsweep<T, Load, decltype(c.m)>{load, sums.data(), c.m});
    std::vector<index_t> begun(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      begun[r] = div_up(begins[r + 1], tile_width) - div_up(begins[r], tile_width);
    }
    index_t const n = begun[rank];
    auto const copies = scratch(ex, n * index_t{ex.ranks().size()});
    for_each_index(ex.local(), copies.size(),
                   repeat_totals<T>{sums.data() + (load.before > 0), n, copies.data()});
    exchange(ex, copies, std::vector<index_t>(ranks, n), totals, begun);
  }
};

}  // namespace detail

struct reduce_in_one_order {
  static constexpr auto name = "in_one_order";
  static constexpr auto why =
      "The tiles of same_everywhere, counted over all ranks: each rank has the totals of all.";
  template <class Call>
  static constexpr auto types = reduce_by_carries::types<Call>;
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    together(ex.own(), "reduce", [&] {
      using T = typename Call::value_type;
      same_everywhere const same(ex.own().local());
      detail::tiles_of_ranks const all(ex.own(), c);
      if (all.tiles <= 1) {
        reduce_on(same, all.size(), all.load, c.m, c.seed, c.total);
      } else {
        reduce_on(same, all.tiles, contiguous<T>{all.totals.data()}, c.m, c.seed, c.total);
      }
    });
  }
};

struct scan_in_one_order {
  static constexpr auto name = "in_one_order";
  static constexpr auto why =
      "The tiles of same_everywhere, counted over all ranks: each rank scans the totals of all, "
      "and "
      "the tiles of its piece.";
  template <class Call>
  static constexpr auto types = reduce_by_carries::types<Call>;
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    together(ex.own(), detail::scan_names[detail::kind_of_scan<decltype(c.visit)>], [&] {
      using T = typename Call::value_type;
      using M = decltype(c.m);
      auto const& ranks = ex.own();
      same_everywhere const same(ranks.local());
      detail::tiles_of_ranks const all(ranks, c);
      T* const totals = all.totals.data();
      if (all.tiles > 1) {
        run_call(same, describe_scan_on(all.tiles, contiguous<T>{totals}, write_through<T>{totals},
                                        c.m, ravel::detail::seed_identity<M>{c.m}));
      }
      auto const lasts = ranks.template scratch<T>(ranks.ranks().size());
      using visit = detail::visit_piece<T, decltype(c.visit)>;
      gather_carries(ranks, lasts.local(), [&](T* last) {
        same.for_each_tile(all.size(),
                           detail::scan_tiles<T, decltype(all.load), visit, M, decltype(c.seed)>{
                               all.load, visit{all.load.before, c.n, c.visit, last}, totals,
                               all.here.begin / detail::tile_width, c.m, c.seed});
      });
      if constexpr (!std::same_as<decltype(c.total), ravel::detail::no_total>) {
        auto const end = std::lower_bound(all.begins.begin(), all.begins.end(), all.begins.back());
        index_t const rank = end - all.begins.begin() - 1;  // the last that has elements, if any
        if (rank < 0) {
          ravel::detail::scan_none<T>(same, c.seed, c.total);
        } else {
          same.for_each_tile(
              1, ravel::detail::total_of_none<T, detail::read_one<T>, decltype(c.total)>{
                     {lasts.data() + rank}, c.total});
        }
      }
    });
  }
};

}  // namespace distributed

template <>
struct form_table<reduce_family, same_order<distributed::machine>>
    : forms<on_own_executor_in_any_order, distributed::reduce_in_one_order,
            distributed::not_distributed> {};

template <>
struct form_table<scan_family, same_order<distributed::machine>>
    : forms<on_own_executor_in_any_order, distributed::scan_in_one_order,
            distributed::not_distributed> {};

}  // namespace ravel::inline v0
