#pragma once

/// Which functions can be called in kernels: lambdas of the host cannot.

#include <ravel/algorithms/sort_options.hpp>
#include <ravel/core/member.hpp>
#include <ravel/pipelines/views.hpp>

#include <tuple>

namespace ravel::inline v0::piping {

/// Whether F, or a function that it is composed of, cannot be called in kernels: a host lambda, or
/// a pointer to a member function.
template <class F>
inline constexpr bool of_the_host = detail::is_lambda_of_the_host<F>();
template <class P>
inline constexpr bool of_the_host<of_member<P>> = of_member<P>::is_function;
template <class T, class Op>
inline constexpr bool of_the_host<monoid<T, Op>> = of_the_host<Op>;
template <class T, class Op>
inline constexpr bool of_the_host<adjoined<T, Op>> = of_the_host<Op>;
template <class M, class N>
inline constexpr bool of_the_host<pair_of<M, N>> = of_the_host<M> || of_the_host<N>;
template <class M>
inline constexpr bool of_the_host<flipped<M>> = of_the_host<M>;
template <class... Key>
inline constexpr bool of_the_host<sort_keys<Key...>> = (of_the_host<Key> || ...);
template <class Before, class Key>
inline constexpr bool of_the_host<detail::order_of_keys<Before, Key>> =
    of_the_host<Before> || of_the_host<Key>;
template <class... Option>
inline constexpr bool of_the_host<std::tuple<Option...>> = (of_the_host<Option> || ...);
template <class T, class Eq, class Space>
inline constexpr bool of_the_host<head_segments<detail::key_changes<T, Eq>, Space>> =
    of_the_host<Eq>;

/// A view whose elements a function computes.
template <class F>
inline constexpr bool of_the_host<sized_view<generated<F>>> = of_the_host<F>;
template <class... V>
inline constexpr bool of_the_host<zipped_views<V...>> = (of_the_host<V> || ...);
template <class A, class B>
inline constexpr bool of_the_host<concatenated_views<A, B>> = of_the_host<A> || of_the_host<B>;

/// Whether Ex can call F.
template <class F, class Ex>
inline constexpr bool runs_on = std::same_as<space_of_t<Ex>, host_space> || !of_the_host<F>;

}  // namespace ravel::inline v0::piping

/// Refuses a function that Ex cannot call; `what` is a literal that names the stage, and the
/// role of the function.
#define RAVEL_EXPECT_RUNS_ON(F, Ex, what)                                                      \
  static_assert(::ravel::piping::runs_on<F, Ex>, what                                          \
                " is a lambda of the host alone, or a member function: kernels call function " \
                "objects with RAVEL_HD, lambdas that are __host__ __device__ (nvcc "           \
                "--extended-lambda), and pointers to data members")
