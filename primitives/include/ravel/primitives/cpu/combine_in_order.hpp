#pragma once

/// @file
/// Elements of segments that follow one another, combined by one thread: loads that ask for
/// memory ahead, that need a test of no element where many were tested together, and that give flags.

#include <ravel/core/cpu/flag_words.hpp>
#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/map.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace ravel::inline v0::cpu::detail {

/// A load that tests something of each element, unless all_inside(begin, end) says that for all of
/// these there is no need: then unchecked(i) is load(i).
template <class Load>
concept loads_unchecked = requires(Load const& load, index_t i) {
  load.all_inside(i, i);
  load.unchecked(i);
};

/// m(x, y).  Of floating-point numbers processors have a minimum and a maximum, in which a NaN wins
/// on one side alone; that there is one on the other is foreseen not to be.
template <class M, class T>
[[gnu::always_inline]] inline T combine_foreseen(M const& m, T const& x, T const& y) {
  constexpr bool is_least = std::same_as<M, minimum<T>>, is_greatest = std::same_as<M, maximum<T>>;
  if constexpr (std::is_floating_point_v<T> && (is_least || is_greatest)) {
    if (y != y) [[unlikely]]
      return m(x, y);
    return (is_least ? y < x : x < y) ? y : x;
  } else {
    return m(x, y);
  }
}

/// A load that can ask for what it will need: prefetch(begin, end) asks for what is loaded some time
/// after the elements [begin, end).
template <class Load>
concept loads_after_asking = requires(Load const& load, index_t i) {
  load.prefetch(i, i);
};

/// A load whose test of many elements reads indices of theirs, which is as long as to load them.
template <class Load>
concept reads_indices = loads_unchecked<Load> && !requires(Load const& load, index_t i) {
  load.inside(i, i);
};

/// Combines elements of segments that follow one another, while what later ones load is
/// on its way, if the load knows what that is.  Each element is asked for once, however
/// short segments are: to ask for a line that is on its way is not free.  Of few nobody asks ahead.
template <class Load, bool Few = false>
class combine_in_order {
  static constexpr index_t asked_together = 16, longest = 256, tested_together = 1024;
  static constexpr bool asks = loads_after_asking<Load>;
  Load load_;
  index_t end_;          // of all elements
  index_t asked_;        // for what is loaded after the elements before this one
  index_t tested_;       // are the elements before this one, together,
  bool inside_ = false;  // and whether each of the last so tested may be loaded unchecked

 public:
  /// Of elements [begin, end).
  combine_in_order(Load const& load, index_t begin, index_t end)
      : load_(load), end_(end), asked_(begin), tested_(begin) {}

  /// carry * load(begin) * ... * load(end - 1).  Of a long segment some are tested and asked for
  /// at once, and no more than a cache holds.
  template <class M, class T>
  [[gnu::always_inline]] inline T operator()(index_t begin, index_t end, M const& m, T carry) {
    auto const load = [this](index_t i) { return T(load_(i)); };
    constexpr bool sums = std::same_as<M, plus<T>>;
    // These wait for no test of many.
    constexpr bool tests_one_by_one =
        asks && sums && std::is_floating_point_v<T> && reads_indices<Load>;
    if constexpr (!tests_one_by_one && (loads_unchecked<Load> || (asks && !sums))) {
      for (;;) {
        index_t const some = std::min(end, begin + longest);
        carry = tested(begin, some, m, carry, load);
        if (some == end) return carry;
        begin = some;
      }
    } else if constexpr (loops::known<M> && std::same_as<Load, ravel::detail::read<T>>) {
      // Long segments of numbers overlap no others, and are combined in vectors.
      if (end - begin >= 2 * loops::small_group_width<T>) {
        return loops::reduce<M>(load_.from + begin, end - begin, carry);
      }
      return fold(begin, end, m, carry, load);
    } else {
      return fold(begin, end, m, carry, load);
    }
  }

 private:
  /// The same, without a test of each element if there is no need.  Elements are tested many at
  /// once, however short segments are.
  template <class M, class T, class Get>
  [[gnu::always_inline]] inline T tested(index_t begin, index_t end, M const& m, T carry,
                                         Get const& load) {
    if constexpr (loads_unchecked<Load>) {
      while (begin < end) {
        if (begin >= tested_) test_next(begin);
        index_t const some = std::min(end, tested_);
        if (!inside_) {
          carry = fold(begin, some, m, carry, load);
        } else if constexpr (std::is_integral_v<T>) {  // a plain loop, to be made vectors of
          for (index_t i = begin; i < some; ++i) carry = m(carry, T(load_.unchecked(i)));
          asked_ = std::max(asked_, some);
        } else {
          auto const unchecked = [this](index_t i) { return T(load_.unchecked(i)); };
          carry = fold(begin, some, m, carry, unchecked);
        }
        begin = some;
      }
      return carry;
    } else {
      return fold(begin, end, m, carry, load);
    }
  }
  [[gnu::noinline]] void test_next(index_t begin) {
    tested_ = std::min(end_, begin + tested_together);
    if constexpr (asks && !Few) {
      load_.prefetch(begin, tested_);
      asked_ = std::max(asked_, tested_);
    }
    inside_ = load_.all_inside(begin, tested_);
  }

