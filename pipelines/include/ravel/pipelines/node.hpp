#pragma once

/// @file
/// The stages of a pipeline as a value: sources, what is seen of them, passes, and where
/// one pass ends and the next begins.
///
/// A node is opened by open(ex, k), which calls k(view) or k(pass), with everything ahead
/// of it run.  What it ran into is in scratch, which lives until k returns.

#include <ravel/core/concepts.hpp>
#include <ravel/pipelines/pass.hpp>
#include <ravel/pipelines/run.hpp>

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace ravel::inline v0::piping {

/// What a pipeline begins with: a view, and what keeps alive what it is of.
template <class View, class Owner = int>
struct source {
  using view = View;
  static constexpr bool is_pass = false;
  View of;
  Owner owner{};

  template <class Ex, class K>
  auto open(Ex const&, K const& k) const {
    return k(of);
  }
  index_t most() const { return of.most(); }
};

/// A step may have sources of its own.  What a kernel gets of it are the views of them, once
/// those are opened.
template <class Step>
concept has_sources = requires {
  typename Step::step;
};
template <class Step>
struct step_of : std::type_identity<Step> {};
template <has_sources Step>
struct step_of<Step> : std::type_identity<typename Step::step> {};
template <class Step>
using opened_t = typename step_of<Step>::type;

/// Calls k(step) with what a kernel gets of a step behind n elements.
template <class Ex, class Step, class K>
auto open_step(Ex const& ex, Step const& step, index_t n, K const& k) {
  if constexpr (has_sources<Step>) {
    return step.open(ex, n, k);
  } else {
    return k(step);
  }
}

/// Calls k(view...) with the views of all nodes, opened.
template <class Ex, class K>
auto open_all(Ex const&, K const& k) {
  return k();
}
template <class Ex, class K, class Node, class... Nodes>
auto open_all(Ex const& ex, K const& k, Node const& node, Nodes const&... nodes) {
  return node.open(ex, [&](auto const& view) {
    return open_all(
        ex, [&](auto const&... views) { return k(view, views...); }, nodes...);
  });
}

/// Another node, seen through a step.
template <class Base, class Step>
struct seen {
  using view = stepped<typename Base::view, opened_t<Step>>;
  static constexpr bool is_pass = false;
  Base base;
  Step step;

  template <class Ex, class K>
  auto open(Ex const& ex, K const& k) const {
    return open_step(ex, step, base.most(), [&](auto const& s) {
      return base.open(ex, [&](auto const& of) { return k(view{of, s}); });
    });
  }
  index_t most() const {
    if constexpr (has_sources<Step>) {
      return step.most(base.most());
    } else {
      return step.length(base.most());
    }
  }
};

/// A node, and what keeps alive what stages behind it read.
template <class Base, class Owner>
struct keeping : Base {
  Owner owner;
};

/// A node whose elements pass through maps, filters and a scan.
template <class Base, class Before, class Scan, class Behind>
struct passed {
  static constexpr bool is_pass = true;
  using pass_type = pass<typename Base::view, Before, Scan, Behind>;
  Base base;
  Before before;
  Scan scan;
  Behind behind;

  template <class Ex, class K>
  auto open(Ex const& ex, K const& k) const {
    return base.open(ex, [&](auto const& of) { return k(pass_type{of, before, scan, behind}); });
  }
  index_t most() const { return base.most(); }
};

/// A node as a pass.
template <class Node, class Ex, class K>
auto open_pass(Node const& node, Ex const& ex, K const& k) {
  if constexpr (Node::is_pass) {
    return node.open(ex, k);
  } else {
    return node.open(ex, [&](auto const& of) {
      return k(
          pass<std::remove_cvref_t<decltype(of)>, as_it_is, no_scan, as_it_is>{of, {}, {}, {}});
    });
  }
}

/// Runs a node to where results go, as `write` does its pass; or, if it can, straight there.
template <class Ex, class Node, class Target, class Count>
void run_to(Ex const& ex, Node const& node, Target target, index_t room, Count count) {
  if constexpr (requires { node.run_to(ex, target, count); }) {
    if (room >= node.most()) return node.run_to(ex, target, count);
  }
  open_pass(node, ex, [&](auto const& p) { write(ex, p, target, room, count); });
}

template <class Node>
struct pass_of;
template <class Node>
requires(Node::is_pass) struct pass_of<Node> : std::type_identity<typename Node::pass_type> {
};
template <class Node>
requires(!Node::is_pass) struct pass_of<Node>
    : std::type_identity<pass<typename Node::view, as_it_is, no_scan, as_it_is>> {
};
template <class Node>
using pass_of_t = typename pass_of<Node>::type;

template <class P>
struct value_of_pass;
template <class V, class Before, class Behind>
struct value_of_pass<pass<V, Before, no_scan, Behind>>
    : std::type_identity<made_of_t<Before, value_t<V>>> {};
template <class V, class Before, class Scan, class Behind>
requires(Scan::there) struct value_of_pass<pass<V, Before, Scan, Behind>>
    : std::type_identity<made_of_t<Behind, typename Scan::value>> {
};

/// What the elements are that come out of a node.
template <class Node>
using element_of_node = typename value_of_pass<pass_of_t<Node>>::type;

/// A pass that has been run: its results are in memory before anything reads them.
template <class Ex, class Node>
struct stored {
  using runs_on = Ex;
  using space = space_of_t<Ex>;
  static constexpr bool is_pass = false;
  static constexpr bool sized = pass_of_t<Node>::sized;
  using T = element_of_node<Node>;
  using view = std::conditional_t<sized, in_memory<T, space>, counted_in_memory<T, space>>;
  Node node;
  char const* wanted_by;  // the stage that cannot do without

  template <class K>
  auto open(Ex const& ex, K const& k) const {
    index_t const n = node.most();
    auto const results = ex.template scratch<T>(n);
    to_memory<T> const target{results.data()};
    if constexpr (sized) {
      run_to(ex, node, target, n, no_count{});
      return k(view{results.data(), n});
    } else {
      auto const size = ex.template scratch<index_t>(1);
      run_to(ex, node, target, n, store_count{size.data()});
      return k(view{results.data(), n, size.data()});
    }
  }
  index_t most() const { return node.most(); }
};

}  // namespace ravel::inline v0::piping
