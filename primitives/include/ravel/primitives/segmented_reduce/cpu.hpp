#pragma once

/// Segmented reduce on the host: the table of forms, and the forms, which loop over the segments of
/// each chunk.
///
/// The generic steps scan pairs of a value and a head flag, and load each element twice.  Here the
/// merged sequence of elements and segment ends is cut into chunks of equal length, so that neither
/// a long segment nor many empty ones unbalance the load.  A thread reduces the segments that begin
/// and end in its chunk, and records its partial results of the two others; a final pass combines
/// these.
///
/// On two cores of an AMD EPYC a sparse product takes a quarter to a sixth of the time of the steps
/// (bench/README.md).
///
/// Source   Merrill and Garland, "Merge-Based Parallel Sparse Matrix-Vector Multiplication", SC
///          2016.

#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/function_ref.hpp>
#include <ravel/core/search.hpp>
#include <ravel/primitives/cpu/reduce_headed.hpp>
#include <ravel/primitives/cpu/segment_reducer.hpp>
#include <ravel/primitives/cpu/segments_together.hpp>
#include <ravel/primitives/segmented_reduce/call.hpp>
#include <ravel/primitives/segmented_reduce/steps.hpp>

namespace ravel::inline v0 {
namespace cpu {
namespace detail {

/// The number of elements and segment ends of a chunk, of `n`: enough to amortise the search for
/// its begin, and so few that there are many chunks.
inline constexpr index_t least_chunk = index_t{1} << 13;
inline constexpr index_t chunk_width(index_t n) {
  return ravel::detail::clamped(n / 256, least_chunk, index_t{1} << 16);
}

/// A chunk's partial results: of the segment that began before it, if that ends in it, and of the
/// segment that goes on after it.
template <class T>
struct note {
  index_t ending;    ///< the first segment that ends in the chunk, if any
  bool ends;         ///< whether any segment ends in it
  bool found_begun;  ///< whether the first segment began in an earlier chunk
  T head;            ///< partial result of `ending`, if it began before
  T tail;            ///< partial result of the segment that goes on after this chunk
};

/// A load that reduces many segments itself: add_up(s, begins, count, sums) sets sums[k] to the
/// reduction of segment s + k, the elements [begins[k], begins[k + 1]).
template <class Load, class T>
concept adds_up_segments = requires(Load const& load, index_t const* begins, T* sums) {
  load.add_up(index_t{}, begins, index_t{}, sums);
};

template <class T, class Load, class Segments, class M, class Seed, class Visit>
struct reduce_chunk {
  index_t n;
  Load const& load_all;
  Segments segments;
  M m;
  Seed seed;
  Visit visit;

  note<T> operator()(tile chunk) const {
    // Segments [s, last) end in this chunk, and element i is its first.
    index_t const count = segments.count();
    index_t s = segments_before(chunk.begin, 0, count);
    index_t const last =
        segments_before(chunk.end, s, std::min(count, s + chunk.end - chunk.begin));
    index_t i = std::max<index_t>(0, chunk.begin - s);  // 0 only if offsets descend

    note<T> left{s, s < last, s < count && segments.begin(s) < i, {}, T(seed())};
    if (left.found_begun) left.head = left.tail = T(m.identity());
    index_t const limit =
        std::min(n, chunk.end - s);  // an upper bound, as more segment ends may follow
    if (i < limit) {
      auto const here = ravel::detail::within(segments, limit);
      auto const load = ravel::detail::on_tile(load_all, {chunk.id, i, limit});
      combiner<M, T, std::remove_cvref_t<decltype(load)>> combined(load, i, limit);
      if (left.found_begun && left.ends) {
        index_t const end = std::max(i, here.begin(s + 1));
        left.head = combined(i, end, m, left.head);
        left.tail = T(seed());
        i = end;
        ++s;
      }
      i = visit_many(combined, here, s, last, i);
      left.tail = combined(i, std::min(limit, chunk.end - last), m, left.tail);
    } else {  // no elements, so load_all must not be used
      if (left.found_begun && left.ends) {
        left.tail = T(seed());
        ++s;
      }
      for (; s < last; ++s) visit(s, T(seed()));
    }
    return left;
  }

 private:
  /// Reduces segments [s, last), the first of which begins at element i, and calls visit for each.
  /// Returns the end of the last one.  Out of line, because together with the rest of the chunk it
  /// would spill registers.
  template <class Combine>
  [[gnu::noinline]] index_t visit_many(Combine& combined, Segments segments, index_t s,
                                       index_t last, index_t i) const {
    if constexpr (adds_up_segments<Load, T>) {
      auto const add_up = [&](auto... some) { load_all.add_up(some...); };
      auto const seeded = [&](index_t k, T const& sum) { visit(k, T(m(T(seed()), sum))); };
      i = reduce_some_at_a_time<T>(segments, s, last, i, add_up, seeded);
      combined.skip_to(i);
    } else {
      Combine copy = combined;
      i = combine_segments<T>(copy, segments, s, last, i, m, seed, visit);
      combined = copy;
    }
    return i;
  }

