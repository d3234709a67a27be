#pragma once

/// The description of a reduction: reduce and reduce_on.

#include <ravel/core/operands.hpp>
#include <ravel/core/table.hpp>
#include <ravel/primitives/normal_load.hpp>
#include <ravel/primitives/options.hpp>

namespace ravel::inline v0 {

struct reduce_family;

/// total(seed() * load(0) * ... * load(n - 1)), writing * for `m`.
template <class Load, class M, class Seed, class Total>
struct reduce_call {
  using family = reduce_family;
  using value_type = carrier_t<M>;
  index_t n;
  Load load;
  M m;
  Seed seed;
  Total total;
};

/// The call of reduce_on with the same arguments.
template <class Load, class M, class Seed, class Total>
[[gnu::always_inline]] inline auto describe_reduce_on(index_t n, Load const& load, M m, Seed seed,
                                                      Total total) {
  return reduce_call<detail::normal_load_t<Load>, M, Seed, Total>{n, detail::normal_load(load), m,
                                                                  seed, total};
}

/// The call of reduce with the same arguments.
template <class In, class Out, class M = plus<>, class... Options>
[[gnu::always_inline]] inline auto describe_reduce(In const& in, Out&& out, M m = {},
                                                   Options const&... options) {
  using U = element_t<Out>;
  auto const monoid = monoid_on<U>(m);
  return describe_reduce_on(operand_size(in), source_of(in), monoid,
                            detail::seed_of<carrier_t<decltype(monoid)>>(monoid, options...),
                            detail::store_total<U>{view_of(out).data()});
}

}  // namespace ravel::inline v0
