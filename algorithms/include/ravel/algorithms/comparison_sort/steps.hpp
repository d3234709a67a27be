#pragma once

/// Comparison sort on any executor: passes that merge pairs of runs, in tiles of equal length.

#include <ravel/algorithms/comparison_sort/call.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/atomic.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/merge.hpp>
#include <ravel/primitives/rows.hpp>

namespace ravel::inline v0 {
namespace detail {

/// Two adjacent runs: [begin, middle) and [middle, end).
struct pair_of_runs {
  index_t begin, middle, end;
};

/// Runs of `run` rows each; the last may be shorter.
struct equal_runs {
  // whether a tile lies within one pair: tile lengths divide `run`
  static constexpr bool hold_tiles = true;
  index_t n, run;
  RAVEL_HD pair_of_runs around(index_t i) const {
    index_t const begin = i / (2 * run) * (2 * run);
    return {begin, begin + run < n ? begin + run : n, begin + 2 * run < n ? begin + 2 * run : n};
  }
  index_t pairs() const { return div_up(n, 2 * run); }
};

/// The runs of each merge pass: `run` rows before the first pass, twice as many before each next
/// one.
struct doubling_runs {
  index_t n, run;
  equal_runs operator()(int pass) const { return {n, run << pass}; }
};

/// One merge pass, whose result is cut into tiles.
///
/// If `before` is a strict weak order, the path through a tile ends where the next tile enters, and
/// each row is taken once.  Where it does not, the pass has failed and no later pass writes: the
/// input of the failed pass still holds every row.  Its output holds some of these rows, so that
/// later passes read initialised elements.
struct merge_pass {
  index_t* failed;  // 1 + the first pass that failed; 0 before the first pass
  int pass;

  RAVEL_HD bool is_off() const {
    index_t const first_failed = load_whole(failed);
    return first_failed != 0 && first_failed <= pass;
  }
  RAVEL_HD void fail() const {
    if (!is_off()) store_whole(failed, index_t{pass} + 1);
  }
};

/// The step that finds where a tile of `width` rows begins on the merge path of its pair of runs:
/// it sets entered[t] to the number of rows of the pair's first run that precede tile t.
template <class K, class Runs, class Before>
struct enter_tile {
  K const* keys;
  Runs runs;
  Before before;
  index_t width;
  index_t* entered;
  struct pair {
    index_t begin, end;
    view<K const> a, b;
  };
  /// The pair of runs around row `at`.
  RAVEL_HD pair runs_at(index_t at) const {
    auto const [begin, middle, end] = runs.around(at);
    return {begin, end, {keys + begin, middle - begin}, {keys + middle, end - middle}};
  }
  RAVEL_HD void operator()(index_t t) const {
    index_t const at = t * width;
    auto const runs_here = runs_at(at);
    entered[t] = merge_path_point(runs_here.a, runs_here.b, at - runs_here.begin, before);
  }
};

/// Merges the parts of the pairs of runs that are in a tile: row d of the result is row s of the
/// input.
template <class K, class V, class Runs, class Before>
struct walk_tile {
  static constexpr index_t length = walk_of_elements;
  index_t n;
  rows<K const, V const> from;
  rows<K, V> to;
  Runs runs;
  Before before;
  index_t const* entered;  // written by enter_tile
  merge_pass pass;

  RAVEL_HD index_t size() const { return n; }
  RAVEL_HD bool is_off() const { return pass.is_off(); }

