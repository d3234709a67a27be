#pragma once

/// Segmented reduce on the host for segments given by head flags or keys, which have no numbers: a
/// loop that goes from head to head.
///
/// The generic steps carry a head flag and a count with every element through a scan.  Here a
/// thread keeps the segments that end in its tile until it knows how many began before, and passes
/// on the segment that the tile leaves open.  A thread that works alone passes them on at once.

#include <ravel/core/cpu/chained_scan.hpp>
#include <ravel/core/cpu/compress.hpp>
#include <ravel/core/cpu/either.hpp>
#include <ravel/core/cpu/flag_words.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/table.hpp>
#include <ravel/primitives/cpu/segment_reducer.hpp>
#include <ravel/primitives/map.hpp>

#include <tuple>
#include <utility>
#include <vector>

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

inline constexpr index_t reduce_headed_width = index_t{1} << 13;

/// A segment that ends in a tile.
template <class T>
struct ended_segment {
  index_t begin;
  T value;
};
/// The visit that keeps the segments that end in a tile.
template <class T>
struct keep_ended {
  static constexpr bool overwrites = word<T> && std::is_default_constructible_v<T>;
  std::vector<ended_segment<T>>& ended;
  void operator()(index_t s, T const& value, index_t begin) const {
    if constexpr (overwrites) {
      ended[static_cast<std::size_t>(s)] = {begin, value};
    } else {
      ended.push_back({begin, value});
    }
  }
};

/// A walk over the elements of a tile from head to head, which calls visit(s, value, begin) for each
/// segment that ends.  It has copies of all, which stay in registers.
template <class Load, class Segments, class M, class Seed, class Visit>
class head_walk {
  using T = carrier_t<M>;
  using state = open_segment<T>;

  Load load_;
  Segments segments_;
  M m_;
  Seed seed_;
  Visit visit_;
  combiner<M, T, Load> combined_;

  static constexpr index_t together = 1024;  // elements whose heads are listed at once

  /// Whether the elements of a segment are not combined before its end is known.
  static constexpr bool finds_end_first = loads_with_prefetch<Load> || loads_unchecked<Load>;
  /// Whether those of a long segment are combined faster then: a load without state is a constant.
  static constexpr bool finds_end_of_long =
      std::is_empty_v<Load> || (loops::known<M> && std::same_as<Load, contiguous<T>>);
  /// Whether storing the value of the open segment for each element costs less than branches that
  /// are mispredicted.
  static constexpr bool is_branchless = overwrites<Visit> && std::is_arithmetic_v<T> &&
                                        !std::same_as<T, bool> && !std::is_empty_v<Load>;

  static constexpr bool is_cheap = is_cheap_flag<decltype(segments_.begins)>;
  static constexpr bool goes_over_short =
      is_cheap && (is_branchless || finds_end_first || std::is_empty_v<Load>);

  /// Whether an element other than the first begins a segment.
  bool begins(index_t i) const { return segments_.begins(i); }
  std::uint64_t word_of(index_t i, index_t end) const {
    return flag_words<Segments>{segments_}(i, std::min<index_t>(64, end - i));
  }
  index_t next_head(index_t i, index_t end) const {
    if constexpr (is_cheap && flag_words<decltype(segments_.begins)>::in_vectors) {
      for (; i < end; i += 64) {
        std::uint64_t const word = word_of(i, end);
        if (word != 0) return i + std::countr_zero(word);
      }
      return end;
    } else {
      while (i < end && !begins(i)) ++i;
      return i;
    }
  }

  /// Combines the elements from i on with `value`, up to the next head, and returns where that is.
  [[gnu::always_inline]] inline index_t extend(index_t i, index_t end, T& value) {
    T sum = value;
    if constexpr (!finds_end_first) {
      index_t const stop = finds_end_of_long ? std::min(end, i + 128) : end;
      for (; i < stop && !begins(i); ++i) sum = combine_predicted(m_, sum, T(load_(i)));
      if (i < stop || i == end) {
        value = sum;
        return i;
      }
    }
    index_t const first = i;
    i = next_head(i, end);
    value = combined_(first, i, m_, sum);
    return i;
  }

