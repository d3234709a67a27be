#pragma once

/// Pipelines: on(ex, source) | stage | stage | sink.

#include <ravel/core/owning_iterator.hpp>
#include <ravel/pipelines/collect.hpp>
#include <ravel/pipelines/node.hpp>

#include <iterator>
#include <new>
#include <ranges>

namespace ravel::inline v0 {
namespace piping {

struct is_stage {
  static constexpr bool makes_segments = false;   // for the following stages
  static constexpr bool leaves_segments = false;  // ends those of a preceding stage
};
struct is_sink {};

template <class S>
concept stage = std::derived_from<std::remove_cvref_t<S>, is_stage>;
template <class S>
concept sink = std::derived_from<std::remove_cvref_t<S>, is_sink>;

/// Composed stages, the last of which may be a sink.
template <class A, class B>
struct stages_then : is_stage {
  static constexpr bool makes_segments =
      B::makes_segments || (A::makes_segments && B::leaves_segments);
  static constexpr bool leaves_segments = A::leaves_segments && B::leaves_segments;
  A a;
  B b;
  stages_then(A a, B b) : a(std::move(a)), b(std::move(b)) {}
};
template <class A, class B>
struct stages_then_sink : is_sink {
  A a;
  B b;
  stages_then_sink(A a, B b) : a(std::move(a)), b(std::move(b)) {}
};

/// A sink of each segment, as a stage.
template <class Sink>
struct of_segments : is_stage {
  Sink sink;
  of_segments(Sink sink) : sink(std::move(sink)) {}
};

/// The position of a stage in a pipeline, for error sentences.
struct spot {
  int number;
  char const* name;
};
inline std::ostream& operator<<(std::ostream& out, spot const& s) {
  return out << "pipeline: stage " << s.number << ", " << s.name;
}

/// Runs call(), and adds the stage to its contract_errors.
auto at_stage(spot const& where, auto const& call) {
  try {
    return call();
  } catch (contract_error const& e) {
    throw contract_error(ravel::detail::sentence(where, ": ", e.what()));
  }
}

/// A value of any copyable type, or none, which can be assigned: lambdas with captures cannot.
template <class T>
class assignable {
  union {
    T value;
  };
  bool there_ = false;

 public:
  assignable() {}
  explicit assignable(T x) : value(std::move(x)), there_(true) {}
  assignable(assignable const& other) { *this = other; }
  assignable& operator=(assignable const& other) {
    if (this == &other) return *this;
    clear();
    if (other.there_) new (&value) T(other.value);
    there_ = other.there_;
    return *this;
  }
  ~assignable() { clear(); }

  T const& operator*() const {
    expects(there_, "pipeline: it is empty, and can only be assigned to");
    return value;
  }

 private:
  void clear() {
    if (there_) value.~T();
    there_ = false;
  }
};

}  // namespace piping

/// A source and stages, and their executor.  It is a value; nothing runs
/// before there is a sink, which runs everything, each time anew.
///
/// It borrows lvalue arguments, and owns rvalue arguments.
///
/// On the host it is an input range of its results, and a view.  Each begin() runs all of it, also
/// if only some results are read; to_buffer() keeps results that are read more often.
///
///     for (int const x : on(ex, values) | filter(is_odd{})) ...
///     on(ex, values) | filter(is_odd{}) | std::views::take(2)
template <executor Ex, class Node>
class pipeline : public std::ranges::view_base {
  piping::assignable<Ex> ex_;
  piping::assignable<Node> node_;
  int stages_ = 0;

 public:
  using value_type = piping::element_of_node<Node>;

  pipeline() = default;  ///< empty: range-v3 wants views to have a default constructor
  pipeline(Ex ex, Node node, int stages)
      : ex_(std::move(ex)), node_(std::move(node)), stages_(stages) {}

  Ex const& on() const { return *ex_; }
  Node const& node() const { return *node_; }
  int stages() const { return stages_; }

  /// Runs the whole pipeline, into memory that the iterator owns.
  owning_iterator<value_type> begin() const {
    static_assert(std::same_as<space_of_t<Ex>, host_space>,
                  "a pipeline on a device is no range of the host: to_vector() copies its results "
                  "there");
    return owning_iterator<value_type>(piping::results_of(on(), node()));
  }
  std::default_sentinel_t end() const { return {}; }
  /// Runs the whole pipeline, into memory of its executor: for nested programs.
  auto results_in_memory() const { return piping::results_of(on(), node()); }

