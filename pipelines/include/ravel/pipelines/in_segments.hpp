#pragma once

/// Segments of elements: scans, reductions, counts, filters, maps and sorts of each segment.

#include <ravel/pipelines/element.hpp>
#include <ravel/pipelines/own_pass.hpp>
#include <ravel/pipelines/pipeline.hpp>
#include <ravel/pipelines/runs_on.hpp>
#include <ravel/pipelines/scans.hpp>
#include <ravel/pipelines/segmented_ops.hpp>
#include <ravel/pipelines/sinks.hpp>
#include <ravel/pipelines/sources.hpp>
#include <ravel/pipelines/stages.hpp>

namespace ravel::inline v0 {
namespace piping {

/// Divides elements into segments, which the following stages process separately.
template <class S, bool Checked>
struct segmented_stage : is_stage {
  static constexpr char const* name = "in_segments";
  static constexpr bool makes_segments = true;
  S segments;
  explicit segmented_stage(S segments) : segments(segments) {}
};

/// Segments of `length` elements each.
struct chunk_stage : is_stage {
  static constexpr char const* name = "chunk";
  static constexpr bool makes_segments = true;
  index_t length;
  explicit chunk_stage(index_t length) : length(length) {}
};

struct join_stage : is_stage {
  static constexpr char const* name = "join";
};

/// The elements of a node after `keep`, without segments.
template <class Ex, class Node>
Node joined(Node const& node, as_it_is const&) {
  return node;
}
template <class Ex, class Node>
auto joined(Node const& node, of_maybe const& keep) {
  return passing(node, keep, no_scan{}, as_it_is{});
}
template <class Ex, class Node, class First, class F>
auto joined(Node const& node, mapped<First, F> const& chain) {
  return see_mapped(joined<Ex>(node, chain.first), chain.f);
}
template <class Ex, class Node, class First, class Keep>
auto joined(Node const& node, sifted<First, Keep> const& chain) {
  return sift<Ex>(joined<Ex>(node, chain.first), chain.keep);
}

/// A pipeline whose elements are in segments, after `keep` has been applied to them;
/// `number` is that of the last stage.  Once something has been `done` to each segment,
/// segments may be dropped implicitly.  If they are to be `Checked`, the first stage that reads
/// them does.
template <class Ex, class Node, class S, class Keep, bool Done, bool Checked = false>
struct segments_of {
  static constexpr bool done = Done;
  using element = made_of_t<Keep, element_of_node<Node>>;
  Ex ex;
  Node node;
  S segments;
  Keep keep;
  int number;

  /// With `next` applied after `keep`.
  template <class Next>
  auto through(Next const& next) const {
    return segments_of<Ex, Node, S, Next, Done, Checked>{ex, node, segments, next, number + 1};
  }
  /// The result of `op` for all elements, as a node.
  template <class Op, class From>
  auto made_by(Op const& op, From const& input) const {
    spot const where{number + 1, Op::name};
    if constexpr (Checked) {
      return own_pass_stage(with_checked<Op>{op}).template attached<Ex>(input, where);
    } else {
      return own_pass_stage(op).template attached<Ex>(input, where);
    }
  }
  template <class M, class Initial, class Of>
  auto reduced(M m, Initial initial, Of const& filter) const {
    auto made = made_by(segmented_reduce_op<S, Of, M, Initial>{segments, filter, m, initial}, node);
    return pipeline<Ex, decltype(made)>(ex, std::move(made), number + 1);
  }
  /// Applies make(bool_constant of whether elements are maybes) to each segment; elements keep
  /// their positions.
  template <class Make>
  auto each(Make const& make) const {
    if constexpr (std::same_as<Keep, as_it_is>) {
      return done_to(make(std::false_type{}), node, as_it_is{});
    } else if constexpr (Keep::partial) {
      return done_to(make(std::true_type{}), see<Ex>(node, keep_step<Keep>{keep}), of_maybe{});
    } else {
      return done_to(make(std::false_type{}), see<Ex>(node, keep_step<Keep>{keep}), as_it_is{});
    }
  }
  auto forgotten() const {
    auto whole = joined<Ex>(node, keep);
    return pipeline<Ex, decltype(whole)>(ex, std::move(whole), number);
  }
  /// The source of another pipeline.
  auto as_source() const requires(Done) { return source_of(forgotten(), "what follows"); }

