#pragma once

/// The stages of a pipeline as a value: sources, steps, passes, and the boundaries between
/// passes.
///
/// A node is opened by open(ex, k), which runs all preceding passes and calls k(view) or k(pass).
/// Their results are in scratch, which lives until k returns.
///
/// A node is `sized` if its number of elements, most(), is known before it is opened.  Otherwise
/// a view or pass that is not `counted` has the number once the node is open: a preceding pass
/// dropped elements, and the host has waited for the number left.

#include <ravel/core/transfer.hpp>
#include <ravel/pipelines/growing.hpp>
#include <ravel/pipelines/pass.hpp>
#include <ravel/pipelines/run.hpp>

namespace ravel::inline v0::piping {

/// The length of two concatenated sequences.
inline index_t length_of_both(index_t n, index_t after) {
  expects(n <= std::numeric_limits<index_t>::max() - after, "there cannot be ", n, " and ", after,
          " elements in a row");
  return n + after;
}

/// Refuses passes over more elements than any machine has time for, whose tiles have no numbers.
inline void expect_to_end(index_t n) {
  expects(n <= index_t{1} << 62, "pipeline: a pass over ", n, " elements does not end");
}

/// The source of a pipeline: a view, and the owner of what it refers to.
template <class View, class Owner = int>
struct source {
  using view = host_sized_t<View>;
  static constexpr bool is_pass = false;
  static constexpr bool sized = !View::counted;
  View of;
  Owner owner{};

  auto open(auto const&, auto const& k) const { return k(host_sized(of)); }
  index_t most() const { return of.most(); }
};

/// A step may have sources of its own.  A kernel gets their views, once
/// they are opened.
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

/// Whether all sources of a step are sized.
template <class Step>
inline constexpr bool sized_step = true;
template <has_sources Step>
inline constexpr bool sized_step<Step> = Step::sized;

/// Calls k(step) with the form of a step that a kernel gets, for a view.
template <class Ex, class Step, class V, class K>
auto open_step(Ex const& ex, Step const& step, V const& v, K const& k) {
  if constexpr (has_sources<Step>) {
    return step.open(ex, v, k);
  } else {
    return k(step);
  }
}

/// Calls k(view...) with the views of all nodes, opened.
auto open_all(auto const&, auto const& k) { return k(); }
auto open_all(auto const& ex, auto const& k, auto const& node, auto const&... nodes) {
  return node.open(ex, [&](auto const& view) {
    return open_all(
        ex, [&](auto const&... views) { return k(view, views...); }, nodes...);
  });
}

/// Another node, with a step applied.
template <class Base, class Step>
struct seen {
  using through = seen_through<typename Base::view, opened_t<Step>>;
  using view = typename through::type;
  static constexpr bool is_pass = false;
  static constexpr bool sized = Base::sized && sized_step<Step>;
  Base base;
  Step step;

