#pragma once

/// Comparison sort on the host, the table of forms and the forms: each thread sorts some runs, then
/// pairs of runs are merged in parallel, one tile of the result at a time.
///
/// Merges are branchless, as in cpu/sort_tile.hpp.

#include <ravel/algorithms/comparison_sort/call.hpp>
#include <ravel/algorithms/comparison_sort/steps.hpp>
#include <ravel/algorithms/cpu/row.hpp>
#include <ravel/algorithms/cpu/sort_tile.hpp>
#include <ravel/algorithms/sort_operands.hpp>
#include <ravel/core/cpu/either.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/std_memory.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/merge.hpp>

namespace ravel::inline v0 {
namespace cpu {
namespace detail {

/// Copies rows in the order of a merge: the function object that a merge calls with each next row.
/// The two runs are in `from` and begin at `first` and `second`.
template <class K, class V>
struct move_merged {
  rows<K const, V const> from;
  rows<K, V> to;
  index_t first, second;

  void operator()(index_t d, bool of_second, index_t i) const {
    to.set(first + d, from, (of_second ? second : first) + i);
  }
};
template <class K, class V>
struct visit_merged<move_merged<K, V>> {
  move_merged<K, V> visit;
  void operator()(index_t d, bool second, index_t i, index_t j) const {
    visit.to.set(visit.first + d, visit.from, either(second, visit.second + j, visit.first + i));
  }
};

/// The step that merges one tile of the result, which may hold parts of several pairs of runs.  The
/// merge path points where the tile begins and ends, found before, say which rows of each first run
/// it holds.
template <class K, class V, class Runs, class Before>
struct merge_tile {
  using run = view<K const>;

  rows<K const, V const> from;
  rows<K, V> to;
  Runs runs;
  Before before;
  crossings at;

