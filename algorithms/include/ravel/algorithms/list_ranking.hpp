#pragma once

/// @file
/// List ranking: the rank of each node in its linked list, and prefixes along lists.

#include <ravel/algorithms/list_cells.hpp>
#include <ravel/algorithms/list_options.hpp>
#include <ravel/algorithms/list_walk.hpp>
#include <ravel/core/atomic.hpp>
#include <ravel/core/checked.hpp>
#include <ravel/core/concepts.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/primitives/distribute.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/verify.hpp>

#include <cstdint>
#include <type_traits>

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
    bool const there = 0 <= next && next < cells.n;
    if (!last && there) of.claim(next);
    if (!last && !there) of.faults.found(list_fault_kind::out_of_range, i);
    cells.begin(i, last || !there ? i : next, static_cast<typename Cells::value>(node.value));
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
template <class Ex>
splitters choose_splitters(Ex const& ex, index_t n, int log_spacing = 0) {
  int const log = log_spacing == 0 ? log_splitter_spacing(ex, n)
                                   : (n > index_t{4} << log_spacing ? log_spacing : 0);
  return log == 0 ? splitters() : splitters(n, log);
}
template <class Ex, class... Options>
splitters splitters_of(Ex const& ex, index_t n, Options const&... options) {
  splitters by = choose_splitters(ex, n, log_spacing_of(options...));
  by.in_turn = (false || ... || list_option_kind<Options>::is_turn);
  return by;
}

/// Visits each node of lists in cells with its prefix:
///
///   1. find the heads, which the caller has done
///   2. choose splitters, one at a pseudo-random place in each block of neighbours in memory
///   3. walk from each head and each splitter to the next splitter
///   4. rank the list of sublists in the same way
///   5. combine the prefix of each sublist with the prefixes within it
template <bool Inclusive, class Ex, class Cells, class Heads, class M, class Visit>
void list_prefix(Ex const& ex, Cells cells, Heads heads, splitters by, M m, Visit visit) {
  using Word = typename Cells::word;
  using T = typename Cells::value;
  index_t const count = by.count > 0 ? by.count + cells.more_sublists() : 0;
  auto const sublists = ex.template scratch<list_cell<Word, T>>(count);
  auto const ahead = ex.template scratch<T>(count);
  auto const first = ex.template scratch<std::uint32_t>(div_up(count, 32));
  auto const ended_early = ex.template scratch<Word>(1);
  list_of_sublists<Word, T> const above{
      {sublists.data(), count}, first.data(), ahead.data(), ended_early.data(), by.count};
  for_each_index(ex, count, clear_sublists<Word, T, M>{above, m});
  walk_all(ex, list_walks<Cells, Heads, M, Inclusive>{cells, heads, by, above, m});
  if (count > 0 && by.in_turn) {
    rank_sublists_by(ex, above, splitters(), m);
  } else if (count > 0) {
    rank_sublists(ex, above, m);
  }
  map_on(ex, cells.n, read_place<Cells, M>{cells, above.sublists, m}, visit);
}

/// Step 4.
template <class Ex, class Word, class T, class M>
void rank_sublists_by(Ex const& ex, list_of_sublists<Word, T> const& lists, splitters by, M m) {
  using Cells = value_cells<Word, T>;
  heads_by_bits<read<T>> const heads{lists.first, 0, lists.sublists.n, {lists.ahead}};
  list_prefix<false>(ex, lists.sublists, heads, by, m, keep_place<Cells>{lists.sublists});
}
template <class Ex, class Word, class T, class M>
void rank_sublists(Ex const& ex, list_of_sublists<Word, T> const& lists, M m) {
  rank_sublists_by(ex, lists, choose_splitters(ex, lists.sublists.n), m);
}

/// Step 1: copies the nodes to their cells, and takes the given heads, or finds them as the nodes
/// that no node links to.  Then steps 2 to 5.
template <bool Inclusive, class Ex, class Cells, class Link, class Value, class M, class Seed,
          class Given, class Out>
