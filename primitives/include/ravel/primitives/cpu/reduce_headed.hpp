#pragma once

/// Segmented reduce on the host for segments given by head flags or keys, which have no numbers: a
/// loop that counts heads.
///
/// The generic steps carry a head flag and a count with every element through a scan.  Here a
/// thread evaluates the heads of a tile, 64 at once, counts them, finds the last one, and passes on
/// the segment that the tile leaves open.  Then it goes from head to head.

#include <ravel/core/cpu/chained_scan.hpp>
#include <ravel/core/cpu/compress.hpp>
#include <ravel/core/cpu/either.hpp>
#include <ravel/core/cpu/flag_words.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/table.hpp>
#include <ravel/primitives/cpu/segment_reducer.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0::cpu::detail {

/// The segment that is open after some elements.  After a tile alone, `number` and `begin` are -1
/// if that segment began before the tile.
template <class T>
struct open_segment {
  index_t number;  // number of heads so far, less one
  index_t begin;
  T value;
};

template <class M>
struct join_open {
  M m;
  using T = carrier_t<M>;
  open_segment<T> operator()(open_segment<T> const& ahead, open_segment<T> const& of_tile) const {
    index_t const number = ahead.number + of_tile.number + 1;
    if (of_tile.begin >= 0) return {number, of_tile.begin, of_tile.value};
    return {number, ahead.begin, m(ahead.value, of_tile.value)};
  }
};

/// Whether a visit only stores the value of a segment, so that storing it repeatedly does no harm.
/// Then the loop calls it for every element, and no branch depends on where segments end.
template <class Visit>
concept overwrites = bool{Visit::overwrites};

inline constexpr index_t reduce_headed_width = index_t{1} << 14;

/// The number of elements from which several threads are faster than one; for fewer, waking them
/// takes longer.
inline constexpr index_t fewest_for_several_threads = 4 * reduce_headed_width;

/// Head flags that are evaluated whenever they are needed: twice if there are several threads.
struct evaluated_heads {
  template <class Segments>
  struct of {
    static constexpr bool of_tiles = false;  // word(i, n) may be called for any i
    Segments segments;
    static void evaluate(tile) {}
    std::uint64_t word(index_t i, index_t n) const { return flag_words<Segments>{segments}(i, n); }
    bool operator()(index_t i) const { return segments.head(i); }
  };
};

/// Head flags that are evaluated once and stored as bits.
struct stored_heads {
  template <class Segments>
  struct of {
    static constexpr bool of_tiles = true;
    Segments segments;
    tile here{};
    stored_words<reduce_headed_width / 64> words{};

    void evaluate(tile t) {
      here = t;
      flag_words<Segments> const heads{segments};
      for (index_t i = t.begin; i < t.end; i += 64) {
        index_t const n = std::min<index_t>(64, t.end - i);
        std::uint64_t word = 0;
        if (i > 0) {
          word = heads(i, n);
        } else {  // flag_words would take element 0 for a head, and may read 64 heads after it
          for (index_t k = 0; k < n; ++k) word |= std::uint64_t{segments.head(k)} << k;
        }
        words.of[static_cast<std::size_t>((i - t.begin) / 64)] = word;
      }
    }
    std::uint64_t word(index_t i, index_t) const {
      return words.of[static_cast<std::size_t>((i - here.begin) / 64)];
    }
    bool operator()(index_t i) const { return word(i, 1) >> ((i - here.begin) % 64) & 1; }
  };
};

/// The work of one thread on tiles.  It calls visit(s, value, begin) for each segment.
template <class Load, class Heads, class M, class Seed, class Visit, class Total>
struct reduce_headed_tiles {
  static constexpr index_t width = reduce_headed_width;
  using T = carrier_t<M>;
  using state = open_segment<T>;

  index_t n;
  Load load_all;
  Heads head;
  M m;
  Seed seed;
  Visit visit_segment;
  Total give_total;

  state total(index_t t) {
    tile const here = nth_tile(t, width, n);
    auto const load = ravel::detail::on_tile(load_all, here);
    head.evaluate(here);
    index_t heads = 0, last = -1;
    for (index_t i = here.begin; i < here.end; i += 64) {
      std::uint64_t const word = head.word(i, std::min<index_t>(64, here.end - i));
      if (word != 0) last = i + 63 - std::countl_zero(word);
      heads += std::popcount(word);
    }
    index_t const first = std::max(last, here.begin);
    T const start = last >= 0 ? T(m(T(seed()), T(load(first)))) : T(load(first));
    return {heads - 1, last, worker::reduce({t, first + 1, here.end}, load, m, start)};
  }

  void visit(index_t t, state const& ahead, index_t) {
    tile const here = nth_tile(t, width, n);
    if (here.end == n) head.evaluate(here);  // total() was not called for the last tile
    walk(here, ahead);
  }

  /// Processes all elements as one tile.
  void visit_all() const { walk({0, 0, n}, nothing()); }
  state nothing() const { return {-1, -1, T(m.identity())}; }

 private:
  static constexpr index_t together = 1024;  // elements whose heads are listed at once
  // For fewer elements a list costs more than it saves; sums of integers gain most from it.
  static constexpr index_t fewest_to_list = std::is_floating_point_v<T> ? 128 : 64;

