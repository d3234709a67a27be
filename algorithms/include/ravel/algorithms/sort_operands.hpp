#pragma once

/// What sorts expect of their operands.

#include <ravel/core/readable.hpp>
#include <ravel/primitives/rows.hpp>

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

/// Calls sort(n, in, out) with the rows of keys alone, whose shapes fit.
template <class Ex, class In, class Out, class Sort>
[[gnu::always_inline]] inline void sort_keys_of(Ex const& ex, char const* call, In const& in,
                                                Out& out, Sort const& sort) {
  auto const& source = sorted_operand(ex, call, in);
  expect_alike<Ex>(call, source, out);
  using K = element_t<Out&>;
  sort(size_of(source), rows<K const, no_value const>{view_of(source).data(), nullptr},
       rows<K, no_value>{view_of(out).data(), nullptr});
}
/// The same with values beside them.
template <class Ex, class Keys, class Values, class KeysOut, class ValuesOut, class Sort>
[[gnu::always_inline]] inline void sort_pairs_of(Ex const& ex, char const* call, Keys const& keys,
                                                 Values const& values, KeysOut& keys_out,
                                                 ValuesOut& values_out, Sort const& sort) {
  auto const& keys_in = sorted_operand(ex, call, keys);
  auto const& values_in = sorted_operand(ex, call, values);
  expect_alike<Ex>(call, keys_in, keys_out);
  expect_alike<Ex>(call, values_in, values_out);
  expects(size_of(keys_in) == size_of(values_in), call, ": there are ", size_of(keys_in),
          " keys and ", size_of(values_in), " values");
  using K = element_t<KeysOut&>;
  using V = element_t<ValuesOut&>;
  sort(size_of(keys_in), rows<K const, V const>{view_of(keys_in).data(), view_of(values_in).data()},
       rows<K, V>{view_of(keys_out).data(), view_of(values_out).data()});
}

}  // namespace ravel::inline v0::detail