void list_prefix_from(Ex const& ex, Cells cells, splitters by, Link const* next, Value value, M m,
                      Seed seed, Given given, list_fault* fault, Out* out) {
  constexpr bool find = std::same_as<Given, heads_to_find>;
  index_t const n = cells.n;
  bool const claimed = find || fault != nullptr;
  auto const found = ex.template scratch<std::int64_t>(fault != nullptr ? 3 : 0);
  auto const bits = ex.template scratch<std::uint32_t>(claimed ? div_up(n, 32) : 0);
  distribute(ex, n, found);
  distribute(ex, std::uint32_t{0}, bits);
  list_faults const faults{fault != nullptr ? found.data() : nullptr};
  claims const of{claimed ? bits.data() : nullptr, faults};
  map_on(ex, n, read_node<Link, Value>{next, value}, begin_node<Cells>{cells, of});
  if constexpr (find) {
    heads_by_bits<seed_of_lists<Seed>> const heads{bits.data(), ~std::uint32_t{0}, n, {seed}};
    list_prefix<Inclusive>(ex, cells, heads, by, m, write_place<Out>{out, faults});
  } else {
    using Heads = heads_given<element_t<Given>, seed_of_lists<Seed>>;
    Heads const heads{given.data(), given.size(), n, {seed}};
    if (claimed) for_each_index(ex, given.size(), claim_heads<Heads>{heads, of});
    list_prefix<Inclusive>(ex, cells, heads, by, m, write_place<Out>{out, faults});
  }
  if (fault != nullptr) for_each_index(ex, 1, write_fault{found.data(), n, fault});
}

/// Chooses the narrowest words that hold n nodes.
template <bool Inclusive, class Ex, class Next, class Value, class M, class Seed, class Given,
          class Out>
void list_scan(Ex const& ex, splitters by, Next const& next, Value value, M m, Seed seed,
               Given given, list_fault* fault, Out* out) {
  using T = carrier_t<M>;
  index_t const n = next.size();
  auto const with = [&]<class Word>(Word) {
    auto const cells = ex.template scratch<list_cell<Word, T>>(n);
    list_prefix_from<Inclusive>(ex, value_cells<Word, T>{cells.data(), n}, by, next.data(), value,
                                m, seed, given, fault, out);
  };
  if (n <= value_cells<std::uint32_t, T>::most_nodes) {
    with(std::uint32_t{});
  } else {
    with(std::uint64_t{});
  }
}

/// Where ranks are counted: on a device in the result, if it has words of that width; on the host
/// in scratch, which has larger pages.
template <class Word, class Ex, class Next, class Given, class Out>
void list_rank_in(Ex const& ex, splitters by, Next const& next, Given given, list_fault* fault,
                  Out* out) {
  index_t const n = next.size();
  constexpr bool in_place =
      sizeof(Out) == sizeof(Word) && std::same_as<space_of_t<Ex>, device_space>;
  auto const apart = ex.template scratch<Word>(in_place ? 0 : n);
  Word* at = apart.data();
  if constexpr (in_place) at = reinterpret_cast<Word*>(out);
  rank_cells<Word> const cells{at, n, rank_cells<Word>::enough_rank_bits(n, by.count)};
  list_prefix_from<false>(ex, cells, by, next.data(), one_a_node<Word>{}, plus<Word>{},
                          seed_value<Word>{0}, given, fault, out);
}

/// Static checks of the operands' types and memory.
template <class Ex, class Next, class Out, class... Options>
constexpr void expect_lists_on() {
  static_assert(sequence_on<Next const&, Ex>,
                "list ranking: next is not a contiguous sequence in the executor's memory");
  static_assert(
      writable_on<Out, Ex>,
      "list ranking: the result is not a writable contiguous sequence in the executor's memory");
  static_assert(counter<element_t<Next const&>>,
                "list ranking: links must be integers of 32 or 64 bits");
  static_assert(options_on<Ex, Options...>,
                "list ranking: heads_at(...), fault_to(...) or from(...) is not in the executor's "
                "memory");
}

/// Ranks n nodes with the narrowest words that hold them.
template <class Ex, class Next, class Given, class Out>
void list_rank_on(Ex const& ex, splitters by, Next const& next, Given given, list_fault* fault,
                  Out* out) {
  if (rank_cells<std::uint32_t>::enough_rank_bits(next.size(), by.count) > 0) {
    list_rank_in<std::uint32_t>(ex, by, next, given, fault, out);
  } else {
    list_rank_in<std::uint64_t>(ex, by, next, given, fault, out);
  }
}

