#pragma once

/// Flags: true or false for each element, an integer or a bit each.
///
/// Both of these are true for elements 0, 3 and 5 of six:
///
///     a sequence    1 0 0 1 0 1    of bool or any integer type, nonzero for true
///     by_bits       0b101001       bit i of the words, the lowest first

#include <ravel/core/std_ranges.hpp>
#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0 {
namespace detail {

template <class R>
concept outlives_the_call = std::is_lvalue_reference_v<R> || std::ranges::borrowed_range<R>;

/// The number of steps of a predicate: f(x) is f.step<0>(x) && f.step<1>(x) && ..., with
/// short-circuit evaluation.
template <class F>
inline constexpr int predicate_steps = [] {
  if constexpr (requires { F::steps; }) {
    return int{F::steps};
  } else {
    return 1;
  }
}();
RAVEL_MAY_CALL_HOST
template <int S, class F, class... X>
RAVEL_HD bool step_holds(F const& f, X const&... x) {
  if constexpr (1 < predicate_steps<F>) {
    return f.template step<S>(x...);
  } else {
    return static_cast<bool>(f(x...));
  }
}

}  // namespace detail

/// The index of the lowest set bit of a nonzero word.
inline RAVEL_HD int lowest_bit(std::uint32_t word) {
#ifdef RAVEL_DEVICE_CODE
  return __ffs(static_cast<int>(word)) - 1;
#else
  return std::countr_zero(word);
#endif
}

/// Whether the i-th of some integers is nonzero.
template <class T>
struct nonzero {
  T const* flags;
  RAVEL_HD bool operator()(index_t i) const { return flags[i] != T(0); }
};

/// Whether bit i of some words is set: bit i mod w of word i / w, lowest first, for words of w
/// bits.
template <class W>
struct bit_set {
  static constexpr index_t width = 8 * sizeof(W);
  W const* words;
  RAVEL_HD bool operator()(index_t i) const { return (words[i / width] >> (i % width) & 1) != 0; }
};

/// The result of `by_bits`.
template <class W, class Space>
struct bit_flags {
  using space = Space;
  bit_set<W> at;
  index_t count;
};

/// `n` flags.  Flag i is bit i mod w of word i / w, lowest first, for words of w bits.
///
/// Shapes   words[ceil(n / w)] of an unsigned type.
template <sequence R>
auto by_bits(R&& words, index_t n) {
  using W = element_t<R>;
  static_assert(std::unsigned_integral<W>, "by_bits: the words must be unsigned integers");
  static_assert(detail::outlives_the_call<R>, "by_bits: the words are a temporary");
  auto const v = view_of(words);
  expects(n >= 0 && div_up_of_any(n, bit_set<W>::width) <= v.size(), "by_bits: ", v.size(),
          " words are too few for ", n, " flags");
  return bit_flags<W, space_of_t<R>>{{v.data()}, n};
}

/// The number of flags.
template <class W, class Space>
index_t flag_count(bit_flags<W, Space> const& flags) {
  return flags.count;
}
template <sequence R>
index_t flag_count(R const& flags) {
  return size_of(flags);
}

/// The function of i that returns flag i.
template <class W, class Space>
bit_set<W> flag_at(bit_flags<W, Space> const& flags) {
  return flags.at;
}
template <sequence R>
requires std::integral<element_t<R const&>>
auto flag_at(R const& flags) { return nonzero<element_t<R const&>>{view_of(flags).data()}; }

/// `F` is flags, in either form, in the memory of executor `Ex`.
template <class F, class Ex>
concept flags_on = std::same_as<space_of_t<F>, space_of_t<Ex>> && requires(F const& flags) {
  flag_at(flags);
  flag_count(flags);
};

}  // namespace ravel::inline v0
