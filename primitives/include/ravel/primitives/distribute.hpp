#pragma once

/// Distribute: one value to every element.

#include <ravel/primitives/map.hpp>

namespace ravel::inline v0 {
namespace detail {

template <class T>
struct same_value {
  static constexpr bool cheap = std::is_arithmetic_v<T>;
  T* out;
  T value;
  RAVEL_HD void operator()(index_t i) const { out[i] = value; }
};

template <class T, class U>
struct same_element {
  T* out;
  U const* value;
  RAVEL_HD void operator()(index_t i) const { out[i] = static_cast<T>(*value); }
};

}  // namespace detail

/// Writes one value to every element of `out`:
///
///     out[i] = value
///
///     value   7
///     out     7 7 7 7
///
/// `value` is a value on the host, or a sequence of one element in the memory of `ex`, which is
/// read when the work runs.  Anything that converts to an element is a value on the host, even if
/// it is a sequence, such as a std::string.
///
/// Shapes   out[n], in the memory of `ex`.
/// Cost     O(n) work, O(1) span.  Moves n elements.
/// Errors   contract_error if `value` is a sequence of other than one element.
template <executor Ex, class V, class Out>
void distribute(Ex const& ex, V const& value, Out&& out) {
  RAVEL_EXPECT_WRITABLE(Out, Ex, "distribute: out");
  using T = element_t<Out>;
  auto const dst = view_of(out);
  if constexpr (std::convertible_to<V const&, T>) {
    detail::visit_each_of(ex, dst.size(), detail::same_value<T>{dst.data(), static_cast<T>(value)});
  } else {
    static_assert(sequence_on<V const&, Ex>,
                  "distribute: value is neither an element of out nor a sequence of one in the "
                  "executor's memory");
    expects(size_of(value) == 1, "distribute: value is a sequence of ", size_of(value),
            " elements and not of one");
    detail::visit_each_of(
        ex, dst.size(),
        detail::same_element<T, element_t<V const&>>{dst.data(), view_of(value).data()});
  }
}

}  // namespace ravel::inline v0