/// Expects links to form lists, and given heads to be nodes, if calls on `ex` verify:
///
///     list_rank: link 4000 at node 7 is outside [0, 4000)
///     list_rank: two nodes link to node 12, or one does and it is a given head
///     list_rank: no head leads to node 5: it is on a cycle, or its head was not given
///
/// Cost     As list_rank with faults.
template <class Ex, class Next, class Given>
void verify_links(Ex const& ex, char const* call, splitters by, Next const& next, Given given) {
  if constexpr (checks<Ex>) {
    if constexpr (!std::same_as<Given, heads_to_find>) {
      verify_indices(ex, call, given, next.size(), "head");
    }
    auto const& own = detail::own(ex);
    auto const fault = own.template scratch<list_fault>(1);
    auto const ranks = own.template scratch<index_t>(next.size());
    list_rank_on(own, by, next, given, fault.data(), ranks.data());
    if (is_planned(ex)) return;
    auto const [kind, node] = at_sync(own, fault);
    if (kind == list_fault_kind::none) return;
    expects(kind != list_fault_kind::shared, call, ": two nodes link to node ", node,
            ", or one does and it is a given head");
    expects(kind != list_fault_kind::unreachable, call, ": no head leads to node ", node,
            ": it is on a cycle, or its head was not given");
    expects(false, call, ": link ", at_sync(own, next, node), " at node ", node, " is outside [0, ",
            next.size(), ")");
  }
}

/// The inclusive and the exclusive scan.
template <bool Inclusive, class Ex, class Next, class In, class Out, class M, class... Options>
void list_scan_of(Ex const& ex, char const* call, Next const& next, In const& values, Out& out, M m,
                  Options... options) {
  expect_lists_on<Ex, Next, Out, Options...>();
  static_assert(sequence_on<In const&, Ex>,
                "list scan: values is not a contiguous sequence in the executor's memory");
  static_assert(are_list_options<true, Options...>,
                "list scan: the options are heads_at(...), fault_to(...), splitter_spacing(...), "
                "sublists_in_turn and from(...), each once");
  auto const monoid = monoid_on<element_t<Out>>(m);
  static_assert(some_monoid<decltype(monoid)>,
                "list scan: m is not a monoid: it needs m(x, y) and m.identity()");
  using T = carrier_t<decltype(monoid)>;
  auto const from = view_of(next);
  auto const to = view_of(out);
  index_t const n = from.size();
  expects(size_of(values) == n, call, ": there are ", n, " links and ", size_of(values), " values");
  expects(to.size() == n, call, ": out has ", to.size(), " elements, and there are ", n, " links");
  auto const& own = detail::own(ex);
  auto const by = splitters_of(own, n, options...);
  verify_links(ex, call, by, from, heads_of(options...));
  list_scan<Inclusive>(own, by, from, read<element_t<In const&>>{view_of(values).data()}, monoid,
                       seed_of<T>(monoid, options...), heads_of(options...), fault_of(options...),
                       to.data());
}

}  // namespace detail