  /// Calls take(d, s) for each row of the tile.
  template <class Take>
  RAVEL_HD void walk(index_t t, Take const& take) const {
    index_t d = t * length;
    index_t const tile_end = d + length < size() ? d + length : size();
    for (index_t of_first = entered[t]; d < tile_end; of_first = 0) {
      auto const [begin, middle, end] = runs.around(d);
      index_t const stop = end < tile_end ? end : tile_end;
      index_t i = begin + of_first, j = middle + (d - i);
      for (; d < stop; ++d) {
        bool const second = i == middle || (j < end && before(from.keys[j], from.keys[i]));
        take(d, second ? j++ : i++);
      }
      if (stop < end && i - begin != entered[t + 1]) pass.fail();
    }
  }
  RAVEL_HD void store(index_t d, index_t s) const { to.set(d, from, s); }
  RAVEL_HD void operator()(index_t t) const {
    if (!is_off()) walk(t, [this](index_t d, index_t s) { store(d, s); });
  }
};

template <class K, class V>
struct copy_row {
  rows<K const, V const> from;
  rows<K, V> to;
  RAVEL_HD void operator()(index_t i) const { to.set(i, from, i); }
};

/// Copies the input of the first pass that failed to `out`, if a pass has failed.
template <class K, class V>
struct restore_row {
  index_t const* failed;  // merge_pass::failed after all passes
  int passes;
  rows<K const, V const> in;
  rows<K, V> out, other;
  RAVEL_HD void operator()(index_t i) const {
    if (*failed == 0) return;
    if (*failed == 1) {
      out.set(i, in, i);
    } else if ((passes - *failed) % 2 == 0) {  // pass p writes to `out` where passes - p is even
      out.set(i, other.read(), i);
    }
  }
};

/// Calls pass_on(p, from, to) for each pass p, with its input and output.  Passes alternate between
/// two memories (ping-pong): the first reads `in`, the last writes to `out`.
template <class K, class V, class PassOn>
void in_turns(int passes, rows<K const, V const> in, rows<K, V> out, rows<K, V> spare,
              PassOn pass_on) {
  if (passes % 2 == 0) std::swap(out, spare);
  for (int p = 0; p < passes; ++p) {
    pass_on(p, in, out);
    in = out.read();
    std::swap(out, spare);
  }
}

template <class Ex, class K, class V, class Runs, class Before>
void merge_by_walks(Ex const& ex, index_t n, rows<K const, V const> in, rows<K, V> out, Runs runs,
                    Before before, merge_pass pass) {
  index_t const tiles = div_up(n, walk_of_elements);
  auto const entered = ex.template scratch<index_t>(tiles);
  for_each_search(
      ex, tiles,
      enter_tile<K, Runs, Before>{in.keys, runs, before, walk_of_elements, entered.data()});
  for_each_walk(ex, tiles,
                walk_tile<K, V, Runs, Before>{n, in, out, runs, before, entered.data(), pass});
}

/// Merges pairs of runs, those of runs_of(p) in pass p, until one run is left.  The first pass
/// reads `in` and writes to `other` if the number of passes is even; otherwise it writes to `out`,
/// so `out` and `in` must then differ.
template <class Ex, class K, class V, class RunsOf, class Before>
void merge_passes_on(Ex const& ex, index_t n, rows<K const, V const> in, rows<K, V> out,
                     rows<K, V> spare, int passes, RunsOf runs_of, Before before) {
  if (passes == 0) return;
  auto const failed = ex.template scratch<index_t>(1);
  distribute(ex, index_t{0}, failed);
  in_turns(passes, in, out, spare, [&](int p, auto const& src, auto const& dst) {
    merge_by_walks(ex, n, src, dst, runs_of(p), before, merge_pass{failed.data(), p});
  });
  for_each_index(ex, n, restore_row<K, V>{failed.data(), passes, in, out, spare});
}

/// The number of merge passes that join sorted runs of `run` rows into one: each pass doubles them.
constexpr int doublings(index_t n, index_t run) {
  int passes = 0;
  for (; run < n; run *= 2) ++passes;
  return passes;
}

}  // namespace detail

/// The form of all tables for numbers by their values.
struct comparison_sort_by_keys {
  static constexpr auto name = "by_keys";
  static constexpr auto why = "A radix sort of numbers, by < or >.";
  template <class Call>
  static constexpr auto types = needs(need{
      detail::by_digits<decltype(Call::before), typename Call::key_type>,
      "numbers, ordered by less or greater"});
  static void run(auto const& ex, auto const& c) { run_call(ex, sort_of(c)); }
  template <class Call, class Machine, class F>
  requires(fits<comparison_sort_by_keys, Call>) static void passes_on(Call const& c,
                                                                      Machine const& m,
                                                                      F const& f) {
    f(m, sort_of(c));
  }

 private:
  template <class K, class V, class Before>
  static auto sort_of(comparison_sort_call<K, V, Before> const& c) {
    return radix_sort_call<K, V, detail::the_element>{
        c.n, c.in, c.out, {}, detail::orders_downward<Before, K>, {}, {}};
  }
};

struct comparison_sort_by_merges {
  static constexpr auto name = "by_merges";
  static constexpr auto why = "Any executor and order: merges, from runs of one row.";
  template <class Ex, class K, class V, class Before>
  static void run(Ex const& ex, comparison_sort_call<K, V, Before> const& c) {
    auto const spare_keys = ex.template scratch<K>(c.n);
    auto const spare_values = ex.template scratch<V>(rows<K, V>::has_values ? c.n : 0);
    rows<K, V> const spare{spare_keys.data(), spare_values.data()};
    int const passes = detail::doublings(c.n, 1);
    rows<K, V> const copied =
        passes % 2 == 0 ? c.out : spare;  // so that the last pass writes to `out`
    if (c.in.keys != copied.keys || c.in.values != copied.values) {
      for_each_index(ex, c.n, detail::copy_row<K, V>{c.in, copied});
    }
    merge_passes_on(ex, c.n, copied.read(), c.out, spare, passes, detail::doubling_runs{c.n, 1},
                    c.before);
  }
};

/// The family of calls of comparison sorts.
struct comparison_sort_family
    : call_family_with_devices<comparison_sort_by_keys, comparison_sort_by_merges> {};

}  // namespace ravel::inline v0
