#pragma once

/// @file
/// Adjacent difference on the host: treats the first element separately, so that the loop over the
/// others vectorises.

#include <ravel/core/cpu/worker.hpp>
#include <ravel/primitives/map.hpp>

#include <type_traits>

namespace ravel::inline v0::cpu {
namespace detail {

/// Whether a function takes a few ns for any numbers, so that steps with it need no look at the clock.
template <class F>
inline constexpr bool is_cheap_difference = false;

template <class In, class Out, class F>
struct difference_to_next {
  static constexpr bool cheap = is_cheap_difference<F> && std::is_arithmetic_v<In>;
  In const* in;
  Out* out;
  F f;
  void operator()(index_t i) const { out[i + 1] = static_cast<Out>(f(in[i + 1], in[i])); }
};

}  // namespace detail

/// Overload of the step of adjacent_difference for the host.
template <host_executor Ex, class In, class Out, class F>
void difference_on(Ex const& ex, index_t n, In const* in, Out* out, F f) {
  if (n == 0) return;
  out[0] = static_cast<Out>(in[0]);
  ravel::detail::visit_each_of(ex, n - 1, detail::difference_to_next<In, Out, F>{in, out, f});
}

}  // namespace ravel::inline v0::cpu