/// Counts the nodes before each node in its linked list:
///
///     ranks[i] = 0 for a head, and ranks[next[i]] = ranks[i] + 1
///
///     node     0  1  2  3  4          the lists  3 -> 0 -> 4  and  1 -> 2
///     next     4  2 -1  0 -1
///     ranks    1  0  1  0  2
///
/// The last node of a list links to itself, or holds -1, which is the greatest value of an unsigned
/// type.  The heads are the nodes that no node links to; `heads_at(heads)` gives
/// them, which is faster.
///
/// Where links do not form lists, the call ends and writes nothing but ranks: nodes that no fault
/// precedes have correct ranks, the others arbitrary ones.  `fault_to(fault)` reports the first
/// fault: a link out of range, else a node that two nodes link to, else one that no head leads to.
/// On a checked executor a fault is an error, raised before any rank is written.
///
/// Shapes   next[n] and ranks[n], of integers of 32 or 64 bits, in the memory of `ex`; any
///          number of lists of any lengths; n may be 0.  They overlap nothing.
/// Order    Exact.  If links form lists, the result does not depend on timing.
/// Cost     O(n) work, and O(log^2 n) span with high probability over the hash that chooses
///          splitters, for any lists.  Reads `next` once in order; then one random read and write
///          of a word for each node, and one more in order.  Finding heads, and faults, costs one
///          more random access to a bit.  Scratch: n / 8 bytes for that, at most n / 2 for sublists
///          on a device, and 4 n (above 2^29 nodes 8 n) more where ranks are not counted in
///          `ranks`.
/// Errors   contract_error if the sizes differ, or the ranks do not fit their type; on a
///          checked executor, if links do not form lists.  Issued, not awaited.
/// Source   Wei and JaJa, "Optimization of Linked List Prefix Computations on
///          Multithreaded GPUs Using CUDA", IPDPS 2010, after Helman and JaJa, "Prefix
///          Computations on Symmetric Multiprocessors", 2001.  Here a hash chooses the splitters,
///          and the list of sublists is ranked in parallel.  splitter_spacing(n / s) and
///          sublists_in_turn give their s splitters and their sequential walk over sublists.
/// See also inclusive_list_scan, for values along lists.
template <executor Ex, class Next, class Ranks, class... Options>
void list_rank(Ex const& ex, Next const& next, Ranks&& ranks, Options... options) {
  detail::expect_lists_on<Ex, Next, Ranks, Options...>();
  using U = element_t<Ranks>;
  static_assert(counter<U>, "list_rank: ranks must be integers of 32 or 64 bits");
  static_assert(detail::are_list_options<false, Options...>,
                "list_rank: the options are heads_at(...), fault_to(...), splitter_spacing(...) "
                "and sublists_in_turn, each once");
  auto const from = view_of(next);
  auto const to = view_of(ranks);
  index_t const n = from.size();
  expects(to.size() == n, "list_rank: ranks has ", to.size(), " elements, and there are ", n,
          " links");
  expects(n <= bounds<U>::highest(), "list_rank: ", n, " ranks are too many for their type");
  auto const& own = detail::own(ex);
  auto const by = detail::splitters_of(own, n, options...);
  detail::verify_links(ex, "list_rank", by, from, detail::heads_of(options...));
  detail::list_rank_on(own, by, from, detail::heads_of(options...), detail::fault_of(options...),
                       to.data());
}

/// Combines the values along each linked list:
///
///     out[i]       = values[i] for a head, and out[next[i]] = m(out[i], values[next[i]])
///
///     node         0  1  2  3  4          the lists  3 -> 0 -> 4  and  1 -> 2
///     next         4  2 -1  0 -1
///     values      10 20 30 40 50
///     out         50 20 50 40 100         inclusive, with plus
///     out         40  0 20  0 50          exclusive
///
/// The exclusive scan leaves out the node's own value, so that a head gets the identity.
/// With the option `from(x)` every list begins with x.  The other options, and the rules for links,
/// are those of list_rank.
///
/// Shapes   next[n], values[n] and out[n] in the memory of `ex`.  `out` may be `values`.
/// Order    `m` is applied along each list and need not be commutative.  The grouping is
///          fixed by the lists and n, so that a result in floating point repeats exactly
///          on the same executor.
/// Cost     As list_rank; each random access moves a word and a value.  Scratch: these, for n
///          nodes.
/// Errors   contract_error if the sizes differ; on a checked executor, if links do not form lists.
///          Issued, not awaited.
/// Source   as list_rank.
template <executor Ex, class Next, class In, class Out, class M = plus<>, class... Options>
requires(sequence<Out>) void inclusive_list_scan(Ex const& ex, Next const& next, In const& values,
                                                 Out&& out, M m = {}, Options... options) {
  detail::list_scan_of<true>(ex, "inclusive_list_scan", next, values, out, m, options...);
}
template <executor Ex, class Next, class In, class Out, class M = plus<>, class... Options>
requires(sequence<Out>) void exclusive_list_scan(Ex const& ex, Next const& next, In const& values,
                                                 Out&& out, M m = {}, Options... options) {
  detail::list_scan_of<false>(ex, "exclusive_list_scan", next, values, out, m, options...);
}

}  // namespace ravel::inline v0

#include <ravel/algorithms/cpu/list_ranking.hpp>  // short lists serially
#include <ravel/algorithms/cpu/list_walk.hpp>     // interleaved walks, several by each thread
#ifdef __CUDACC__
#  include <ravel/algorithms/cuda/list_walk.cuh>  // persistent blocks, and pointer jumping
#endif
