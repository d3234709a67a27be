#pragma once

/// Adjacent difference: each element compared with the one before it.

#include <ravel/core/checked.hpp>
#include <ravel/core/member.hpp>
#include <ravel/core/run_call.hpp>
#include <ravel/primitives/adjacent_difference/call.hpp>
#include <ravel/primitives/adjacent_difference/cpu.hpp>
#include <ravel/primitives/adjacent_difference/steps.hpp>

namespace ravel::inline v0 {

/// x - y, in T.  Integers wrap around, as sums do.
template <class T = void>
struct minus {
  RAVEL_HD constexpr T operator()(T const& x, T const& y) const {
    return static_cast<T>(detail::wrapping(x) - detail::wrapping(y));
  }
};
/// x - y, in the type that C++ gives it: an int for bytes.  Integers wrap around, too.
template <>
struct minus<void> {
  template <class T>
  RAVEL_HD constexpr auto operator()(T const& x, T const& y) const {
    return static_cast<decltype(x - y)>(detail::wrapping(x) - detail::wrapping(y));
  }
};

namespace cpu::detail {

template <class T>
inline constexpr bool is_cheap_difference<minus<T>> = true;

}  // namespace cpu::detail

/// Compares each element with the one before it:
///
///     out[0] = in[0]
///     out[i] = f(in[i], in[i - 1])            x - y if no f is given
///
///     in     3  4  6 10 11 16
///     out    3  1  2  4  1  5
///
/// With differences it undoes an inclusive scan with plus.
///
/// Shapes   in[n], out[n], in the memory of `ex`.  `out` overlaps nothing, not even `in`, every
///          element of which is read twice.  n may be 0.
/// Order    f is called once for each i > 0, in any order, on elements of `in`; its result is
///          converted to an element of `out`.
/// Cost     O(n) work, O(1) span.  Moves 2 n elements.
/// Errors   contract_error if the sizes differ.
template <local_executor Ex, class In, class Out, class F = minus<>>
void adjacent_difference(Ex const& ex, In const& in, Out&& out, F f = {}) {
  RAVEL_EXPECT_RANGE(In, Ex, "adjacent_difference: in");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "adjacent_difference: out");
  auto const& src = detail::sequence_of(ex, "adjacent_difference", in);
  using T = element_t<decltype(src)>;
  static_assert(std::is_invocable_v<F&, T const&, T const&>,
                "adjacent_difference: f cannot be called with two elements of in");
  expects(size_of(out) == size_of(src), "adjacent_difference: out has ", size_of(out),
          " elements, and in has ", size_of(src));
  run_call(detail::own(ex), describe_adjacent_difference(src, out, f));
}

}  // namespace ravel::inline v0
