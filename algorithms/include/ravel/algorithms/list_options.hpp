#pragma once

/// @file
/// The options of list ranking, and the faults that it reports where links do not form lists.
///
///     list_rank(ex, next, ranks, heads_at(heads), fault_to(fault))
///     list_rank(ex, next, ranks, one_list)
///     list_rank(ex, next, ranks, splitter_spacing(1024), sublists_in_turn)

#include <ravel/core/concepts.hpp>
#include <ravel/core/error.hpp>
#include <ravel/primitives/options.hpp>

#include <bit>
#include <concepts>

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
/// The type of `sublists_in_turn`.
struct sublists_in_turn_t {
  using kind = detail::option::in_turn;
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

/// One node of every `nodes`, a power of two, is a splitter.  For measurements of the spacing.
inline splitter_spacing_of splitter_spacing(index_t nodes) {
  expects(nodes >= 2 && nodes <= index_t{1} << 30 && (nodes & (nodes - 1)) == 0,
          "splitter_spacing: ", nodes, " is not a power of two from 2 to 2^30");
  return {std::countr_zero(static_cast<std::size_t>(nodes))};
}

/// One walk ranks all sublists of a list, as in Wei and JaJa, whose other parameter, the number of
/// splitters, is given here by their spacing.  For measurements of what ranking in parallel gains.
inline constexpr sublists_in_turn_t sublists_in_turn{};

namespace detail {

using list_rank_options = takes<option::heads, option::fault, option::spacing, option::in_turn>;
using list_scan_options =
    takes<option::heads, option::fault, option::spacing, option::in_turn, option::from>;

/// Lists begin at nodes that no node links to, which are to be found.
struct heads_to_find {};
/// Whether the options have one_list.
template <class... Options>
inline constexpr bool are_one_list = (std::same_as<Options, one_list_t> || ...);

/// Where the options want the fault written; null if nowhere.
template <class... Options>
list_fault* fault_of(Options const&... options) {
  return option_or<option::fault>(fault_to_element<host_space>{}, options...).fault;
}

/// log2 of the spacing that the options set; 0 if they set none.
template <class... Options>
int log_spacing_of(Options const&... options) {
  return option_or<option::spacing>(splitter_spacing_of{}, options...).log;
}

}  // namespace detail
}  // namespace ravel::inline v0
