#pragma once

/// Map: a function of each element.

#include <ravel/core/grain.hpp>
#include <ravel/core/member.hpp>
#include <ravel/core/readable.hpp>

namespace ravel::inline v0 {

/// A load that maps one element of memory: load(i) is load.of(i, x), where x is
/// load.elements()[i].  Devices read the elements of such loads in bulk.
template <class Load>
concept load_of_elements = requires(Load const& load, index_t i) {
  load.of(i, *load.elements());
};

namespace detail {

/// Whether a visit of a scan declares that it ignores the exclusive prefix, and needs only the
/// inclusive one.
template <class Visit>
concept only_through = bool{Visit::only_through};

template <class F>
struct visit_each {
  static constexpr bool divisible = true, cheap = requires { requires F::cheap; };
  F f;
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    team.for_each(t, on_tile(f, t));
  }
};

template <class Load, class Visit>
struct map_tile {
  static constexpr bool divisible = true;
  Load load;
  Visit visit;
  template <class Team>
  RAVEL_HD void operator()(Team const& team, tile t) const {
    team.map(t, on_tile(load, t), on_tile(visit, t));
  }
};

template <class F, class... In>
struct apply_to;
template <class F, class A>
struct apply_to<F, A> {
  using only_input = A;
  F f;
  A const* a;
  RAVEL_MAY_CALL_HOST
  RAVEL_HD decltype(auto) operator()(index_t i) const { return f(a[i]); }
};
template <class F, class A, class B>
struct apply_to<F, A, B> {
  F f;
  A const* a;
  B const* b;
  RAVEL_MAY_CALL_HOST
  RAVEL_HD decltype(auto) operator()(index_t i) const { return f(a[i], b[i]); }
};
template <class F, class A, class B, class C>
struct apply_to<F, A, B, C> {
  F f;
  A const* a;
  B const* b;
  C const* c;
  RAVEL_HD decltype(auto) operator()(index_t i) const { return f(a[i], b[i], c[i]); }
};

template <class Out>
struct store {
  Out* out;
  template <class T>
  RAVEL_HD void operator()(index_t i, T const& x) const {
    out[i] = detail::as_assigned<Out>(x);
  }
};

/// for_each_index and map_on over the size of a sequence, which needs no test for negative values.
template <class Ex, class Visit>
void visit_each_of(Ex const& ex, index_t size, Visit visit) {
  ex.for_each_tile(size, visit_each<Visit>{visit});
}
template <class Ex, class Load, class Visit>
void map_each_of(Ex const& ex, index_t size, Load load, Visit visit) {
  ex.for_each_tile(size, map_tile<Load, Visit>{load, visit});
}

template <class T, class F>
struct call_on_each {
  T* data;
  F f;
  RAVEL_MAY_CALL_HOST
  RAVEL_HD void operator()(index_t i) const { f(data[i]); }
};

template <class Ex, class F, class Out, class... In>
void map_sequences(Ex const& ex, F f, Out out, In const&... in) {
  static_assert(std::is_invocable_v<F const&, element_t<In const&> const&...>,
                "map: f, which is const, cannot be called with an element of each input");
  (expects(size_of(in) == out.size(), "map: out has ", out.size(), " elements, and an input has ",
           size_of(in)),
   ...);
  map_each_of(ex, out.size(), apply_to<F, element_t<In const&>...>{f, view_of(in).data()...},
              store<element_t<Out>>{out.data()});
}

}  // namespace detail

/// The load of elements of memory unchanged: load(i) is data[i].
template <class T>
using load_elements = contiguous<T>;

/// Calls visit(i) for each i of [0, n), once, in any order.
///
/// Cost     O(n) work, O(1) span.
template <executor Ex, class Visit>
void for_each_index(Ex const& ex, index_t n, Visit visit) {
  expects(n >= 0, "for_each_index: n is ", n);
  detail::visit_each_of(ex, n, visit);
}

