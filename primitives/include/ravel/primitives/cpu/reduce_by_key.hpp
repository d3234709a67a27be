#pragma once

/// @file
/// Reduce by key on the host: where a run begins is known when it ends, and not combined with its
/// values.

#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/cpu/reduce_headed.hpp>
#include <ravel/primitives/reduce_by_key.hpp>

namespace ravel::inline v0::cpu {
namespace detail {

template <class Visit>
struct visit_placed {
  static constexpr bool overwrites = detail::overwrites<Visit>;
  Visit visit;
  template <class T>
  void operator()(index_t s, T const& value, index_t begin) const {
    visit(s, paired<T, index_t>{value, begin});
  }
};

}  // namespace detail

/// As the steps of reduce_by_key.
template <host_executor Ex, class Keys, class Eq, class Load, class M, class Seed, class Visit,
          class Total>
void reduce_runs_on(Ex const& ex, Keys keys, Eq equal, Load load, M m, Seed seed, Visit visit,
                    Total total) {
  detail::reduce_headed(ex, keys.size(), load, by_keys(keys, equal), m, seed,
                        detail::visit_placed<Visit>{visit}, total);
}

}  // namespace ravel::inline v0::cpu
