#pragma once

/// Counts the flags in each of consecutive segments by one thread; and the concepts of loads that
/// test or prefetch many elements together.

#include <ravel/core/cpu/flag_words.hpp>

namespace ravel::inline v0::cpu::detail {

/// A load that tests the bounds of each element.  If all_inside(begin, end) is true for a range of
/// elements, unchecked(i) equals load(i) there without a test.
template <class Load>
concept loads_unchecked = requires(Load const& load, index_t i) {
  load.all_inside(i, i);
  load.unchecked(i);
};

/// A load that can prefetch: prefetch(begin, end) prefetches the operands of elements some distance
/// after [begin, end).
template <class Load>
concept loads_with_prefetch = requires(Load const& load, index_t i) {
  load.prefetch(i, i);
};

/// Whether a reduction is a count of true flags: an integer sum of a load that returns bool.
template <class M, class T, class Load>
inline constexpr bool counts_flags =
    loads_unchecked<Load>&& std::is_integral_v<T> && !std::same_as<T, bool> &&
    std::same_as<M, plus<T>> &&
    std::same_as<std::remove_cvref_t<std::invoke_result_t<Load const&, index_t>>, bool>;

/// As segment_reducer, for flags.  It evaluates the flags of many elements at once to words of
/// bits, however short segments are, and counts bits by popcount, 64 at a time.
template <class Load>
class segment_counter {
  static constexpr index_t counted_together = 4096;
  Load load_;
  index_t end_;                   // end of all elements
  index_t first_ = 0, last_ = 0;  // range of elements whose bits are in words_
  std::uint64_t words_[counted_together / 64];

 public:
  template <class M, class T>
  static constexpr bool tests_together = false;
  template <class M, class T>
  static constexpr bool adds_in_vectors = false;

  segment_counter(Load const& load, index_t, index_t end) : load_(load), end_(end) {}

  template <class M, class T>
  [[gnu::always_inline]] inline T operator()(index_t begin, index_t end, M const& m, T carry) {
    while (begin < end) {
      // begin < first_ only if offsets descend
      if (begin < first_ || begin >= last_) evaluate_next(begin);
      index_t const stop = std::min(end, last_);
      carry = m(carry, static_cast<T>(count(begin - first_, stop - first_)));
      begin = stop;
    }
    return carry;
  }

 private:
  /// The number of set bits among bits [begin, end), which is not empty.
  index_t count(index_t begin, index_t end) const {
    std::uint64_t const ones = ~std::uint64_t{0};
    index_t const last = (end - 1) / 64;
    index_t k = begin / 64, sum = 0;
    std::uint64_t wanted = ones << begin % 64;
    for (; k < last; ++k, wanted = ones) sum += std::popcount(words_[k] & wanted);
    return sum + std::popcount(words_[last] & wanted & ones >> (63 - (end - 1) % 64));
  }

  [[gnu::noinline]] void evaluate_next(index_t begin) {
    first_ = begin;
    last_ = std::min(end_, begin + counted_together);
    if constexpr (loads_with_prefetch<Load>) load_.prefetch(first_, last_);
    if constexpr (loads_unchecked<Load>) {
      if (load_.all_inside(first_, last_)) {
        return know([load = load_](index_t i) { return bool(load.unchecked(i)); });
      }
    }
    know([load = load_](index_t i) { return bool(load(i)); });
  }
  template <class Flag>
  void know(Flag const& flag) {
    flag_words<Flag> const words{flag};
    for (index_t i = first_; i < last_; i += 64) {
      words_[(i - first_) / 64] = words(i, std::min<index_t>(64, last_ - i));
    }
  }
};

}  // namespace ravel::inline v0::cpu::detail
