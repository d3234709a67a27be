#pragma once

/// Find first on the host: the table of forms, and the forms.
///
/// They evaluate the predicate for 64 elements at once, or in narrow vectors for wide elements one by one, and
/// skip the tiles after the first match.

#include <ravel/core/atomic.hpp>
#include <ravel/core/cpu/flag_words.hpp>
#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/primitives/cpu/pack.hpp>
#include <ravel/primitives/find_first/call.hpp>
#include <ravel/primitives/find_first/steps.hpp>

#include <atomic>

namespace ravel::inline v0 {
namespace cpu {
namespace detail {

inline constexpr index_t search_width = 8192;  // elements of a tile

/// Whether a predicate's elements fill half of a vector of 16 bytes or more, of which flags take longer to make
/// than to branch on: 65,536 comparisons of `long` 30 us in words, 12 one by one (EPYC).
template <class Holds>
inline constexpr bool branches_sooner = false;
template <class Holds>
requires requires { Holds::element_bytes; }
inline constexpr bool branches_sooner<Holds> =
    Holds::element_bytes >= 8 && simd::vector_bytes <= 16;

/// The first i of [begin, end) where the predicate is true; n if there is none.
template <bool Prefetches, class Holds>
index_t first_in(flag_words<Holds> const& words, index_t begin, index_t end, index_t n) {
  index_t i = begin;
  if constexpr (constexpr index_t width = 512; requires { words.flag.is_false_in(i, end); }) {
    while (end - i >= width && words.flag.is_false_in(i, i + width)) i += width;
  }
  if constexpr (branches_sooner<Holds>) {
    auto const& holds = words.flag;
    while (end - i >= 4 && !(holds(i) || holds(i + 1) || holds(i + 2) || holds(i + 3))) i += 4;
    for (; i < end; ++i) {
      if (holds(i)) return i;
    }
  } else {
    for (; i < end; i += 64) {
      if constexpr (Prefetches) prefetch_operands(words.flag, i);
      if (auto const word = words(i, std::min<index_t>(64, end - i))) {
        return i + std::countr_zero(word);
      }
    }
  }
  return n;
}

/// first_in, element by element.  Out of line: g++ would otherwise derive that elements are few,
/// and make a copy of the predicate for each of them.
[[gnu::noinline]] index_t first_in_turn(auto const& holds, index_t n) {
  index_t i = 0;
  while (i < n && !holds(i)) ++i;
  return i;
}

/// The step that searches a tile, unless an earlier tile has a match.  `first` is the least match
/// so far, or n.
template <class Holds>
struct search_to_first {
  static constexpr bool ends_early = true;
  flag_words<Holds> words;
  index_t n;
  index_t* first;

  void operator()(worker, tile t) const {
    // if the elements exceed the caches
    bool const prefetches = n >= beyond_caches / 8 && !on_amd();
    if (std::atomic_ref<index_t>(*first).load(std::memory_order_relaxed) < t.begin) return;
    index_t const here = prefetches ? first_in<has_known_operands<Holds>>(words, t.begin, t.end, n)
                                    : first_in<false>(words, t.begin, t.end, n);
    if (here < n) keep_least(first, here);
  }
};

}  // namespace detail

struct find_first_in_turn {
  static constexpr auto name = "in_turn";
  static constexpr auto why = "One by one: a word of 64 flags is not worth making.";
  static auto now(auto const& c, host const&) {
    return needs(need{c.n < 16, "fewer than 16 elements"});
  }
  static void run(auto const&, auto const& c) { c.found(detail::first_in_turn(c.holds, c.n)); }
};

struct find_first_in_words {
  static constexpr auto name = "words";
  static constexpr auto why =
      "One thread, by 64 flags at a time: 8192 elements are read before another thread is awake.";
  static auto now(auto const& c, host const&) {
    return needs(need{c.n <= detail::search_width, "at most 8192 elements"});
  }
  static void run(auto const&, auto const& c) {
    c.found(detail::first_in<false>(flag_words<decltype(c.holds)>{c.holds}, 0, c.n, c.n));
  }
};

struct find_first_in_tiles {
  static constexpr auto name = "words_in_tiles";
  static constexpr auto why =
      "A thread evaluates 64 flags at a time, in tiles of 8192 elements, and takes no tile that "
      "begins after the least match so far.";
  static void run(auto const& ex, auto const& c) {
    index_t first = c.n;
    ex.for_each_tile_of(detail::search_width, c.n,
                        detail::search_to_first<decltype(c.holds)>{{c.holds}, c.n, &first});
    c.found(first);
  }
};

}  // namespace cpu

template <>
struct form_table<find_first_family, cpu::host>
    : forms<cpu::find_first_in_turn, cpu::find_first_in_words, cpu::find_first_in_tiles> {};

}  // namespace ravel::inline v0
