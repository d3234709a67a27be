#pragma once

/// List ranking: the rank of each node in its linked list, and prefixes along lists.

#include <ravel/algorithms/list_cells.hpp>
#include <ravel/algorithms/list_options.hpp>
#include <ravel/algorithms/list_ranking/call.hpp>
#include <ravel/algorithms/list_ranking/cpu.hpp>
#include <ravel/algorithms/list_ranking/steps.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/verify.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/algorithms/cuda/list_walk.cuh>  // persistent blocks, and pointer jumping
#endif

namespace ravel::inline v0 {
namespace detail {

/// Chooses the narrowest words that hold n nodes.
template <bool Inclusive, class Ex, class By, class Next, class Value, class M, class Seed,
          class Given, class Out>
void list_scan(Ex const& ex, By split, Next const& next, Value value, M m, Seed seed, Given given,
               list_fault* fault, Out* out) {
  using T = carrier_t<M>;
  index_t const n = next.size();
  auto const with = [&]<class Word>(Word) {
    auto const cells = ex.template scratch<list_cell<Word, T>>(n);
    list_prefix_from<Inclusive>(ex, value_cells<Word, T>{cells.data(), n}, split, next.data(),
                                value, m, seed, given, fault, out);
  };
  if (n <= value_cells<std::uint32_t, T>::most_nodes) {
    with(std::uint32_t{});
  } else {
    with(std::uint64_t{});
  }
}

/// Static checks of the operands' types and memory.
template <class Ex, class Next, class Out, class... Options>
constexpr void expect_lists_on() {
  static_assert(sequence_on<Next const&, Ex>,
                "list ranking: next is not a contiguous sequence in the executor's memory");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "list ranking: the result");
  static_assert(counter<element_t<Next const&>>,
                "list ranking: links must be integers of 32 or 64 bits");
  static_assert(options_on<Ex, Options...>,
                "list ranking: heads_at(...), fault_to(...) or from(...) is not in the executor's "
                "memory");
}

/// Ranks n nodes with the narrowest words that hold them.
template <class Ex, class By, class Next, class Given, class Out>
void list_rank_on(Ex const& ex, By split, Next const& next, Given given, list_fault* fault,
                  Out* out) {
  auto const in = [&]<class Word>(Word) {
    run_call(ex, list_ranking_call<Word, By, Next, Given, Out>{split, next, given, fault, out});
  };
  if (rank_cells<std::uint32_t>::enough_rank_bits(next.size(), split.count) > 0) {
    in(std::uint32_t{});
  } else {
    in(std::uint64_t{});
  }
}

/// The number of a node less its link, or if it is the last less none: the head is their sum.
template <class Link>
struct node_less_link {
  Link const* next;
  RAVEL_HD std::uint64_t operator()(index_t i) const {
    auto const node = static_cast<std::uint64_t>(i);
    Link const link = next[i];
    bool const last = link == static_cast<Link>(-1) || static_cast<std::uint64_t>(link) == node;
    return last ? node : node - static_cast<std::uint64_t>(link);
  }
};

/// Where lists begin, as long as this lives.
template <class Ex, class Link, class... Options>
class list_heads {
  using scratch = decltype(std::declval<Ex const&>().template scratch<std::uint64_t>(0));
  scratch head_;
  index_t n_;

