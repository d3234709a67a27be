#pragma once

/// @file
/// The stages of a pipeline as a value: sources, what is seen of them, passes, and where
/// one pass ends and the next begins.
///
/// A node is opened by open(ex, k), which calls k(view) or k(pass), with everything ahead
/// of it run.  What it ran into is in scratch, which lives until k returns.
///
/// A node is `sized` if how many elements come is known before it is opened: most().  Of one
/// that is not, a view or a pass that is not `counted` tells it once it is open, for then
/// what drops elements has run, and the host was told how many are left.

#include <ravel/core/concepts.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/pipelines/growing.hpp>
#include <ravel/pipelines/pass.hpp>
#include <ravel/pipelines/run.hpp>

#include <concepts>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

namespace ravel::inline v0::piping {

/// How many elements a sequence and another one behind it have.
inline index_t length_of_both(index_t n, index_t behind) {
  expects(n <= std::numeric_limits<index_t>::max() - behind, "there cannot be ", n, " and ", behind,
          " elements in a row");
  return n + behind;
}

/// Refuses a pass over more elements than any machine has time for, of which not all tiles have numbers.
inline void expect_to_end(index_t n) {
  expects(n <= index_t{1} << 62, "pipeline: a pass over ", n, " elements does not end");
}

/// What a pipeline begins with: a view, and what keeps alive what it is of.
template <class View, class Owner = int>
struct source {
  using view = told_t<View>;
  static constexpr bool is_pass = false;
  static constexpr bool sized = !View::counted;
  View of;
  Owner owner{};

  template <class Ex, class K>
  auto open(Ex const&, K const& k) const {
    return k(told_size(of));
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

/// Whether all sources that a step has are sized.
template <class Step>
inline constexpr bool sized_step = true;
template <has_sources Step>
inline constexpr bool sized_step<Step> = Step::sized;

/// Calls k(step) with what a kernel gets of a step behind a view.
template <class Ex, class Step, class V, class K>
auto open_step(Ex const& ex, Step const& step, V const& of, K const& k) {
  if constexpr (has_sources<Step>) {
    return step.open(ex, of, k);
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
  using through = seen_through<typename Base::view, opened_t<Step>>;
  using view = typename through::type;
  static constexpr bool is_pass = false;
  static constexpr bool sized = Base::sized && sized_step<Step>;
  Base base;
  Step step;

  template <class Ex, class K>
  auto open(Ex const& ex, K const& k) const {
    return base.open(ex, [&](auto const& of) {
      return open_step(ex, step, of, [&](auto const& s) { return k(through::of(of, s)); });
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
  static constexpr bool sized = Base::sized && !Before::partial && !Behind::partial;
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
    return node.open(ex, [&](auto const& p) {
      expect_to_end(p.most());
      return k(p);
    });
  } else {
    return node.open(ex, [&](auto const& of) {
      expect_to_end(of.most());
      return k(
          pass<std::remove_cvref_t<decltype(of)>, as_it_is, no_scan, as_it_is>{of, {}, {}, {}});
    });
  }
}

/// Runs a node to where results go, as `write` does its pass; or, if it can, straight there.
/// Returns how many elements come out, or, of a pass that is counted, may come out.
template <class Ex, class Node, class Target, class Count>
index_t run_to(Ex const& ex, Node const& node, Target target, index_t room, Count count) {
  if constexpr (requires { node.run_to(ex, target, count); }) {
    if (room >= node.most()) return node.run_to(ex, target, count);
  }
  return open_pass(node, ex, [&](auto const& p) {
    write(ex, p, target, room, count);
    return p.most();
  });
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

/// Whether the host is told how many elements come out of a node once that is in memory.
template <class Ex, class Node>
inline constexpr bool told = never_waits<Ex> || !pass_of_t<Node>::counted;

/// A pass that has been run: its results are in memory before anything reads them.  How many
/// they are the host is told if it is `Told`, for which it waits where that takes waiting.
template <class Ex, class Node, bool Told = never_waits<Ex>>
struct stored {
  using runs_on = Ex;
  using space = space_of_t<Ex>;
  static constexpr bool is_pass = false;
  static constexpr bool sized = Node::sized;
  static constexpr bool counted = pass_of_t<Node>::counted;
  using T = element_of_node<Node>;
  using view =
      std::conditional_t<Told || !counted, in_memory<T, space>, counted_in_memory<T, space>>;
  Node node;
  char const* wanted_by;  // the stage that cannot do without

  template <class K>
  auto open(Ex const& ex, K const& k) const {
    if constexpr (runs_in_windows<Ex, pass_of_t<Node>, Told>) {
      return open_pass(node, ex, [&](auto const& p) {
        index_t const n = p.most();
        if (is_long<Ex, T>(n)) {
          growing<Ex, to_memory<T>> results(ex);
          index_t const there = write_growing(ex, p, results);
          return k(view{results.from(0).out, there});
        }
        auto const results = ex.template scratch<T>(n);
        index_t const there = ravel::detail::one_sync<index_t>(ex, [&](auto const& count) {
          write(ex, p, to_memory<T>{results.data()}, n, store_count{count.data()});
        });
        return k(view{results.data(), there});
      });
    } else {
      return open_all(ex, k);
    }
  }
  index_t most() const { return node.most(); }

 private:
  template <class K>
  auto open_all(Ex const& ex, K const& k) const {
    index_t const n = node.most();
    auto const results = ex.template scratch<T>(n);
    to_memory<T> const target{results.data()};
    if constexpr (counted) {
      auto const size = ex.template scratch<index_t>(1);
      run_to(ex, node, target, n, store_count{size.data()});
      if constexpr (Told) {
        return k(view{results.data(), at_sync(ex, size)});
      } else {
        return k(view{results.data(), n, size.data()});
      }
    } else {
      index_t const there = run_to(ex, node, target, n, no_count{});
      return k(view{results.data(), there});
    }
  }
};

}  // namespace ravel::inline v0::piping
