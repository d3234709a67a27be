#pragma once

/// @file
/// Segments of what comes: scans, reductions, counts, filters and sorts of each of them.

#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/pipelines/own_pass.hpp>
#include <ravel/pipelines/scans.hpp>
#include <ravel/pipelines/sinks.hpp>
#include <ravel/pipelines/stages.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include <tuple>
#include <type_traits>

namespace ravel::inline v0 {
namespace piping {

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

template <class S, class... Options>
struct segmented_sort_op {
  static constexpr char const* name = "segmented sort";
  static constexpr bool counted = false;
  template <class T>
  using made = T;
  S segments;
  std::tuple<Options...> options;

  index_t length(index_t n) const { return n; }
  template <class Ex, class In, class Out, class Count>
  void run(Ex const& ex, In const& in, Out const& out, Count const&) const {
    std::apply([&](auto... option) { segmented_sort(ex, in, segments, out, option...); }, options);
  }
};

/// Reduces each segment of what `Keep`, a function of elements, makes of what comes: a map or
/// a filter ahead is part of the load.
template <class S, class Keep, class M, class Initial>
struct segmented_reduce_op {
  static constexpr char const* name = "segmented reduce";
  static constexpr bool counted = !requires(S const& s) { s.count(); };
  static constexpr bool reads_views = true;
  template <class T>
  using monoid = std::remove_const_t<decltype(monoid_on<made_of_t<Keep, T>>(std::declval<M>()))>;
  template <class T>
  using made = typename value_of_maybe<carrier_t<monoid<T>>>::type;
  S segments;
  Keep keep;
  M m;
  Initial initial;

  index_t length(index_t n) const {
    if constexpr (counted) {
      return n;
    } else {
      return segments.count();
    }
  }
  template <class Ex, class V, class Out, class Count>
  void run(Ex const& ex, V const& in, Out const& out, [[maybe_unused]] Count const& count) const {
    auto const options = [&](auto const&... other) {
      if constexpr (std::same_as<Initial, from_identity>) {
        return std::tuple(other...);
      } else {
        return std::tuple(initial, other...);
      }
    };
    if constexpr (is_in_memory<V>::value && std::same_as<Keep, as_it_is>) {
      auto const reduce = [&](auto const&... option) {
        segmented_reduce(ex, sequence_at(ex, in.data, in.n), segments, out, m, option...);
      };
      if constexpr (counted) {
        std::apply(reduce, options(total_to(count)));
      } else {
        std::apply(reduce, options());
      }
    } else {
      using Mon = monoid<value_t<V>>;
      Mon const of = monoid_on<made_of_t<Keep, value_t<V>>>(m);
      auto const run_on = [&](auto const& load) {
        to_memory<element_t<Out const&>> const visit{out.data()};
        if constexpr (counted) {
          segmented_reduce_on(ex, in.most(), load, segments, of, start_of(of, initial), visit,
                              store_count{count.data()});
        } else {
          segmented_reduce_on(ex, in.most(), load, segments, of, start_of(of, initial), visit);
        }
      };
      auto const load = load_from(in, keep);
      if constexpr (Keep::partial) {
        run_on(load_or_identity<loader<V, Keep>, Mon>{load, of});
      } else {
        run_on(load);
      }
    }
  }
};

/// Segments of what comes: what follows is done to each of them.
template <class S>
struct segmented_stage : is_stage {
  static constexpr char const* name = "in_segments";
  static constexpr bool makes_segments = true;
  S segments;
  explicit segmented_stage(S segments) : segments(segments) {}
};

/// Segments of as many elements as there are, `length` each.
struct chunk_stage : is_stage {
  static constexpr char const* name = "chunk";
  static constexpr bool makes_segments = true;
  index_t length;
  explicit chunk_stage(index_t length) : length(length) {}
};

struct join_stage : is_stage {
  static constexpr char const* name = "join";
};

/// A pipeline whose elements are segments of what `keep` makes of them.
template <class Pipeline, class S, class Keep>
struct segments_of {
  Pipeline p;
  S segments;
  Keep keep;