  /// carry * get(begin) * ... * get(end - 1): one running value, and not several side by side, for
  /// sums of neighbouring segments overlap anyway, and a simple loop is mispredicted least.  But
  /// where memory is asked for, eight neighbours are added up as a tree, since who mispredicts where
  /// a segment ends waits for its last sum; shorter segments go straight on.  Of a maximum the running
  /// one is most often the greater, which is foreseen; that of two neighbours is not.
  template <class M, class T, class Get>
  [[gnu::always_inline]] inline T fold(index_t i, index_t end, M const& m, T carry,
                                       Get const& get) {
    if constexpr (asks && std::same_as<M, plus<T>>) {
      if (end - i >= 8) [[unlikely]] {
        do {
          have_asked(i + 8);
          T const first = m(m(get(i), get(i + 1)), m(get(i + 2), get(i + 3)));
          T const second = m(m(get(i + 4), get(i + 5)), m(get(i + 6), get(i + 7)));
          carry = m(carry, m(first, second));
          i += 8;
        } while (end - i >= 8);
      }
      have_asked(end);
    } else if constexpr (asks && !Few) {
      while (asked_ < end) ask_for_next();
    }
    for (; i < end; ++i) carry = combine_foreseen(m, carry, T(get(i)));
    return carry;
  }

  /// For what is loaded after the next elements.
  [[gnu::always_inline]] inline void ask_for_next() {
    load_.prefetch(asked_, asked_ + asked_together);
    asked_ += asked_together;
  }
  /// For what is loaded after the elements before `end`, if nobody has yet.
  [[gnu::always_inline]] inline void have_asked(index_t end) {
    if constexpr (!Few) {
      if (asked_ < end) ask_for_next();
    }
  }
};

/// Whether a reduction counts the flags that a load gives, which asks nothing of most of them.
template <class M, class T, class Load>
inline constexpr bool counts_flags =
    loads_unchecked<Load>&& std::is_integral_v<T> && !std::same_as<T, bool> &&
    std::same_as<M, plus<T>> &&
    std::same_as<std::remove_cvref_t<std::invoke_result_t<Load const&, index_t>>, bool>;

/// The same where flags are counted: many are made bits of words at once, however short segments
/// are, whose bits that are set are then told by an instruction for 64.
template <class Load>
class count_in_order {
  static constexpr index_t counted_together = 4096;
  Load load_;
  index_t end_;                   // of all elements
  index_t first_ = 0, last_ = 0;  // of those whose bits are known
  std::uint64_t words_[counted_together / 64];

 public:
  count_in_order(Load const& load, index_t, index_t end) : load_(load), end_(end) {}

  template <class M, class T>
  [[gnu::always_inline]] inline T operator()(index_t begin, index_t end, M const&, T carry) {
    while (begin < end) {
      if (begin >= last_) know_next(begin);
      index_t const some = std::min(end, last_);
      carry = static_cast<T>(carry + static_cast<T>(count(begin - first_, some - first_)));
      begin = some;
    }
    return carry;
  }

 private:
  /// How many of the bits [begin, end) are set, which are some.
  index_t count(index_t begin, index_t end) const {
    std::uint64_t const ones = ~std::uint64_t{0};
    index_t const last = (end - 1) / 64;
    index_t k = begin / 64, sum = 0;
    std::uint64_t wanted = ones << begin % 64;
    for (; k < last; ++k, wanted = ones) sum += std::popcount(words_[k] & wanted);
    return sum + std::popcount(words_[last] & wanted & ones >> (63 - (end - 1) % 64));
  }

  [[gnu::noinline]] void know_next(index_t begin) {
    first_ = begin;
    last_ = std::min(end_, begin + counted_together);
    if constexpr (loads_after_asking<Load>) load_.prefetch(first_, last_);
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

template <class M, class T, class Load, bool Few = false>
using combiner =
    std::conditional_t<counts_flags<M, T, Load>, count_in_order<Load>, combine_in_order<Load, Few>>;

}  // namespace ravel::inline v0::cpu::detail
