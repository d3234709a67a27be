#pragma once

/// @file
/// Sinks: they end a pipeline, and run it.

#include <ravel/core/concepts.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/function_ref.hpp>
#include <ravel/core/member.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/pipelines/collect.hpp>
#include <ravel/pipelines/growing.hpp>
#include <ravel/pipelines/own_pass_stage.hpp>
#include <ravel/pipelines/pipeline.hpp>
#include <ravel/pipelines/results.hpp>
#include <ravel/pipelines/runs_on.hpp>
#include <ravel/pipelines/scans.hpp>
#include <ravel/pipelines/stages.hpp>
#include <ravel/primitives/histogram.hpp>
#include <ravel/primitives/reduce.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ravel::inline v0 {

namespace piping {

/// The targets of into(...): one sequence, or one for each value of a row.
template <class Ex, class... Out>
struct destination {
  std::tuple<view<Out, space_of_t<Ex>>...> to;

  index_t room() const {
    return ravel::detail::call_with([](auto const&... v) { return std::min({v.size()...}); }, to);
  }
  auto target() const {
    return ravel::detail::call_with(
        [](auto const&... v) {
          if constexpr (sizeof...(Out) == 1) {
            return to_memory<Out...>{v.data()...};
          } else {
            return to_fields<Out...>::at(v.data()...);
          }
        },
        to);
  }
};

template <class E, class... Out>
constexpr bool fits() {
  if constexpr (sizeof...(Out) == 1) {
    return (std::convertible_to<E, Out> && ...);
  } else if constexpr (requires { std::tuple_size<E>::value; }) {
    return std::tuple_size_v<E> == sizeof...(Out);
  } else {
    return false;
  }
}

template <class... R>
struct into_sink : is_sink {
  static constexpr char const* name = "into";
  std::tuple<R...> out;
  explicit into_sink(R... out) : out(out...) {}

  template <class Ex, class Node>
  auto run(Ex const& ex, Node const& node, spot where) const {
    static_assert((sequence_on<R const&, Ex> && ...),
                  "into: a destination is not a contiguous sequence in the executor's memory");
    constexpr bool convert = fits<element_of_node<Node>, element_t<R const&>...>();
    static_assert(convert,
                  "into: the elements do not convert to those of the destination; rows go to one "
                  "sequence for each of their values");
    if constexpr (convert) {
      return write(ex, node, where);
    } else {
      return index_t{0};
    }
  }

 private:
  template <class Ex, class Node>
  auto write(Ex const& ex, Node const& node, spot where) const {
    destination<Ex, element_t<R const&>...> const to{
        ravel::detail::call_with([](auto const&... r) { return std::tuple{view_of(r)...}; }, out)};
    index_t const n = node.most();
    if constexpr (Node::sized) {
      expects(to.room() >= n, where, ": there are ", n, " elements, and room for ", to.room());
      run_to(ex, node, to.target(), n, no_count{});
      return n;
    } else {
      deferred<Ex, index_t> count(ex);
      run_to(ex, node, to.target(), to.room(), store_count{count.data()});
      return count;
    }
  }
};

struct to_buffer_sink : is_sink {
  static constexpr char const* name = "to_buffer";
  template <class Ex, class Node>
  auto run(Ex const& ex, Node const& node, spot) const {
    return results_of(ex, node);
  }
};

template <std::size_t k, class E>
using member_t = std::remove_cv_t<std::tuple_element_t<k, E>>;

struct unzip_sink : is_sink {
  static constexpr char const* name = "unzip";

  template <class Ex, class Node>
  auto run(Ex const& ex, Node const& node, spot where) const {
    using E = element_of_node<Node>;
    if constexpr (requires { sizeof(fields_of<E>); }) {
      return run(ex, see_mapped(node, fields_of<E>{}), where);
    } else {
      constexpr bool is_tuple = requires { std::tuple_size<E>::value; };
      static_assert(is_tuple,
                    "unzip: the elements are no rows, as zip makes them, nor tuples, nor structs "
                    "that Boost.Hana knows, with ravel/pipelines/hana.hpp");
      if constexpr (is_tuple) return unzipped<E>(ex, node);
    }
  }

