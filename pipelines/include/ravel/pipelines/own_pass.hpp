#pragma once

/// @file
/// Stages that are a pass of their own, over all that comes, in memory: sort, merge_with,
/// expand, and scans and reductions of segments.
///
/// They are issued for as many elements as there are, and so need to know it ahead of
/// running; behind a filter say to_buffer(), and begin again with view_sync().

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/pipelines/pipeline.hpp>
#include <ravel/pipelines/sinks.hpp>
#include <ravel/pipelines/stages.hpp>
#include <ravel/primitives/expand.hpp>
#include <ravel/primitives/merge.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ravel::inline v0 {
namespace piping {

/// A node that has run something over all that comes.  `Op` says what it makes of n
/// elements of type T: values of op.made<T>(), op.length(n) of them, or, if it is
/// `counted`, as many at most; and op.run(ex, in, out, count) makes them.
template <class Ex, class Node, class Op>
struct ran {
  static constexpr bool is_pass = false;
  using T = element_of_node<Node>;
  using U = typename Op::template made<T>;
  using space = space_of_t<Ex>;
  using view = std::conditional_t<Op::counted, counted_in_memory<U, space>, in_memory<U, space>>;
  Node node;
  Op op;

  template <class K>
  auto open(Ex const& ex, K const& k) const {
    index_t const n = most();
    auto const out = ex.template scratch<U>(n);
    auto const count = ex.template scratch<index_t>(Op::counted ? 1 : 0);
    open_in(ex, [&](auto const& in) {
      op.run(ex, sequence_at(ex, in.data, in.n), sequence_at(ex, out.data(), n),
             sequence_at(ex, count.data(), count.size()));
    });
    if constexpr (Op::counted) {
      return k(view{out.data(), n, count.data()});
    } else {
      return k(view{out.data(), n});
    }
  }
  index_t most() const { return op.length(node.most()); }

 private:
  /// What comes, where it is in memory already, or else there.
  template <class K>
  void open_in(Ex const& ex, K const& k) const {
    if constexpr (std::same_as<typename pass_of_t<Node>::view_type, in_memory<T, space>> &&
                  !Node::is_pass) {
      node.open(ex, k);
    } else {
      stored<Ex, Node>{node, Op::name}.open(ex, k);
    }
  }
};

template <class Op>
struct own_pass_stage : is_stage {
  static constexpr char const* name = Op::name;
  Op op;
  explicit own_pass_stage(Op op) : op(std::move(op)) {}

  template <class Ex, class Node>
  auto attached(Node const& node, spot where) const {
    static_assert(pass_of_t<Node>::sized,
                  "a stage that is a pass of its own: how many elements come depends on the data; "
                  "end with to_buffer(), and begin again with its view_sync()");
    if constexpr (requires { op.expect(node.most(), where); }) op.expect(node.most(), where);
    return ran<Ex, Node, Op>{node, op};
  }
};

template <class... Options>
struct sort_op {
  static constexpr char const* name = "sort";
  static constexpr bool counted = false;
  template <class T>
  using made = T;
  std::tuple<Options...> options;

  index_t length(index_t n) const { return n; }
  template <class Ex, class In, class Out, class Count>
  void run(Ex const& ex, In const& in, Out const& out, Count const&) const {
    std::apply([&](auto... option) { radix_sort(ex, in, out, option...); }, options);
  }
};

template <class Source, class Before>
struct merge_op {
  static constexpr char const* name = "merge_with";
  static constexpr bool counted = false;
  template <class T>
  using made = T;
  Source other;
  Before before;

  index_t length(index_t n) const { return n + other.most(); }
  template <class Ex, class In, class Out, class Count>
  void run(Ex const& ex, In const& in, Out const& out, Count const&) const {
    ravel::merge(ex, in, sequence_at(ex, other.of.data, other.of.n), out, before);
  }
};

template <class F, class S>
struct expand_op {
  static constexpr char const* name = "expand";
  static constexpr bool counted = false;
  template <class T>
  using made = std::remove_cvref_t<std::invoke_result_t<F const&, T const&, index_t>>;
  F f;
  S segments;
  index_t elements;

  index_t length(index_t) const { return elements; }
  template <class Ex, class In, class Out, class Count>
  void run(Ex const& ex, In const& in, Out const& out, Count const&) const {
    ravel::expand(ex, f, in, segments, out);
  }
};

template <bool Inclusive, class S, class M, class... Options>
struct segmented_scan_op {
  static constexpr char const* name =
      Inclusive ? "segmented inclusive_scan" : "segmented exclusive_scan";
  static constexpr bool counted = false;
  template <class T>
  using made = T;
  S segments;
  M m;
  std::tuple<Options...> options;

  index_t length(index_t n) const { return n; }
  template <class Ex, class In, class Out, class Count>
  void run(Ex const& ex, In const& in, Out const& out, Count const&) const {
    std::apply(
        [&](auto... option) {
          if constexpr (Inclusive) {
            segmented_inclusive_scan(ex, in, segments, out, m, option...);
          } else {
            segmented_exclusive_scan(ex, in, segments, out, m, option...);
          }
        },
        options);
  }
};

template <class S, class M, class... Options>
struct segmented_reduce_op {
  static constexpr char const* name = "segmented reduce";
  static constexpr bool counted = !requires(S const& s) { s.count(); };
  template <class T>
  using made = typename value_of_maybe<carrier_t<decltype(monoid_on<T>(std::declval<M>()))>>::type;
  S segments;
  M m;
  std::tuple<Options...> options;