  /// The number of results, if it is known in advance.
  index_t size() const requires(Node::sized) { return node().most(); }
  /// An upper bound for the number of results.
  index_t most() const { return node().most(); }
};

namespace piping {

template <class T>
struct is_pipeline : std::false_type {};
template <class Ex, class Node>
struct is_pipeline<pipeline<Ex, Node>> : std::true_type {};

/// A node with a stage that selects the elements at each position.
template <class Ex, class Node, class Step>
auto see(Node const& node, Step const& step) {
  if constexpr (Node::is_pass) {
    return seen<stored<Ex, Node>, Step>{{node, Step::name}, step};
  } else {
    return seen<Node, Step>{node, step};
  }
}

template <class Base, class Before, class Scan, class After>
auto passing(Base const& base, Before const& before, Scan const& scan, After const& after) {
  return passed<Base, Before, Scan, After>{base, before, scan, after};
}

/// A node with f applied to its elements: fused into the load of the next pass, or after the scan
/// of the current one.
template <class Node, class F>
auto see_mapped(Node const& node, F const& f) {
  if constexpr (!Node::is_pass) {
    return seen<Node, map_step<F>>{node, {f}};
  } else if constexpr (decltype(node.scan)::there) {
    using After = decltype(node.after);
    return passing(node.base, node.before, node.scan, mapped<After, F>{node.after, f});
  } else {
    using Before = decltype(node.before);
    return passing(node.base, mapped<Before, F>{node.before, f}, node.scan, node.after);
  }
}

/// A node with a stage that reads only its own position: it can be fused after a scan, if its
/// operands are available before anything runs.
template <class Ex, class Node, class Step>
auto see_beside(Node const& node, Step const& step) {
  constexpr bool is_there = !has_sources<Step> || requires { step.opened(); };
  if constexpr (Node::is_pass && !pass_of_t<Node>::packs && pass_of_t<Node>::scans && is_there) {
    auto const opened = [&] {
      if constexpr (has_sources<Step>) {
        return step.opened();
      } else {
        return step;
      }
    }();
    using Base = keeping<decltype(node.base), Step>;
    using After = set_beside<decltype(node.after), opened_t<Step>>;
    return passing(Base{node.base, step}, node.before, node.scan, After{node.after, opened});
  } else {
    return see<Ex>(node, step);
  }
}

template <class Ex, class Node, class Keep>
auto sift(Node const& node, Keep const& keep) {
  if constexpr (!Node::is_pass) {
    return passing(node, sifted_by(as_it_is{}, keep), no_scan{}, as_it_is{});
  } else if constexpr (decltype(node.scan)::backward) {
    return sift<Ex>(stored<Ex, Node>{node, "filter"}, keep);
  } else if constexpr (decltype(node.scan)::there) {
    return passing(node.base, node.before, node.scan, sifted_by(node.after, keep));
  } else {
    return passing(node.base, sifted_by(node.before, keep), node.scan, node.after);
  }
}

/// A backward scan of a sequence of unknown length: reversed, scanned forward with the
/// operands swapped, and reversed again.
template <class Ex, class Node, bool Inclusive, class M, class Initial>
auto scan_backward(Node const& node, scan_of<Inclusive, true, M, Initial> const& step) {
  using forward = scan_of<Inclusive, false, flipped<M>, Initial>;
  auto const reversed = seen<Node, reverse_step>{node, {}};
  return see<Ex>(passing(reversed, as_it_is{}, forward{{step.m}, step.initial}, as_it_is{}),
                 reverse_step{});
}

template <class Ex, class Node, class Scan>
auto scan(Node const& node, Scan const& step) {
  if constexpr (!Node::is_pass) {
    if constexpr (Scan::backward && Node::view::counted) {
      return scan_backward<Ex>(node, step);
    } else {
      return passing(node, as_it_is{}, step, as_it_is{});
    }
  } else if constexpr (decltype(node.scan)::there || Scan::backward) {
    return scan<Ex>(stored<Ex, Node>{node, Scan::name}, step);
  } else {
    return passing(node.base, node.before, step, as_it_is{});
  }
}

// The operators are in the namespace of the stages, so that argument-dependent lookup finds them in
// expressions of stages alone.

/// Two stages, or a stage and a sink.
template <class S>
concept composed = requires(S s) {
  s.a;
  s.b;
};

/// Appends a stage to a pipeline.
template <class Ex, class Node, stage Stage>
auto operator|(pipeline<Ex, Node> const& p, Stage const& s) {
  if constexpr (composed<decltype(s)>) {
    return p | s.a | s.b;
  } else {
    int const number = p.stages() + 1;
    auto node = s.template attached<Ex>(p.node(), spot{number, Stage::name});
    return pipeline<Ex, decltype(node)>(p.on(), std::move(node), number);
  }
}

/// Runs a pipeline into a sink.
template <class Ex, class Node, sink Sink>
auto operator|(pipeline<Ex, Node> const& p, Sink const& s) {
  if constexpr (composed<decltype(s)>) {
    return p | s.a | s.b;
  } else {
    return s.run(p.on(), p.node(), spot{p.stages() + 1, Sink::name});
  }
}

/// Refuses stages and sinks after a range, which has no executor.
struct refused {};
template <class R, class S>
requires(!is_pipeline<std::remove_cvref_t<R>>::value &&
         (stage<S> || sink<S>)&&std::ranges::range<R&>) refused
operator|(R&&, S const&) {
  static_assert(
      !std::ranges::range<R&>,
      "a stage or sink after a range: a pipeline begins with the executor that runs it, as "
      "in on(ex, range) | stage, or range | on(ex) | stage");
  return {};
}
template <class S>
requires(stage<S> || sink<S>) refused operator|(refused, S const&) { return {}; }

/// Composes stages, for later pipelines: auto const normalise = map(f) | inclusive_scan(m).
template <stage A, stage B>
auto operator|(A const& a, B const& b) {
  return stages_then<A, B>(a, b);
}
template <stage A, sink B>
auto operator|(A const& a, B const& b) {
  if constexpr (A::makes_segments) {  // a result for each segment
    return stages_then<A, of_segments<B>>(a, b);
  } else {
    return stages_then_sink<A, B>(a, b);
  }
}

}  // namespace piping
}  // namespace ravel::inline v0