  void walk(tile here, state open) const {
    auto const load = ravel::detail::on_tile(load_all, here);
    if (here.end - here.begin < fewest_to_list) {
      one_by_one<!is_branchless>(load, here.begin, here.end, head, visit_segment, open);
    } else {
      open = from_head_to_head(load, here, open);
    }
    if (here.end < n) return;
    if (open.number >= 0) visit_segment(open.number, open.value, open.begin);
    give_total(open.number + 1);
  }

  /// Processes elements [i, end), with a branch on whether one begins a segment, or with visits of
  /// the open segment for each element instead.
  template <bool Branches, class L, class Begins>
  [[gnu::always_inline]] inline void one_by_one(L const& load, index_t i, index_t end,
                                                Begins const& is_head, Visit const& visit,
                                                state& open) const {
    for (; i < end; ++i) {
      bool const begins = is_head(i);
      T const x = T(load(i));
      if constexpr (!Branches) {
        T const before = either_in_chain(begins, T(seed()), open.value);
        open = {open.number + begins, either(begins, i, open.begin),
                combine_predicted(m, before, x)};
        visit(open.number, open.value, open.begin);
      } else if (begins) {
        if (open.number >= 0) visit(open.number, open.value, open.begin);
        open = {open.number + 1, i, m(T(seed()), x)};
      } else {
        open.value = combine_predicted(m, open.value, x);
      }
    }
  }

  /// The heads of elements [begin, end), as bits and, once list() was called, as a list.
  struct listed_heads {
    index_t begin, end, count = 0;
    std::uint64_t words[together / 64];
    std::uint16_t at[together + compress_slack];

    listed_heads(Heads const& head, index_t first, index_t last) : begin(first), end(last) {
      for (index_t i = begin; i < end; i += 64) {
        count +=
            std::popcount(words[(i - begin) / 64] = head.word(i, std::min<index_t>(64, end - i)));
      }
    }
    void list() {
      static constexpr auto offsets = [] {
        std::array<std::uint16_t, together> numbers{};
        for (std::size_t k = 0; k < numbers.size(); ++k) {
          numbers[k] = static_cast<std::uint16_t>(k);
        }
        return numbers;
      }();
      compress(offsets.data(), end - begin, words, at);
    }
    index_t place(index_t k) const { return begin + at[k]; }
    /// The last head, if there is one.
    index_t last() const {
      index_t w = (end - begin - 1) / 64;
      while (words[w] == 0) --w;
      return begin + 64 * w + std::bit_width(words[w]) - 1;
    }
    bool operator()(index_t i) const { return words[(i - begin) / 64] >> ((i - begin) % 64) & 1; }
    bool all_in(index_t i) const { return words[(i - begin) / 64] == ~std::uint64_t{0}; }
    /// Whether more than `a` of `b` elements are heads.
    bool exceed(index_t a, index_t b) const { return b * count > a * (end - begin); }
  };
  /// Where segments begin, for combine_segments.
  struct begins_of {
    listed_heads const& heads;
    index_t begin(index_t k) const { return heads.place(k); }
  };
  // Not of a load without state: that is a constant, whose sum takes no loop.
  template <class L>
  static constexpr bool of_numbers =
      std::is_arithmetic_v<T>&& word<T> && !std::same_as<T, bool> && !std::is_empty_v<L>;
  static constexpr bool is_sum = std::same_as<M, plus<T>>;
  static constexpr bool is_branchless = word<T> && overwrites<Visit>;

  /// Out of line, so that the path for few elements inlines into the caller.
  template <class L>
  [[gnu::noinline]] state from_head_to_head(L load, tile here, state open) const {
    Visit const visit = visit_segment;  // a copy stays in registers
    combiner<M, T, L> combined(load, here.begin, here.end);
    index_t start = here.begin;
    if (start == 0 && !Heads::of_tiles) {  // which is a head; 64 others are evaluated at once
      open = {0, 0, m(T(seed()), T(load(0)))};
      start = 1;
    }
    for (index_t begin = start; begin < here.end; begin += together) {
      listed_heads heads(head, begin, std::min(begin + together, here.end));
      if (heads.exceed(15, 16)) {
        mostly_of_one(load, heads, visit, open);
        continue;
      }
      if constexpr (of_numbers<L> && is_branchless && !(std::is_integral_v<T> && is_sum)) {
        if (open.number >= 0 && heads.exceed(1, is_sum ? 8 : 12)) {
          // The last segment may go on in the tile of another thread, and is visited there.
          index_t const last = heads.last();
          visit(open.number, open.value, open.begin);  // which a head at `begin` would end
          one_by_one<false>(load, begin, last, heads, visit, open);
          open = {open.number + 1, last, combined(last, heads.end, m, T(seed()))};
          continue;
        }
      }
      heads.list();
      index_t const first = heads.count > 0 ? heads.place(0) : heads.end;
      if (begin < first) open.value = combined(begin, first, m, open.value);
      if (heads.count == 0) continue;
      if (open.number >= 0) visit(open.number, open.value, open.begin);
      index_t const number = open.number + 1, last = heads.place(heads.count - 1);
      if constexpr (of_numbers<L> && std::is_integral_v<T> && is_sum) {
        if (heads.exceed(1, 12)) {
          open = differences_of_sums(load, heads, number, visit);
          continue;
        }
      }
      combine_segments<T>(
          combined, begins_of{heads}, 0, heads.count - 1, first, m, seed,
          [&](index_t k, T const& value) { visit(number + k, value, heads.place(k)); });
      open = {number + heads.count - 1, last, combined(last, heads.end, m, T(seed()))};
    }
    return open;
  }