  index_t length(index_t n) const {
    if constexpr (counted) {
      return n;
    } else {
      return segments.count();
    }
  }
  template <class Ex, class In, class Out, class Count>
  void run(Ex const& ex, In const& in, Out const& out, [[maybe_unused]] Count const& count) const {
    std::apply(
        [&](auto... option) {
          if constexpr (counted) {
            segmented_reduce(ex, in, segments, out, m, option..., total_to(count));
          } else {
            segmented_reduce(ex, in, segments, out, m, option...);
          }
        },
        options);
  }
};

/// Segments of what comes: what follows is done to each of them.
template <class S>
struct segmented_stage : is_stage {
  static constexpr char const* name = "in_segments";
  S segments;
  explicit segmented_stage(S segments) : segments(segments) {}
};

/// Segments of as many elements as there are, `length` each.
struct chunk_stage : is_stage {
  static constexpr char const* name = "chunk";
  index_t length;
  explicit chunk_stage(index_t length) : length(length) {}
};

template <class Pipeline, class S>
struct segments_of {
  Pipeline p;
  S segments;
};

}  // namespace piping

/// The elements in order: radix_sort, and its options.
///
///     3 1 2 4 1 5 | sort()                  1 1 2 3 4 5
///     3 1 2 4 1 5 | sort(descending)        5 4 3 2 1 1
template <class... Options>
requires(!(executor<Options> || ...) && !(sequence<Options> || ...)) auto sort(Options... options) {
  return piping::own_pass_stage(piping::sort_op<Options...>{{options...}});
}

/// What comes, which is sorted, merged with a sorted sequence; of equals what came is first.
///
///     1 3 5 | merge_with(2 3)               1 2 3 3 5
template <class B, class Before = less>
auto merge_with(B&& other, Before before = {}) {
  auto const source = piping::as_source(std::forward<B>(other));
  static_assert(piping::is_in_memory<typename decltype(source)::view>::value,
                "merge_with: the other is not a sequence in memory");
  return piping::own_pass_stage(
      piping::merge_op<std::remove_const_t<decltype(source)>, Before>{source, before});
}

/// A segment of each element: f(x, r) for each r of the length of its segment.
///
///     3 8 5 | expand(f, by_lengths(2 0 3), 5)          30 31 50 51 52      f(x, r) = 10 x + r
///
/// `elements` is how many there are in all segments.
template <class F, class S>
auto expand(F f, S segments, index_t elements) {
  return piping::own_pass_stage(piping::expand_op<F, S>{f, segments, elements});
}

/// What follows is done to each segment: inclusive_scan, exclusive_scan or reduce, which
/// makes of each segment one element.
///
///     3 1 2 4 1 5 | in_segments(by_lengths(3 2 1)) | reduce(plus{})      6 5 5
template <class S>
auto in_segments(S segments) {
  return piping::segmented_stage<S>(segments);
}

/// Segments of `length` elements each, which must come out even.
///
///     3 1 2 4 1 5 | chunk(2) | reduce(plus{})           4 6 6
inline auto chunk(index_t length) {
  expects(length > 0, "chunk: the length is ", length);
  return piping::chunk_stage(length);
}

template <class Ex, class Node, class S>
auto operator|(pipeline<Ex, Node> const& p, piping::segmented_stage<S> const& s) {
  static_assert(
      piping::pass_of_t<Node>::sized,
      "in_segments: how many elements come depends on the data; end with to_buffer(), and "
      "begin again with its view_sync()");
  return piping::segments_of<pipeline<Ex, Node>, S>{p, s.segments};
}
template <class Ex, class Node>
auto operator|(pipeline<Ex, Node> const& p, piping::chunk_stage const& s) {
  index_t const n = p.size();
  expects(n % s.length == 0, piping::spot{p.stages() + 1, "chunk"}, ": ", n,
          " elements are no whole number of chunks of ", s.length);
  return p | in_segments(uniform(n / s.length, s.length));
}
template <class P, class S, bool Inclusive, class M, class... Options>
auto operator|(piping::segments_of<P, S> const& p,
               piping::scan_stage<Inclusive, M, Options...> const& s) {
  using op = piping::segmented_scan_op<Inclusive, S, M, Options...>;
  return p.p | piping::own_pass_stage(op{p.segments, s.m, s.options});
}
template <class P, class S, class M, class Initial>
auto operator|(piping::segments_of<P, S> const& p, piping::reduce_sink<M, Initial> const& s) {
  if constexpr (std::same_as<Initial, piping::from_identity>) {
    return p.p | piping::own_pass_stage(piping::segmented_reduce_op<S, M>{p.segments, s.m, {}});
  } else {
    return p.p | piping::own_pass_stage(
                     piping::segmented_reduce_op<S, M, Initial>{p.segments, s.m, {s.initial}});
  }
}
template <class P, class S, piping::stage A>
auto operator|(piping::segments_of<P, S> const&, A const&) {
  static_assert(sizeof(P) == 0,
                "in_segments: of segments there are inclusive_scan, exclusive_scan "
                "and reduce; what has nothing to do with them goes ahead");
}

}  // namespace ravel::inline v0