 private:
  template <class Op, class From, class Left>
  auto done_to(Op const& op, From const& input, Left const& left) const {
    auto made = made_by(op, input);
    return segments_of<Ex, decltype(made), S, Left, true>{ex, made, segments, left, number + 1};
  }
};

template <class X>
struct is_segments_of : std::false_type {};
template <class Ex, class Node, class S, class Keep, bool Done, bool Checked>
struct is_segments_of<segments_of<Ex, Node, S, Keep, Done, Checked>> : std::true_type {};
template <class X>
concept segments_of_something = is_segments_of<X>::value;

}  // namespace piping

/// Divides the elements into segments, which the following stages process separately:
///
///     in_segments(s) | inclusive_scan(m)      or exclusive_scan; their options are those of
///                                             segmented_inclusive_scan
///     in_segments(s) | sort()                 segmented_sort, and its options; with an order, or of
///                                             elements without keys, segmented_comparison_sort
///     in_segments(s) | reduce(m)              an element of each segment
///     in_segments(s) | count()                the number of elements of each
///     in_segments(s) | filter(keep), map(f)   applied to elements, which stay in their segments
///     in_segments(s) | join()                 all elements again, without segments
///
/// Any number of filters, maps, scans and sorts may follow, and then a stage that does not apply to
/// segments, such as reverse() or to_vector(), drops the segments.
///
///     3 1 2 4 1 5 | in_segments(by_lengths(3 2 1)) | reduce(plus{})               6 5 5
///     3 1 2 4 1 5 | in_segments(by_lengths(3 2 1)) | sort()                       1 2 3 1 4 5
///     3 1 2 4 1 5 | in_segments(by_lengths(3 2 1)) | filter(is_odd) | count()     2 1 1
///     3 1 2 4 1 5 | in_segments(by_lengths(3 2 1)) | filter(is_odd) | join()      3 1 1 5
///     3 1 2 4 1 5 | in_segments(by_lengths(3 2 1)) | filter(is_odd) | sort()      1 3 1 5
///
/// In device memory offsets and lengths are not verified to ascend to, or sum to, the number of
/// elements, unless with
///
///     in_segments(s, checked) | ...
///
/// Errors   contract_error when it is run, before anything is written: if the number of heads,
///          keys, or the elements by offsets or lengths differs from the number of elements;
///          offsets and lengths are tested on the host or with `checked`, which also finds
///          descending offsets and negative lengths.
template <class S>
auto in_segments(S segments) {
  return piping::segmented_stage<S, false>(segments);
}
template <class S>
auto in_segments(S segments, checked_t) {
  return piping::segmented_stage<S, true>(segments);
}

/// A pipeline that begins with a sequence of sequences of a nested program: their elements, in segments.
///
///     on(ex, [[3 1 2] [4 1] [5]]) | reduce(plus{})              6 5 5
///     on(ex, [[3 1 2] [4 1] [5]]) | filter(is_odd) | join()     3 1 1 5
template <executor Ex, class S>
requires requires(S const& s) { s.segments_in_memory(); }
auto on(Ex const& ex, S&& s) {
  auto elements = s.segments_in_memory();
  auto const segments = by_offsets(elements.offsets);
  return on(ex, std::move(elements)) | in_segments(segments);
}

/// Segments of `length` elements each; the last may be shorter.
///
///     3 1 2 4 1 5 | chunk(2) | reduce(plus{})           4 6 6
///     3 1 2 4 1 5 | chunk(4) | reduce(plus{})           10 6
inline auto chunk(index_t length) { return piping::chunk_stage(length); }

/// The elements of segments, concatenated.
inline auto join() { return piping::join_stage(); }

namespace piping {

template <class Ex, class Node, class S, bool Checked>
auto operator|(pipeline<Ex, Node> const& p, segmented_stage<S, Checked> const& s) {
  RAVEL_EXPECT_RUNS_ON(S, Ex, "in_segments: the comparison of keys");
  static_assert(size_on_host<Ex, Node>,
                "in_segments: how many elements come depends on the data, and the device alone "
                "knows it: sized_sync() before this stage waits for it");
  return segments_of<Ex, Node, S, as_it_is, false, Checked>{
      p.on(), p.node(), s.segments, {}, p.stages() + 1};
}
template <class Ex, class Node>
auto operator|(pipeline<Ex, Node> const& p, chunk_stage const& s) {
  static_assert(Node::sized,
                "chunk: how many elements come depends on the data, and with it how many chunks");
  expects(s.length > 0, spot{p.stages() + 1, "chunk"}, ": the length is ", s.length);
  return p | in_segments(chunks(p.most(), s.length));
}

template <segments_of_something P, bool Inclusive, class M, class... Options>
auto operator|(P const& p, scan_stage<Inclusive, M, Options...> const& s) {
  RAVEL_EXPECT_RUNS_ON(M, decltype(p.ex), "a scan: m");
  static_assert(!scan_stage<Inclusive, M, Options...>::shaped,
                "in_segments: there are no segmented scans of_order or of_tuples");
  return p.each([&](auto partial) {
    using S = decltype(p.segments);
    return segmented_scan_op<Inclusive, partial.value, S, M, Options...>{
        {}, p.segments, s.m, s.options};
  });
}
template <segments_of_something P, class... Options>
auto operator|(P const& p, own_pass_stage<sort_op<Options...>> const& s) {
  using op = sort_op<Options...>;
  op::template expect_runs_on<decltype(p.ex)>();
  if constexpr (sorts_by_digits<typename P::element, Options...>) {
    return p.each([&](auto partial) {
      using S = decltype(p.segments);
      return segmented_sort_op<partial.value, S, Options...>{{}, p.segments, s.op.options};
    });
  } else {
    using order = typename op::order;
    return p |
           own_pass_stage(sort_by_order_op<order>{{}, std::make_from_tuple<order>(s.op.options)});
  }
}
template <segments_of_something P, class Before>
auto operator|(P const& p, own_pass_stage<sort_by_order_op<Before>> const& s) {
  sort_by_order_op<Before>::template expect_runs_on<decltype(p.ex)>();
  return p.each([&](auto partial) {
    using S = decltype(p.segments);
    return segmented_sort_by_order_op<partial.value, S, Before>{{}, p.segments, s.op.before};
  });
}
template <segments_of_something P, class K>
auto operator|(P const& p, filter_stage<K> const& s) {
  RAVEL_EXPECT_RUNS_ON(K, decltype(p.ex), "filter: keep");
  static_assert(callable_with<K, typename P::element>,
                "filter: keep cannot be called with an element, nor, of a row, with its values");
  static_assert(gives_bool<K, typename P::element>, "filter: keep does not return a bool");
  return p.through(sifted_by(p.keep, s.keep));
}
template <segments_of_something P, class F>
auto operator|(P const& p, map_stage<F> const& s) {
  RAVEL_EXPECT_RUNS_ON(F, decltype(p.ex), "map: f");
  static_assert(callable_with<F, typename P::element>,
                "map: f cannot be called with an element, nor, of a row, with its values");
  return p.through(mapped<decltype(p.keep), F>{p.keep, s.f});
}
template <segments_of_something P, class M, class Initial>
auto operator|(P const& p, reduce_sink<M, Initial> const& s) {
  RAVEL_EXPECT_RUNS_ON(M, decltype(p.ex), "reduce: m");
  return p.reduced(s.m, s.initial, p.keep);
}
auto operator|(segments_of_something auto const& p, count_sink const&) {
  return p.reduced(plus{}, from_identity{}, one_of<decltype(p.keep)>{p.keep});
}
template <segments_of_something P, class Sink>
auto operator|(P const& p, of_segments<Sink> const& s) {
  return p | s.sink;
}
auto operator|(segments_of_something auto const& p, join_stage const&) {
  auto whole = p.forgotten();
  return pipeline(whole.on(), whole.node(), whole.stages() + 1);
}
template <class Ex, class Node>
auto operator|(pipeline<Ex, Node> const&, join_stage const&) {
  static_assert(sizeof(Node) == 0, "join: no preceding stage makes segments");
}
template <segments_of_something P, class A>
requires(stage<A> || sink<A>) auto operator|(P const& p, A const& a) {
  if constexpr (requires {
                  a.a;
                  a.b;
                }) {
    return p | a.a | a.b;
  } else {
    static_assert(P::done,
                  "in_segments: of segments there are inclusive_scan, exclusive_scan, sort, "
                  "filter, map, reduce, count and join; other stages go before in_segments");
    return p.forgotten() | a;
  }
}

}  // namespace piping
}  // namespace ravel::inline v0
