#pragma once

/// Reduce over all ranks, and to every rank: reduce and reduce_sync of distributed sequences.
///
///     int const sum = reduce_sync(ex, x);             // the same on each rank
///     auto const total = ex.replicate<int>(1);
///     reduce(ex, x, total, maximum{});                // an element on each rank
///
/// Order    `m` is applied in the order of elements and need not be commutative.  The grouping is
///          fixed by the pieces and by the local executor.
/// Volume   One value of the monoid to each other rank.

#include <ravel/distributed/carries.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/primitives/reduce.hpp>

namespace ravel::inline v0 {
namespace distributed {

struct reduce_by_carries {
  static constexpr auto name = "by_carries";
  static constexpr auto why =
      "Each rank reduces its piece; all gather the results, and combine them in the order of "
      "ranks.";
  template <class Call>
  static constexpr auto types =
      needs(need{detail::is_elementwise<decltype(Call::load)>, detail::elementwise_needs},
            need{can_be_sent<typename Call::value_type>, detail::can_be_sent_needs});
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    together(ex, "reduce", [&] {
      using T = typename Call::value_type;
      index_t const ranks = ex.ranks().size();
      auto const totals = ex.template scratch<T>(ranks);
      gather_carries(ex, totals.local(), [&](T* total) {
        reduce_on(ex.local(), c.n, c.load, c.m, ravel::detail::seed_identity<decltype(c.m)>{c.m},
                  ravel::detail::store_total<T>{total});
      });
      reduce_on(ex.local(), ranks, contiguous<T>{totals.data()}, c.m, c.seed, c.total);
    });
  }
};

}  // namespace distributed

template <>
struct form_table<reduce_family, distributed::machine>
    : forms<distributed::reduce_by_carries, distributed::not_distributed> {};

}  // namespace ravel::inline v0
