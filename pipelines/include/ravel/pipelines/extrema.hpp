#pragma once

/// @file
/// Sinks that find the least and the greatest element: by a reduction of positions, or, of integers in
/// memory, of values.  Their results are deferred.

#include <ravel/core/concepts.hpp>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/pipelines/loads.hpp>
#include <ravel/pipelines/pass.hpp>
#include <ravel/pipelines/pipeline.hpp>
#include <ravel/pipelines/results.hpp>
#include <ravel/pipelines/row.hpp>
#include <ravel/pipelines/runs_on.hpp>
#include <ravel/pipelines/searches.hpp>
#include <ravel/primitives/find_first.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/reduce.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace ravel::inline v0 {
namespace piping {

/// A position, or none, and its element if that can be kept in registers; others are read again.
template <class T, bool Kept = std::is_trivially_copyable_v<T>&& std::default_initializable<T>>
struct placed {
  index_t at = -1;
  T value{};
  template <class E>
  RAVEL_HD T const& in(E const&) const {
    return value;
  }
};
template <class T>
struct placed<T, false> {
  index_t at = -1;
  template <class E>
  decltype(auto) in(E const& of) const {
    return of(at);
  }
};
template <class E>
struct load_placed {
  using T = std::remove_cvref_t<decltype(std::declval<E const&>()(index_t{}))>;
  E of;
  RAVEL_HD placed<T> operator()(index_t i) const {
    if constexpr (E::counted) {
      if (i >= of.size()) return {};
    }
    if constexpr (requires(placed<T> p) { p.value; }) {
      return {i, of(i)};
    } else {
      return {i};
    }
  }
};

/// The monoid of positions of which a later one wins if `wins` says so of both elements.
template <class E, class Wins>
struct best_placed {
  using T = placed<typename load_placed<E>::T>;
  E of;
  Wins wins;
  RAVEL_HD T identity() const { return {}; }
  RAVEL_HD T operator()(T const& x, T const& y) const {
    if (x.at < 0) return y;
    if (y.at < 0) return x;
    return wins(x.in(of), y.in(of)) ? y : x;
  }
};
/// The first of the least.
template <class Before>
using least_wins = in_wrong_order<Before>;
/// The first of the greatest.
template <class Before>
struct greatest_wins {
  Before before;
  template <class T>
  RAVEL_HD bool operator()(T const& x, T const& y) const {
    return before(x, y);
  }
};
/// The last of the greatest.
template <class Before>
struct last_greatest_wins {
  Before before;
  template <class T>
  RAVEL_HD bool operator()(T const& x, T const& y) const {
    return !before(y, x);
  }
};

/// Integers in memory of the host: their least value is known sooner than its place, in vectors.
template <class E, class Wins>
struct best_value;
template <class T>
concept integers = std::integral<T> && !std::same_as<T, bool>;
template <integers T>
struct best_value<elements_at<in_memory<T, host_space>, as_it_is>, least_wins<less>>
    : std::type_identity<minimum<T>> {};
template <integers T>
struct best_value<elements_at<in_memory<T, host_space>, as_it_is>, greatest_wins<less>>
    : std::type_identity<maximum<T>> {};
template <class T>
struct is_value {
  T const* elements;
  T value;
  bool operator()(index_t i) const { return elements[i] == value; }
};
template <class M, class Ex, class T, class Found>
void find_best_value(Ex const& ex, in_memory<T, host_space> const& in, Found found) {
  T best;
  reduce_on(ex, in.n, load_elements<T>{in.data}, M{}, start<M>{}, store_total<T>{&best});
  find_first_on(ex, in.n, is_value<T>{in.data, best}, found);
}

template <class E>
struct store_best {
  E of;
  index_t* to;
  template <class T>
  RAVEL_HD void operator()(T const& best) const {
    *to = best.at < 0 ? of.size() : best.at;
  }
};
template <class E>
struct store_both_best {
  E of;
  row<index_t, index_t>* to;
  template <class A, class B>
  RAVEL_HD void operator()(paired<A, B> const& best) const {
    index_t const n = of.size();
    *to = make_row(best.first.at < 0 ? n : best.first.at, best.second.at < 0 ? n : best.second.at);
  }
};
template <class Load>
struct twice {
  Load load;
  RAVEL_HD auto operator()(index_t i) const {
    auto const x = load(i);
    return paired<decltype(load(i)), decltype(load(i))>{x, x};
  }
};

template <class Before, class T>
constexpr void expect_order() {
  static_assert(std::is_invocable_r_v<bool, Before const&, T const&, T const&>,
                "min_element, max_element or minmax_element: the order cannot be called with two "
                "elements, or returns no bool");
}

template <class Called, class Wins>
struct best_sink : is_sink {
  static constexpr char const* name = Called::name;
  Wins wins;
  explicit best_sink(Wins wins) : wins(std::move(wins)) {}