  void operator()(auto const&, tile t) const {
    for (index_t d = t.begin; d < t.end;) {
      auto const [begin, middle, end] = runs.around(d);
      walk_of_merge<run, run, Before, move_merged<K, V>> const walk{
          {from.keys + begin, middle - begin},
          {from.keys + middle, end - middle},
          before,
          {from, to, begin, middle}};
      index_t const i = d > begin ? walk.enter(d - begin) : 0, stop = std::min(end, t.end);
      if (d == t.begin) at.entered[t.id] = begin + i;
      tile const part{t.id, d - begin, stop - begin};
      index_t left = stop - d < fewest_in_turns ? -1 : walk.merge_in_turns(part, i);
      if (left < 0) left = walk.template merge<false>(part, i);
      if (stop == t.end) at.left[t.id + 1] = stop == end ? end : begin + left;
      d = stop;
    }
  }
};

/// One merge pass, in parallel.  Where `before` is not a strict weak order, the merge paths of
/// adjacent tiles may not meet, and rows would be lost or doubled: one thread then merges the pass
/// again, in a form that takes each row once whatever `before` returns.
template <class Ex, class K, class V, class Runs, class Before>
void merge_tiles(Ex const& ex, index_t n, rows<K const, V const> in, rows<K, V> out, Runs runs,
                 Before before) {
  index_t const tiles = div_up(n, tile_width);
  auto const room = ex.template scratch<index_t>(2 * (tiles + 1));
  crossings const at{room.data(), room.data() + tiles + 1};
  at.entered[tiles] = n;
  merge_tile<K, V, Runs, Before> const merge{in, out, runs, before, at};
  ex.for_each_tile_of(tile_width, n, merge, nanoseconds{n});
  if (tiles > 1 && !at.meet(tiles)) merge(worker{}, tile{0, 0, n});
}

/// Uninitialised memory for one T.
template <class T>
struct raw_room {
  alignas(T) std::byte bytes[sizeof(T)];
  T* get() { return reinterpret_cast<T*>(bytes); }
};

/// to[i] = from[order[i]] for each i.  `to` may be `from`: then elements move through scratch.
template <class Ex, class T>
void move_to_order(Ex const& ex, view<index_t const> order, T const* in, T* out) {
  index_t const n = order.size();
  if (in == out) {
    static_assert(
        std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>,
        "comparison_sort: elements that cannot be copied, or have no default constructor, "
        "must have moves that are noexcept, so that none is lost");
    auto const room = ex.template scratch<raw_room<T>>(n);
    raw_room<T>* const moved = room.data();
    ex.for_each_tile(n, [=](auto const&, tile t) {
      for (index_t i = t.begin; i < t.end; ++i) {
        std::construct_at(moved[i].get(), std::move(out[order[i]]));
      }
    });
    ex.for_each_tile(n, [=](auto const&, tile t) {
      for (index_t i = t.begin; i < t.end; ++i) {
        out[i] = std::move(*moved[i].get());
        std::destroy_at(moved[i].get());
      }
    });
  } else if constexpr (std::copyable<T>) {
    ex.for_each_tile(n, [=](auto const&, tile t) {
      for (index_t i = t.begin; i < t.end; ++i) out[i] = in[order[i]];
    });
  } else {
    expects(false,
            "comparison_sort_pairs: an output of elements that cannot be copied is not its "
            "input");
  }
}

/// Orders positions by the elements there.
template <class K, class Before>
struct before_at {
  K const* keys;
  Before before;
  bool operator()(index_t i, index_t j) const { return before(keys[i], keys[j]); }
};

}  // namespace detail

/// Overload of ravel::detail::merge_passes_on for the host: its tiles are merged by merge_tiles.
template <class Ex, class K, class V, class RunsOf, class Before>
requires(std::same_as<Ex, sequential> ||
         std::same_as<Ex, threads>) void merge_passes_on(Ex const& ex, index_t n,
                                                         rows<K const, V const> in, rows<K, V> out,
                                                         rows<K, V> spare, int passes,
                                                         RunsOf runs_of, Before before) {
  ravel::detail::in_turns(passes, in, out, spare, [&](int p, auto const& src, auto const& dst) {
    detail::merge_tiles(ex, n, src, dst, runs_of(p), before);
  });
}

struct comparison_sort_in_caches {
  static constexpr auto name = "in_caches";
  static constexpr auto why = "Threads sort runs in their caches, which are then merged.";
  template <class Call>
  static constexpr auto types = needs(need{
      ravel::detail::held_in_scratch<typename Call::key_type> &&
          ravel::detail::held_in_scratch<typename Call::value_type>,
      "rows that can be copied, and have a default constructor"});
  template <class Ex, class K, class V, class Before>
  static void run(Ex const& ex, comparison_sort_call<K, V, Before> const& c) {
    index_t const n = c.n;
    int workers = 1;
    if constexpr (std::same_as<Ex, threads>) {
      auto const concurrency = [&] { return ex.concurrency(); };
      if (detail::worth_sharing(concurrency, detail::nanoseconds{20 * n})) workers = concurrency();
    }
    // a power of two of runs for each thread: merges are balanced
    int passes = 0;
    while ((1 << passes) < 4 * workers && workers > 1) ++passes;
    constexpr index_t fewest = tile_width / 4;
    index_t const run = std::max(div_up(n, index_t{1} << passes), fewest);
    passes = ravel::detail::doublings(n, run);

    auto const spare_keys = ex.template scratch<K>(n);
    auto const spare_values = ex.template scratch<V>(rows<K, V>::has_values ? n : 0);
    rows<K, V> const spare{spare_keys.data(), spare_values.data()};
    auto const [sorted, room] = passes % 2 == 0 ? std::pair(c.out, spare) : std::pair(spare, c.out);
    if (c.in.keys != sorted.keys || c.in.values != sorted.values) {
      for_each_index(ex, n, ravel::detail::copy_row<K, V>{c.in, sorted});
    }
    detail::sort_tile<K, V, Before> const sort{sorted, room, c.before};
    if (workers == 1) {
      sort(worker{}, tile{0, 0, n});
    } else if constexpr (std::same_as<Ex, threads>) {  // all of them at once
      auto const nth = [=](index_t k) { sort(worker{}, nth_tile(k, run, n)); };
      for_each_index(ex.with_grain(1), div_up(n, run), nth);
    }
    merge_passes_on(ex, n, sorted.read(), c.out, spare, passes,
                    ravel::detail::doubling_runs{n, run}, c.before);
  }
};

struct comparison_sort_by_position {
  static constexpr auto name = "by_position";
  static constexpr auto why =
      "The positions of elements are sorted, and then the elements move once.";
  template <class Ex, class K, class V, class Before>
  static void run(Ex const& ex, comparison_sort_call<K, V, Before> const& c) {
    using order = detail::before_at<K, Before>;
    auto const places = ex.template scratch<index_t>(c.n);
    for_each_index(ex, c.n, ravel::detail::write_index<index_t>{places.data()});
    rows<index_t, no_value> const place_rows{places.data(), nullptr};
    run_call(ex, comparison_sort_call<index_t, no_value, order>{c.n, place_rows.read(), place_rows,
                                                                order{c.in.keys, c.before}});
    view<index_t const> const sorted(places.data(), c.n);
    if constexpr (rows<K, V>::has_values) {
      detail::move_to_order(ex, sorted, c.in.values, c.out.values);
    }
    detail::move_to_order(ex, sorted, c.in.keys, c.out.keys);
  }
};

}  // namespace cpu

template <>
struct form_table<comparison_sort_family, cpu::host>
    : forms<comparison_sort_by_keys, cpu::comparison_sort_in_caches,
            cpu::comparison_sort_by_position> {};

}  // namespace ravel::inline v0