  template <class M, class Initial>
  auto reduced(M m, Initial initial) const {
    return p | own_pass_stage(segmented_reduce_op<S, Keep, M, Initial>{segments, keep, m, initial});
  }
  /// What is done to whole segments, of which nothing has been dropped.
  template <class Op>
  auto with(Op const& op) const {
    static_assert(std::same_as<Keep, as_it_is>,
                  "in_segments: behind a filter of segments there are filter, reduce, count and "
                  "join; a scan or a sort goes ahead of it");
    return p | own_pass_stage(op);
  }
};

/// One for each element.
template <class Keep>
struct one_of {
  static constexpr bool partial = Keep::partial;
  Keep keep;
  template <class X>
  RAVEL_HD auto operator()(index_t i, X const& x) const {
    if constexpr (partial) {
      return keep.is(i, x) ? maybe<index_t>(1) : maybe<index_t>();
    } else {
      return index_t{1};
    }
  }
  template <class X>
  RAVEL_HD bool is(index_t i, X const& x) const {
    return keep.is(i, x);
  }
  template <class X>
  RAVEL_HD index_t value(index_t, X const&) const {
    return 1;
  }
};

template <class P>
P joined(P const& p, as_it_is const&) {
  return p;
}
template <class P, class First, class Keep>
auto joined(P const& p, sifted<First, Keep> const& of) {
  return joined(p, of.first) | filter_stage<Keep>(of.keep);
}

}  // namespace piping

/// What follows is done to each segment:
///
///     in_segments(s) | inclusive_scan(m)      or exclusive_scan; their options are those of
///                                             segmented_inclusive_scan
///     in_segments(s) | sort()                 segmented_sort, and its options
///     in_segments(s) | reduce(m)              an element of each segment
///     in_segments(s) | count()                how many there are in each
///     in_segments(s) | filter(keep)           of what is kept: reduce, count, or join, which
///                                             forgets the segments
///
///     3 1 2 4 1 5 | in_segments(by_lengths(3 2 1)) | reduce(plus{})               6 5 5
///     3 1 2 4 1 5 | in_segments(by_lengths(3 2 1)) | sort()                       1 2 3 1 4 5
///     3 1 2 4 1 5 | in_segments(by_lengths(3 2 1)) | filter(is_odd) | count()     2 1 1
///     3 1 2 4 1 5 | in_segments(by_lengths(3 2 1)) | filter(is_odd) | join()      3 1 1 5
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

/// The elements of segments, one after the other.
inline auto join() { return piping::join_stage(); }

template <class Ex, class Node, class S>
auto operator|(pipeline<Ex, Node> const& p, piping::segmented_stage<S> const& s) {
  static_assert(
      piping::pass_of_t<Node>::sized,
      "in_segments: how many elements come depends on the data; end with to_buffer(), and "
      "begin again with its view_sync()");
  return piping::segments_of<pipeline<Ex, Node>, S, piping::as_it_is>{p, s.segments, {}};
}
template <class Ex, class Node>
auto operator|(pipeline<Ex, Node> const& p, piping::chunk_stage const& s) {
  index_t const n = p.size();
  expects(n % s.length == 0, piping::spot{p.stages() + 1, "chunk"}, ": ", n,
          " elements are no whole number of chunks of ", s.length);
  return p | in_segments(uniform(n / s.length, s.length));
}

template <class P, class S, class Keep, bool Inclusive, class M, class... Options>
auto operator|(piping::segments_of<P, S, Keep> const& p,
               piping::scan_stage<Inclusive, M, Options...> const& s) {
  return p.with(piping::segmented_scan_op<Inclusive, S, M, Options...>{p.segments, s.m, s.options});
}
template <class P, class S, class Keep, class... Options>
auto operator|(piping::segments_of<P, S, Keep> const& p,
               piping::own_pass_stage<piping::sort_op<Options...>> const& s) {
  return p.with(piping::segmented_sort_op<S, Options...>{p.segments, s.op.options});
}
template <class P, class S, class Keep, class K>
auto operator|(piping::segments_of<P, S, Keep> const& p, piping::filter_stage<K> const& s) {
  static_assert(piping::callable_with<K, typename P::value_type>,
                "filter: keep cannot be called with an element, nor, of a row, with its values");
  using Both = piping::sifted<Keep, K>;
  return piping::segments_of<P, S, Both>{p.p, p.segments, Both{p.keep, s.keep}};
}
template <class P, class S, class Keep, class M, class Initial>
auto operator|(piping::segments_of<P, S, Keep> const& p, piping::reduce_sink<M, Initial> const& s) {
  return p.reduced(s.m, s.initial);
}
template <class P, class S, class Keep>
auto operator|(piping::segments_of<P, S, Keep> const& p, piping::count_sink const&) {
  using One = piping::one_of<Keep>;
  return piping::segments_of<P, S, One>{p.p, p.segments, One{p.keep}}.reduced(
      plus{}, piping::from_identity{});
}
template <class P, class S, class Keep, class Sink>
auto operator|(piping::segments_of<P, S, Keep> const& p, piping::of_segments<Sink> const& s) {
  return p | s.sink;
}
template <class P, class S, class Keep>
auto operator|(piping::segments_of<P, S, Keep> const& p, piping::join_stage const&) {
  return piping::joined(p.p, p.keep);
}
template <class Ex, class Node>
auto operator|(pipeline<Ex, Node> const&, piping::join_stage const&) {
  static_assert(sizeof(Node) == 0, "join: there are no segments, for nothing ahead made any");
}
template <class P, class S, class Keep, class A>
requires(piping::stage<A> || piping::sink<A>) auto operator|(piping::segments_of<P, S, Keep> const&,
                                                             A const&) {
  static_assert(sizeof(P) == 0,
                "in_segments: of segments there are inclusive_scan, exclusive_scan, sort, filter, "
                "reduce, count and join; what has nothing to do with them goes ahead");
}

}  // namespace ravel::inline v0