/// Calls visit(i, load(i)) for each i of [0, n), once, in any order.
///
/// Each load(i) may be called before any visit; visit(i, ...) may overwrite what
/// load(i) reads, and nothing that another load reads.
///
/// Cost     O(n) work, O(1) span.
template <executor Ex, class Load, class Visit>
void map_on(Ex const& ex, index_t n, Load load, Visit visit) {
  expects(n >= 0, "map_on: n is ", n);
  detail::map_each_of(ex, n, load, visit);
}

/// Applies `f` to each element of `in`, or to corresponding elements of up to three sequences:
///
///     out[i] = f(in[i])          out[i] = f(a[i], b[i])
///
///     in     3  1  2
///     out    9  1  4             with f(x) = x x
///
/// Options  Last, grain(k): threads of the host take k elements at a time (core/grain.hpp).
/// Shapes   All of one size n, in the memory of `ex`.  `out` may be any of the
///          inputs, and may overlap nothing else.
/// Order    f is called once for each i, in any order.
/// Cost     O(n) work, O(1) span.  Moves each element once.
/// Errors   contract_error if the sizes differ.
template <executor Ex, class F, class Out, class... In>
void map(Ex const& ex, F f, Out&& out, In const&... in) {
  static_assert(sizeof...(In) >= 1 && sizeof...(In) <= 3, "map: from one, two or three sequences");
  static_assert((range_on<In const&, Ex> && ...),
                "map: an input is no range in the executor's memory");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "map: out");
  detail::map_sequences(ex, as_function(f), view_of(out), detail::sequence_of(ex, "map", in)...);
}
template <executor Ex, class F, class Out, class A>
void map(Ex const& ex, F f, Out&& out, A const& a, grain_size g) {
  map(with_grain(ex, g), f, out, a);
}
template <executor Ex, class F, class Out, class A, class B>
void map(Ex const& ex, F f, Out&& out, A const& a, B const& b, grain_size g) {
  map(with_grain(ex, g), f, out, a, b);
}
template <executor Ex, class F, class Out, class A, class B, class C>
void map(Ex const& ex, F f, Out&& out, A const& a, B const& b, C const& c, grain_size g) {
  map(with_grain(ex, g), f, out, a, b, c);
}

/// map, as the parallel algorithms of std::ranges spell it: of one sequence, or of two.
///
///     transform(ex, in, out, f)          out[i] = f(in[i])
///     transform(ex, a, b, out, f)        out[i] = f(a[i], b[i])
template <executor Ex, class In, class Out, class F>
void transform(Ex const& ex, In const& in, Out&& out, F f) {
  map(ex, f, out, in);
}
template <executor Ex, class A, class B, class Out, class F>
void transform(Ex const& ex, A const& a, B const& b, Out&& out, F f) {
  map(ex, f, out, a, b);
}

/// Calls f with each element of `data`, once, in any order; f may change it.
///
///     data     3  1  2
///     data     6  2  4             for_each(ex, data, f) with f(x) setting x to 2 x
///
/// Shapes   data[n] in the memory of `ex`; on the host any range (core/readable.hpp), of which f gets const
///          elements unless it is in memory.
/// Cost     O(n) work, O(1) span.
template <executor Ex, class Data, class F>
void for_each(Ex const& ex, Data&& data, F f) {
  static_assert(range_on<Data&, Ex>, "for_each: data is no range in the executor's memory");
  decltype(auto) elements = detail::sequence_of(ex, "for_each", data);
  auto const call = as_function(f);
  if constexpr (writable_on<Data, Ex>) {
    using visit = detail::call_on_each<element_t<Data>, function_t<F>>;
    static_assert(std::is_invocable_v<F const&, element_t<Data>&>,
                  "for_each: f, which is const, cannot be called with an element");
    for_each_index(ex, size_of(data), visit{view_of(data).data(), call});
  } else {
    using T = element_t<decltype(elements)> const;
    static_assert(std::is_invocable_v<F const&, T&>,
                  "for_each: f, which is const, cannot be called with an element");
    for_each_index(ex, size_of(elements),
                   detail::call_on_each<T, function_t<F>>{view_of(elements).data(), call});
  }
}

}  // namespace ravel::inline v0