  /// Walks over short segments of various lengths without a branch for each, from the head i on,
  /// before which `number` is the last segment.  Returns where the next head is, and the segment
  /// before it; or the end, and the segment that is open there.
  [[gnu::noinline]] std::pair<index_t, state> over_short(index_t i, index_t end, index_t number) {
    for (;;) {
      listed_heads heads(segments_, i, std::min(i + together, end));
      index_t const last = heads.last();
      if constexpr (is_branchless) {
        state open{number, i, T(seed_())};
        for (; i < last; ++i) {
          bool const is_head = heads.is_head(i);
          T const before = either_in_chain(is_head, T(seed_()), open.value);
          open = {open.number + is_head, either(is_head, i, open.begin),
                  combine_predicted(m_, before, T(load_(i)))};
          visit_(open.number, open.value, open.begin);
        }
        number = open.number;
      } else {
        heads.list();
        combine_segments<T>(
            combined_, begins_of{heads}, 0, heads.count - 1, i, m_, seed_,
            [&](index_t k, T const& value) { visit_(number + 1 + k, value, heads.place(k)); });
        number += heads.count - 1;
      }
      state open{number + 1, last, m_(T(seed_()), T(load_(last)))};
      i = extend(last + 1, end, open.value);
      if (i == end) return {i, open};
      visit_(open.number, open.value, open.begin);
      number = open.number;
      if (!heads_vary(word_of(i, end))) return {i, open};
    }
  }

  /// The heads of elements [begin, end), as bits and, once list() was called, as a list.
  struct listed_heads {
    index_t begin, end, count = 0;
    std::uint64_t words[together / 64];
    std::uint16_t at[together + compress_slack];

    listed_heads(Segments const& segments, index_t first, index_t last) : begin(first), end(last) {
      flag_words<Segments> const heads{segments};
      for (index_t i = begin; i < end; i += 64) {
        count += std::popcount(words[(i - begin) / 64] = heads(i, std::min<index_t>(64, end - i)));
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
    index_t last() const {
      index_t w = (end - begin - 1) / 64;
      while (words[w] == 0) --w;
      return begin + 64 * w + std::bit_width(words[w]) - 1;
    }
    bool is_head(index_t i) const { return words[(i - begin) / 64] >> ((i - begin) % 64) & 1; }
  };
  /// Where segments begin, for combine_segments.
  struct begins_of {
    listed_heads const& heads;
    index_t begin(index_t k) const { return heads.place(k); }
  };

 public:
  head_walk(Load const& load_here, Segments const& segments_here, M const& monoid,
            Seed const& seed_here, Visit const& visit_ended, tile here)
      : load_(load_here),
        segments_(segments_here),
        m_(monoid),
        seed_(seed_here),
        visit_(visit_ended),
        combined_(load_here, here.begin, here.end) {}

  /// Walks over a tile, before which `open` is open, and returns the segment that it leaves open.
  [[gnu::always_inline]] inline state operator()(tile here, state open) {
    index_t i = here.begin;
    if (i > 0) {
      T start = m_.identity();
      i = extend(i, here.end, start);
      open.value = m_(open.value, start);
    }
    if (i == here.end) return open;
    if (open.number >= 0) visit_(open.number, open.value, open.begin);
    index_t number = open.number, length = 32, look = i + length;  // the next look at lengths
    for (;;) {
      for (; i + 1 < here.end && begins(i + 1); ++i) {  // segments of one element
        visit_(++open.number, m_(T(seed_()), T(load_(i))), i);
      }
      open = {open.number + 1, i, m_(T(seed_()), T(load_(i)))};
      if (++i == here.end) return open;
      open.value = combine_predicted(m_, open.value, T(load_(i)));
      i = extend(i + 1, here.end, open.value);
      if (i == here.end) return open;
      visit_(open.number, open.value, open.begin);
      if constexpr (goes_over_short) {
        if (i < look) continue;
        if (4 * (open.number - number) > i - look + length && heads_vary(word_of(i, here.end))) {
          std::tie(i, open) = head_walk(load_, segments_, m_, seed_, visit_, {0, i, here.end})
                                  .over_short(i, here.end, open.number);
          if (i == here.end) return open;
        }
        number = open.number;
        length = together;
        look = i + length;
      }
    }
  }
};

/// The work of one thread on tiles.  It calls visit(s, value, begin) for each segment.
template <class Load, class Segments, class M, class Seed, class Visit, class Total>
struct reduce_headed_tiles {
  static constexpr index_t width = reduce_headed_width;
  using T = carrier_t<M>;
  using state = open_segment<T>;

