#pragma once

/// Sources: the beginnings of pipelines.

#include <ravel/core/range_copy.hpp>
#include <ravel/core/std_memory.hpp>
#include <ravel/pipelines/pipeline.hpp>
#include <ravel/pipelines/runs_on.hpp>
#include <ravel/primitives/moved_elements.hpp>

#include <ranges>

namespace ravel::inline v0 {
namespace piping {

template <class R>
concept outlives = std::is_lvalue_reference_v<R> || std::ranges::borrowed_range<R>;

/// A range that can be read at any position, once its elements are counted.
template <class R>
concept read_in_place = sequence<R&> || ravel::detail::read_by_index<R&>;

/// The view of a range that outlives it.
template <read_in_place R>
auto viewed(R& r) {
  if constexpr (sequence<R&>) {
    auto const v = view_of(r);
    return in_memory<element_t<R&>, space_of_t<R>>{{v.data()}, v.size()};
  } else {
    return sized_view<of_range<std::ranges::iterator_t<R>>, host_space>{
        {std::ranges::begin(r)}, static_cast<index_t>(std::ranges::distance(r))};
  }
}

/// Owns the copy of a range that cannot be read in place.
template <class Elements>
struct copied {
  std::shared_ptr<Elements> elements;
  index_t bytes;
};

/// The source of a range that outlives it, or of a copy of its elements.
template <class R>
auto source_of_range(R& r, char const* wanted_by) {
  if constexpr (read_in_place<R>) {
    return source<decltype(viewed(r))>{viewed(r)};
  } else {
    using Elements = decltype(ravel::detail::copy_in_order(wanted_by, r));
    auto const kept = std::make_shared<Elements>(ravel::detail::copy_in_order(wanted_by, r));
    auto const v = viewed(*kept);
    return source<std::remove_const_t<decltype(v)>, copied<Elements>>{
        v, {kept, v.n * index_t{sizeof(element_t<Elements>)}}};
  }
}

/// A pipeline as the source of another: its node, materialised if it is a pass.
template <class Ex, class Node>
auto source_of(pipeline<Ex, Node> const& p, char const* wanted_by) {
  if constexpr (Node::is_pass) {
    return stored<Ex, Node>{p.node(), wanted_by};
  } else {
    return p.node();
  }
}

/// Converts anything that can be a source to one, which owns a range passed as an rvalue.
/// `wanted_by` is the stage that needs the results of a pipeline.
template <class S>
auto as_source(S&& s, [[maybe_unused]] char const* wanted_by = "on") {
  using Plain = std::remove_cvref_t<S>;
  if constexpr (is_instance<Plain, source>) {
    return Plain(std::forward<S>(s));
  } else if constexpr (is_pipeline<Plain>::value) {
    return source_of(s, wanted_by);
  } else if constexpr (requires { s.as_source(); }) {
    return s.as_source();
  } else if constexpr (requires { s.elements_in_memory(); }) {
    return as_source(s.elements_in_memory(), wanted_by);
  } else if constexpr (requires { s.columns_in_memory(); }) {
    return std::apply([](auto&&... column) { return zip(std::move(column)...).as_source(); },
                      s.columns_in_memory());
  } else if constexpr (ravel::detail::moved_operand<Plain>) {
    auto const v = ravel::detail::moved_from(s);
    using View = sized_view<taken<std::remove_pointer_t<decltype(v.data())>>, host_space>;
    return source<View>{View{{v.data()}, v.size()}};
  } else if constexpr (!sequence<S> && !ravel::detail::some_range<std::remove_reference_t<S>>) {
    static_assert(sequence<S>,
                  "a source is a range, a pipeline, or one of iota, constant, generate, zip and "
                  "concat");
  } else if constexpr (!sequence<S> && !std::ranges::range<S>) {
    return as_source(ravel::detail::iterable(s), wanted_by);
  } else if constexpr (outlives<S> || !read_in_place<Plain>) {
    return source_of_range(s, wanted_by);
  } else {
    auto const kept = std::make_shared<Plain>(std::forward<S>(s));
    return source<decltype(viewed(*kept)), std::shared_ptr<Plain>>{viewed(*kept), kept};
  }
}
template <class S>
using source_t = decltype(as_source(std::declval<S>(), ""));

/// Whether Ex can read the memory of a source, and runs its pipelines.
template <class S, class Ex>
constexpr bool readable() {
  RAVEL_EXPECT_RUNS_ON(typename S::view, Ex, "generate: f");
  if constexpr (requires { typename S::runs_on; }) {
    return std::same_as<typename S::runs_on, Ex>;
  } else {
    return reads_in<typename S::view, space_of_t<Ex>>;
  }
}

/// n elements of S, the source that `call` returns.
template <class S, class N>
source<sized_view<S>> sized(S const& s, char const* call, N n) {
  auto const length = static_cast<index_t>(n);
  if constexpr (std::integral<N>) {
    expects(length >= 0 && static_cast<N>(length) == n, call, ": the length is ", +n,
            " and must be in [0, 2^63)");
  } else {
    expects(length >= 0, call, ": the length is ", length);
  }
  return {{s, length}};
}

}  // namespace piping

/// first, first + 1, ..., first + n - 1, computed on use.
///
///     on(ex, iota(4)) | to_vector()          0 1 2 3
///     on(ex, iota(5, 3)) | to_vector()       5 6 7
///
/// Elements have the type of n, or, if given, of `first`, and wrap around in it.
///
/// Errors   contract_error if n is not in [0, 2^63), as for constant and generate.
template <std::integral T>
auto iota(T n) {
  return piping::sized(counted<T>{T(0), T(1)}, "iota", n);
}
template <std::integral T, std::convertible_to<index_t> N>
auto iota(T first, N n) {
  return piping::sized(counted<T>{first, T(1)}, "iota", n);
}

/// One value n times.
///
///     on(ex, constant(7, 3)) | to_vector()   7 7 7
template <class T, std::convertible_to<index_t> N>
auto constant(T value, N n) {
  return piping::sized(piping::repeated<T>{value}, "constant", n);
}

/// f(0), ..., f(n - 1), computed on use.
///
///     on(ex, generate(4, square{})) | to_vector()        0 1 4 9
///     on(ex, generate(n, random_words{seed}))            n random numbers
template <std::convertible_to<index_t> N, class F>
auto generate(N n, F f) {
  static_assert(std::is_invocable_v<F const&, index_t>,
                "generate: f cannot be called with a position");
  return piping::sized(piping::generated<F>{f}, "generate", n);
}

/// Random 64-bit words by position: the i-th word of SplitMix64 with this seed.
///
///     random_words{0}(0)     0xe220a8397b1dcdaf
///
/// Source   Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
struct random_words {
  std::uint64_t seed = 0;
  RAVEL_HD std::uint64_t operator()(index_t i) const {
    std::uint64_t x = seed + (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  }
};

namespace piping {

/// Zipped nodes, of which some may have to run before they are read.
template <class... S>
struct beside {
  using view = zipped_views<typename S::view...>;
  static constexpr bool is_pass = false;
  static constexpr bool sized = (S::sized && ...);
  row<S...> of;

