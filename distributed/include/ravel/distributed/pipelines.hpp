#pragma once

/// Pipelines over distributed sequences: maps, filters and scans, fused over the piece of each rank.
///
///     on(ex, x) | map(square{}) | inclusive_scan(plus{}) | filter(is_odd{}) | into(y);
///     bool const some = (on(ex, x) | filter(is_odd{}) | any_of(is_negative{})).get();
///
/// A pass is one local pass over a piece, as on one machine; a scan exchanges its carries once.  Results
/// stay on the rank of their elements: after a filter `y` gets pieces of new sizes, and otherwise has
/// those of `x`.
///
/// Stages   map, filter, inclusive_scan and exclusive_scan of single elements; backward before filters.
///          zip with sequences in the same pieces, before filters.  And calls of their own over all ranks:
///          sort, top_k, unique, take, drop, slice, adjacent and adjacent_difference, before which
///          results are kept in a sequence.
/// Sinks    into sequences, to_buffer, reduce, count, for_each, any_of, all_of, none_of, and find_if
///          where the number of elements is known.  Results and numbers are of all ranks, on each.
///
/// Other stages and sinks do not compile: they move elements, or depend on their places.
///
/// Cost     Each rank reads its piece once for each pass, twice for a pass with a scan.
/// Volume   For each scan, and for each sink but for_each, one value to each other rank; for `into` after
///          a filter 8 bytes.  Of a call of its own that of the call (runs.hpp, sort.hpp); take, drop and
///          slice send 16 bytes, adjacent two elements and 16 bytes.

#include <ravel/core/transfer.hpp>
#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/pipeline_calls.hpp>
#include <ravel/distributed/pipeline_passes.hpp>
#include <ravel/distributed/reduce.hpp>
#include <ravel/distributed/searches.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include <string_view>
#include <tuple>

namespace ravel::inline v0 {

/// A result of a pipeline over several ranks, on each.
template <class Local, class C, class T>
class deferred<distributed::executor<Local, C>, T> {
  using Ex = distributed::executor<Local, C>;
  Ex ex_;
  decltype(std::declval<Ex const&>().template replicate<T>(1)) value_;

 public:
  using value_type = T;
  using space = typename Ex::space;

  explicit deferred(Ex const& ex) : ex_(ex), value_(ex.template replicate<T>(1)) {}

  T* data() const { return value_.data(); }
  T* begin() const { return data(); }
  T* end() const { return data() + 1; }
  index_t size() const { return 1; }

  /// The value.  Waits for it.
  T get() const { return at_sync(ex_.local(), value_.local()); }
};

namespace distributed {
namespace detail {

template <class T, class Ex>
deferred<Ex, T> made_deferred(Ex const& ex, T x) {
  deferred<Ex, T> result(ex);
  ex.copy(&x, result.data(), 1);
  ex.wait();
  return result;
}

}  // namespace detail

/// Whether S is a stage over several ranks.
template <class S>
inline constexpr bool is_stage_of_ranks =
    is_instance<S, piping::map_stage> || is_instance<S, piping::filter_stage> ||
    is_instance<S, piping::zipped>;
template <bool Inclusive, class M, class... Options>
inline constexpr bool is_stage_of_ranks<piping::scan_stage<Inclusive, M, Options...>> = true;

/// Whether S is a sink over several ranks.
template <class S>
inline constexpr bool is_sink_of_ranks =
    std::same_as<S, piping::to_buffer_sink> || std::same_as<S, piping::count_sink> ||
    is_instance<S, piping::reduce_sink> || is_instance<S, piping::for_each_sink> ||
    is_instance<S, piping::find_if_sink>;
template <class Called, bool Found, class Keep>
inline constexpr bool is_sink_of_ranks<piping::whether_sink<Called, Found, Keep>> = true;

/// The results of a pipeline in sequences, one for each value of a row.
template <class Ex, class... T>
struct into_sequences : piping::is_sink {
  static constexpr char const* name = "into";
  std::tuple<sequence<T, Ex>*...> out;
  explicit into_sequences(sequence<T, Ex>&... x) : out(&x...) {}

