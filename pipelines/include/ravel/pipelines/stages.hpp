#pragma once

/// Stages: operations on elements.  Scans are in scans.hpp.

#include <ravel/core/member.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/pipelines/own_pass_stage.hpp>
#include <ravel/pipelines/pipeline.hpp>
#include <ravel/pipelines/runs_on.hpp>
#include <ravel/pipelines/sources.hpp>
#include <ravel/primitives/adjacent_difference.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/verify.hpp>

namespace ravel::inline v0 {
namespace piping {

template <class F>
struct map_stage : is_stage {
  static constexpr char const* name = "map";
  static constexpr bool leaves_segments = true;
  F f;
  explicit map_stage(F f) : f(std::move(f)) {}

  template <class Ex, class Node>
  auto attached(Node const& node, spot) const {
    RAVEL_EXPECT_RUNS_ON(F, Ex, "map: f");
    constexpr bool can_call = callable_with<F, element_of_node<Node>>;
    static_assert(can_call,
                  "map: f cannot be called, as const, with an element, nor, of a row, "
                  "with its values");
    if constexpr (can_call) {
      return see_mapped(node, f);
    } else {
      return node;  // refused, in one sentence
    }
  }
};

template <class Keep>
struct filter_stage : is_stage {
  static constexpr char const* name = "filter";
  static constexpr bool leaves_segments = true;
  Keep keep;
  explicit filter_stage(Keep keep) : keep(std::move(keep)) {}

  template <class Ex, class Node>
  auto attached(Node const& node, spot) const {
    RAVEL_EXPECT_RUNS_ON(Keep, Ex, "filter: keep");
    constexpr bool can_call = callable_with<Keep, element_of_node<Node>>;
    static_assert(can_call,
                  "filter: keep cannot be called, as const, with an element, nor, of a "
                  "row, with its values");
    static_assert(std::copy_constructible<element_of_node<Node>> || pass_of_t<Node>::moves,
                  "filter: the elements cannot be copied: begin with moved(in), or map them to a "
                  "type that can");
    if constexpr (can_call) {
      constexpr bool is_predicate = gives_bool<Keep, element_of_node<Node>>;
      static_assert(is_predicate, "filter: keep does not return a bool");
      if constexpr (is_predicate) {
        return sift<Ex>(node, keep);
      } else {
        return node;
      }
    } else {
      return node;
    }
  }
};

template <class Step>
struct step_stage : is_stage {
  static constexpr char const* name = Step::name;
  Step step;
  explicit step_stage(Step step) : step(std::move(step)) {}

  template <class Ex, class Node>
  auto attached(Node const& node, [[maybe_unused]] spot where) const {
    if constexpr (requires { step.verify(where); }) step.verify(where);
    return see<Ex>(node, step);
  }
};

/// Ends a pass, after which the host knows the number of elements.
struct sized_sync_stage : is_stage {
  static constexpr char const* name = "sized_sync";

  template <class Ex, class Node>
  auto attached(Node const& node, spot) const {
    if constexpr (size_on_host<Ex, Node>) {
      return node;
    } else {
      return stored<Ex, Node, true>{node, name};
    }
  }
};

template <class F>
struct adjacent_stage : is_stage {
  static constexpr char const* name = "adjacent";
  F f;
  explicit adjacent_stage(F f) : f(std::move(f)) {}

  template <class Ex, class Node>
  auto attached(Node const& node, spot) const {
    using T = element_of_node<Node>;
    auto const function = [this] {
      if constexpr (std::is_invocable_v<F const&, T const&, T const&>) {
        return f;
      } else {
        return monoid_on<T>(f);  // plus{}
      }
    }();
    using Of = std::remove_const_t<decltype(function)>;
    RAVEL_EXPECT_RUNS_ON(F, Ex, "adjacent: f");
    constexpr bool can_call = std::is_invocable_v<Of const&, T const&, T const&>;
    static_assert(can_call, "adjacent: f cannot be called with two elements");
    if constexpr (can_call) {
      return see<Ex>(node, adjacent_step<Of>{function});
    } else {
      return node;
    }
  }
};

template <class F>
struct difference_stage : is_stage {
  static constexpr char const* name = "adjacent_difference";
  F f;
  explicit difference_stage(F f) : f(std::move(f)) {}

