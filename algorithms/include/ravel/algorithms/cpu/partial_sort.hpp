#pragma once

/// @file
/// The first k elements of a partial sort on the host, for small k: one pass that keeps candidates
/// and their positions (cpu/least_elements.hpp).

#include <ravel/algorithms/cpu/least_elements.hpp>
#include <ravel/algorithms/partial_sort/steps.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0::cpu {

/// Overload of ravel::detail::find_least for small k: each thread selects by least_so_far.
template <class Ex, class T, class Order, class Select>
requires(host_executor<Ex>) void find_least(Ex const& ex, T const* data, index_t n, index_t k,
                                            Order order, Select const& select, T* least,
                                            index_t* chosen) {
  if (detail::are_few_of(k, n, detail::threads_of(ex))) {
    detail::write_least(ex, view<T const>(data, n), k, order, [=](index_t i, auto const& p) {
      least[i] = p.in(data);
      chosen[i] = p.place;
    });
  } else {
    ravel::detail::find_least<Ex>(ex, data, n, k, order, select, least, chosen);
  }
}

}  // namespace ravel::inline v0::cpu
