#pragma once

/// Sinks that store the results of a pipeline: in given sequences, in a buffer, in a std::vector.

#include <ravel/core/member.hpp>
#include <ravel/core/std_algorithm.hpp>
#include <ravel/core/std_memory.hpp>
#include <ravel/core/transfer.hpp>
#include <ravel/pipelines/collect.hpp>
#include <ravel/pipelines/fold_sinks.hpp>
#include <ravel/pipelines/growing.hpp>
#include <ravel/pipelines/pipeline.hpp>
#include <ravel/pipelines/results.hpp>
#include <ravel/pipelines/stages.hpp>

#include <iterator>
#include <optional>
#include <tuple>
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
    destination<Ex, element_t<R const&>...> const dst{
        ravel::detail::call_with([](auto const&... r) { return std::tuple{view_of(r)...}; }, out)};
    index_t const n = node.most();
    if constexpr (Node::sized) {
      expects(dst.room() >= n, where, ": there are ", n, " elements, and room for ", dst.room());
      run_to(ex, node, dst.target(), n, no_count{});
      return n;
    } else {
      deferred<Ex, index_t> count(ex);
      run_to(ex, node, dst.target(), dst.room(), store_count{count.data()});
      return count;
    }
  }
};

struct to_buffer_sink : is_sink {
  static constexpr char const* name = "to_buffer";
  auto run(auto const& ex, auto const& node, spot) const { return results_of(ex, node); }
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
          index_t const limit = p.most();
          auto const count = std::make_shared<deferred<Ex, index_t>>(ex);
          if constexpr (runs_in_windows<Ex, pass_of_t<Node>>) {
            if (is_long<Ex, member_t<k, E>...>(limit)) {
              growing<Ex, target> room(ex);
              *count->data() = write_growing(ex, p, room);
              auto parts = std::move(room).take();
              return std::tuple(
                  collected<Ex, member_t<k, E>>(std::move(std::get<k>(parts)), count)...);
            }
          }
          std::tuple results(collected<Ex, member_t<k, E>>(ex, limit, count)...);
          write(ex, p, target::at(std::get<k>(results).data()...), limit,
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

}  // namespace ravel::inline v0
