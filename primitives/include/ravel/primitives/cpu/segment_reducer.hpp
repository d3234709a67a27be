#pragma once

/// Reduction of consecutive segments by one thread, for loads that prefetch their operands and
/// loads whose bounds are tested for many elements together.

#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/loops.hpp>
#include <ravel/primitives/cpu/segment_counter.hpp>
#include <ravel/primitives/cpu/segments_together.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0::cpu::detail {

/// Whether m is a floating-point minimum or maximum: the processor's instructions propagate a NaN
/// from one operand only.
template <class M, class T>
inline constexpr bool is_extreme = std::is_floating_point_v<T> &&
                                   (std::same_as<M, minimum<T>> || std::same_as<M, maximum<T>>);

/// m(x, y), except if y is a NaN and x is not: the processor's instruction.
template <class M, class T>
requires is_extreme<M, T>
[[gnu::always_inline]] inline T combine_numbers(M const&, T const& x, T const& y) {
  return (std::same_as<M, minimum<T>> ? y < x : x < y) ? y : x;
}

/// m(x, y), with a branch for a NaN in y, which is well predicted.
template <class M, class T>
[[gnu::always_inline]] inline T combine_predicted(M const& m, T const& x, T const& y) {
  if constexpr (is_extreme<M, T>) {
    if (y != y) [[unlikely]]
      return m(x, y);
    return combine_numbers(m, x, y);
  } else {
    return m(x, y);
  }
}

/// Returns carry * get(i) * ... * get(i + 7), with one well-predicted branch for NaNs.  The eight
/// operands are combined as a tree, because the dependency chain of a running minimum is slower
/// than the loads.
template <class M, class T, class Get>
requires is_extreme<M, T>
[[gnu::always_inline]] inline T combine_eight(M const& m, T carry, index_t i, Get const& get) {
  T const a = get(i), b = get(i + 1), c = get(i + 2), d = get(i + 3);
  T const e = get(i + 4), f = get(i + 5), g = get(i + 6), h = get(i + 7);
  if (__builtin_isunordered(a, b) || __builtin_isunordered(c, d) || __builtin_isunordered(e, f) ||
      __builtin_isunordered(g, h)) [[unlikely]] {
    for (T const& x : {a, b, c, d, e, f, g, h}) carry = m(carry, x);
    return carry;
  }
  auto const best = [&m](T const& x, T const& y) { return combine_numbers(m, x, y); };
  return best(carry, best(best(best(a, b), best(c, d)), best(best(e, f), best(g, h))));
}

/// As above, for a sum.
template <class T, class Get>
[[gnu::always_inline]] inline T combine_eight(plus<T> const& m, T carry, index_t i,
                                              Get const& get) {
  T const first = m(m(get(i), get(i + 1)), m(get(i + 2), get(i + 3)));
  T const second = m(m(get(i + 4), get(i + 5)), m(get(i + 6), get(i + 7)));
  return m(carry, m(first, second));
}

/// A load that tests bounds by reading the indices of many elements, which costs as much as loading
/// them.
template <class Load>
concept reads_indices = loads_unchecked<Load> && !requires(Load const& load, index_t i) {
  load.inside(i, i);
};

/// Whether a result can be decided before the last element, and no load of the rest can fail.
template <class M, class T, class Load>
inline constexpr bool may_be_decided = false;
template <class M, class Load>
requires(std::same_as<M, logical_or<bool>> ||
         std::same_as<M, logical_and<bool>>) inline constexpr bool may_be_decided<M, bool, Load> =
    requires {
  requires Load::cannot_fail;
};

/// Reduces consecutive segments.  If the load can prefetch, it prefetches for later segments
/// meanwhile, each element once however short segments are, since a redundant prefetch is not
/// free.  With `Few` it does not prefetch, nor where the load says that its operands are `in_cache`.
template <class Load, bool Few = false>
class segment_reducer {
  static constexpr index_t prefetched_together = 16, longest = 256;
  static constexpr bool prefetches = loads_with_prefetch<Load>;
  /// Whether the state of the load exceeds the registers: then a call costs less than a load.
  static constexpr bool is_large = sizeof(Load) > 128 && !prefetches;
  Load load_;
  index_t end_;         // end of all elements
  index_t prefetched_;  // the operands of elements before this one + distance are prefetched
  index_t tested_;      // elements before this one have been tested, range by range
  index_t sure_begin_,
      sure_ = 0;  // elements of [sure_begin_, sure_) passed, and may be loaded unchecked