  template <class Ex, class Node>
  auto attached(Node const& node, spot) const {
    using T = element_of_node<Node>;
    RAVEL_EXPECT_RUNS_ON(F, Ex, "adjacent_difference: f");
    constexpr bool can_call = std::is_invocable_v<F const&, T const&, T const&>;
    static_assert(can_call, "adjacent_difference: f cannot be called with two elements");
    if constexpr (can_call) {
      return see<Ex>(node, difference_step<F>{f});
    } else {
      return node;
    }
  }
};

struct enumerate_stage : is_stage {
  static constexpr char const* name = "enumerate";

  template <class Ex, class Node>
  auto attached(Node const& node, spot) const {
    return see_beside<Ex>(node, enumerate_step{});
  }
};

/// Whether the index at a position is out of range for a view.
template <class Indices, class V>
struct is_outside {
  Indices indices;
  V of;
  RAVEL_HD bool operator()(index_t i) const {
    return !ravel::detail::is_index_below(indices(i), of.size());
  }
};

/// The indices as a source, and in the form that a kernel gets.
template <class Source, bool Checked>
struct gather_from {
  static constexpr char const* name = "gather";
  static constexpr bool sized = Source::sized;
  using view = typename Source::view;
  using step = gather_step<view>;
  Source indices;
  spot where;

  template <class Ex, class V, class K>
  auto open(Ex const& ex, V const& base, K const& k) const {
    return indices.open(ex, [&](view const& v) {
      if constexpr (Checked || ravel::detail::checks<Ex>) {
        verify(checked(ravel::detail::own(ex)), v, base);
      }
      return k(step{v});
    });
  }
  index_t most(index_t) const { return indices.most(); }
  template <class F>
  void each(F const& f) const {
    f(0, indices);
  }

 private:
  template <class Ex, class V>
  void verify(Ex const& ex, view const& v, V const& base) const {
    index_t const at = ravel::detail::first_wrong_sync(ex, v.most(), is_outside<view, V>{v, base});
    if (at == v.most()) return;
    expects(false, where, ": index ", +ravel::detail::loaded_sync(ex, v, at), " at position ", at,
            " is of none of the ", V::counted ? "at most " : "", base.most(), " elements");
  }
};

template <class Source, bool Checked>
struct gather_stage : is_stage {
  static constexpr char const* name = "gather";
  using view = typename Source::view;
  Source indices;
  explicit gather_stage(Source indices) : indices(std::move(indices)) {}

  template <class Ex, class Node>
  auto attached(Node const& node, spot where) const {
    static_assert(std::integral<value_t<view>>, "gather: the indices must be integers");
    static_assert(readable<Source, Ex>(),
                  "gather: the indices are not in the memory of the executor: to(ex, ...) copies "
                  "them there");
    static_assert(!view::counted,
                  "gather: how many indices there are depends on the data, and the device alone "
                  "knows it: sized_sync() after them waits for it");
    return see<Ex>(node, gather_from<Source, Checked>{indices, where});
  }
};

inline constexpr index_t all_there_are = std::numeric_limits<index_t>::max();

/// unique, of elements that are moved from.
template <class Eq>
struct unique_op : op_of_each {
  static constexpr char const* name = "unique";
  static constexpr bool counted = true, reads_views = true, moves_from = true;
  Eq eq;
  template <class Ex, class V, class Out, class Count>
  void run(Ex const& ex, V const& in, Out const& out, Count const& count) const {
    auto const first = ex.template scratch<std::uint8_t>(in.n);
    map_on(ex, in.n, by_change<V, Eq>{in, eq}, to_memory<std::uint8_t>{first.data()});
    pack_on(ex, in.n, nonzero<std::uint8_t>{first.data()},
            put_taken<V, element_t<Out>>{in, out.data(), out.size()}, store_count{count.data()});
  }
};

template <class Eq>
struct unique_stage : is_stage {
  static constexpr char const* name = "unique";
  Eq eq;
  explicit unique_stage(Eq eq) : eq(std::move(eq)) {}

