#pragma once

/// Linear recurrence: each result from its element and the results before it.

#include <ravel/primitives/carried.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/scan.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/stream_maps.cuh>  // at the speed of a copy
#endif

namespace ravel::inline v0 {

/// The coefficients of a recurrence that are the same for every element, nearest result first:
/// coefficients{1.5f, -0.75f}.
template <class T, int K>
struct coefficients {
  static_assert(1 <= K && K <= 4, "coefficients: a recurrence is of order 1 to 4");
  T of[K];
};
template <class T, class... Rest>
coefficients(T, Rest...) -> coefficients<T, 1 + static_cast<int>(sizeof...(Rest))>;

namespace detail {

template <class A>
inline constexpr bool is_constant = false;
template <class T, int K>
inline constexpr bool is_constant<coefficients<T, K>> = true;

/// y -> a y + b.
template <class T>
struct affine_map {
  T a, b;
};

/// First the left map, then the right one.  Where products of coefficients have overflowed, zeros
/// stay zeros.
template <class T>
struct compose_maps {
  static RAVEL_HD affine_map<T> identity() { return {T(1), T(0)}; }
  RAVEL_HD affine_map<T> operator()(affine_map<T> const& f, affine_map<T> const& g) const {
    return {g.a * f.a, grown(f.b, g.a) + g.b};
  }
  static RAVEL_HD T grown(T const& y, T const& a) {
    T const made = a * y;
    return y == T(0) && made != made && a == a ? T(0) : made;
  }
};

template <class T, class A, class In>
struct load_map {
  using value = wrapping_t<T>;
  A const* a;
  In const* in;
  RAVEL_HD affine_map<value> operator()(index_t i) const {
    return {static_cast<value>(static_cast<T>(a[i])), static_cast<value>(static_cast<T>(in[i]))};
  }
};

template <class Out>
struct write_image {
  static constexpr bool only_through = true;
  Out* to;
  template <class T>
  RAVEL_HD void operator()(index_t i, affine_map<T> const&, affine_map<T> const& through) const {
    to[i] = static_cast<Out>(through.b);
  }
};

/// The constant map to the result before the first.
template <class T, class Seed>
struct seed_map {
  Seed seed;
  RAVEL_HD affine_map<T> operator()() const { return {T(0), static_cast<T>(seed())}; }
};

template <int K, class... Options>
inline constexpr bool are_recurrence_options =
    are_options<takes<option::from, option::backward, option::tuples>, Options...> &&
    (K == 1 || !has<option::from, Options...>);

/// With the same coefficients for every element.
template <class T, class Ex, class Load, class Visit, class A, int K, class... Options>
void recurrence_with(Ex const& ex, index_t n, Load load, Visit visit, coefficients<A, K> const& a,
                     Options... options) {
  static_assert(std::is_floating_point_v<T> || !std::is_floating_point_v<A>,
                "linear_recurrence: the results are integers, and the coefficients are not");
  static_assert(are_recurrence_options<K, Options...>,
                "linear_recurrence: the options are backward, of_tuples<s> and, of order 1, "
                "from(...), each once");
  carried_results<T, K> carry;
  for (int k = 0; k < K; ++k) carry.a[k] = static_cast<wrapping_t<T>>(static_cast<T>(a.of[k]));
  auto const seed = seed_of<T>(plus<T>{}, options...);
  constexpr int tuples = tuples_of<Options...>;
  if constexpr (is_backward<Options...>) {
    run_call(own(ex),
             describe_carried<tuples>(n, carry, mirrored<Load>{load, n - 1},
                                      mirrored_visit<Visit>{visit, n - 1}, seed, no_total{}));
  } else {
    run_call(own(ex), describe_carried<tuples>(n, carry, load, visit, seed, no_total{}));
  }
}

/// With coefficients for each element.
template <class T, class Ex, class A, class In, class Out, class... Options>
void recurrence_of_maps(Ex const& ex, index_t n, A const* a, In const* in, Out* out,
                        Options... options) {
  static_assert(are_recurrence_options<1, Options...> && tuples_of<Options...> == 1,
                "linear_recurrence: with a coefficient for each element the options are "
                "from(...) and backward, each once");
  using value = wrapping_t<T>;
  load_map<T, A, In> const load{a, in};
  write_image<Out> const visit{out};
  auto const seed = seed_of<T>(plus<T>{}, options...);
  seed_map<value, decltype(seed)> const first{seed};
  if constexpr (is_backward<Options...>) {
    run_call(own(ex),
             describe_mirrored_scan(n, load, visit, compose_maps<value>{}, first, no_total{}));
  } else {
    scan_on(ex, n, load, visit, compose_maps<value>{}, first, no_total{});
  }
}

}  // namespace detail

/// Makes each result of its element and the results before it:
///
///     out[i] = in[i] + a[0] out[i - 1] + ... + a[k - 1] out[i - k]     a = coefficients{...}
///     out[i] = in[i] + a[i] out[i - 1]                       a a sequence of n coefficients
///
///     in     1  0  0  0  0  0
///     out    1  1  2  3  5  8                          coefficients{1, 1}
///     in     1  2  3  4  5  6
///     a      0  1  2  0 -1  1
///     out    1  3  9  4  1  7                          of order 1, with a sequence
///
/// where results before the first are 0; for order 1, the option `from` gives the result before the
/// first.  With the option `backward` results are computed from the last to the first, from those
/// after them.  With of_tuples<s>, and coefficients{...}, every s-th element is a recurrence by
/// itself, such as a filter of s interleaved channels.
///
/// Shapes   in[n], out[n] and a sequence a[n], in the memory of `ex`.  `out` may be `in`, or `in`
///          or `a` if their elements have its size; it may overlap nothing else.  n may be 0.
/// Order    The serial loop, cut in tiles, whose carries are added through powers of the
///          coefficients.  Exact for integers, which wrap around.  In floating point it repeats bit
///          for bit on the same executor, and differs from the loop by rounding; if the
///          coefficients make results grow, the rounding errors grow with them.  Computed in the
///          element type of `out`.  Products of coefficients may overflow where the loop's results
///          would not: such an infinite product counts as zero when multiplied by zero, and is
///          infinite otherwise.
/// Cost     O(k n) work, O(k^2 log n) span.  Moves 2 n elements, 3 n with a sequence of
///          coefficients; executors that run the generic steps move half as much more.
/// Errors   contract_error if the sizes differ.  Issued, not awaited.
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990: scans of
///          affine maps; for tiles of constant recurrences Maleki and Burtscher, "Automatic
///          Hierarchical Parallelization of Linear Recurrences", ASPLOS 2018.
/// See also inclusive_scan with of_order<2>, which equals coefficients{2, -1} up to rounding.
template <executor Ex, class In, class A, class Out, class... Options>
void linear_recurrence(Ex const& ex, In const& in, A const& a, Out&& out, Options... options) {
  RAVEL_EXPECT_RANGE(In, Ex, "linear_recurrence: in");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "linear_recurrence: out");
  static_assert(detail::options_on<Ex, Options...>,
                "linear_recurrence: from(...) is not in the executor's memory");
  auto const& seq = detail::sequence_of(ex, "linear_recurrence", in);
  auto const src = view_of(seq);
  auto const dst = view_of(out);
  expects(dst.size() == src.size(), "linear_recurrence: out has ", dst.size(),
          " elements, and in has ", src.size());
  using X = element_t<decltype(seq)>;
  using Y = element_t<Out>;
  if constexpr (detail::is_constant<A>) {
    detail::recurrence_with<Y>(ex, src.size(), contiguous<X>{src.data()},
                               detail::write_through<Y>{dst.data()}, a, options...);
  } else {
    static_assert(range_on<A const&, Ex>,
                  "linear_recurrence: a is neither coefficients{...} nor a contiguous sequence in "
                  "the executor's memory");
    auto const& each = detail::sequence_of(ex, "linear_recurrence", a);
    auto const factors = view_of(each);
    expects(factors.size() == src.size(), "linear_recurrence: a has ", factors.size(),
            " elements, and in has ", src.size());
    detail::recurrence_of_maps<Y>(ex, src.size(), factors.data(), src.data(), dst.data(),
                                  options...);
  }
}

}  // namespace ravel::inline v0
