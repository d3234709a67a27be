#pragma once

/// Steps from one view to another, for stages that change elements or positions without a pass: they
/// cost the function, or the index arithmetic.

#include <ravel/pipelines/row.hpp>
#include <ravel/pipelines/views.hpp>

namespace ravel::inline v0::piping {

/// A view with a step applied, which determines the number of elements and their positions.
template <class V, class Step>
struct stepped {
  static constexpr bool counted = V::counted;
  V view;
  Step step;
  RAVEL_HD decltype(auto) operator()(index_t i) const { return step.at(view, i); }
  void const* address(index_t i) const requires(addressed<V>&& requires { step.from(i); }) {
    return view.address(step.from(i));
  }
  RAVEL_HD auto elements() const requires(of_elements<V>&& Step::in_place) {
    return view.elements();
  }
  template <class T>
  RAVEL_HD decltype(auto) of(index_t i, T const& x) const {
    return step.made_of(i, view.of(i, x));
  }
  RAVEL_HD index_t size() const { return step.length(view.size()); }
  index_t most() const { return step.length(view.most()); }
};

template <class F>
struct map_step {
  static constexpr char const* name = "map";
  F f;
  template <class V>
  RAVEL_HD auto at(V const& v, index_t i) const -> called_t<F, decltype(v(i))> {
    return call(f, v(i));
  }
  static index_t from(index_t i) { return i; }
  static constexpr bool in_place = true;
  template <class T>
  RAVEL_HD auto made_of(index_t, T&& x) const -> called_t<F, T&&> {
    return call(f, x);
  }
  RAVEL_HD index_t length(index_t n) const { return n; }
};

/// Replaces elements in place by the result of `keep`, a function of an element (element.hpp).
template <class Keep>
struct keep_step {
  static constexpr char const* name = "filter";
  Keep keep;
  template <class V>
  RAVEL_HD auto at(V const& v, index_t i) const {
    return keep(i, v(i));
  }
  static constexpr bool in_place = true;
  template <class T>
  RAVEL_HD auto made_of(index_t i, T const& x) const {
    return keep(i, x);
  }
  RAVEL_HD index_t length(index_t n) const { return n; }
};

/// The name of a slice in errors.
struct as_slice {
  static constexpr char const* name = "slice";
};
struct as_take {
  static constexpr char const* name = "take";
};
struct as_drop {
  static constexpr char const* name = "drop";
};

/// `count` elements from `first` on, or fewer if there are not as many.
template <class Called>
struct slice_step : Called {
  index_t first, count;
  slice_step(index_t first, index_t count) : first(first), count(count) {}
  void verify(auto const& where) const {
    expects(first >= 0, where, ": the first position is ", first);
    expects(count >= 0, where, ": the number of elements is ", count);
  }
  template <class V>
  RAVEL_HD decltype(auto) at(V const& v, index_t i) const {
    return v(from(i));
  }
  RAVEL_HD index_t from(index_t i) const { return first + i; }
  RAVEL_HD index_t length(index_t n) const {
    index_t const rest = n <= first ? 0 : n - first;
    return rest < count ? rest : count;
  }
};

/// The type of a view with a step applied: a slice of a source is a source.
template <class V, class Step>
struct seen_through {
  using type = stepped<V, Step>;
  static type of(V const& v, Step const& step) { return {v, step}; }
};
template <class Source, class Space, class Called>
struct seen_through<sized_view<Source, Space>, slice_step<Called>> {
  using type = sized_view<Source, Space>;
  static type of(type const& v, slice_step<Called> const& step) {
    index_t const n = step.length(v.n);
    return n > 0 ? type{source_from(v, step.first), n} : type{v, 0};
  }
};

/// Every step-th element, from the first on.
struct stride_step {
  static constexpr char const* name = "stride";
  index_t step;
  void verify(auto const& where) const {
    expects(step > 0, where, ": the distance between elements is ", step);
  }
  template <class V>
  RAVEL_HD decltype(auto) at(V const& v, index_t i) const {
    return v(from(i));
  }
  RAVEL_HD index_t from(index_t i) const { return i * step; }
  RAVEL_HD index_t length(index_t n) const { return n == 0 ? 0 : (n - 1) / step + 1; }
};

struct reverse_step {
  static constexpr char const* name = "reverse";
  template <class V>
  RAVEL_HD decltype(auto) at(V const& v, index_t i) const {
    return v(v.size() - 1 - i);
  }
  RAVEL_HD index_t length(index_t n) const { return n; }
};

struct enumerate_step {
  static constexpr char const* name = "enumerate";
  template <class V>
  RAVEL_HD auto at(V const& v, index_t i) const {
    return made_of(i, v(i));
  }
  static constexpr bool in_place = true;
  template <class T>
  RAVEL_HD auto made_of(index_t i, T const& x) const {
    return row<index_t, T>{i, {x}};
  }
  RAVEL_HD index_t length(index_t n) const { return n; }
};

/// Whether the elements of a view do not depend on positions.
template <class V>
inline constexpr bool alike_everywhere = false;
template <class T, class Space>
inline constexpr bool alike_everywhere<in_memory<T, Space>> = true;
template <class V, class F>
inline constexpr bool alike_everywhere<stepped<V, map_step<F>>> = alike_everywhere<V>;

template <class F>
struct adjacent_step {
  static constexpr char const* name = "adjacent";
  F f;
  template <class V>
  RAVEL_HD auto at(V const& v, index_t i) const {
    return f(v(i), v(i + 1));
  }
  RAVEL_HD index_t length(index_t n) const { return n > 0 ? n - 1 : 0; }
};

template <class F>
struct difference_step {
  static constexpr char const* name = "adjacent_difference";
  F f;
  template <class V>
  RAVEL_HD auto at(V const& v, index_t i) const {
    using T = value_t<V>;
    return i == 0 ? T(v(0)) : static_cast<T>(f(v(i), v(i - 1)));
  }
  RAVEL_HD index_t length(index_t n) const { return n; }
};

/// Rows of an element and whether it differs from the preceding one.
template <class Eq>
struct changes_step {
  static constexpr char const* name = "unique";
  Eq eq;
  template <class V>
  RAVEL_HD auto at(V const& v, index_t i) const {
    return row<value_t<V>, bool>{v(i), {i == 0 || !eq(v(i - 1), v(i))}};
  }
  RAVEL_HD index_t length(index_t n) const { return n; }
};

template <class Indices>
struct gather_step {
  static constexpr char const* name = "gather";
  Indices indices;
  template <class V>
  RAVEL_HD decltype(auto) at(V const& v, index_t i) const {
    return v(static_cast<index_t>(indices(i)));
  }
  RAVEL_HD index_t length(index_t) const { return indices.size(); }
};

template <class... V>
struct zip_step {
  static constexpr char const* name = "zip";
  row<V...> beside;
  template <class W, std::size_t... k>
  RAVEL_HD auto at(W const& v, index_t i, std::index_sequence<k...>) const {
    return make_row<value_t<W>, value_t<V>...>(v(i), get<k>(beside)(i)...);
  }
  template <class W>
  RAVEL_HD auto at(W const& v, index_t i) const {
    return at(v, i, std::index_sequence_for<V...>{});
  }
  RAVEL_HD index_t length(index_t n) const { return n; }
};

template <class V, class Step, class Space>
inline constexpr bool reads_in<stepped<V, Step>, Space> =
    reads_in<V, Space>&& reads_in<Step, Space>;
template <class I, class Space>
inline constexpr bool reads_in<gather_step<I>, Space> = reads_in<I, Space>;
template <class... V, class Space>
inline constexpr bool reads_in<zip_step<V...>, Space> = (reads_in<V, Space> && ...);

}  // namespace ravel::inline v0::piping
