#pragma once

/// @file
/// Scan over all ranks: inclusive_scan and exclusive_scan of distributed sequences.
///
///     inclusive_scan(ex, x, y);
///     exclusive_scan(ex, x, y, maximum{}, backward, from(3), total_to(ex.replicate<int>(1)));
///
/// `x` and `y` have the same pieces, in which elements stay.  The last piece of `y` may have one
/// element more in an exclusive scan, which receives the total; backward, the first piece.
/// Options  from(...), backward, total_to(...).  A total goes to an element on each rank.
/// Order    `m` is applied in the order of elements and need not be commutative.  The grouping is
///          fixed by the pieces and by the local executor.
/// Cost     Each rank reads its piece twice and writes it once.
/// Volume   One value of the monoid to each other rank.

#include <ravel/core/run_call.hpp>
#include <ravel/core/table.hpp>
#include <ravel/distributed/carries.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/refused.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>

namespace ravel::inline v0 {
namespace distributed {
namespace detail {

/// Which call a scan is, by what it writes for each element.
template <class Visit>
inline constexpr int kind_of_scan = 2;
template <class T>
inline constexpr int kind_of_scan<write_through<T>> = 0;
template <class T>
inline constexpr int kind_of_scan<write_before<T>> = 1;
template <class Visit>
inline constexpr int kind_of_scan<ravel::detail::mirrored_visit<Visit>> = kind_of_scan<Visit>;

inline constexpr char const* scan_names[] = {"inclusive_scan", "exclusive_scan", "scan"};

}  // namespace detail

/// A scan over the pieces of all ranks, each of which has described the scan of its own: totals are
/// gathered, and each rank starts from those before it.  Backward, from the last rank to the first.
template <bool Backward, class Ex, class Call>
void scan_pieces(Ex const& ex, char const* name, Call const& c) {
  together(ex, name, [&] {
    using T = typename Call::value_type;
    auto const& here = ex.local();
    index_t const ranks = ex.ranks().size(), rank = ex.ranks().rank();
    auto const totals = ex.template scratch<T>(ranks);
    auto const before = ex.template scratch<T>(1);
    gather_carries(ex, totals.local(), [&](T* mine) {
      reduce_on(here, c.n, c.load, c.m, ravel::detail::seed_identity<decltype(c.m)>{c.m},
                ravel::detail::store_total<T>{mine});
    });
    auto const in_order = detail::in_order_of_scan<Backward>(totals.data(), ranks);
    reduce_on(here, Backward ? ranks - 1 - rank : rank, in_order, c.m, c.seed,
              ravel::detail::store_total<T>{before.data()});
    if constexpr (!std::same_as<decltype(c.total), ravel::detail::no_total>) {
      reduce_on(here, ranks, in_order, c.m, c.seed, c.total);
    }
    run_call(here, describe_scan_on(c.n, c.load, c.visit, c.m, detail::read_one<T>{before.data()}));
  });
}

struct scan_by_carries {
  static constexpr auto name = "by_carries";
  static constexpr auto why =
      "Each rank reduces its piece; all gather the totals, and each scans its piece from the total "
      "of the ranks before it.";
  template <class Call>
  static constexpr bool is_backward =
      is_instance<decltype(Call::visit), ravel::detail::mirrored_visit>;
  template <class Call>
  static constexpr auto types() {
    using Load = decltype(Call::load);
    return needs(need{is_backward<Call> ? detail::is_backward_elementwise<Load>
                                        : detail::is_elementwise<Load>,
                      detail::elementwise_needs},
                 need{can_be_sent<typename Call::value_type>, detail::can_be_sent_needs});
  }
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    scan_pieces<is_backward<Call>>(ex, detail::scan_names[detail::kind_of_scan<decltype(c.visit)>],
                                   c);
  }
};

}  // namespace distributed

template <>
struct form_table<scan_family, distributed::machine> {
  using type = forms<distributed::scan_by_carries, distributed::not_distributed>;
};

}  // namespace ravel::inline v0
