#pragma once

/// @file
/// The options of list ranking, and the faults that it reports where links do not form lists.
///
///     list_rank(ex, next, ranks, heads_at(heads), fault_to(fault))
///     list_rank(ex, next, ranks, splitter_spacing(1024), sublists_in_turn)

#include <ravel/core/concepts.hpp>
#include <ravel/core/error.hpp>
#include <ravel/primitives/options.hpp>

#include <bit>
#include <concepts>
#include <type_traits>

namespace ravel::inline v0 {

/// Why links do not form lists.
enum class list_fault_kind : int {
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

template <class H, class Space>
struct heads_at_nodes {
  using space = Space;
  view<H const, Space> heads;
};
template <class Space>
struct fault_to_element {
  using space = Space;
  list_fault* fault;
};
struct splitter_spacing_of {
  int log;
};
struct sublists_in_turn_t {};

/// The lists begin at these nodes, in any order, and there are no other lists.
template <sequence R>
auto heads_at(R&& heads) {
  static_assert(std::integral<element_t<R>>, "heads_at: the heads must be integers");
  return heads_at_nodes<element_t<R>, space_of_t<R>>{view_of(heads)};
}

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

template <class O>
struct list_option_kind {
  static constexpr bool is_heads = false, is_fault = false, is_spacing = false, is_turn = false;
};
template <class H, class S>
struct list_option_kind<heads_at_nodes<H, S>> : list_option_kind<void> {
  static constexpr bool is_heads = true;
};
template <class S>
struct list_option_kind<fault_to_element<S>> : list_option_kind<void> {
  static constexpr bool is_fault = true;
};
template <>
struct list_option_kind<splitter_spacing_of> : list_option_kind<void> {
  static constexpr bool is_spacing = true;
};

template <>
struct list_option_kind<sublists_in_turn_t> : list_option_kind<void> {
  static constexpr bool is_turn = true;
};

template <bool From, class... O>
inline constexpr bool are_list_options =
    ((list_option_kind<O>::is_heads || list_option_kind<O>::is_fault ||
      list_option_kind<O>::is_spacing || list_option_kind<O>::is_turn ||
      (From && option_kind<O>::is_from)) &&
     ...) &&
    (0 + ... + int{list_option_kind<O>::is_heads}) <= 1 &&
    (0 + ... + int{list_option_kind<O>::is_fault}) <= 1 &&
    (0 + ... + int{list_option_kind<O>::is_spacing}) <= 1 &&
    (0 + ... + int{list_option_kind<O>::is_turn}) <= 1 && from_count<O...> <= 1;

/// Where lists begin, by the options: at heads to be found, or at given ones.
struct heads_to_find {};
inline heads_to_find heads_of() { return {}; }
template <class O, class... Rest>
auto heads_of(O const& option, Rest const&... rest) {
  if constexpr (list_option_kind<O>::is_heads) {
    return option.heads;
  } else {
    return heads_of(rest...);
  }
}

/// Where the options want the fault written; null if nowhere.
inline list_fault* fault_of() { return nullptr; }
template <class O, class... Rest>
list_fault* fault_of(O const& option, Rest const&... rest) {
  if constexpr (list_option_kind<O>::is_fault) {
    return option.fault;
  } else {
    return fault_of(rest...);
  }
}

/// log2 of the spacing that the options set; 0 if they set none.
inline int log_spacing_of() { return 0; }
template <class O, class... Rest>
int log_spacing_of(O const& option, Rest const&... rest) {
  if constexpr (list_option_kind<O>::is_spacing) {
    return option.log;
  } else {
    return log_spacing_of(rest...);
  }
}

}  // namespace detail
}  // namespace ravel::inline v0