 public:
  /// Whether bounds are tested for many elements at once.  Then a loop can reduce most segments by
  /// unchecked(), which needs fewer registers.
  template <class M, class T>
  static constexpr bool tests_together =
      loads_unchecked<Load> &&
      !(prefetches && std::same_as<M, plus<T>> && std::is_floating_point_v<T> &&
        reads_indices<Load>);  // otherwise each index is tested when it is read

  /// Whether short segments are added up in vectors, some at a time.
  template <class M, class T>
  static constexpr bool adds_in_vectors = loops::known_of_segment_sums<T>&&
      std::same_as<M, plus<T>>&& std::same_as<Load, contiguous<T>>;

  /// For elements [begin, end).
  segment_reducer(Load const& load, index_t begin, index_t end)
      : load_(load), end_(end), prefetched_(begin), tested_(begin), sure_begin_(begin) {
    if constexpr (requires { load.in_cache; }) prefetched_ = load.in_cache ? end : begin;
  }

  /// Returns carry * load(begin) * ... * load(end - 1).  A long segment is tested and prefetched in
  /// ranges that fit in the cache.
  template <class M, class T>
  [[gnu::always_inline]] inline T operator()(index_t begin, index_t end, M const& m, T carry) {
    auto const load = [this](index_t i) { return T(load_(i)); };
    if constexpr (tests_together<M, T>) {
      return tested(begin, end, m, carry);
    } else if constexpr (prefetches && !std::same_as<M, plus<T>>) {
      for (;;) {
        index_t const stop = std::min(end, begin + longest);
        if constexpr (!Few) {
          while (prefetched_ < stop) prefetch_next();
        }
        carry = fold(begin, stop, m, carry, load);
        if (stop == end) return carry;
        begin = stop;
      }
    } else if constexpr (prefetches) {
      return sum_prefetching(begin, end, m, carry);
    } else if constexpr (loops::known<M> && std::same_as<Load, contiguous<T>>) {
      // A long segment of contiguous numbers is reduced in vectors: it is fast without overlap with
      // others.
      if (end - begin >= 2 * loops::small_group_width<T>) [[unlikely]] {
        return loops::reduce<M>(load_.data + begin, end - begin, carry);
      }
      return fold(begin, end, m, carry, load);
    } else if constexpr (is_large) {
      return fold_large(begin, end, m, carry);
    } else {
      return fold(begin, end, m, carry, load);
    }
  }

  auto const* elements() const { return load_.data; }

  /// Continues at element i, because elements before it were reduced elsewhere.
  void skip_to(index_t i) { prefetched_ = tested_ = sure_begin_ = i; }

  /// The end of the elements, after those already reduced, that have passed the test and may be
  /// loaded unchecked.
  index_t sure_end() const { return sure_; }
  /// Reduces a segment of elements that have all passed the test.
  struct without_tests {
    Load load;
    template <class M, class T>
    [[gnu::always_inline]] inline T operator()(index_t begin, index_t end, M const& m,
                                               T carry) const {
      auto const get = [this](index_t i) { return T(load.unchecked(i)); };
      if constexpr (std::is_integral_v<T>) {  // a simple loop, which vectorises
        for (index_t i = begin; i < end; ++i) carry = m(carry, get(i));
        return carry;
      } else {
        return fold(begin, end, m, carry, get);
      }
    }
  };
  without_tests unchecked() const { return {load_}; }

 private:
  /// Reduces a segment, and tests before it loads an element whether its operand is in bounds.
  template <class M, class T>
  [[gnu::noinline]] T tested(index_t begin, index_t end, M const& m, T carry) {
    // A long segment is tested in ranges, which are loaded right after: otherwise its first
    // elements would be evicted from the cache before they are loaded.
    while (end - begin <= longest && tested_ < end) test_next();
    while (begin < end) {
      if (tested_ <= begin) test_next();
      index_t const stop = std::min(end, tested_);
      if (sure_begin_ <= begin && stop <= sure_) {
        carry = unchecked()(begin, stop, m, carry);
      } else {
        carry = fold(begin, stop, m, carry, [this](index_t i) { return T(load_(i)); });
      }
      begin = stop;
      if constexpr (may_be_decided<M, T, Load>) {
        if (carry != m.identity()) {
          if (tested_ < end) skip_to(end);
          return carry;
        }
      }
    }
    return carry;
  }
  /// Tests the next range of elements, which ends at a cache line boundary if the sequence begins
  /// at one.
  void test_next() {
    constexpr index_t together = 256;
    index_t const begin = tested_;
    tested_ = std::min(end_, (begin | (together - 1)) + 1);
    if constexpr (prefetches && !Few) load_.prefetch(begin, tested_);
    if (!load_.all_inside(begin, tested_)) return;
    if (sure_ != begin) sure_begin_ = begin;
    sure_ = tested_;
  }

