#pragma once

/// The description of a scan whose results are packed.

#include <ravel/primitives/options.hpp>
#include <ravel/primitives/pack/call.hpp>

namespace ravel::inline v0 {

struct scan_then_pack_family;

/// With before and through as for scan_on, and made = step(i, before, through), a `maybe`, for each
/// i calls visit(place, x) where made is some x, and place is the number of values made before i;
/// and total(k) with the number of values made.
template <class Load, class M, class Seed, class Step, class Visit, class Total>
struct scan_then_pack_call {
  using family = scan_then_pack_family;
  using value_type = carrier_t<M>;
  index_t n;
  Load load;
  M m;
  Seed seed;
  Step step;
  Visit visit;
  Total total;
};

namespace detail {

/// The result of `step` for element i of a scan over T: a value, or nothing.
template <class Step, class T>
using made_by_t = std::remove_cvref_t<decltype(std::declval<Step const&>()(
    index_t{}, std::declval<T const&>(), std::declval<T const&>()))>;

/// Whether a total also receives the total of the scan over T: total.state(x).
template <class Total, class T>
concept receives_state = requires(Total const& total, T const& x) {
  total.state(x);
};

/// The receiver of the total of the scan.
template <class T, class Total>
auto state_of([[maybe_unused]] Total const& total) {
  if constexpr (receives_state<Total, T>) {
    return [total](T const& through) { total.state(through); };
  } else {
    return no_total{};
  }
}

}  // namespace detail

/// The call of scan_then_pack_on with the same arguments.
template <class Load, class M, class Seed, class Step, class Visit, class Total = detail::no_total>
auto describe_scan_then_pack_on(index_t n, Load load, M m, Seed seed, Step step, Visit visit,
                                Total total = {}) {
  return scan_then_pack_call<Load, M, Seed, Step, Visit, Total>{n,    load,  m,    seed,
                                                                step, visit, total};
}

}  // namespace ravel::inline v0
