#pragma once

/// Merges on the host: the table of forms, and the forms, which keep the position on the merge path
/// in registers.
///
/// A branch on which of two sequences has the next element would be mispredicted every second
/// time.  So the merge is branchless: the comparison's result is added to the indices that are read
/// next.  Then each step waits for the loads of the step before, so two halves of a tile are merged
/// in alternation, as two independent dependency chains.  Where a block of steps took all elements
/// from one sequence, as equal keys do, further blocks that come from it are copied.

#include <ravel/core/cpu/either.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/std_algorithm.hpp>
#include <ravel/primitives/merge/call.hpp>
#include <ravel/primitives/merge/path.hpp>
#include <ravel/primitives/merge/steps.hpp>

namespace ravel::inline v0 {
namespace cpu {
namespace detail {

/// Adapts a visit to a merge step: calls visit(d, second, k), where k is j if `second`, else i.
template <class Visit>
struct visit_merged {
  Visit visit;
  void operator()(index_t d, bool second, index_t i, index_t j) const {
    visit(d, second, either(second, j, i));
  }
};
template <class Out, class T>
struct visit_merged<write_merged<Out, T, T>> {
  write_merged<Out, T, T> visit;
  void operator()(index_t d, bool second, index_t i, index_t j) const {
    visit.out[d] = ravel::detail::as_assigned<Out>(*either(second, visit.b + j, visit.a + i));
  }
};
template <class Keys, class Values>
struct visit_merged<write_merged_pair<Keys, Values>> {
  write_merged_pair<Keys, Values> visit;
  void operator()(index_t d, bool second, index_t i, index_t j) const {
    visit_merged<Keys>{visit.keys}(d, second, i, j);
    visit_merged<Values>{visit.values}(d, second, i, j);
  }
};

/// Where the merge path enters and leaves each tile, as indices of the first sequence.  It enters
/// tile t at entered[t], which a search finds, and leaves it at left[t + 1], where the merge of the
/// tile ended.  The next tile enters there too if the sequences are sorted by a strict weak order.
struct crossings {
  index_t* entered;
  index_t* left;

  /// Whether each tile begins where the one before ended, so that each element is taken once.
  bool meet(index_t tiles) const { return std::equal(entered + 1, entered + tiles + 1, left + 1); }
};

/// For fewer elements the search for the middle takes longer than two dependency chains gain.
inline constexpr index_t fewest_in_turns = 128;
/// The steps after which a merge looks whether all took elements of one sequence, and whether they did,
/// if `firsts` of them are of the first.
inline constexpr index_t block_of_merge = 16;
inline bool is_from_one(index_t firsts) { return firsts == 0 || firsts == block_of_merge; }

template <class A, class B, class Before, class Visit>
struct walk_of_merge {
  A a;
  B b;
  Before before;
  Visit visit;

  /// The index of the first sequence at which the path crosses diagonal d.
  index_t enter(index_t d) const { return merge_path_point(a, b, d, before); }

  /// Takes runs, which are of a block at least and from one sequence, of the elements before `end`.
  [[gnu::noinline]] void take_runs(index_t& d, index_t end, index_t& i, index_t& j) const {
    index_t const m = a.size(), n = b.size();
    for (index_t begin = -1; begin != d && i < m && j < n;) {
      begin = d;
      d = take_run(d, std::min(end, d + m - i), false, i,
                   [&](index_t k) { return !before(b[j], a[k]); });
      if (i == m) break;
      d = take_run(d, std::min(end, d + n - j), true, j,
                   [&](index_t k) { return before(b[k], a[i]); });
    }
  }
  /// Takes elements k, k + 1, ... of one sequence while comes_first(k), if a block of them does.
  index_t take_run(index_t d, index_t end, bool second, index_t& k, auto const& comes_first) const {
    Visit const take = visit;  // a copy, which stores of characters cannot change
    auto const take_some = [&](index_t count) {
      for (index_t l = 0; l < count; ++l) take(d + l, second, k + l);
      d += count;
      k += count;
    };
    index_t length = block_of_merge;
    if (end - d < length || !comes_first(k + length - 1)) return d;
    while (end - d >= 2 * length && comes_first(k + 2 * length - 1)) length *= 2;
    take_some(length);
    while (d < end && comes_first(k)) take_some(1);
    return d;
  }