 private:
  template <class E, class Ex, class Node>
  static auto unzipped(Ex const& ex, Node const& node) {
    return [&]<std::size_t... k>(std::index_sequence<k...>) {
      using target = to_fields<member_t<k, E>...>;
      if constexpr (Node::sized) {
        index_t const n = node.most();
        std::tuple results(ex.template allocate<member_t<k, E>>(n)...);
        run_to(ex, node, target::at(std::get<k>(results).data()...), n, no_count{});
        return results;
      } else {
        return open_pass(node, ex, [&](auto const& p) {
          index_t const most = p.most();
          auto const count = std::make_shared<deferred<Ex, index_t>>(ex);
          if constexpr (runs_in_windows<Ex, pass_of_t<Node>>) {
            if (is_long<Ex, member_t<k, E>...>(most)) {
              growing<Ex, target> room(ex);
              *count->data() = write_growing(ex, p, room);
              auto parts = std::move(room).take();
              return std::tuple(
                  collected<Ex, member_t<k, E>>(std::move(std::get<k>(parts)), count)...);
            }
          }
          std::tuple results(collected<Ex, member_t<k, E>>(ex, most, count)...);
          write(ex, p, target::at(std::get<k>(results).data()...), most,
                store_count{count->data()});
          return results;
        });
      }
    }
    (std::make_index_sequence<std::tuple_size<E>::value>{});
  }
};

/// Elements without a default constructor, as elements that have one.
template <class T>
struct hold {
  std::optional<T> operator()(T const& x) const { return x; }
};

template <class T, class Held>
std::vector<T> unheld(Held* held, index_t n) {
  std::vector<T> result;
  result.reserve(static_cast<std::size_t>(n));
  for (index_t i = 0; i < n; ++i) result.push_back(std::move(*held[i]));
  return result;
}

/// Whether a node writes its elements to such memory by itself.
template <class Ex, class Node, class Room>
inline constexpr bool takes_room = pass_of_t<Node>::moves ||
                                   requires(Node const& node, Ex const& ex, Room* out, index_t* n) {
  node.run_to(ex, to_memory<Room>{out}, store_count{n});
};

struct to_vector_sink : is_sink {
  static constexpr char const* name = "to_vector";
  template <class Ex, class Node>
  auto run(Ex const& ex, Node const& node, spot where) const {
    using T = element_of_node<Node>;
    constexpr bool on_host = std::same_as<space_of_t<Ex>, host_space>;
    if constexpr (!std::default_initializable<T>) {
      static_assert(on_host,
                    "to_vector: the elements have no default constructor, and are written to where "
                    "some are: on a device map them to a type that does");
      if constexpr (takes_room<Ex, Node, std::optional<T>>) {
        auto const held = ex.template scratch<std::optional<T>>(node.most());
        return unheld<T>(held.data(), run_to_memory(ex, node, held.data()));
      } else {
        auto held = run(ex, see_mapped(node, hold<T>{}), where);
        return unheld<T>(held.data(), static_cast<index_t>(held.size()));
      }
    } else if constexpr (on_host && !Node::sized && moved_on<Ex, pass_of_t<Node>, T>) {
      auto const kept = ex.template scratch<T>(node.most());
      index_t const n = run_to_memory(ex, node, kept.data());
      return std::vector<T>(std::move_iterator(kept.data()), std::move_iterator(kept.data() + n));
    } else if constexpr (!never_waits<Ex> && runs_in_windows<Ex, pass_of_t<Node>, true>) {
      return open_pass(node, ex, [&](auto const& p) {
        if (!is_long<Ex, T>(p.most())) return to_host(ex, collect_all(ex, p).view_sync());
        growing<Ex, to_memory<T>> room(ex);
        index_t const n = write_growing(ex, p, room);
        return to_host(ex, sequence_at(ex, room.from(0).out, n));
      });
    } else if constexpr (!Node::sized) {
      return to_host(ex, collect(ex, node).view_sync());
    } else if constexpr (on_host && !std::same_as<T, bool>) {
      auto result = ravel::detail::host_vector<T>(ex, name, node.most());
      into_sink(view<T>(result.data(), node.most())).run(ex, node, where);
      ex.wait();
      return result;
    } else {
      return to_host(ex, to_buffer_sink{}.run(ex, node, where));
    }
  }
};

template <class M, class Initial>
struct reduce_sink : is_sink {
  static constexpr char const* name = "reduce";
  M m;
  Initial initial;
  reduce_sink(M m, Initial initial) : m(m), initial(initial) {}