  template <class Ex, class Node>
  auto attached(Node const& node, [[maybe_unused]] spot where) const {
    using T = element_of_node<Node>;
    RAVEL_EXPECT_RUNS_ON(Eq, Ex, "unique: equal_by(...)");
    constexpr bool can_call = std::is_invocable_r_v<bool, Eq const&, T const&, T const&>;
    static_assert(can_call, "unique: equal_by(...) cannot be called with two elements");
    static_assert(std::copy_constructible<T> || pass_of_t<Node>::moves,
                  "unique: the elements cannot be copied: begin with moved(in), or map them to a "
                  "type that can");
    if constexpr (can_call && pass_of_t<Node>::moves) {
      return own_pass_stage(unique_op<Eq>{{}, eq}).template attached<Ex>(node, where);
    } else if constexpr (can_call && std::copy_constructible<T>) {
      return see_mapped(sift<Ex>(see<Ex>(node, changes_step<Eq>{eq}), field<1>{}), field<0>{});
    } else {
      return node;  // refused
    }
  }
};

struct first_and_next {
  template <class T>
  RAVEL_HD row<T, T> operator()(T const& x, T const& y) const {
    return {x, {y}};
  }
};

/// Whether an element equals a value.
template <class T>
struct equals {
  T value;
  RAVEL_MAY_CALL_HOST
  template <class X>
  RAVEL_HD auto operator()(X const& x) const -> decltype(static_cast<bool>(x == value)) {
    return static_cast<bool>(x == value);
  }
};

}  // namespace piping

/// Applies f to each element; for a row also to its values as separate arguments.
///
///     3 1 2 | map(square{})          9 1 4
template <class F>
auto map(F f) {
  return piping::map_stage(as_function(std::move(f)));
}
/// The same, as std::ranges spells it.
template <class F>
auto transform(F f) {
  return map(std::move(f));
}

/// The elements for which `keep` returns true, in order.
///
///     3 1 2 4 1 5 | filter(is_odd{})         3 1 1 5
template <class Keep>
auto filter(Keep keep) {
  return piping::filter_stage(as_function(std::move(keep)));
}

/// The first n elements, or all if there are fewer.
inline auto take(index_t n) {
  return piping::step_stage(piping::slice_step<piping::as_take>(0, n));
}
/// All but the first n elements.
inline auto drop(index_t n) {
  return piping::step_stage(piping::slice_step<piping::as_drop>(n, piping::all_there_are));
}
/// `count` elements from `first` on, or fewer if there are not as many.
///
///     3 1 2 4 1 5 | slice(2, 3)       2 4 1
inline auto slice(index_t first, index_t count) {
  return piping::step_stage(piping::slice_step<piping::as_slice>(first, count));
}
/// Every n-th element, from the first on.
///
///     3 1 2 4 1 5 | stride(2)         3 2 1
inline auto stride(index_t n) { return piping::step_stage(piping::stride_step{n}); }
/// The elements in reverse order.
inline auto reverse() { return piping::step_stage(piping::reverse_step{}); }

/// Ends a pass, so that the host knows the number of elements for the following stages: after a
/// filter on a device it waits for that when the pipeline runs.  On the host, and if the number
/// is known anyway, it does nothing.
///
///     on(ex, values) | filter(keep) | sized_sync() | sort() | to_buffer()
inline auto sized_sync() { return piping::sized_sync_stage{}; }

/// Rows of the position and the value of each element.
///
///     a b c | enumerate()             (0 a) (1 b) (2 c)
inline auto enumerate() { return piping::enumerate_stage{}; }

/// f of each element and the following one; without f, rows of both.
///
///     3 1 2 4 | adjacent(plus{})      4 3 6
template <class F>
auto adjacent(F f) {
  return piping::adjacent_stage(as_function(std::move(f)));
}
inline auto adjacent() { return adjacent(piping::first_and_next{}); }

/// f of each element and the preceding one, by default their difference; the first element is
/// unchanged.
///
///     3 1 2 4 | adjacent_difference()    3 -2 1 2
template <class F>
auto adjacent_difference(F f) {
  return piping::difference_stage(as_function(std::move(f)));
}
inline auto adjacent_difference() { return adjacent_difference(minus<>{}); }

/// The first element of each run of equal elements, by == or by equal_by(eq).
///
///     3 3 1 3 | unique()              3 1 3
template <class Eq>
auto unique(equality<Eq> equal) {
  return piping::unique_stage<Eq>(equal.eq);
}
inline auto unique() { return unique(equal_by(ravel::equal_to{})); }

/// The elements at `indices`.
///
///     a b c d | gather(3 0 0 2)       d a a c
///
/// Each must be in [0, number of elements), which is verified only on a checked executor, or with
///
///     on(ex, values) | gather(indices, checked) | ...
///
/// Errors   with `checked`, or on a checked executor, contract_error when it is run, which names
///          the first index out of range and its position, before anything is written.
template <class Indices>
auto gather(Indices&& indices) {
  auto const source = piping::as_source(std::forward<Indices>(indices), "gather");
  return piping::gather_stage<std::remove_const_t<decltype(source)>, false>(source);
}
template <class Indices>
auto gather(Indices&& indices, checked_t) {
  auto const source = piping::as_source(std::forward<Indices>(indices), "gather");
  return piping::gather_stage<std::remove_const_t<decltype(source)>, true>(source);
}

}  // namespace ravel::inline v0