  index_t n;
  Load load_all;
  Segments segments;
  M m;
  Seed seed;
  Visit visit_segment;
  Total give_total;
  std::vector<ended_segment<T>> ended{};  ///< by the tile, first the one before it
  index_t many = 0;

  state total(index_t t) {
    if constexpr (keep_ended<T>::overwrites) {
      ended.resize(static_cast<std::size_t>(width + 1));
    } else {
      ended.clear();
    }
    // Number 0 is the segment before the tile.
    state open = walk(nth_tile(t, width, n), {0, -1, T(m.identity())}, keep_ended<T>{ended});
    --open.number;
    many = open.number + 1;
    return open;
  }
  /// Passes on what total() kept.
  void visit(index_t t, state const& ahead, index_t next) {
    if ((t + 1) * width >= n) {  // total() was not called for the last tile
      visit_alone(t, ahead, next);
      return;
    }
    if (many > 0 && ahead.number >= 0) {
      visit_segment(ahead.number, m(ahead.value, ended[0].value), ahead.begin);
    }
    for (index_t k = 1; k < many; ++k) {
      auto const& kept = ended[static_cast<std::size_t>(k)];
      visit_segment(ahead.number + k, kept.value, kept.begin);
    }
  }
  state visit_alone(index_t t, state const& ahead, index_t) const {
    tile const here = nth_tile(t, width, n);
    state const open = walk(here, ahead, visit_segment);
    if (here.end == n) {
      if (open.number >= 0) visit_segment(open.number, open.value, open.begin);
      give_total(open.number + 1);
    }
    return open;
  }
  /// Processes no more elements than a tile has.
  void in_one_tile() const { visit_alone(0, nothing(), 1); }
  state nothing() const { return {-1, -1, T(m.identity())}; }

 private:
  /// Walks over a tile, before which `open` is open.
  template <class V>
  [[gnu::always_inline]] inline state walk(tile here, state const& open, V const& visit) const {
    auto const load = ravel::detail::on_tile(load_all, here);
    return head_walk<std::remove_const_t<decltype(load)>, Segments, M, Seed, V>(
        load, segments, m, seed, visit, here)(here, open);
  }
};

/// Processes tiles on several threads.  Out of line, so that the serial path inlines into the
/// caller, where `work` then stays in registers.
template <class Ex, class Tiles>
[[gnu::noinline]] void reduce_headed_by_tiles(Ex const& ex, Tiles const& work) {
  chained_scan(ex, div_up(work.n, Tiles::width), work.nothing(),
               join_open<decltype(work.m)>{work.m}, work, at_least(work.n));
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
  return reduce_headed_tiles<
      std::remove_const_t<decltype(c.load)>, std::remove_const_t<decltype(c.segments)>,
      std::remove_const_t<decltype(c.m)>, std::remove_const_t<decltype(c.seed)>, Visit,
      std::remove_const_t<decltype(c.total)>>{c.n,    c.load,    c.segments, c.m,
                                              c.seed, {c.visit}, c.total};
}

}  // namespace ravel::inline v0::cpu::detail

namespace ravel::inline v0::cpu {

struct reduce_heads_in_one_tile {
  static constexpr auto name = "heads_in_one_tile";
  static constexpr auto why = "One thread goes from head to head.";
  template <class Call>
  static constexpr auto now(Call const& c, host const&) {
    return needs(need{c.n <= detail::reduce_headed_width, "at most 8192 elements"});
  }
  template <class Ex, class Call>
  [[gnu::always_inline]] static void run(Ex const&, Call const& c) {
    detail::tiles_of_heads(c).in_one_tile();
  }
};

struct reduce_heads_in_tiles {
  static constexpr auto name = "heads_in_tiles";
  static constexpr auto why =
      "A thread goes from head to head.  One that does not know yet how many segments began before "
      "its tile keeps those that end in it, and passes on the one that the tile leaves open.";
  template <class Ex, class Call>
  [[gnu::always_inline]] static void run(Ex const& ex, Call const& c) {
    auto const work = detail::tiles_of_heads(c);
    detail::reduce_headed_by_tiles(ex, work);
  }
};

}  // namespace ravel::inline v0::cpu