  template <class Ex, class Node>
  auto run(Ex const& ex, Node const& node, spot) const {
    auto const monoid = monoid_on<element_of_node<Node>>(m);
    RAVEL_EXPECT_RUNS_ON(M, Ex, "reduce: m");
    static_assert(some_monoid<decltype(monoid)>,
                  "reduce of a pipeline: m is not a monoid on the elements: it needs m(x, y) and "
                  "m.identity()");
    using T = typename value_of_maybe<carrier_t<decltype(monoid)>>::type;
    deferred<Ex, T> result(ex);
    open_pass(stored_if<pass_of_t<Node>::scans, Ex>(node, name), ex, [&](auto const& p) {
      fold(ex, p, monoid, start_of(monoid, initial), result.data());
    });
    return result;
  }
};

struct count_sink : is_sink {
  static constexpr char const* name = "count";
  template <class Ex, class Node>
  auto run(Ex const& ex, Node const& node, spot) const {
    if constexpr (Node::sized) {
      return node.most();
    } else {
      deferred<Ex, index_t> result(ex);
      open_pass(node, ex, [&](auto const& p) { count(ex, p, store_count{result.data()}); });
      return result;
    }
  }
};

template <class F>
struct for_each_sink : is_sink {
  static constexpr char const* name = "for_each";
  F f;
  explicit for_each_sink(F f) : f(std::move(f)) {}
  template <class Ex, class Node>
  auto run(Ex const& ex, Node const& node, spot) const {
    RAVEL_EXPECT_RUNS_ON(F, Ex, "for_each: f");
    static_assert(
        callable_with<F, element_of_node<Node>>,
        "for_each: f cannot be called, as const, with an element, nor, of a row, with its "
        "values");
    open_pass(node, ex, [&](auto const& p) { for_each(ex, p, f); });
  }
};

/// The bin of element i; -1 if it was dropped.
template <class Load, class Bin, bool Some>
struct bin_of {
  Load load;
  Bin bin;
  RAVEL_HD index_t operator()(index_t i) const {
    if constexpr (Some) {
      auto const x = load(i);
      return x.is ? static_cast<index_t>(bin(x.value)) : -1;
    } else {
      return static_cast<index_t>(bin(load(i)));
    }
  }
};

template <class Bin>
struct histogram_sink : is_sink {
  static constexpr char const* name = "histogram";
  index_t bins;
  Bin bin;
  histogram_sink(index_t bins, Bin bin) : bins(bins), bin(bin) {}

  template <class Ex, class Node>
  auto run(Ex const& ex, Node const& node, spot where) const {
    RAVEL_EXPECT_RUNS_ON(Bin, Ex, "histogram: bin");
    if constexpr (requires { typename Bin::space; }) {
      static_assert(std::same_as<typename Bin::space, space_of_t<Ex>>,
                    "histogram: the edges are not in the memory of the executor");
    }
    expects(bins >= 0, where, ": there are ", bins, " bins");
    if constexpr (requires { bin.expect_bins(bins); }) {
      at_stage(where, [&] { bin.expect_bins(bins); });
    }
    static_assert(std::is_invocable_v<Bin const&, element_of_node<Node> const&>,
                  "histogram: bin cannot be called with an element; without one the elements "
                  "must be integers");
    auto counts = ex.template allocate<std::int64_t>(bins);
    open_pass(stored_if<pass_of_t<Node>::scans, Ex>(node, name), ex, [&](auto const& p) {
      using P = std::remove_cvref_t<decltype(p)>;
      using Load = loader<decltype(p.view), decltype(p.before)>;
      histogram_on(ex, p.most(),
                   bin_of<Load, Bin, P::drops_before>{load_from(p.view, p.before), bin}, counts);
    });
    return counts;
  }
};

}  // namespace piping