  auto open(auto const& ex, auto const& k) const {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return open_all(
          ex, [&](auto const&... v) { return k(view{make_row(v...)}); }, get<i>(of)...);
    }
    (std::index_sequence_for<S...>{});
  }
  index_t most() const { return of.head.most(); }
  /// Calls f(k, node) for the k-th node.
  template <class F>
  void each(F const& f) const {
    [&]<std::size_t... k>(std::index_sequence<k...>) { (f(int(k), get<k>(of)), ...); }
    (std::index_sequence_for<S...>{});
  }
};

/// Zipped sources: a source, and a stage that adds their elements to rows.
template <class... S>
struct zipped : is_stage {
  static constexpr char const* name = "zip";
  static constexpr bool all_there = (is_instance<S, source> && ...);
  static constexpr bool sized = (S::sized && ...);
  using step = zip_step<typename S::view...>;
  static_assert(
      sized,
      "zip: how many elements a source has depends on the data: zip x.view_sync() of each "
      "such result x of to_buffer(), which waits for the number");
  row<S...> of;

  explicit zipped(row<S...> sources) : of(std::move(sources)) {}

  auto as_source() const {
    index_t const n = get<0>(of).most();
    each([&](int k, auto const& s) {
      expects(s.most() == n, "zip: source ", k + 1, " has ", s.most(),
              " elements, and the first has ", n);
    });
    if constexpr (all_there) {
      auto const views = opened().beside;
      return source<zipped_views<typename S::view...>, row<S...>>{{views}, of};
    } else {
      return beside<S...>{of};
    }
  }

  /// The form for kernels, with opened sources: at once, or after all have run.
  step opened() const requires all_there {
    return [&]<std::size_t... k>(std::index_sequence<k...>) {
      return step{make_row(get<k>(of).of...)};
    }
    (std::index_sequence_for<S...>{});
  }
  template <class F>
  void each(F const& f) const {
    beside<S...>{of}.each(f);
  }
  auto open(auto const& ex, auto const&, auto const& k) const {
    return beside<S...>{of}.open(ex, [&](auto const& v) { return k(step{v.views}); });
  }
  index_t most(index_t n) const { return n; }