  /// Merges tile t, which the path enters at a[i], and returns where it leaves.  `All` means that
  /// the tile is the whole merge, which only the ends of the sequences bound.
  template <bool All>
  [[gnu::always_inline]] index_t merge(tile t, index_t i) const {
    index_t const m = a.size(), n = b.size();
    index_t d = t.begin, j = d - i;
    visit_merged<Visit> const take{visit};
    // For `steps` steps neither sequence can end, so the inner loop needs no bounds tests.
    for (;;) {
      index_t const left = std::min(m - i, n - j), steps = All ? left : std::min(left, t.end - d);
      if (steps == 0) break;
      bool from_one = false;
      for (index_t const until = d + steps; d < until && !from_one;) {
        index_t const before_block = i;
        for (index_t const end = std::min(until, d + block_of_merge); d < end; ++d) {
          bool const second = before(b[j], a[i]);
          take(d, second, i, j);
          j += second;
          i += !second;
        }
        from_one = is_from_one(i - before_block);
      }
      if (from_one) take_runs(d, t.end, i, j);
    }
    for (index_t const until = std::min(t.end, d + m - i); d < until; ++d) visit(d, false, i++);
    for (; d < t.end; ++d) visit(d, true, j++);
    return i;
  }

  /// Merges a tile in two halves, in alternation.  Returns -1 if the second half does not begin
  /// where the first ends.
  [[gnu::noinline]] index_t merge_in_turns(tile t, index_t i) const {
    index_t const m = a.size(), n = b.size();
    index_t const middle = t.begin + (t.end - t.begin) / 2, entered = enter(middle);
    index_t d = t.begin, j = d - i;                         // position in the first half
    index_t e = middle, p = entered, q = middle - entered;  // position in the second half
    visit_merged<Visit> const take{visit};
    for (;;) {
      index_t const steps = std::min({m - i, n - j, m - p, n - q, middle - d, t.end - e});
      if (steps == 0) break;
      bool from_one = false, also_from_one = false;
      for (index_t const until = d + steps; d < until && !(from_one | also_from_one);) {
        index_t const before_block = i, also_before = p;
        for (index_t const end = std::min(until, d + block_of_merge); d < end; ++d, ++e) {
          bool const second = before(b[j], a[i]), also = before(b[q], a[p]);
          take(d, second, i, j);
          take(e, also, p, q);
          j += second;
          i += !second;
          q += also;
          p += !also;
        }
        from_one = is_from_one(i - before_block);
        also_from_one = is_from_one(p - also_before);
      }
      if (from_one) take_runs(d, middle, i, j);
      if (also_from_one) take_runs(e, t.end, p, q);
    }
    index_t const left = merge<false>({0, d, middle}, i), last = merge<false>({0, e, t.end}, p);
    return left == entered ? last : -1;
  }
};

template <class Walk>
struct walk_and_record {
  Walk walk;
  crossings at;
  void operator()(worker, tile t) const {
    at.entered[t.id] = walk.enter(t.begin);
    at.left[t.id + 1] = walk.merge_in_turns(t, at.entered[t.id]);
  }
};

/// Merges several tiles.  If adjacent tiles do not meet, because the sequences are not sorted by a
/// strict weak order, one thread merges everything again, which takes each element once.  Out of
/// line, so that the merge of a single tile is inlined.
template <class Ex, class Walk>
[[gnu::noinline]] void merge_tiles(Ex const& ex, index_t n, Walk const& walk) {
  index_t const tiles = ex.tile_count(n);
  auto const room = ex.template scratch<index_t>(2 * (tiles + 1));
  crossings const at{room.data(), room.data() + tiles + 1};
  at.entered[tiles] = walk.a.size();
  ex.for_each_tile(n, walk_and_record<Walk>{walk, at});
  if (!at.meet(tiles)) walk.template merge<true>(tile{0, 0, n}, 0);
}

}  // namespace detail

struct merge_in_tiles {
  static constexpr auto name = "in_tiles";
  static constexpr auto why =
      "A thread merges a tile without branches on which sequence is next, as these would be "
      "mispredicted every second time, two halves of it in turns.  One tile needs neither a search "
      "nor scratch.";
  [[gnu::always_inline]] static void run(auto const& ex, auto const& c) {
    index_t const n = c.a.size() + c.b.size();
    detail::walk_of_merge<decltype(c.a), decltype(c.b), decltype(c.before), decltype(c.out)> const
        walk{c.a, c.b, c.before, c.out};
    tile const whole{0, 0, n};
    if (ex.tile_count(n) <= 1) {
      if (n < detail::fewest_in_turns || walk.merge_in_turns(whole, 0) < 0) {
        walk.template merge<true>(whole, 0);
      }
    } else {
      auto const kept = walk;  // a copy, so that the form of one tile finds the walk in registers
      detail::merge_tiles(ex, n, kept);
    }
  }
};

}  // namespace cpu

template <>
struct form_table<merge_family, cpu::host> : forms<cpu::merge_in_tiles> {};

}  // namespace ravel::inline v0
