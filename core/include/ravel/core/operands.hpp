#pragma once

/// Operands: the source or sink that each spelling of an argument is, and sources with a size.
///
/// source_of and sink_of bring every spelling of an operand to one normal form: a vector, a span, a
/// buffer, a view of T and a view of T const are all contiguous<T>.  A choice by these types cannot
/// depend on how the operand was written.

#include <ravel/core/structure.hpp>

namespace ravel::inline v0 {

/// The memory space of a source that reads none; it serves every executor.
struct any_space {};

/// A source and its number of elements, as returned by map_source and others.
template <class S, class Space>
struct sized_source {
  using space = Space;
  S source;
  index_t n;
};

/// The source that an operand is, in normal form.  An operand is
///
///     a contiguous sequence           std::vector, std::span, a buffer, a view, thrust::device_vector
///     a source, or a sized one
///     a function object whose structure() returns an operand
///     any other function of an index, which is `computed`
///
/// structure() promises that the function object returns the elements of that operand:
///
///     struct squares {
///       double const* in;
///       double operator()(index_t i) const { return in[i] * in[i]; }
///       auto structure() const { return mapped<contiguous<double>, square>{{in}, {}}; }
///     };
template <class X>
constexpr auto source_of(X const& x) {
  if constexpr (source_structure<X>) {
    return normal_form(x);
  } else if constexpr (is_instance<X, sized_source>) {
    return normal_form(x.source);
  } else if constexpr (requires { x.structure(); }) {
    return source_of(x.structure());
  } else if constexpr (sequence<X const&>) {
    auto const v = view_of(x);
    return contiguous<std::remove_const_t<std::remove_pointer_t<decltype(v.data())>>>{v.data()};
  } else {
    static_assert(
        std::is_invocable_v<X const&, index_t>,
        "source_of: this is neither a contiguous sequence, nor a source, nor a function of "
        "an index");
    return computed<X>{x};
  }
}
template <class X>
using source_t = decltype(source_of(std::declval<X const&>()));

/// The sink that an operand is, in normal form: a sequence that may be written, a sink, or a
/// function of an index and a value.
template <class X>
constexpr auto sink_of(X&& x) {
  using Plain = std::remove_cvref_t<X>;
  if constexpr (sink_structure<Plain>) {
    return normal_form(x);
  } else if constexpr (requires { x.structure(); }) {
    return sink_of(x.structure());
  } else if constexpr (sequence<X>) {
    auto const v = view_of(x);
    using T = std::remove_pointer_t<decltype(v.data())>;
    static_assert(!std::is_const_v<T>, "sink_of: the elements of the sequence are const");
    return into_contiguous<T>{v.data(), v.size()};
  } else {
    return into_function<Plain>{x};
  }
}
template <class X>
using sink_t = decltype(sink_of(std::declval<X>()));

/// How many elements an operand has.
template <class X>
constexpr index_t operand_size(X const& x) {
  if constexpr (is_instance<X, sized_source>) {
    return x.n;
  } else {
    return size_of(x);
  }
}

/// `X` has a size, and its elements can be read by code that runs on `Ex`: a sequence in its
/// memory, or a sized source over such sequences.
template <class X, class Ex>
concept operand_on = (sequence<X> || is_instance<std::remove_cvref_t<X>, sized_source>)&&(
    std::same_as<space_of_t<X>, space_of_t<Ex>> || std::same_as<space_of_t<X>, any_space>);

namespace detail {

template <class A, class B>
constexpr auto common_space() {
  if constexpr (std::same_as<A, any_space>) {
    return std::type_identity<B>{};
  } else {
    static_assert(std::same_as<B, any_space> || std::same_as<A, B>,
                  "the elements of this source are in different memories");
    return std::type_identity<A>{};
  }
}
template <class X, class Y>
using common_space_t = typename decltype(common_space<space_of_t<X>, space_of_t<Y>>())::type;

}  // namespace detail

/// f(x[i]) for each i.
template <class X, class F>
auto map_source(X const& x, F f) {
  return sized_source<mapped<source_t<X>, F>, space_of_t<X>>{{source_of(x), f}, operand_size(x)};
}

/// The elements of x from the last to the first.
template <class X>
auto mirror_source(X const& x) {
  return sized_source<mirrored<source_t<X>>, space_of_t<X>>{{source_of(x), operand_size(x) - 1},
                                                            operand_size(x)};
}

/// x[index[i]] for each i.
template <class X, class I>
auto gather_source(X const& x, I const& index) {
  return sized_source<gathered<source_t<X>, source_t<I>>, detail::common_space_t<X, I>>{
      {source_of(x), source_of(index)}, operand_size(index)};
}

/// paired{x[i], y[i]} for each i.
///
/// Errors   contract_error if the sizes differ.
template <class X, class Y>
auto zip_source(X const& x, Y const& y) {
  expects(operand_size(x) == operand_size(y), "zip_source: one operand has ", operand_size(x),
          " elements, and the other ", operand_size(y));
  return sized_source<zipped<source_t<X>, source_t<Y>>, detail::common_space_t<X, Y>>{
      {source_of(x), source_of(y)}, operand_size(x)};
}

/// first, first + step, first + 2 step, ...: n elements.
template <class T>
auto count_source(index_t n, T first, T step = T(1)) {
  return sized_source<counted<T>, any_space>{{first, step}, n};
}

/// f(0), ..., f(n - 1), or the operand that f.structure() returns.  f reads memory of `Space`, or
/// none.
template <class Space = any_space, class F>
auto compute_source(index_t n, F f) {
  return sized_source<source_t<F>, Space>{source_of(f), n};
}

}  // namespace ravel::inline v0
