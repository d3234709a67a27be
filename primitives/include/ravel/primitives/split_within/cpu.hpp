#pragma once

/// Split within segments on the host: a thread takes a chunk of elements, and counts and places
/// each segment inside it while that is in cache; segments that cross chunk bounds are placed in a
/// second pass.

#include <ravel/core/cpu/scratch.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/search.hpp>
#include <ravel/primitives/cpu/chunk_counts.hpp>
#include <ravel/primitives/cpu/segmented_pack.hpp>
#include <ravel/primitives/split_within/steps.hpp>

#include <array>

namespace ravel::inline v0 {
namespace cpu {
namespace detail {

template <int Ways, class Segments, class Visit, class Begins>
struct split_chunks {
  using counts = std::array<index_t, Ways>;

  /// The segments that cross a chunk's bounds: the first, if it began before the chunk, and the
  /// last, if it does not end in it.  For each: the counts of digits of its part in the chunk,
  /// later the first position of each digit.
  struct shared_segments {
    index_t first = -1, last = -1;
    index_t begin_of_last = 0;
    counts of_first, of_last;
    index_t apart[16];  // padding, so that the counts of two chunks share no cache line
  };

  Segments segments;
  Visit visit;
  Begins begins;
  std::uint8_t* digits;  // the digit of each element

  counts count(index_t s, index_t first, index_t end) const {
    counts c{};
    if (first == end) return c;
    auto const opened = visit.of_segment(s, segments.begin(s));
    for (index_t i = first; i < end; ++i) {
      int const d = visit.digit(opened, visit.load(opened, i));
      digits[i] = static_cast<std::uint8_t>(d);
      ++c[static_cast<std::size_t>(d)];
    }
    return c;
  }
  void place(index_t s, index_t first, index_t end, counts next) const {
    if (first == end) return;
    auto const opened = visit.of_segment(s, segments.begin(s));
    for (index_t i = first; i < end; ++i) {
      visit.store(visit.load(opened, i), digits[i], next[digits[i]]++);
    }
  }
  /// Turns the counts of a segment into positions from `next` on, and passes these to `begins`.
  void start(index_t s, index_t next, counts& c) const {
    for (int d = 0; d < Ways; ++d) {
      begins(d, s, next);
      next += std::exchange(c[static_cast<std::size_t>(d)], next);
    }
  }

  /// Splits the segments inside a chunk, and counts those that cross its bounds.
  void split(tile t, index_t n, shared_segments& shared) const {
    index_t const all = segments.count();
    index_t s = partition_point(0, all, begins_before<Segments>{segments, t.begin});
    index_t const end_of_first = std::min(segments.begin(s), t.end);
    if (t.begin < end_of_first) {
      shared.first = s - 1;
      shared.of_first = count(s - 1, t.begin, end_of_first);
    }
    // max() bounds the begins of segments, as malformed offsets may descend.
    for (index_t split = t.begin; s < all; ++s) {
      index_t const begin = std::max(split, segments.begin(s));
      index_t const end = split = std::max(begin, segments.begin(s + 1));
      if (begin >= t.end && t.end < n) return;
      if (end > t.end) {
        shared.last = s;
        shared.begin_of_last = begin;
        shared.of_last = count(s, begin, t.end);
        return;
      }
      auto places = count(s, begin, end);
      start(s, begin, places);
      place(s, begin, end, places);
    }
  }
  /// Turns the counts of segments that cross chunk bounds into positions, from chunk to chunk.
  void start_shared(index_t chunks, shared_segments* shared) const {
    index_t placed = 0;  // the first segment of each chunk up to this has positions
    for (index_t t = 0; t < chunks; ++t) {
      // Both conditions hold only if offsets descend.
      if (t > placed) shared[t].first = -1;
      if (t < placed) shared[t].last = -1;
      index_t const s = shared[t].last;
      if (s < 0) continue;
      counts next = shared[t].of_last;
      for (index_t u = t + 1; u < chunks && shared[u].first == s; ++u) {
        for (std::size_t d = 0; d < Ways; ++d) next[d] += shared[u].of_first[d];
        placed = u;
      }
      start(s, shared[t].begin_of_last, next);
      auto const take = [&](counts& c) {
        for (std::size_t d = 0; d < Ways; ++d) {
          index_t const many = std::exchange(c[d], next[d]);
          next[d] += many;
        }
      };
      take(shared[t].of_last);
      for (index_t u = t + 1; u < chunks && shared[u].first == s; ++u) take(shared[u].of_first);
    }
  }
  void place_shared(tile t, shared_segments const& shared) const {
    if (shared.first >= 0) {
      index_t const end = std::min(segments.begin(shared.first + 1), t.end);
      place(shared.first, t.begin, end, shared.of_first);
    }
    if (shared.last >= 0) place(shared.last, shared.begin_of_last, t.end, shared.of_last);
  }
};

}  // namespace detail

struct split_within_in_chunks {
  static constexpr auto name = "in_chunks";
  static constexpr auto why =
      "Each digit is evaluated once, in chunks of whole segments; a segment of several threads in "
      "turns.";
  template <class Ex, int Ways, class Segments, class Visit, class Begins>
  static void run(Ex const& ex, split_within_call<Ways, Segments, Visit, Begins> const& c) {
    using split = detail::split_chunks<Ways, Segments, Visit, Begins>;
    using shared_segments = typename split::shared_segments;
    index_t const n = c.n;
    index_t const width = detail::chunk_of_split(n, detail::threads_of(ex));
    index_t const chunks = div_up(n, width);
    auto const digits = ex.template scratch<std::uint8_t>(n);
    auto const shared = ex.template scratch<shared_segments>(chunks);
    split const work{c.segments, c.visit, c.begins, digits.data()};
    c.begins(0, c.segments.count(), n);
    if (n == 0) {
      for (index_t s = 0; s < c.segments.count(); ++s) {
        for (int d = 0; d < Ways; ++d) c.begins(d, s, 0);
      }
      return;
    }
    ex.for_each_tile_of(
        width, n,
        [&](worker, tile t) { work.split(t, n, shared.data()[t.id] = shared_segments{}); },
        detail::nanoseconds{n});
    if (chunks == 1) return;
    work.start_shared(chunks, shared.data());
    ex.for_each_tile_of(
        width, n, [&](worker, tile t) { work.place_shared(t, shared.data()[t.id]); },
        detail::nanoseconds{n});
  }
};

}  // namespace cpu

template <>
struct form_table<split_within_family, cpu::host> : forms<cpu::split_within_in_chunks> {};

}  // namespace ravel::inline v0
