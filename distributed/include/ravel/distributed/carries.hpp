#pragma once

/// Carries: one value of each rank, gathered by all and combined in the order of ranks.
///
/// Every rank combines the same values in the same order, so results repeat exactly, and monoids
/// need not be commutative.

#include <ravel/distributed/exchange.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/primitives/carried.hpp>
#include <ravel/primitives/linear_recurrence.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/options.hpp>

namespace ravel::inline v0::distributed {

namespace detail {

/// Reads its i-th element from the i-th of sequences: what a rank computes from its piece is then a
/// piece of the result.
template <class S>
inline constexpr bool is_elementwise = is_instance<S, contiguous>;
template <class S, class F>
inline constexpr bool is_elementwise<mapped<S, F>> = is_elementwise<S>;
template <class A, class B>
inline constexpr bool is_elementwise<zipped<A, B>> = is_elementwise<A>&& is_elementwise<B>;
template <class C, class S>
inline constexpr bool is_elementwise<ravel::detail::load_run<C, 1, S>> = is_elementwise<S>;
template <class T, class A, class In>
inline constexpr bool is_elementwise<ravel::detail::load_map<T, A, In>> = true;

template <class S>
inline constexpr bool is_backward_elementwise = false;
template <class S>
inline constexpr bool is_backward_elementwise<mirrored<S>> = is_elementwise<S>;
template <class S, class F>
inline constexpr bool is_backward_elementwise<mapped<S, F>> = is_backward_elementwise<S>;
template <class C, class S>
inline constexpr bool is_backward_elementwise<ravel::detail::load_run<C, 1, S>> =
    is_backward_elementwise<S>;

inline constexpr auto elementwise_needs = "sequences, or maps and zips of them";
inline constexpr auto can_be_sent_needs = "a monoid whose values are trivially copyable";

template <class T>
using read_one = ravel::detail::seed_element<T, T>;

/// The combination of an initial value and a result.
template <class V, class M, class Seed>
struct after_seed {
  M m;
  Seed seed;
  RAVEL_HD V operator()(V const& x) const {
    return static_cast<V>(m(static_cast<carrier_t<M>>(seed()), static_cast<carrier_t<M>>(x)));
  }
};
/// Combines the initial value of the options, if they have one, with each result, before it.
template <class Local, class V, class Space, class M, class... Options>
void combine_with_initial(Local const& local, view<V, Space> results, M const& m,
                          Options const&... options) {
  if constexpr (ravel::detail::has<ravel::detail::option::from, Options...>) {
    auto const seed = ravel::detail::seed_of<carrier_t<M>>(m, options...);
    map(local, after_seed<V, M, decltype(seed)>{m, seed}, results, results);
  }
}

/// The values of all ranks in the order of a scan: backward, from the last rank to the first.
template <bool Backward, class T>
auto in_order_of_scan(T const* values, index_t ranks) {
  if constexpr (Backward) {
    return mirrored<contiguous<T>>{{values}, ranks - 1};
  } else {
    return contiguous<T>{values};
  }
}

}  // namespace detail

/// Writes the value of each rank to totals[rank] on all: `write(p)` issues the work that writes that
/// of this rank to *p.  `totals` has room for one value a rank.
///
/// Volume   sizeof(T) bytes to each other rank.
template <class Ex, class T, class Write>
void gather_carries(Ex const& ex, view<T, typename Ex::space::local> totals, Write const& write) {
  T* const total = totals.data() + ex.ranks().rank();
  write(total);
  if (ex.ranks().size() > 1) gather_pieces(ex, total, 1, totals.data());
}

}  // namespace ravel::inline v0::distributed
