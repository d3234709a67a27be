#pragma once

/// A stage that runs an operation over all elements, in a pass of its own.

#include <ravel/pipelines/pipeline.hpp>
#include <ravel/pipelines/results.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0::piping {

/// Whether an operation can be issued when only the executor knows the number of elements.
template <class Op>
concept takes_counted = bool{Op::takes_counted};

/// Whether an operation reads elements through a load, so that they need not be in memory.
template <class Op>
concept reads_views = bool{Op::reads_views};

/// Whether an operation can work in place, on elements that cannot be copied.
template <class Op>
concept works_in_place = bool{Op::works_in_place};

/// Whether a node computes its elements: it refers to none that are stored.
template <class Node>
inline constexpr bool computes_values = requires(pass_of_t<Node> const& p, index_t i) {
  requires !std::is_reference_v<decltype(load_from(p.view, p.before)(i))>;
};

/// Whether an operation moves from its elements.
template <class Op>
concept moves_from = bool{Op::moves_from};

/// Whether elements of type T can be copied to memory for them.
template <class T>
inline constexpr bool are_plain = std::copyable<T>&& std::default_initializable<T>;

/// Whether an operation runs in place, where the elements of a node are written, on the host: what
/// cannot be copied or has no default constructor, or is moved from.
template <class Ex, class Node, class Op, class T = element_of_node<Node>>
inline constexpr bool runs_in_place = works_in_place<Op>&& never_waits<Ex> &&
                                      (!are_plain<T> || pass_of_t<Node>::moves);

/// Whether an operation takes the elements of a node.
template <class Ex, class Node, class Op, class T = element_of_node<Node>>
inline constexpr bool takes_elements = are_plain<T> || moves_from<Op> ||
                                       (runs_in_place<Ex, Node, Op> &&
                                        (std::copyable<T> || pass_of_t<Node>::moves ||
                                         computes_values<Node>));

/// An operation that has one result for each element, of its type; or the op's own number and type, `length` and
/// `made<T>`.
struct op_of_each {
  static constexpr bool counted = false;
  template <class T>
  using made = T;
  index_t length(index_t n) const { return n; }
};

/// A node that runs an operation over all elements.  For n
/// elements of type T it has op.length(n) results of type op.made<T>, or, if it is
/// `counted`, at most so many; op.run(ex, in, out, count) computes them from a sequence, or,
/// if it `reads_views`, from a view.
template <class Ex, class Node, class Op>
struct ran {
  static constexpr bool is_pass = false;
  static constexpr bool sized = Node::sized && !Op::counted;
  using T = element_of_node<Node>;
  using U = typename Op::template made<T>;
  using space = space_of_t<Ex>;
  static constexpr bool moved = moved_on<Ex, pass_of_t<Node>, U>;
  using room = std::conditional_t<moved, room_of<U>, U>;
  using view =
      std::conditional_t<moved, sized_view<taken<U, room>, host_space>,
                         std::conditional_t<Op::counted, host_sized_t<counted_in_memory<U, space>>,
                                            in_memory<U, space>>>;
  /// Whether it reads the elements in place, without temporary memory.
  static constexpr bool reads_directly =
      !Node::is_pass &&
      (reads_views<Op> || is_in_memory<typename pass_of_t<Node>::view_type>::value);
  Node node;
  Op op;
  spot where;

  /// Whether it can compute the number of results before the results.
  static constexpr bool counts_first = never_waits<Ex> && requires { Op::counts_first; };