/// Writes the results to `out`, or, for rows, each value to a sequence of its own:
///
///     on(ex, zip(a, b)) | filter(less{}) | into(x, y)
///
/// Returns their number: as a number if it is known in advance, else
/// deferred.  That is the number without a limit; results beyond the end of `out`
/// are not written.  `out` may be read by a source if each result depends only on the
/// element at its own position, or if an earlier pass has read the source.
///
/// Errors   contract_error, before writing, if they are known to be too many.
template <class... Out>
requires(sizeof...(Out) > 0) auto into(Out&&... out) {
  if constexpr ((sequence<Out> && ...)) {
    return piping::into_sink(view_of(out)...);
  } else {
    static_assert((sequence<Out> && ...), "into: a destination is not a contiguous sequence");
    return piping::count_sink{};  // which causes no further errors
  }
}

/// Returns the results in memory of the executor: a buffer, or, if their number depends on
/// the data, `collected`, which can be the source of another pipeline without a wait.
///
///     on(ex, std::vector{3, 1, 2}) | map(square{}) | to_buffer()      9 1 4
inline auto to_buffer() { return piping::to_buffer_sink{}; }

/// The values of rows, each in separate memory: a tuple of results of to_buffer().  Tuples of the host are
/// rows, and so are structs that Boost.Hana knows, with ravel/pipelines/hana.hpp.
///
///     auto const [keys, values] = on(ex, zip(k, v)) | filter(less{}) | unzip();
inline auto unzip() { return piping::unzip_sink{}; }

/// Returns the results as a std::vector, whose memory is fresh: large ones take less time by to_buffer().
/// Waits for them.
inline auto to_vector() { return piping::to_vector_sink{}; }

/// The first n elements, or all if there are fewer, as a std::vector.  Waits for them.
inline auto first(index_t n) { return take(n) | to_vector(); }

/// Combines all elements; the result is deferred.  The option is from(initial).
///
///     auto const sum = on(ex, values) | map(square{}) | reduce(plus{});
///     sum.get()
///
/// Without a monoid it adds.
template <piping::monoid_to_be M = plus<>, class... Options>
requires piping::options_of_a_scan<Options...>
auto reduce(M m = {}, Options... options) {
  namespace option = piping::option;
  static_assert(piping::are_options<piping::takes<option::from>, Options...>,
                "reduce: the only option is from(...)");
  auto const initial = piping::option_or<option::from>(piping::from_identity{}, options...);
  return piping::reduce_sink<M, std::remove_const_t<decltype(initial)>>(m, initial);
}

/// Refuses what is no monoid, in a sentence.
template <class M, class... Options>
requires piping::of_no_monoid<M, Options...>
auto reduce(M, Options... options) {
  static_assert(piping::monoid_to_be<M>, RAVEL_NOT_A_MONOID("reduce"));
  return reduce(plus{}, options...);
}

/// The number of elements: a number, or deferred if it depends on the data.
inline auto count() { return piping::count_sink{}; }
/// The number of elements for which `keep` is true; deferred.
///
///     3 1 2 4 1 5 | count_if(is_odd{})       4
template <class Keep>
auto count_if(Keep keep) {
  return filter(std::move(keep)) | count();
}
/// The number of elements that equal `value`; deferred.
///
///     3 1 2 4 1 5 | count(1)                 2
template <class T>
auto count(T const& value) {  // a value of a nested program has a more constrained count
  return count_if(piping::equals<std::decay_t<T const&>>{value});
}

/// The number of elements in each of `bins` bins, as a buffer of 64-bit integers: the bin of an
/// element is its value, or bin(x).  Elements outside of all bins are not counted.
///
///     3 1 0 3 3 7 | histogram(4)        1 1 0 3
template <class Bin = by_value>
auto histogram(index_t bins, Bin bin = {}) {
  return piping::histogram_sink(bins, as_function(bin));
}

/// Calls f with each element, in any order.
template <class F>
auto for_each(F f) {
  return piping::for_each_sink(as_function(std::move(f)));
}

}  // namespace ravel::inline v0