 public:
  list_heads(Ex const& ex, Link const* next, index_t n)
      : head_(ex.template scratch<std::uint64_t>(are_one_list<Options...> ? 1 : 0)), n_(n) {
    if constexpr (are_one_list<Options...>) {
      reduce_on(ex, n, node_less_link<Link>{next}, plus<std::uint64_t>{},
                seed_value<std::uint64_t>{0}, store_total<std::uint64_t>{head_.data()});
    }
  }
  auto of(Options const&... options) const {
    if constexpr (are_one_list<Options...>) {
      return view<std::uint64_t const, space_of_t<Ex>>(head_.data(), n_ > 0 ? 1 : 0);
    } else if constexpr (has<option::heads, Options...>) {
      return option_or<option::heads>(heads_to_find{}, options...).heads;
    } else {
      return heads_to_find{};
    }
  }
};

/// Expects links to form lists, and given heads to be nodes, if calls on `ex` verify:
///
///     list_rank: link 4000 at node 7 is outside [0, 4000)
///     list_rank: two nodes link to node 12, or one does and it is a given head
///     list_rank: no head leads to node 5: it is on a cycle, or its head was not given
///
/// Cost     As list_rank with faults.
template <class Ex, class By, class Next, class Given>
void verify_links(Ex const& ex, char const* call, By split, Next const& next, Given given) {
  if constexpr (checks<Ex>) {
    if constexpr (!std::same_as<Given, heads_to_find>) {
      verify_indices(ex, call, given, next.size(), "head");
    }
    auto const& own = detail::own(ex);
    auto const fault = own.template scratch<list_fault>(1);
    auto const ranks = own.template scratch<index_t>(next.size());
    list_rank_on(own, split, next, given, fault.data(), ranks.data());
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
  static_assert(are_options<list_scan_options, Options...>,
                "list scan: the options are heads_at(...) or one_list, fault_to(...), "
                "splitter_spacing(...) or splitter_count(...), walk_grid(...), sublists_in_turn or "
                "sublists_on_host, and from(...), each once");
  auto const monoid = monoid_on<element_t<Out>>(m);
  RAVEL_EXPECT_MONOID(decltype(monoid), "list scan");
  using T = carrier_t<decltype(monoid)>;
  auto const links = view_of(next);
  auto const sums = view_of(out);
  index_t const n = links.size();
  expects(size_of(values) == n, call, ": there are ", n, " links and ", size_of(values), " values");
  expects(sums.size() == n, call, ": out has ", sums.size(), " elements, and there are ", n,
          " links");
  auto const& own = detail::own(ex);
  auto const splitters = splitters_of(own, n, options...);
  list_heads<std::remove_cvref_t<decltype(own)>, element_t<Next const&>, Options...> const heads(
      own, links.data(), n);
  verify_links(ex, call, splitters, links, heads.of(options...));
  list_scan<Inclusive>(
      own, splitters, links, contiguous<element_t<In const&>>{view_of(values).data()}, monoid,
      seed_of<T>(monoid, options...), heads.of(options...), fault_of(options...), sums.data());
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
/// them, which is faster, and `one_list` says that there is one, which a sum of the links finds.
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
///          more random access to a bit, and `one_list` one more read of `next` in order.  Scratch:
///          n / 8 bytes for bits, at most n / 2 for sublists on a device, and 4 n (above 2^29 nodes
///          8 n) more where ranks are not counted in `ranks`.
/// Errors   contract_error if the sizes differ, or the ranks do not fit their type; on a
///          checked executor, if links do not form lists.  Issued, not awaited.
/// Source   Wei and JaJa, "Optimization of Linked List Prefix Computations on
///          Multithreaded GPUs Using CUDA", IPDPS 2010, after Helman and JaJa, "Prefix
///          Computations on Symmetric Multiprocessors", 2001.  Here a hash chooses the splitters,
///          and the list of sublists is ranked in parallel.  splitter_count(s), walk_grid(b, t), and
///          sublists_in_turn or sublists_on_host give their s splitters, b blocks of t threads, and
///          sequential walk over sublists.
/// See also inclusive_list_scan, for values along lists.
template <executor Ex, class Next, class Ranks, class... Options>
void list_rank(Ex const& ex, Next const& next, Ranks&& ranks, Options... options) {
  detail::expect_lists_on<Ex, Next, Ranks, Options...>();
  using U = element_t<Ranks>;
  static_assert(counter<U>, "list_rank: ranks must be integers of 32 or 64 bits");
  static_assert(detail::are_options<detail::list_rank_options, Options...>,
                "list_rank: the options are heads_at(...) or one_list, fault_to(...), "
                "splitter_spacing(...) or splitter_count(...), walk_grid(...), and "
                "sublists_in_turn or sublists_on_host, each once");
  auto const links = view_of(next);
  auto const to_ranks = view_of(ranks);
  index_t const n = links.size();
  expects(to_ranks.size() == n, "list_rank: ranks has ", to_ranks.size(),
          " elements, and there are ", n, " links");
  expects(std::cmp_less_equal(n, bounds<U>::highest()), "list_rank: ", n,
          " ranks are too many for their type");
  auto const& own = detail::own(ex);
  auto const splitters = detail::splitters_of(own, n, options...);
  detail::list_heads<std::remove_cvref_t<decltype(own)>, element_t<Next const&>, Options...> const
      heads(own, links.data(), n);
  detail::verify_links(ex, "list_rank", splitters, links, heads.of(options...));
  detail::list_rank_on(own, splitters, links, heads.of(options...), detail::fault_of(options...),
                       to_ranks.data());
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
/// Cost     As list_rank; each random access moves a word and a value.  Scratch: these, padded, for
///          n nodes, n / 8 bytes for bits, and for sublists at most n / 2 bytes.
/// Errors   contract_error if the sizes differ; on a checked executor, if links do not form lists.
///          Issued, not awaited.
/// Source   as list_rank.
template <local_executor Ex, class Next, class In, class Out, class M = plus<>, class... Options>
requires(sequence<Out>) void inclusive_list_scan(Ex const& ex, Next const& next, In const& values,
                                                 Out&& out, M m = {}, Options... options) {
  detail::list_scan_of<true>(ex, "inclusive_list_scan", next, values, out, m, options...);
}
template <local_executor Ex, class Next, class In, class Out, class M = plus<>, class... Options>
requires(sequence<Out>) void exclusive_list_scan(Ex const& ex, Next const& next, In const& values,
                                                 Out&& out, M m = {}, Options... options) {
  detail::list_scan_of<false>(ex, "exclusive_list_scan", next, values, out, m, options...);
}

}  // namespace ravel::inline v0