  auto open(auto const& ex, auto const& k) const {
    return base.open(ex, [&](auto const& v) {
      return open_step(ex, step, v, [&](auto const& s) { return k(through::of(v, s)); });
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

/// A node, and the owner of what following stages read.
template <class Base, class Owner>
struct keeping : Base {
  Owner owner;
};

/// A node whose elements go through maps, filters and a scan.
template <class Base, class Before, class Scan, class After>
struct passed {
  static constexpr bool is_pass = true;
  static constexpr bool sized = Base::sized && !Before::partial && !After::partial;
  using pass_type = pass<typename Base::view, Before, Scan, After>;
  Base base;
  Before before;
  Scan scan;
  After after;

  auto open(auto const& ex, auto const& k) const {
    return base.open(ex, [&](auto const& v) { return k(pass_type{v, before, scan, after}); });
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
    return node.open(ex, [&](auto const& v) {
      expect_to_end(v.most());
      return k(pass<std::remove_cvref_t<decltype(v)>, as_it_is, no_scan, as_it_is>{v, {}, {}, {}});
    });
  }
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
template <class V, class Before, class After>
struct value_of_pass<pass<V, Before, no_scan, After>>
    : std::type_identity<made_of_t<Before, value_t<V>>> {};
template <class V, class Before, class Scan, class After>
requires(Scan::there) struct value_of_pass<pass<V, Before, Scan, After>>
    : std::type_identity<made_of_t<After, typename Scan::value>> {
};

/// The type of the elements of a node's results.
template <class Node>
using element_of_node = typename value_of_pass<pass_of_t<Node>>::type;

/// Runs a node to a target, as `write` does its pass; an operation writes directly to the target if
/// it can.
/// Returns the number of results, or, for a counted pass, an upper bound.
template <class Ex, class Node, class Target, class Count>
index_t run_to(Ex const& ex, Node const& node, Target target, index_t room, Count count) {
  constexpr bool writes_itself = requires { node.run_to(ex, target, count); };
  if constexpr (writes_itself && !std::copyable<element_of_node<Node>>) {
    expects(room >= node.most(), "pipeline: there is room for ", room, " of ", node.most(),
            " elements that cannot be copied");  // from scratch
    return node.run_to(ex, target, count);
  } else {
    if constexpr (writes_itself) {
      if (room >= node.most()) return node.run_to(ex, target, count);
    }
    return open_pass(node, ex, [&](auto const& p) {
      write(ex, p, target, room, count);
      return p.most();
    });
  }
}

/// The same on the host, to memory for most() results; returns their number.
template <class Ex, class Node, class Out>
index_t run_to_memory(Ex const& ex, Node const& node, Out* out) {
  index_t n = node.most();
  if constexpr (Node::sized) {
    run_to(ex, node, to_memory<Out>{out}, n, no_count{});
  } else {
    run_to(ex, node, to_memory<Out>{out}, n, store_count{&n});
  }
  return n;
}

/// Whether a later pass moves from the results of a node in host memory: they are there for it alone.
template <class Ex, class P, class T>
inline constexpr bool moved_on = never_waits<Ex> &&
                                 (P::moves || !std::copyable<T> || !std::default_initializable<T>);

/// Whether the host knows the number of a node's results once they are in memory.
template <class Ex, class Node>
inline constexpr bool size_on_host = never_waits<Ex> || !pass_of_t<Node>::counted;

/// A pass that is run, and its results materialised, before anything reads them.  With SizeOnHost
/// the host gets their number, and waits for it if necessary.
template <class Ex, class Node, bool SizeOnHost = never_waits<Ex>>
struct stored {
  using runs_on = Ex;
  using space = space_of_t<Ex>;
  static constexpr bool is_pass = false;
  static constexpr bool sized = Node::sized;
  static constexpr bool counted = pass_of_t<Node>::counted;
  using T = element_of_node<Node>;
  static constexpr bool moved = moved_on<Ex, pass_of_t<Node>, T>;
  using view = std::conditional_t<
      moved, sized_view<taken<T, room_of<T>>, host_space>,
      std::conditional_t<SizeOnHost || !counted, in_memory<T, space>, counted_in_memory<T, space>>>;
  Node node;
  char const* wanted_by;  // the stage that needs the results

  auto open(Ex const& ex, auto const& k) const {
    if constexpr (moved) {
      auto const results = ex.template scratch<room_of<T>>(node.most());
      index_t const n = run_to_memory(ex, node, results.data());
      return k(view{{results.data()}, n});
    } else if constexpr (runs_in_windows<Ex, pass_of_t<Node>, SizeOnHost>) {
      return open_pass(node, ex, [&](auto const& p) {
        index_t const n = p.most();
        if (is_long<Ex, T>(n)) {
          growing<Ex, to_memory<T>> results(ex);
          index_t const kept = write_growing(ex, p, results);
          return k(view{{results.from(0).out}, kept});
        }
        auto const results = ex.template scratch<T>(n);
        index_t const kept = ravel::detail::one_sync<index_t>(ex, [&](auto const& count) {
          write(ex, p, to_memory<T>{results.data()}, n, store_count{count.data()});
        });
        return k(view{{results.data()}, kept});
      });
    } else {
      return open_all(ex, k);
    }
  }
  index_t most() const { return node.most(); }

 private:
  auto open_all(Ex const& ex, auto const& k) const {
    index_t const n = node.most();
    auto const results = ex.template scratch<T>(n);
    to_memory<T> const target{results.data()};
    if constexpr (counted) {
      auto const size = ex.template scratch<index_t>(1);
      run_to(ex, node, target, n, store_count{size.data()});
      if constexpr (SizeOnHost) {
        return k(view{{results.data()}, at_sync(ex, size)});
      } else {
        return k(view{results.data(), n, size.data()});
      }
    } else {
      index_t const kept = run_to(ex, node, target, n, no_count{});
      return k(view{{results.data()}, kept});
    }
  }
};

/// A node, materialised first if `Stored`, for the stage `wanted_by`.
template <bool Stored, class Ex, class Node>
auto stored_if(Node const& node, char const* wanted_by) {
  if constexpr (Stored) {
    return stored<Ex, Node>{node, wanted_by};
  } else {
    return node;
  }
}

}  // namespace ravel::inline v0::piping