  template <class Node>
  auto run(Ex const& ex, Node const& node, piping::spot where) const {
    static_assert(piping::fits<piping::element_of_node<Node>, T...>(),
                  "into: the elements do not convert to those of the destination; rows go to one "
                  "sequence for each of their values");
    using Space = typename Ex::space;
    auto const destination_of = [&](auto const& room_of) {
      return piping::destination<Ex, T...>{ravel::detail::call_with(
          [&](auto*... x) {
            return std::tuple{view<T, Space>(room_of(*x).data(), room_of(*x).size())...};
          },
          out)};
    };
    return together(ex, "into", [&] {
      index_t const n = node.most();
      if constexpr (Node::sized) {
        auto const pieces = destination_of([](auto& x) { return x.local(); });
        expects(pieces.room() == n, where, ": there are ", n,
                " elements on this rank, and the piece of a destination has ", pieces.room());
        piping::run_to(ex, node, pieces.target(), n, piping::no_count{});
        return std::get<0>(out)->total_size();
      } else {
        auto const rooms = destination_of([](auto& x) { return x.memory(); });
        deferred<Ex, index_t> count(ex);
        piping::run_to(ex, node, rooms.target(), rooms.room(), piping::store_count{count.data()});
        index_t const kept = count.get();
        expects(kept <= rooms.room(), where, ": there are ", kept,
                " elements on this rank, and room for ", rooms.room());
        ravel::detail::call_with([&](auto*... x) { (x->keep_piece(ex, 0, kept), ...); }, out);
        return detail::made_deferred(ex, std::get<0>(out)->total_size());
      }
    });
  }
};
template <class Ex, class... T>
inline constexpr bool is_sink_of_ranks<into_sequences<Ex, T...>> = true;

namespace detail {

/// The results in a sequence of their own.
template <class Ex, class Node>
auto results_of_ranks(Ex const& ex, Node const& node) {
  sequence<piping::element_of_node<Node>, Ex> y(ex, begins_of(ex, node.most()));
  into_sequences(y).run(ex, node, {0, "to_buffer"});
  return y;
}

/// Combines whether a rank has found an element.
template <class Ex, class Node, class Called, bool Found, class Keep>
auto searched_by_ranks(Ex const& ex, Node const& node,
                       piping::whether_sink<Called, Found, Keep> const& sink, piping::spot where) {
  bool const found = sink.run(ex, node, where).get() == Found;
  return made_deferred(ex, any_of_ranks(ex.ranks(), found) == Found);
}
/// The place among the elements of all ranks.
template <class Ex, class Node, class Keep>
auto searched_by_ranks(Ex const& ex, Node const& node, piping::find_if_sink<Keep> const& sink,
                       piping::spot where) {
  static_assert(Node::sized,
                "distributed: find_if of filtered elements has no form for several ranks");
  place_in_piece const place{node.most(), sink.run(ex, node, where).get()};
  return made_deferred(ex, place_of_ranks(ex.ranks(), place));
}

/// How many results all ranks have.
template <class Ex, class Node>
auto count_of_ranks(Ex const& ex, Node const& node) {
  if constexpr (Node::sized) {
    return begins_of(ex, node.most()).back();
  } else {
    deferred<Ex, index_t> own_count(ex);
    piping::open_pass(node, ex, [&](auto const& p) {
      using P = std::remove_cvref_t<decltype(p)>;
      using Load = piping::loader<decltype(p.view), decltype(p.before)>;
      piping::store_count const count{own_count.data()};
      if constexpr (P::drops_after) {
        piping::pack_scanned(ex, p, piping::to_nowhere{}, count);
      } else if constexpr (!P::counted) {
        piping::count(ex, p, count);
      } else {
        pack_on(ex, p.most(), piping::is_some<Load>{piping::load_from(p.view, p.before)},
                piping::to_nowhere{}, count);
      }
    });
    return made_deferred(ex, begins_of(ex, own_count.get()).back());
  }
}

}  // namespace detail
}  // namespace distributed

/// Writes the results of a pipeline over several ranks to sequences: in the pieces of the source, or,
/// after filters, in pieces of new sizes, for which there must be room.  Returns the number of results of
/// all ranks, after filters deferred.
template <class T, class Ex, class... More>
auto into(distributed::sequence<T, Ex>& first, More&... more) {
  return distributed::into_sequences(first, more...);
}

/// A pipeline over a source of distributed sequences, such as that of a deferred scan.
template <class Local, class C, class S, class Space>
auto on(distributed::executor<Local, C> const& ex, sized_source<S, Space> input) {
  using View = piping::sized_view<S, Space>;
  return on(ex, piping::source<View>{View{{input.source}, input.n}});
}

/// Pipelines on same_everywhere, which are refused: a pass has no tiles of all ranks.
template <detail::executor_of_ranks Ex, class S>
requires(!distributed::is_executor<Ex>) auto on(Ex const& ex, S&& s) {
  static_assert(distributed::is_executor<Ex>,
                "on: same_everywhere of several ranks has reductions and forward scans of "
                "sequences; make pipelines on the executor that it was made of");
  return on(ex.own(), std::forward<S>(s));
}

namespace piping {

/// Refuses a stage by what to use instead of it, and returns whether there is such advice.
template <class Stage>
constexpr bool refused_by_advice() {
  constexpr std::string_view name = Stage::name;
  bool advised = false;
#define RAVEL_ADVISE(stage, advice)                                                     \
  static_assert(name != (stage), stage ": not in pipelines of several ranks; " advice); \
  advised = advised || name == (stage);
  RAVEL_ADVISE("reverse", "scans have the option backward")
  RAVEL_ADVISE("concat", "run a pipeline for each source")
  RAVEL_ADVISE("enumerate", "zip with a sequence of iota")
  RAVEL_ADVISE("stride", "zip with a sequence of iota and filter")
  RAVEL_ADVISE("merge_with", "use merge of sequences")
  RAVEL_ADVISE("gather", "use gather of sequences")
  RAVEL_ADVISE("partial_sort", "use top_k")
#undef RAVEL_ADVISE
  constexpr bool multiplies = name == "flat_map" || name == "expand";
  static_assert(
      !multiplies,
      "flat_map and expand: not in pipelines of several ranks; use each of nested values");
  return advised || multiplies;
}

/// Appends a stage to a pipeline over several ranks.
template <class Local, class C, class Node, stage Stage>
auto operator|(pipeline<distributed::executor<Local, C>, Node> const& p, Stage const& s) {
  if constexpr (composed<decltype(s)>) {
    return p | s.a | s.b;
  } else {
    using Ex = distributed::executor<Local, C>;
    spot const where{p.stages() + 1, Stage::name};
    constexpr bool fits = distributed::is_stage_of_ranks<Stage>;
    constexpr bool is_call = requires { distributed::detail::call_of(s, where); };
    if constexpr (!fits && !is_call) {
      static_assert(
          refused_by_advice<Stage>(),
          "distributed: this stage of a pipeline has no form for several ranks: map, filter, zip, "
          "inclusive_scan, exclusive_scan, sort, top_k, unique, take, drop, slice, adjacent and "
          "adjacent_difference have");
    } else if constexpr (is_call) {
      auto call = distributed::detail::call_of(s, where);
      using node = distributed::detail::called<Ex, Node, decltype(call)>;
      return pipeline<Ex, node>(p.on(), node{p.node(), std::move(call)}, where.number);
    } else {
      auto node = s.template attached<Ex>(p.node(), where);
      return pipeline<Ex, decltype(node)>(p.on(), std::move(node), where.number);
    }
  }
}

/// Segments of a pipeline, which ranks don't have.
template <class Local, class C, class Node, class S, bool Checked>
auto operator|(pipeline<distributed::executor<Local, C>, Node> const&,
               segmented_stage<S, Checked> const&) {
  static_assert(sizeof(Node) == 0,
                "in_segments: not in pipelines of several ranks; use segmented_reduce, "
                "segmented_inclusive_scan or segmented_sort");
}
template <class Local, class C, class Node>
auto operator|(pipeline<distributed::executor<Local, C>, Node> const&, chunk_stage const&) {
  static_assert(
      sizeof(Node) == 0,
      "chunk: not in pipelines of several ranks; use segmented_reduce of chunks(n, length)");
}

/// Runs a pipeline over several ranks into a sink.
template <class Local, class C, class Node, sink Sink>
auto operator|(pipeline<distributed::executor<Local, C>, Node> const& p, Sink const& s) {
  using namespace distributed;
  auto const& ex = p.on();

  if constexpr (composed<decltype(s)>) {
    return p | s.a | s.b;
  } else if constexpr (!is_sink_of_ranks<Sink>) {
    static_assert(is_sink_of_ranks<Sink>,
                  "distributed: this sink of a pipeline has no form for several ranks: into "
                  "sequences, to_buffer, reduce, count, for_each, any_of, all_of, none_of and "
                  "find_if have");
  } else {
    spot const where{p.stages() + 1, Sink::name};
    return together(ex, Sink::name, [&] {
      if constexpr (std::same_as<Sink, to_buffer_sink>) {
        return distributed::detail::results_of_ranks(ex, p.node());
      } else if constexpr (std::same_as<Sink, count_sink>) {
        return distributed::detail::count_of_ranks(ex, p.node());
      } else if constexpr (requires {
                             distributed::detail::searched_by_ranks(ex, p.node(), s, where);
                           }) {
        return distributed::detail::searched_by_ranks(ex, p.node(), s, where);
      } else {
        return s.run(ex, p.node(), where);
      }
    });
  }
}

}  // namespace piping
}  // namespace ravel::inline v0
