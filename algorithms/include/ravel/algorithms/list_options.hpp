#pragma once

/// The options of list ranking, and the faults that it reports where links do not form lists.
///
///     list_rank(ex, next, ranks, heads_at(heads), fault_to(fault))
///     list_rank(ex, next, ranks, one_list)
///     list_rank(ex, next, ranks, splitter_spacing(1024), sublists_in_turn)
///     list_rank(ex, next, ranks, splitter_count(61'440), walk_grid(120, 256), sublists_on_host)

#include <ravel/primitives/options.hpp>

namespace ravel::inline v0 {

/// Why links do not form lists.  As wide as an index, so that a fault has no padding.
enum class list_fault_kind : index_t {
  none,          ///< they do
  out_of_range,  ///< the link of the node is out of range
  shared,        ///< two nodes link to the node, or one links to a given head
  unreachable,   ///< no head leads to the node: it is on a cycle, or its head was not given
};

/// The first fault: of the faults of the first kind that occurs, the one at the least node.
struct list_fault {
  list_fault_kind kind = list_fault_kind::none;
  index_t node = 0;
  friend bool operator==(list_fault const&, list_fault const&) = default;
};

namespace detail::option {
struct heads {};
struct fault {};
struct spacing {};
struct in_turn {};
struct grid {};
}  // namespace detail::option

/// What `heads_at` returns.
template <class H, class Space>
struct heads_at_nodes {
  using kind = detail::option::heads;
  using space = Space;
  view<H const, Space> heads;
};
/// The type of `one_list`.
struct one_list_t {
  using kind = detail::option::heads;
};
/// What `fault_to` returns.
template <class Space>
struct fault_to_element {
  using kind = detail::option::fault;
  using space = Space;
  list_fault* fault;
};
/// What `splitter_spacing` returns.
struct splitter_spacing_of {
  using kind = detail::option::spacing;
  int log;
};
/// What `splitter_count` returns.
struct splitter_count_of {
  using kind = detail::option::spacing;
  index_t count;
};
/// The type of `sublists_in_turn`.
struct sublists_in_turn_t {
  using kind = detail::option::in_turn;
};
/// The type of `sublists_on_host`.
struct sublists_on_host_t {
  using kind = detail::option::in_turn;
};
/// What `walk_grid` returns: blocks of a device, and threads of each; 0 where the call chooses.
struct walk_grid_of {
  using kind = detail::option::grid;
  index_t blocks = 0;
  int threads = 0;
};

/// The lists begin at these nodes, in any order, and there are no other lists.
template <sequence R>
auto heads_at(R&& heads) {
  static_assert(std::integral<element_t<R>>, "heads_at: the heads must be integers");
  return heads_at_nodes<element_t<R>, space_of_t<R>>{view_of(heads)};
}

/// There is one list, whose head is n (n - 1) / 2 minus the sum of all links: a reduction instead of a
/// bit for each node, as in Wei and JaJa.  If links form other lists, a node may be taken for the head
/// that is none: no results are correct, and a fault is found.
inline constexpr one_list_t one_list{};

/// Write the first fault to the one element of `fault`.
template <sequence R>
auto fault_to(R&& fault) {
  static_assert(std::same_as<element_t<R>, list_fault>, "fault_to: a fault is a list_fault");
  expects(size_of(fault) == 1, "fault_to: the fault goes to a sequence of ", size_of(fault),
          " elements and not of one");
  return fault_to_element<space_of_t<R>>{view_of(fault).data()};
}

/// One node of every `nodes`, a power of two, is a splitter.  For measurements of the spacing;
/// splitter_count takes any number.
inline splitter_spacing_of splitter_spacing(index_t nodes) {
  expects(nodes >= 2 && nodes <= index_t{1} << 30 && (nodes & (nodes - 1)) == 0,
          "splitter_spacing: ", nodes, " is not a power of two from 2 to 2^30");
  return {std::countr_zero(static_cast<std::size_t>(nodes))};
}

/// There are `count` splitters, the parameter s of Wei and JaJa, or as many as nodes if there are
/// fewer: one at a place that a hash chooses in each of as many blocks of neighbours in memory, whose
/// sizes differ by one at most.  For measurements: a block is found by a multiplication, and not by a
/// shift as with splitter_spacing.
inline splitter_count_of splitter_count(index_t count) {
  expects(count >= 1 && count <= index_t{1} << 31, "splitter_count: ", count,
          " is not a number from 1 to 2^31");
  return {count};
}

/// One walk ranks all sublists of a list, as in Wei and JaJa.  For measurements of what ranking in
/// parallel gains.
inline constexpr sublists_in_turn_t sublists_in_turn{};

/// The same by a thread of the host, the paper's other choice: sublists are copied to the host, and
/// back.  The call waits for that, and cannot be planned.
inline constexpr sublists_on_host_t sublists_on_host{};

/// Sublists are walked by `blocks` blocks of `threads` threads, the paper's other two parameters: on a
/// device at most 512 threads a block, and no more blocks than reside at once; a host ignores
/// them.  For measurements.
inline walk_grid_of walk_grid(index_t blocks, int threads) {
  expects(blocks >= 1 && threads >= 1 && threads <= 512, "walk_grid: ", blocks, " blocks of ",
          threads, " threads, and a block has 1 to 512");
  return {blocks, threads};
}

namespace detail {

using list_rank_options =
    takes<option::heads, option::fault, option::spacing, option::in_turn, option::grid>;
using list_scan_options = takes<option::heads, option::fault, option::spacing, option::in_turn,
                                option::grid, option::from>;

/// Lists begin at nodes that no node links to, which are to be found.
struct heads_to_find {};
/// Whether the options have one_list.
template <class... Options>
inline constexpr bool are_one_list = (std::same_as<Options, one_list_t> || ...);

/// Where the options want the fault written; null if nowhere.
list_fault* fault_of(auto const&... options) {
  return option_or<option::fault>(fault_to_element<host_space>{}, options...).fault;
}

}  // namespace detail
}  // namespace ravel::inline v0