  auto open(Ex const& ex, auto const& k) const {
    if constexpr (counts_first) {
      if (is_long<Ex, U>(most())) {
        auto const results = results_sync(ex);
        return k(view{{results.first.data()}, results.second});
      }
    }
    auto const out = ex.template scratch<room>(most());
    auto const count = ex.template scratch<index_t>(Op::counted ? 1 : 0);
    index_t const n = run(ex, out.data(), count.data());
    if constexpr (moved) {
      return k(view{{out.data()}, Op::counted ? *count.data() : n});
    } else if constexpr (Op::counted) {
      return k(host_sized(counted_in_memory<U, space>{out.data(), n, count.data()}));
    } else {
      return k(view{{out.data()}, n});
    }
  }
  /// Runs it where the target has room for the upper bound.
  template <class Out>
  requires(std::same_as<Out, U> || std::same_as<Out, room>) index_t
      run_to(Ex const& ex, to_memory<Out> target, store_count count)
  const {
    index_t const n = run(ex, target.out, count.total);
    if constexpr (!Op::counted) for_each_index(ex, 1, store_number{n, count.total});
    return n;
  }
  template <class Out>
  requires(!Op::counted && (std::same_as<Out, U> || std::same_as<Out, room>)) index_t
      run_to(Ex const& ex, to_memory<Out> target, no_count)
  const { return run(ex, target.out, nullptr); }
  /// The results, in memory of their exact size, and their number.
  auto results_sync(Ex const& ex) const requires counts_first {
    return open_input(ex, [&](auto const& in) {
      expect_to_end(in.most());
      return at_stage(where, [&] {
        return op.run_sync(ex, in, [&](index_t n) { return ex.template allocate<U>(n); });
      });
    });
  }
  index_t most() const { return op.length(node.most()); }

 private:
  auto open_input(Ex const& ex, auto const& k) const {
    if constexpr (reads_directly) {
      return node.open(ex, k);
    } else {
      return stored<Ex, Node>{node, Op::name}.open(ex, k);
    }
  }
  /// Returns the number of results, or, if it is counted, an upper bound.
  template <class Out>
  index_t run(Ex const& ex, Out* out, [[maybe_unused]] index_t* count) const {
    if constexpr (runs_in_place<Ex, Node, Op>) {
      index_t const n = run_to_memory(ex, node, out);
      flattening::note_step(Op::name, n);
      at_stage(where, [&] { op.template run_in_place<T>(ex, sequence_at(ex, out, n)); });
      return n;
    } else {
      return run_on_input(ex, out, count);
    }
  }
  template <class Out>
  index_t run_on_input(Ex const& ex, Out* out, index_t* count) const {
    return open_input(ex, [&](auto const& in) {
      expect_to_end(in.most());
      index_t const n = op.length(in.most());
      auto const results = sequence_at(ex, out, n);
      auto const total = sequence_at(ex, count, Op::counted ? 1 : 0);
      flattening::note_step(Op::name, in.most());
      at_stage(where, [&] {
        if constexpr (reads_views<Op>) {
          op.run(ex, in, results, total);
        } else {
          op.run(ex, sequence_at(ex, in.data, in.n), results, total);
        }
      });
      return n;
    });
  }
};

/// An operation whose primitive verifies the contents of its operands.
template <class Op>
struct with_checked : Op {
  void run(auto const& ex, auto const& in, auto const& out, auto const& count) const {
    Op::run(checked(ravel::detail::own(ex)), in, out, count);
  }
};

template <class Op>
struct own_pass_stage : is_stage {
  static constexpr char const* name = Op::name;
  static constexpr bool leaves_segments = requires { Op::of_segments_too; };
  Op op;
  explicit own_pass_stage(Op op) : op(std::move(op)) {}

  template <class Ex, class Node>
  auto attached(Node const& node, spot where) const {
    static_assert(size_on_host<Ex, Node> || takes_counted<Op>,
                  "a stage that is a pass of its own: how many elements come depends on the data, "
                  "and the device alone knows it: sized_sync() before this stage waits for it");
    using T = element_of_node<Node>;
    constexpr bool taken =
        !std::same_as<typename Op::template made<T>, T> || takes_elements<Ex, Node, Op>;
    if constexpr (!taken && requires { op.template sorted_in_place<Ex>(node, where); }) {
      return op.template sorted_in_place<Ex>(node, where);
    } else {
      static_assert(taken,
                    "a stage that is a pass of its own, such as sort: the elements cannot be "
                    "copied, or have no default constructor: map them to a type that does, such as "
                    "pointers to them, or sort their positions; on the host, sort takes results of "
                    "a map that cannot be copied, and elements of moved(in)");
      if constexpr (requires { Op::template expect_runs_on<Ex>(); }) {
        Op::template expect_runs_on<Ex>();
      }
      index_t const limit = at_stage(where, [&] { return op.length(node.most()); });
      expects(limit >= 0, where, ": there would be ", limit, " elements");
      if constexpr (taken) {
        return ran<Ex, Node, Op>{node, op, where};
      } else {
        return node;  // which causes no further errors
      }
    }
  }
};

}  // namespace ravel::inline v0::piping