  /// Segments nearly all of which have one element: a branch for each 64 is well predicted.
  template <class L>
  [[gnu::always_inline]] inline void mostly_of_one(L const& load, listed_heads const& heads,
                                                   Visit const& visit, state& open) const {
    for (index_t i = heads.begin, next; i < heads.end; i = next) {
      next = std::min(i + 64, heads.end);
      if (!heads.all_in(i)) {
        one_by_one<true>(load, i, next, heads, visit, open);
        continue;
      }
      if (open.number >= 0) visit(open.number, open.value, open.begin);
      index_t const shift = open.number + 1 - i;
      for (; i + 1 < next; ++i) visit(shift + i, T(m(T(seed()), T(load(i)))), i);
      open = {shift + i, i, m(T(seed()), T(load(i)))};
    }
  }

  /// Sums of short segments, the first of which has this number, as differences of prefix sums.
  /// Returns the last, which is open.
  template <class L>
  [[gnu::always_inline]] inline state differences_of_sums(L const& load, listed_heads const& heads,
                                                          index_t number,
                                                          Visit const& visit) const {
    using U = std::make_unsigned_t<T>;
    index_t const begin = heads.begin, last = heads.count - 1;
    U sums[together + 1];
    sums[heads.at[0]] = 0;
    for (index_t i = heads.at[0]; i < heads.end - begin; ++i) {
      sums[i + 1] = static_cast<U>(sums[i] + static_cast<U>(T(load(begin + i))));
    }
    auto const sum = [&](index_t i, index_t end) {
      return T(m(T(seed()), static_cast<T>(static_cast<U>(sums[end] - sums[i]))));
    };
    for (index_t k = 0; k < last; ++k) {
      visit(number + k, sum(heads.at[k], heads.at[k + 1]), heads.place(k));
    }
    return {number + last, heads.place(last), sum(heads.at[last], heads.end - begin)};
  }
};

/// Processes tiles on several threads.  Out of line, so that the serial path inlines into the
/// caller, where `work` then stays in registers.
template <class Ex, class Tiles>
[[gnu::noinline]] void reduce_headed_by_tiles(Ex const& ex, Tiles const& work) {
  chained_scan(ex, div_up(work.n, Tiles::width), work.nothing(),
               join_open<decltype(work.m)>{work.m}, work, nanoseconds{work.n});
}

template <class Visit>
struct visit_without_begin {
  static constexpr bool overwrites = detail::overwrites<Visit>;
  Visit visit;
  template <class T>
  void operator()(index_t s, T const& value, index_t) const {
    visit(s, value);
  }
};

/// A call whose segments are given by heads, as tiles to be reduced.
template <class Call>
[[gnu::always_inline]] inline auto tiles_of_heads(Call const& c) {
  using Visit = visit_without_begin<std::remove_const_t<decltype(c.visit)>>;
  using Heads = evaluated_heads::of<std::remove_const_t<decltype(c.segments)>>;
  return reduce_headed_tiles<
      std::remove_const_t<decltype(c.load)>, Heads, std::remove_const_t<decltype(c.m)>,
      std::remove_const_t<decltype(c.seed)>, Visit, std::remove_const_t<decltype(c.total)>>{
      c.n, c.load, {c.segments}, c.m, c.seed, {c.visit}, c.total};
}

}  // namespace ravel::inline v0::cpu::detail

namespace ravel::inline v0::cpu {

struct reduce_heads_in_turn {
  static constexpr auto name = "heads_in_turn";
  static constexpr auto why =
      "One thread goes from head to head.  Fewer than 65536 elements are done before another "
      "thread is awake.";
  template <class Call>
  static constexpr auto now(Call const& c, host const& m) {
    return needs(need{!m.several_threads || c.n < detail::fewest_for_several_threads,
                      "one thread, or fewer than 65536 elements"});
  }
  template <class Ex, class Call>
  [[gnu::always_inline]] static void run(Ex const&, Call const& c) {
    detail::tiles_of_heads(c).visit_all();
  }
};

struct reduce_heads_in_tiles {
  static constexpr auto name = "heads_in_tiles";
  static constexpr auto why =
      "A thread evaluates the heads of a tile, 64 at once, counts them and passes on the segment "
      "that the tile leaves open.";
  template <class Ex, class Call>
  [[gnu::always_inline]] static void run(Ex const& ex, Call const& c) {
    auto const work = detail::tiles_of_heads(c);
    detail::reduce_headed_by_tiles(ex, work);
  }
};

}  // namespace ravel::inline v0::cpu
