#pragma once

/// Prefixes along linked lists in the cells of list_cells.hpp, by sublists: the steps of list ranking and
/// list scans.
///
/// Source   as list_rank.

#include <ravel/algorithms/list_cells.hpp>
#include <ravel/algorithms/list_options.hpp>
#include <ravel/algorithms/list_ranking/call.hpp>
#include <ravel/algorithms/list_walk.hpp>
#include <ravel/core/atomic.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/verify.hpp>

namespace ravel::inline v0 {
namespace detail {

/// The least node with each kind of fault found so far.
struct list_faults {
  std::int64_t* first;  // of each kind but none; null if faults are not reported

  RAVEL_HD void found(list_fault_kind kind, index_t node) const {
    if (first != nullptr) keep_least(first + static_cast<int>(kind) - 1, std::int64_t{node});
  }
};
struct write_fault {
  std::int64_t const* first;
  index_t n;
  list_fault* to;
  RAVEL_HD void operator()(index_t) const {
    list_fault fault;
    for (int kind = 3; kind > 0; --kind) {
      if (first[kind - 1] < n) fault = {static_cast<list_fault_kind>(kind), first[kind - 1]};
    }
    *to = fault;
  }
};

/// One bit for each node that another node links to, or that is a given head.
struct claims {
  std::uint32_t* bits;  // null if not tracked
  list_faults faults;
  RAVEL_HD void claim(index_t node) const {
    if (bits == nullptr) return;
    std::uint32_t const bit = std::uint32_t{1} << (node % 32);
    if ((fetch_or(bits + node / 32, bit) & bit) != 0) faults.found(list_fault_kind::shared, node);
  }
};
template <class Heads>
struct claim_heads {
  Heads heads;
  claims of;
  RAVEL_HD void operator()(index_t k) const {
    if (heads.some(k) != 0) of.claim(heads.node(k, 0));
  }
};

/// A node's link, and its value.
template <class Link, class Value>
struct read_node {
  Link const* next;
  Value value;
  RAVEL_HD auto operator()(index_t i) const {
    auto const x = value(i);
    return list_cell<Link, std::remove_const_t<decltype(x)>>{next[i], x};
  }
};
/// Copies a link and a value to the cell, where the last node of a list links to itself.
template <class Cells>
struct begin_node {
  Cells cells;
  claims of;
  template <class Node>
  RAVEL_HD void operator()(index_t i, Node const& node) const {
    auto next = static_cast<index_t>(node.word);
    bool const last = next == i || node.word == static_cast<decltype(node.word)>(-1);
    bool const is_node = 0 <= next && next < cells.n;
    if (!last && is_node) of.claim(next);
    if (!last && !is_node) of.faults.found(list_fault_kind::out_of_range, i);
    cells.begin(i, last || !is_node ? i : next, static_cast<typename Cells::value>(node.value));
  }
};
template <class T>
struct one_a_node {
  RAVEL_HD T operator()(index_t) const { return T(1); }
};
/// The value before the first node of every list.
template <class Seed>
struct seed_of_lists {
  Seed seed;
  RAVEL_HD auto operator()(index_t) const { return seed(); }
};

/// The exclusive prefix of a node in its list, if a head leads to it.
template <class T>
struct place_in_list {
  T known;
  bool reached;
};
template <class Cells, class M>
struct read_place {
  using T = typename Cells::value;
  Cells cells;
  value_cells<typename Cells::word, T> sublists;
  M m;
  RAVEL_HD place_in_list<T> operator()(index_t i) const {
    auto const cell = cells.read(i);
    if (!cells.is_visited(cell)) return {T(m.identity()), false};
    if (cells.sublist(cell) == cells.whole) return {cells.known(cell), true};
    auto const ahead = sublists.read(static_cast<index_t>(cells.sublist(cell)));
    return {m(ahead.value, cells.known(cell)), sublists.sublist(ahead) == sublists.whole};
  }
};
template <class Out>
struct write_place {
  Out* out;
  list_faults faults;
  template <class T>
  RAVEL_HD void operator()(index_t i, place_in_list<T> const& place) const {
    out[i] = static_cast<Out>(place.known);
    if (!place.reached) faults.found(list_fault_kind::unreachable, i);
  }
};
/// Stores the place of a sublist for its later readers: its prefix in its list, or none.
template <class Cells>
struct keep_place {
  Cells cells;
  template <class T>
  RAVEL_HD void operator()(index_t i, place_in_list<T> const& place) const {
    cells.write(i, place.reached ? cells.whole : 0, place.known);
  }
};

/// The splitters of n nodes; log_spacing is set by the caller, or 0.
splitters choose_splitters(auto const& ex, index_t n, int log_spacing = 0) {
  int const log = log_spacing == 0 ? log_splitter_spacing(ex, n)
                                   : (n > index_t{4} << log_spacing ? log_spacing : 0);
  return log == 0 ? splitters() : splitters(n, log);
}
splitters splitters_by(auto const& ex, index_t n, splitter_spacing_of spacing) {
  return choose_splitters(ex, n, spacing.log);
}
counted_splitters splitters_by(auto const&, index_t n, splitter_count_of wanted) {
  return {n, wanted.count};
}
/// The splitters and steps that the options of a call set.
template <class Ex, class... Options>
auto splitters_of(Ex const& ex, index_t n, Options const&... options) {
  auto splitters =
      splitters_by(ex, n, option_or<option::spacing>(splitter_spacing_of{}, options...));
  splitters.in_turn = has<option::in_turn, Options...>;
  splitters.grid = option_or<option::grid>(walk_grid_of{}, options...);
  if constexpr ((std::same_as<Options, sublists_on_host_t> || ...)) {
    expects(!is_planned(ex), "list_rank: a call whose sublists the host ranks cannot be planned");
    return ranked_on_host(splitters);
  } else {
    return splitters;
  }
}

/// Visits each node of lists in cells with its prefix:
///
///   1. find the heads, which the caller has done
///   2. choose splitters, one at a pseudo-random place in each block of neighbours in memory
///   3. walk from each head and each splitter to the next splitter
///   4. rank the list of sublists in the same way
///   5. combine the prefix of each sublist with the prefixes within it
template <bool Inclusive, class Ex, class Cells, class Heads, class By, class M, class Visit>
void list_prefix(Ex const& ex, Cells cells, Heads heads, By split, M m, Visit visit) {
  using Word = typename Cells::word;
  using T = typename Cells::value;
  index_t const count = split.count > 0 ? split.count + cells.more_sublists() : 0;
  auto const sublists = ex.template scratch<list_cell<Word, T>>(count);
  auto const ahead = ex.template scratch<T>(count);
  auto const first = ex.template scratch<std::uint32_t>(div_up(count, 32));
  auto const ended_early = ex.template scratch<Word>(1);
  list_of_sublists<Word, T> const above{
      {sublists.data(), count}, first.data(), ahead.data(), ended_early.data(), split.count};
  for_each_index(ex, count, clear_sublists<Word, T, M>{above, m});
  using Walks = list_walks<Cells, Heads, By, M, Inclusive>;
  run_call(ex, list_walk_call<Walks>{{cells, heads, split, above, m}});
  if (count == 0) {
    // the walks have ranked whole lists
  } else if constexpr (By::on_host) {
    rank_sublists_on_host(ex, above, m);
  } else if (split.in_turn) {
    rank_sublists_by(ex, above, splitters(), m);
  } else {
    run_call(ex, sublist_ranking_call<list_of_sublists<Word, T>, M>{above, m});
  }
  map_on(ex, cells.n, read_place<Cells, M>{cells, above.sublists, m}, visit);
}

/// Step 4.
template <class Ex, class Word, class T, class M>
void rank_sublists_by(Ex const& ex, list_of_sublists<Word, T> const& lists, splitters split, M m) {
  using Cells = value_cells<Word, T>;
  heads_by_bits<contiguous<T>> const heads{lists.first, 0, lists.sublists.n, {lists.ahead}};
  list_prefix<false>(ex, lists.sublists, heads, split, m, keep_place<Cells>{lists.sublists});
}
/// The same by a thread of the host, of copies.
template <class Ex, class Word, class T, class M>
void rank_sublists_on_host(Ex const& ex, list_of_sublists<Word, T> const& lists, M m) {
  index_t const n = lists.sublists.n, words = div_up(n, 32);
  cpu::sequential const host;
  auto const cells = host.scratch<list_cell<Word, T>>(n);
  auto const ahead = host.scratch<T>(n);
  auto const first = host.scratch<std::uint32_t>(words);
  ex.copy(lists.sublists.at, cells.data(), n);
  ex.copy(lists.ahead, ahead.data(), n);
  ex.copy(lists.first, first.data(), words);
  ex.wait();
  rank_sublists_by(
      host, list_of_sublists<Word, T>{{cells.data(), n}, first.data(), ahead.data(), nullptr, n},
      splitters(), m);
  ex.copy(cells.data(), lists.sublists.at, n);
  ex.wait();
}

/// Step 1: copies the nodes to their cells, and takes the given heads, or finds them as the nodes
/// that no node links to.  Then steps 2 to 5.
template <bool Inclusive, class Ex, class Cells, class By, class Link, class Value, class M,
          class Seed, class Given, class Out>
void list_prefix_from(Ex const& ex, Cells cells, By split, Link const* next, Value value, M m,
                      Seed seed, Given given, list_fault* fault, Out* out) {
  constexpr bool find = std::same_as<Given, heads_to_find>;
  index_t const n = cells.n;
  bool const claimed = find || fault != nullptr;
  auto const found = ex.template scratch<std::int64_t>(fault != nullptr ? 3 : 0);
  auto const bits = ex.template scratch<std::uint32_t>(claimed ? div_up(n, 32) : 0);
  distribute(ex, n, found);
  distribute(ex, std::uint32_t{0}, bits);
  list_faults const faults{fault != nullptr ? found.data() : nullptr};
  claims const node_claims{claimed ? bits.data() : nullptr, faults};
  map_on(ex, n, read_node<Link, Value>{next, value}, begin_node<Cells>{cells, node_claims});
  if constexpr (find) {
    heads_by_bits<seed_of_lists<Seed>> const heads{bits.data(), ~std::uint32_t{0}, n, {seed}};
    list_prefix<Inclusive>(ex, cells, heads, split, m, write_place<Out>{out, faults});
  } else {
    using Heads = heads_given<element_t<Given>, seed_of_lists<Seed>>;
    Heads const heads{given.data(), given.size(), n, {seed}};
    if (claimed) for_each_index(ex, given.size(), claim_heads<Heads>{heads, node_claims});
    list_prefix<Inclusive>(ex, cells, heads, split, m, write_place<Out>{out, faults});
  }
  if (fault != nullptr) for_each_index(ex, 1, write_fault{found.data(), n, fault});
}

/// Where ranks are counted: on a device in the result, if it has words of that width; on the host
/// in scratch, which has larger pages.
template <class Ex, class Word, class By, class Next, class Given, class Out>
void list_rank_in(Ex const& ex, list_ranking_call<Word, By, Next, Given, Out> const& c) {
  index_t const n = c.next.size();
  constexpr bool in_place =
      sizeof(Out) == sizeof(Word) && std::same_as<space_of_t<Ex>, device_space>;
  auto const apart = ex.template scratch<Word>(in_place ? 0 : n);
  Word* at = apart.data();
  if constexpr (in_place) at = reinterpret_cast<Word*>(c.out);
  rank_cells<Word> const cells{at, n, rank_cells<Word>::enough_rank_bits(n, c.by.count)};
  list_prefix_from<false>(ex, cells, c.by, c.next.data(), one_a_node<Word>{}, plus<Word>{},
                          seed_value<Word>{0}, c.given, c.fault, c.out);
}

}  // namespace detail

struct list_walk_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why = "Any executor: a step over the sublists.";
  template <class Ex, class Walks>
  static void run(Ex const& ex, list_walk_call<Walks> const& c) {
    for_each_index(ex, c.walks.starts(), detail::walk_alone<Walks>{c.walks});
  }
};

/// The family of walks along lists.
struct list_walk_family : call_family_with_devices<list_walk_by_steps> {};

struct sublist_ranking_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why = "Any executor: walks along the list of sublists, as along lists.";
  static void run(auto const& ex, auto const& c) {
    detail::rank_sublists_by(ex, c.lists, detail::choose_splitters(ex, c.lists.sublists.n), c.m);
  }
};

/// The family of rankings of lists of sublists.
struct sublist_ranking_family : call_family_with_devices<sublist_ranking_by_steps> {};

struct list_ranking_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why = "Any executor: walks to splitters, and a ranking of the sublists.";
  static void run(auto const& ex, auto const& c) { detail::list_rank_in(ex, c); }
};

/// The family of ranks of lists.
struct list_ranking_family : call_family<list_ranking_by_steps> {};

}  // namespace ravel::inline v0