  template <class Ex, class Node>
  auto run(Ex const& ex, Node const& node, spot) const {
    RAVEL_EXPECT_RUNS_ON(decltype(wins.before), Ex, "min_element or max_element: the order");
    expect_order<decltype(wins.before), element_of_node<Node>>();
    deferred<Ex, index_t> result(ex);
    open_elements(ex, node, name, [&](auto const& of) {
      using E = std::remove_cvref_t<decltype(of)>;
      if constexpr (requires { typename best_value<E, Wins>::type; }) {
        find_best_value<typename best_value<E, Wins>::type>(ex, of.view,
                                                            store_place<E>{of, 0, result.data()});
      } else {
        best_placed<E, Wins> const m{of, wins};
        reduce_on(ex, of.most(), load_placed<E>{of}, m, start<best_placed<E, Wins>>{m},
                  store_best<E>{of, result.data()});
      }
    });
    return result;
  }
};
struct as_min_element {
  static constexpr char const* name = "min_element";
};
struct as_max_element {
  static constexpr char const* name = "max_element";
};

template <class Before>
struct minmax_sink : is_sink {
  static constexpr char const* name = "minmax_element";
  Before before;
  explicit minmax_sink(Before before) : before(std::move(before)) {}

  template <class Ex, class Node>
  auto run(Ex const& ex, Node const& node, spot) const {
    RAVEL_EXPECT_RUNS_ON(Before, Ex, "minmax_element: the order");
    expect_order<Before, element_of_node<Node>>();
    deferred<Ex, row<index_t, index_t>> result(ex);
    open_elements(ex, node, name, [&](auto const& of) {
      using E = std::remove_cvref_t<decltype(of)>;
      pair_of const m{best_placed<E, least_wins<Before>>{of, {before}},
                      best_placed<E, last_greatest_wins<Before>>{of, {before}}};
      reduce_on(ex, of.most(), twice<load_placed<E>>{{of}}, m,
                start<std::remove_const_t<decltype(m)>>{m}, store_both_best<E>{of, result.data()});
    });
    return result;
  }
};

}  // namespace piping

/// The position of the least element, the first if several are; 0 of no elements.
///
///     3 1 2 4 1 5 | min_element()                         1
///     3 1 2 4 1 5 | min_element(greater{})                5
///
/// Returns  deferred.
/// Cost     Reads each element once.  Integers in memory of the host are read in vectors, once, and
///          once more up to the position; elements that are not trivially copyable, twice.
template <class Before = less>
auto min_element(Before before = {}) {
  using wins = piping::least_wins<Before>;
  return piping::best_sink<piping::as_min_element, wins>({before});
}
/// The position of the greatest element, the first if several are; 0 of no elements.
///
///     3 5 2 4 1 5 | max_element()                         1
template <class Before = less>
auto max_element(Before before = {}) {
  using wins = piping::greatest_wins<Before>;
  return piping::best_sink<piping::as_max_element, wins>({before});
}
/// A row of the positions of the first of the least elements and of the last of the greatest, as
/// std::minmax_element has them.
///
///     5 1 2 5 1 3 | minmax_element()                      (1 3)
template <class Before = less>
auto minmax_element(Before before = {}) {
  return piping::minmax_sink<Before>(before);
}

}  // namespace ravel::inline v0