  template <class Ex, class Node>
  auto attached(Node const& node, spot where) const {
    static_assert(
        (readable<S, Ex>() && ...),
        "zip: a source is not in the memory of the executor: to(ex, ...) copies it there");
    each([&](int k, auto const& s) {
      constexpr bool sure = Node::sized;
      expects(sure ? s.most() == node.most() : s.most() >= node.most(), where, ": source ", k + 1,
              " has ", s.most(), " elements, and beside it ", sure ? "are " : "may be ",
              node.most());
    });
    return see_beside<Ex>(node, *this);
  }
};

}  // namespace piping

/// Zips sources to rows; all have one size.
///
///     on(ex, zip(a, b)) | map(plus<int>{})             a[i] + b[i]
///     on(ex, a) | map(f) | zip(b) | map(plus<int>{})   f(a[i]) + b[i]
///     on(ex, a) | zip(on(ex, b) | inclusive_scan(plus{}))
///
/// A source may be a pipeline with the same number of elements; if it has a pass, it runs when this
/// one does.  A function of rows may take their values as separate parameters instead.
template <class... S>
auto zip(S&&... s) {
  return piping::zipped<piping::source_t<S>...>(
      make_row(piping::as_source(std::forward<S>(s), "zip")...));
}

/// A pipeline that begins with a source, and has no stage yet.
///
///     on(ex, values) | map(square{}) | inclusive_scan(plus{}) | filter(is_even{}) | to_vector()
///
///     values             1 2 3 4
///     map                1 4 9 16
///     inclusive_scan     1 5 14 30
///     filter                14 30
///
/// A source is a sequence in the memory of `ex`, such as a std::span of a memory-mapped column of a
/// file; on the host also any other range of std or range-v3; or iota, constant, generate, zip or
/// concat.  An lvalue must outlive the pipeline, which owns rvalues.
///
/// A range with random access is read in place, its elements when the pipeline runs.  Any other, such
/// as a std::list or a view of a filter, is copied once, by this call, and `explain` says so.
///
///     on(ex, words | std::views::join) | histogram(256)
///
/// With moved(in), or std::views::as_rvalue of a contiguous range, each run moves from the elements
/// that it writes, such as those of a std::unique_ptr that a filter keeps.
///
/// Functions passed to stages may be called more than once for an element, and must
/// return the same result each time.
/// Errors   allocation_error if there is no memory for a copy.
template <executor Ex, class S>
auto on(Ex const& ex, S&& s) {
  auto node = piping::as_source(std::forward<S>(s));
  static_assert(piping::readable<decltype(node), Ex>(),
                "on: the source is not in the memory of the executor: to(ex, ...) copies it there");
  expects(node.most() >= 0, "on: the source has ", node.most(), " elements");
  return pipeline<Ex, decltype(node)>(ex, std::move(node), 0);
}

namespace piping {

/// The beginning of a pipeline without its source, and stages after it.
struct is_beginning {};
template <class B>
concept beginning = std::derived_from<B, is_beginning>;

template <class Ex>
struct begins_on : is_beginning {
  Ex ex;
  explicit begins_on(Ex ex) : ex(std::move(ex)) {}
  template <class S>
  auto from(S&& s) const {
    return on(ex, std::forward<S>(s));
  }
};
template <class Begin, class S>
struct begins_with : is_beginning {
  Begin begin;
  S s;
  begins_with(Begin begin, S s) : begin(std::move(begin)), s(std::move(s)) {}
  template <class R>
  auto from(R&& r) const {
    return begin.from(std::forward<R>(r)) | s;
  }
  /// r | *this.
  template <class R>
  auto operator()(R&& r) const {
    return from(std::forward<R>(r));
  }
};

template <beginning B, class S>
requires(stage<S> || sink<S>) auto operator|(B const& b, S const& s) {
  return begins_with<B, S>(b, s);
}
template <class R, beginning B>
requires(!beginning<std::remove_cvref_t<R>>) auto operator|(R&& r, B const& b) {
  return b.from(std::forward<R>(r));
}

}  // namespace piping

/// The beginning of a pipeline, for a range before it; with stages, and a sink, a function of ranges.
///
///     values | std::views::drop(1) | on(ex) | map(square{}) | to_vector()
///
///     auto const squares = on(ex) | map(square{}) | to_vector();
///     values | squares                        or squares(values)
template <executor Ex>
auto on(Ex const& ex) {
  return piping::begins_on<Ex>(ex);
}

}  // namespace ravel::inline v0