  /// The number of segments, between `low` and `high`, whose ends are among the first `many` of the
  /// merged elements and ends.
  index_t segments_before(index_t many, index_t low, index_t high) const {
    return partition_point_at_once(low, high, ravel::detail::ends_within<Segments>{segments, many});
  }
};

/// Whether the input is so small that it is a single chunk.
constexpr bool are_few(index_t n, index_t segments) { return n + segments <= least_chunk; }

/// The form of few elements and segments: inlined into the caller, so that arguments stay in
/// registers.
template <class T, class Load, class Segments, class M, class Seed, class Visit>
[[gnu::always_inline]] inline void reduce_few(index_t n, Load const& load_all,
                                              Segments const& segments, M const& m,
                                              Seed const& seed, Visit const& visit) {
  index_t const count = segments.count();
  if (n == 0) {  // no elements, so load_all must not be used
    for (index_t s = 0; s < count; ++s) visit(s, T(seed()));
    return;
  }
  auto const load = ravel::detail::on_tile(load_all, {0, 0, n});
  combiner<M, T, std::remove_cvref_t<decltype(load)>, true> combined(load, 0, n);
  combine_segments<T>(combined, segments, 0, count, 0, m, seed, visit);
}

/// Calls note_of(chunk) for all chunks of `total` elements and segment ends, and visits the segments
/// that cross chunks.  It does not depend on the load, so that a program has it once for each type of
/// results.
template <class T, class Ex, class M, class Seed, class Visit>
[[gnu::noinline]] void reduce_chunks(Ex const& ex, index_t total, M const& m, Seed const& seed,
                                     Visit const& visit,
                                     ravel::detail::function_ref<note<T>(tile)> note_of) {
  index_t const width = chunk_width(total);
  auto const notes = ex.template scratch<note<T>>(div_up(total, width));
  auto const run = [note_of, out = notes.data()](worker, tile t) { out[t.id] = note_of(t); };
  ex.for_each_tile_of(width, total, run, nanoseconds{total});

  T open = T(seed());
  for (note<T> const& left : notes) {
    if (left.ends && left.found_begun) visit(left.ending, T(m(open, left.head)));
    open = left.found_begun && !left.ends ? T(m(open, left.tail)) : left.tail;
  }
}

/// The form of many elements.  Out of line, with arguments by value, so that the path for few
/// elements need not store them to memory.
template <class T, class Ex, class Load, class Segments, class M, class Seed, class Visit>
[[gnu::noinline]] void reduce_by_chunks(Ex const& ex, index_t n, Load load,
                                        Segments const& segments, M m, Seed seed, Visit visit) {
  reduce_chunk<T, Load, Segments, M, Seed, Visit> const chunk{n, load, segments, m, seed, visit};
  reduce_chunks<T>(ex, n + segments.count(), m, seed, visit, chunk);
}

}  // namespace detail

struct reduce_few_segments {
  static constexpr auto name = "few_segments";
  static constexpr auto why = "One chunk: a loop over its segments, inlined into the caller.";
  template <class Call>
  static constexpr auto types = needs(ravel::detail::has_numbers<Call>);
  [[gnu::always_inline]] static auto now(auto const& c, host const&) {
    return needs(need{detail::are_few(c.n, c.segments.count()),
                      "at most 8192 elements and segments together"});
  }
  template <class Ex, class Call>
  [[gnu::always_inline]] static void run(Ex const&, Call const& c) {
    detail::reduce_few<typename Call::value_type>(c.n, c.load, c.segments, c.m, c.seed, c.visit);
  }
};

struct reduce_segments_in_chunks {
  static constexpr auto name = "in_chunks";
  static constexpr auto why =
      "Elements and ends of segments, in merged order, in chunks of one length: each element once, "
      "a sparse product in a quarter to a sixth of the time of the steps (two threads of an EPYC).";
  template <class Call>
  static constexpr auto types = needs(ravel::detail::has_numbers<Call>);
  template <class Ex, class Call>
  [[gnu::always_inline]] static void run(Ex const& ex, Call const& c) {
    auto const kept = c.segments;  // a copy, so that reduce_few finds the segments in registers
    detail::reduce_by_chunks<typename Call::value_type>(ex, c.n, c.load, kept, c.m, c.seed,
                                                        c.visit);
  }
};

}  // namespace cpu

template <>
struct form_table<segmented_reduce_family, cpu::host>
    : forms<cpu::reduce_few_segments, cpu::reduce_segments_in_chunks, cpu::reduce_heads_in_one_tile,
            cpu::reduce_heads_in_tiles> {};

}  // namespace ravel::inline v0
