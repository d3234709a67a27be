#pragma once

/// @file
/// Segmented reduce on the host: a loop over the segments of each stretch.
///
/// The steps carry a head flag with every element through a scan, and load each
/// twice.  Here elements and ends of segments, merged in their order, are cut
/// into stretches of one length, so that neither a long segment nor many empty
/// ones keep a thread busy while others rest.  A stretch visits the segments
/// that begin and end in it, and leaves a note of what it knows of the others;
/// the notes are put together at last.
///
/// On two cores of an AMD EPYC a sparse product takes a quarter to a sixth of
/// the time of the steps (bench/README.md).
///
/// Source   Merrill and Garland, "Merge-Based Parallel Sparse Matrix-Vector
///          Multiplication", SC 2016.

#include <ravel/core/config.hpp>
#include <ravel/core/cpu/flag_words.hpp>
#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/cpu/waking.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/search.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/segmented_reduce.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace ravel::inline v0::cpu {
namespace detail {

/// Elements and ends of segments, together, in one stretch of `all`: enough that
/// it takes no time to find where it begins, and so few that there are many.
inline constexpr index_t least_stretch = index_t{1} << 13;
inline constexpr index_t stretch_width(index_t all) {
  return std::clamp(all / 64, least_stretch, index_t{1} << 16);
}

/// What a stretch knows of the segment that it found begun, if that ends here,
/// and of the one that it leaves open.
template <class T>
struct note {
  index_t ending;    ///< the first segment to end here, if any does
  bool ends;         ///< whether one does
  bool found_begun;  ///< whether an earlier stretch has its first elements
  T head;            ///< of the segment `ending`, if it was found begun
  T tail;            ///< of the segment left open
};

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

/// A load that adds up many segments itself: add_up(begins, count, sums) leaves in sums[s] what the
/// elements [begins[s], begins[s + 1]) come to.
template <class Load, class T>
concept adds_up_segments = requires(Load const& load, index_t const* begins, T* sums) {
  load.add_up(begins, index_t{}, sums);
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
  /// a segment ends waits for its last sum.  Of a maximum the running one is most often the greater,
  /// which is foreseen; that of two neighbours is not.
  template <class M, class T, class Get>
  [[gnu::always_inline]] inline T fold(index_t i, index_t end, M const& m, T carry,
                                       Get const& get) {
    if constexpr (asks && std::same_as<M, plus<T>>) {
      for (; end - i >= 8; i += 8) {
        have_asked(i + 8);
        T const first = m(m(get(i), get(i + 1)), m(get(i + 2), get(i + 3)));
        T const second = m(m(get(i + 4), get(i + 5)), m(get(i + 6), get(i + 7)));
        carry = m(carry, m(first, second));
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

template <class T, class Load, class Segments, class M, class Seed, class Visit>
struct reduce_stretch {
  index_t n;
  Load load_all;
  Segments segments;
  M m;
  Seed seed;
  Visit visit;
  note<T>* notes;

  void operator()(worker, tile stretch) const {
    // Segments [s, last) end here, and element i is the first of this stretch.
    index_t const count = segments.count();
    index_t s = segments_before(stretch.begin, 0, count);
    index_t const last =
        segments_before(stretch.end, s, std::min(count, s + stretch.end - stretch.begin));
    index_t i = stretch.begin - s;

    note<T> left{s, s < last, s < count && segments.begin(s) < i, {}, T(seed())};
    if (left.found_begun) left.head = left.tail = T(m.identity());
    index_t const most = std::min(n, stretch.end - s);  // an end or more may take its place
    if (i < most) {
      auto const load = ravel::detail::on_tile(load_all, {stretch.id, i, most});
      combiner<M, T, std::remove_cvref_t<decltype(load)>> combined(load, i, most);
      if (left.found_begun && left.ends) {
        index_t const end = segments.begin(s + 1);
        left.head = combined(i, end, m, left.head);
        left.tail = T(seed());
        i = end;
        ++s;
      }
      i = visit_many(combined, s, last, i);
      left.tail = combined(i, stretch.end - last, m, left.tail);
    } else {  // no elements, so nothing to load from
      if (left.found_begun && left.ends) {
        left.tail = T(seed());
        ++s;
      }
      for (; s < last; ++s) visit(s, T(seed()));
    }
    notes[stretch.id] = left;
  }

 private:
  /// Visits segments [s, last), of which the first begins at element i, and returns where the last
  /// ends: apart from what else a stretch does, which would leave too few registers.
  template <class Combine>
  [[gnu::noinline]] index_t visit_many(Combine& combined, index_t s, index_t last,
                                       index_t i) const {
    if constexpr (adds_up_segments<Load, T>) {
      constexpr index_t some = 256;
      index_t begins[some + 1];
      T sums[some];
      for (index_t next; s < last; s = next) {
        next = std::min(last, s + some);
        begins[0] = i;
        for (index_t k = s; k < next; ++k) begins[k + 1 - s] = segments.begin(k + 1);
        i = begins[next - s];
        load_all.add_up(begins, next - s, sums);
        for (index_t k = s; k < next; ++k) visit(k, T(m(T(seed()), sums[k - s])));
      }
    } else {
      Combine here = combined;
      for (; s < last; ++s) {
        index_t const end = segments.begin(s + 1);
        visit(s, here(i, end, m, T(seed())));
        i = end;
      }
      combined = here;
    }
    return i;
  }

  /// How many segments, of which it is between `low` and `high`, end among the first
  /// `many` elements and ends.
  index_t segments_before(index_t many, index_t low, index_t high) const {
    return partition_point_at_once(low, high, ravel::detail::ends_within<Segments>{segments, many});
  }
};

/// Few elements and segments: compiled into the caller, which needs nothing in memory for it.
template <class T, class Load, class Segments, class M, class Seed, class Visit>
[[gnu::always_inline]] inline void reduce_few(index_t n, Load const& load_all,
                                              Segments const& segments, M const& m,
                                              Seed const& seed, Visit const& visit) {
  index_t const count = segments.count();
  if (n == 0) {  // nothing to load from
    for (index_t s = 0; s < count; ++s) visit(s, T(seed()));
    return;
  }
  auto const load = ravel::detail::on_tile(load_all, {0, 0, n});
  combiner<M, T, std::remove_cvref_t<decltype(load)>, true> combined(load, 0, n);
  for (index_t s = 0, i = 0; s < count; ++s) {
    index_t const end = segments.begin(s + 1);
    visit(s, combined(i, end, m, T(seed())));
    i = end;
  }
}

/// Many: a function apart, which takes its arguments by value, so that they need not be in memory
/// where there are few.
template <class T, class Ex, class Load, class Segments, class M, class Seed, class Visit>
[[gnu::noinline]] void reduce_by_stretches(Ex const& ex, index_t n, Load load, Segments segments,
                                           M m, Seed seed, Visit visit) {
  index_t const all = n + segments.count();
  index_t const width = stretch_width(all);
  auto const notes = ex.template scratch<note<T>>(div_up(all, width));
  ex.for_each_tile_of(width, all,
                      reduce_stretch<T, Load, Segments, M, Seed, Visit>{n, load, segments, m, seed,
                                                                        visit, notes.data()},
                      nanoseconds{all});

  T open = T(seed());
  for (note<T> const& left : notes) {
    if (left.ends && left.found_begun) visit(left.ending, T(m(open, left.head)));
    open = left.found_begun && !left.ends ? T(m(open, left.tail)) : left.tail;
  }
}

}  // namespace detail

/// As the steps of segmented reduce where segments have numbers.
template <host_executor Ex, class Load, class Segments, class M, class Seed, class Visit>
void reduce_numbered_on(Ex const& ex, index_t n, Load load, Segments segments, M m, Seed seed,
                        Visit visit) {
  using T = carrier_t<M>;
  if (n + segments.count() <= detail::least_stretch) {
    detail::reduce_few<T>(n, load, segments, m, seed, visit);
  } else {
    detail::reduce_by_stretches<T>(ex, n, load, segments, m, seed, visit);
  }
}

}  // namespace ravel::inline v0::cpu
