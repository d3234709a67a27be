#pragma once

/// Merges on the host: the table of forms, and the forms, which keep the position on the merge path
/// in registers.
///
/// A branch on which of two sequences has the next element would be mispredicted every second
/// time.  So the merge is branchless: the comparison's result is added to the indices that are read
/// next.  Then each step waits for the loads of the step before, so two halves of a tile are merged
/// in alternation, as two independent dependency chains.

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
    visit.out[d] = static_cast<Out>(*either(second, visit.b + j, visit.a + i));
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

template <class A, class B, class Before, class Visit>
struct walk_of_merge {
  A a;
  B b;
  Before before;
  Visit visit;

  /// The index of the first sequence at which the path crosses diagonal d.
  index_t enter(index_t d) const { return merge_path_point(a, b, d, before); }

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
      for (index_t const until = d + steps; d < until; ++d) {
        bool const second = before(b[j], a[i]);
        take(d, second, i, j);
        j += second;
        i += !second;
      }
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
      for (index_t const until = d + steps; d < until; ++d, ++e) {
        bool const second = before(b[j], a[i]), also = before(b[q], a[p]);
        take(d, second, i, j);
        take(e, also, p, q);
        j += second;
        i += !second;
        q += also;
        p += !also;
      }
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