  /// Returns carry * get(begin) * ... * get(end - 1).  For floating-point minima and maxima, and
  /// for sums unless Few, eight adjacent elements form a tree.  Other segments, and the rest, are
  /// reduced serially: the out-of-order pipeline overlaps the reductions of consecutive segments,
  /// and a simple loop has the fewest branch mispredictions.
  template <class M, class T, class Get>
  [[gnu::always_inline]] static inline T fold(index_t i, index_t end, M const& m, T carry,
                                              Get const& get) {
    if constexpr (is_extreme<M, T> ||
                  (!Few && std::is_floating_point_v<T> && std::same_as<M, plus<T>>)) {
      if (end - i >= 8) [[unlikely]] {
        do {
          carry = combine_eight(m, carry, i, get);
          i += 8;
        } while (end - i >= 8);
      }
    }
    for (; i < end; ++i) carry = combine_predicted(m, carry, T(get(i)));
    return carry;
  }

  /// As fold, for a large load, which is in it nine times.  Out of line: 5.5 KB instead of 17 by
  /// g++ 14 for a product with elements at indices.
  template <class M, class T>
  [[gnu::noinline]] T fold_large(index_t i, index_t end, M const& m, T carry) const {
    return fold(i, end, m, carry, [this](index_t k) { return T(load_(k)); });
  }

  /// As fold, for sums with prefetch.  After the misprediction at a segment's end the processor
  /// waits for that segment's last sum, so eight elements at a time are added as a tree.
  template <class M, class T>
  [[gnu::always_inline]] inline T sum_prefetching(index_t i, index_t end, M const& m, T carry) {
    auto const get = [this](index_t k) { return T(load_(k)); };
    if (end - i >= 8) [[unlikely]] {
      do {
        ensure_prefetched(i + 8);
        carry = combine_eight(m, carry, i, get);
        i += 8;
      } while (end - i >= 8);
    }
    ensure_prefetched(end);
    for (; i < end; ++i) carry = m(carry, get(i));
    return carry;
  }

  /// Prefetches the operands of the next elements.
  [[gnu::always_inline]] inline void prefetch_next() {
    load_.prefetch(prefetched_, prefetched_ + prefetched_together);
    prefetched_ += prefetched_together;
  }
  /// Prefetches for the elements before `end`, if that has not been done.
  [[gnu::always_inline]] inline void ensure_prefetched(index_t end) {
    if constexpr (!Few) {
      if (prefetched_ < end) prefetch_next();
    }
  }
};

template <class M, class T, class Load, bool Few = false>
using combiner =
    std::conditional_t<counts_flags<M, T, Load>, segment_counter<Load>, segment_reducer<Load, Few>>;

/// Reduces segments [s, last), the first of which begins at element i, and calls visit(s, result)
/// for each. Returns the end of the last segment.
template <class T, class Combine, class Segments, class M, class Seed, class Visit>
[[gnu::always_inline]] inline index_t combine_segments(Combine& combined, Segments const& segments,
                                                       index_t s, index_t last, index_t i,
                                                       M const& m, Seed const& seed,
                                                       Visit const& visit) {
  if constexpr (Combine::template adds_in_vectors<M, T>) {
    if (last - s > 2) {  // two are done before the archive is called
      return add_up_in_vectors<T>(combined.elements(), segments, s, last, i, T(seed()), visit);
    }
  }
  for (; s < last; ++s) {
    if constexpr (Combine::template tests_together<M, T>) {
      index_t const sure = combined.sure_end();
      auto const unchecked = combined.unchecked();
      for (index_t end; s < last && (end = std::max(i, segments.begin(s + 1))) <= sure;
           ++s, i = end) {
        visit(s, unchecked(i, end, m, T(seed())));
      }
      if (s == last) break;
    }
    // max: offsets of malformed segments may descend
    index_t const end = std::max(i, segments.begin(s + 1));
    visit(s, combined(i, end, m, T(seed())));
    i = end;
  }
  return i;
}

}  // namespace ravel::inline v0::cpu::detail
