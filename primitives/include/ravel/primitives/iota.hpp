#pragma once

/// Iota: 0, 1, 2 and so on.

#include <ravel/primitives/map.hpp>

namespace ravel::inline v0 {
namespace detail {

template <class T>
struct write_step {
  static constexpr bool cheap = std::is_arithmetic_v<T>;
  T* out;
  T first;
  T step;
  RAVEL_HD void operator()(index_t i) const {
    if constexpr (std::is_integral_v<T>) {
      // Unsigned arithmetic, which wraps around.
      using word = typename std::conditional_t<(sizeof(T) > 8), std::make_unsigned<T>,
                                               std::type_identity<std::uint64_t>>::type;
      out[i] =
          static_cast<T>(static_cast<word>(first) + static_cast<word>(i) * static_cast<word>(step));
    } else {
      out[i] = static_cast<T>(first + static_cast<T>(i) * step);
    }
  }
};

}  // namespace detail

/// Numbers the elements of `out`:
///
///     out[i] = first + i step
///
///     out     0  1  2  3
///     out    10  8  6  4            with first 10, step -2
///
/// Shapes   out[n] of any type of number, in the memory of `ex`.  Integers wrap
///          around in their own width.
/// Order    In floating point each element is a product and a sum, rounded once or twice: errors do
///          not accumulate, and n may exceed the last integer that the type represents.
/// Cost     O(n) work, O(1) span.  Moves n elements.
template <executor Ex, class Out, class First = int, class Step = int>
void iota(Ex const& ex, Out&& out, First first = 0, Step step = 1) {
  RAVEL_EXPECT_WRITABLE(Out, Ex, "iota: out");
  using T = element_t<Out>;
  static_assert(std::constructible_from<T, index_t>, "iota: the elements of out are not numbers");
  static_assert(std::convertible_to<First, T> && std::convertible_to<Step, T>,
                "iota: first and step must convert to the elements of out");
  auto const dst = view_of(out);
  detail::visit_each_of(
      ex, dst.size(),
      detail::write_step<T>{dst.data(), static_cast<T>(first), static_cast<T>(step)});
}

}  // namespace ravel::inline v0
