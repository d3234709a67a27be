#pragma once

/// What sorts expect of their operands.

#include <ravel/core/readable.hpp>

namespace ravel::inline v0::detail {

/// Whether scratch can hold elements: it constructs them, and sorts copy them.
template <class T>
inline constexpr bool held_in_scratch = std::default_initializable<T>&& std::copyable<T>;

template <class I>
struct write_index {
  I* to;
  RAVEL_HD void operator()(index_t i) const { to[i] = static_cast<I>(i); }
};

/// Expects that integers of type I can number n elements.
template <std::integral I>
void expect_room_for_numbers(char const* call, index_t n) {
  expects(n == 0 || static_cast<std::uint64_t>(n - 1) <=
                        static_cast<std::uint64_t>(std::numeric_limits<I>::max()),
          call, ": ", n, " elements are too many to number in ", sizeof(I), " bytes");
}

/// What a sort reads.
template <class Ex, class In>
[[gnu::always_inline]] inline decltype(auto) sorted_operand(Ex const& ex, char const* call,
                                                            In const& in) {
  RAVEL_EXPECT_RANGE(In, Ex, "sorting: the input");
  return sequence_of(ex, call, in);
}
template <class Ex, class In, class Out>
void expect_alike(char const* call, In const& in, Out& out) {
  RAVEL_EXPECT_WRITABLE(Out&, Ex, "sorting: the output");
  static_assert(std::same_as<element_t<In const&>, element_t<Out&>>,
                "sorting: the input and the output have different elements");
  expects(size_of(out) == size_of(in), call, ": an output has ", size_of(out),
          " elements, and its input has ", size_of(in));
}
/// The same of keys and the values beside them.
template <class Ex, class Keys, class Values, class KeysOut, class ValuesOut>
void expect_pairs_alike(char const* call, Keys const& keys, Values const& values, KeysOut& keys_out,
                        ValuesOut& values_out) {
  expect_alike<Ex>(call, keys, keys_out);
  expect_alike<Ex>(call, values, values_out);
  expects(size_of(keys) == size_of(values), call, ": there are ", size_of(keys), " keys and ",
          size_of(values), " values");
}

}  // namespace ravel::inline v0::detail
