#pragma once

/// Adjacent difference on the host: the table of forms, and the form.

#include <ravel/core/cpu/host.hpp>
#include <ravel/core/table.hpp>
#include <ravel/primitives/adjacent_difference/call.hpp>
#include <ravel/primitives/map.hpp>

#include <type_traits>

namespace ravel::inline v0 {
namespace cpu {
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

struct difference_first_apart {
  static constexpr auto name = "first_apart";
  static constexpr auto why =
      "The first element is written before the loop over the others, which compilers then make "
      "vectors of.";
  template <class Ex, class In, class Out, class F>
  static void run(Ex const& ex, difference_call<In, Out, F> const& c) {
    if (c.n == 0) return;
    c.out[0] = static_cast<Out>(c.in[0]);
    ravel::detail::visit_each_of(ex, c.n - 1,
                                 detail::difference_to_next<In, Out, F>{c.in, c.out, c.f});
  }
};

}  // namespace cpu

template <>
struct form_table<difference_family, cpu::host> : forms<cpu::difference_first_apart> {};

}  // namespace ravel::inline v0
