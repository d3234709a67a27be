#pragma once

/// Pack on the host: evaluates the predicate for 64 elements at once, and moves elements without
/// branches.
///
/// The generic steps evaluate the predicate twice for each element, and branch on it.  Here a
/// thread evaluates it once, stores the results for a tile as bits, and counts them.  The number
/// kept before the tile comes from a chained scan of the counts.  Then the thread moves the
/// elements, which are still in its cache.
///
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990;
///          docs/decisions/0008.

#include <ravel/core/cpu/chained_scan.hpp>
#include <ravel/core/cpu/compress.hpp>
#include <ravel/core/cpu/flag_words.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/pack/call.hpp>

#include <cstring>

namespace ravel::inline v0::cpu {

/// The predicate of unique: whether an element is a segment head.  Heads are stored as words
/// already, or computed by vectorised comparisons.
template <class Segments>
struct flag_words<ravel::detail::keeps_head<Segments>> {
  ravel::detail::keeps_head<Segments> keep;

  std::uint64_t operator()(index_t i, index_t n) const {
    return flag_words<Segments>{keep.segments}(i, n);
  }
};

namespace detail {

/// Moves the kept elements of [i, i + n) to the positions from `place` on, one by one.  Specialised
/// for visits that can move blocks; a specialisation may also prefetch the thread's next tile.
template <class Visit>
struct place_kept {
  Visit visit;

  index_t operator()(index_t i, index_t n, std::uint64_t const* keep, index_t place, bool,
                     tile) const {
    for (index_t k = 0; k < n; k += 64) {
      for (std::uint64_t rest = keep[k / 64]; rest != 0; rest &= rest - 1) {
        visit(i + k + std::countr_zero(rest), place++);
      }
    }
    return place;
  }
};

/// Types that can be moved in blocks, through buffers of some tens of elements on the stack.
template <class T>
concept plain = std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> &&
                sizeof(T) <= 512;

/// Moves kept elements through a buffer in L1, so that compress may overwrite places after the last
/// one, and prefetches meanwhile.  For each block it calls to(kept, count, place, more), which
/// writes the kept elements and returns how many it wrote; if more follow, it may leave less than a
/// cache line for later.
template <class In, class To>
index_t compress_blocks(In const* in, index_t n, std::uint64_t const* keep, index_t place,
                        To const& put, prefetch_range const& upcoming = {}) {
  constexpr index_t block = std::max<index_t>(8192 / sizeof(In) / 64 * 64, 64);
  constexpr index_t line = std::max<index_t>(64 / sizeof(In), 1);
  In kept[line + block + compress_slack];
  index_t left = 0;
  for (index_t k = 0; k < n; k += block) {
    index_t const count = left + compress(in + k, std::min(n - k, block), keep + k / 64,
                                          kept + left, upcoming.after(k));
    index_t const taken = put(kept, count, place, k + block < n);
    place += taken;
    left = count - taken;
    std::copy(kept + taken, kept + taken + left, kept);
  }
  return place;
}

/// Writes `n` elements from `place` on, as far as `capacity` allows, and returns the number
/// written.  When streaming, an incomplete cache line is left for the next call if `more` follow,
/// because a partial store would fetch the line.
template <class T>
index_t put_block(T const* in, index_t n, T* out, index_t place, index_t capacity, bool streaming,
                  bool more = false) {
  index_t const room = ravel::detail::clamped<index_t>(capacity - place, 0, n);
  if (room == 0) return n;
  if constexpr (simd::number<T>) {
    if (streaming) {
      auto const end = reinterpret_cast<std::uintptr_t>(out + place + n);
      index_t const past = more && room == n ? static_cast<index_t>(end % 64 / sizeof(T)) : 0;
      stream(in, out + place, room - std::min(past, room));
      return n - std::min(past, n);
    }
  }
  std::memcpy(out + place, in, static_cast<std::size_t>(room) * sizeof(T));
  return n;
}

/// How many of the n elements may be compressed straight to where they go: compress overwrites up to
/// compress_slack places after the last one, and as many of the others are kept.
inline index_t elements_before_slack(index_t n, std::uint64_t const* keep) {
  index_t word = div_up(n, index_t{64});
  for (index_t kept = 0; kept < compress_slack && word > 0;) kept += std::popcount(keep[--word]);
  return 64 * word;
}

/// The memory of the elements of a tile, to be prefetched.
template <class In>
prefetch_range prefetch_range_of_tile(In const* in, tile t) {
  if (t.end <= t.begin) return {};
  return {reinterpret_cast<char const*>(in + t.begin), sizeof(In), t.end - t.begin};
}

/// The specialisation for elements that are copied unchanged.
template <plain T>
struct place_kept<write_packed<T, T>> {
  write_packed<T, T> visit;

  index_t operator()(index_t i, index_t n, std::uint64_t const* keep, index_t place, bool streaming,
                     tile next) const {
    T const* const in = visit.in + i;
    index_t begin = 0;
    if (!streaming && n >= 512 && place + n <= visit.capacity) {
      begin = elements_before_slack(n, keep);
      place += compress(in, begin, keep, visit.out + place);
    }
    return compress_blocks(
        in + begin, n - begin, keep + begin / 64, place,
        [&](T const* kept, index_t count, index_t at, bool more) {
          return put_block(kept, count, visit.out, at, visit.capacity, streaming, more);
        },
        prefetch_range_of_tile(visit.in, next));
  }
};

/// The specialisation for the indices of kept elements.
template <plain Out>
struct place_kept<ravel::detail::write_packed_index<Out>> {
  ravel::detail::write_packed_index<Out> visit;

  index_t operator()(index_t i, index_t n, std::uint64_t const* keep, index_t place, bool streaming,
                     tile) const {
    constexpr index_t width = 64;
    for (index_t k = 0; k < n; k += width) {
      index_t const many = std::min(n - k, width);
      Out index[width], kept[width + compress_slack];
      for (index_t j = 0; j < width; ++j) index[j] = static_cast<Out>(i + k + j);
      index_t const count = simd::compress_word(index, many, keep[k / width], kept);
      put_block(kept, count, visit.out, place, visit.capacity, streaming);
      place += count;
    }
    return place;
  }
};

/// The specialisation for mapped elements.  A block of them is mapped contiguously, so that the
/// loop vectorises.
template <plain In, class Make, plain Out>
struct place_kept<write_made_of_kept<In, Make, Out>> {
  write_made_of_kept<In, Make, Out> visit;

  index_t operator()(index_t i, index_t n, std::uint64_t const* keep, index_t place, bool streaming,
                     tile next) const {
    return compress_blocks(
        visit.in + i, n, keep, place,
        [&](In const* kept, index_t count, index_t at, bool) {
          put(kept, count, at, streaming);
          return count;
        },
        prefetch_range_of_tile(visit.in, next));
  }

 private:
  void put(In const* kept, index_t count, index_t place, bool streaming) const {
    constexpr index_t block = std::max<index_t>(8192 / sizeof(Out), 64);
    Out made[block];
    for (index_t k = 0; k < count; k += block) {
      index_t const n = std::min(count - k, block);
      for (index_t j = 0; j < n; ++j) made[j] = static_cast<Out>(visit.make(kept[k + j]));
      put_block(made, n, visit.out, place + k, visit.capacity, streaming);
    }
  }
};

/// A predicate that reads its operands from known memory: an array `in`, or `elements()`.
template <class Keep>
concept names_elements = requires(Keep const& keep) {
  { keep.in } -> std::convertible_to<void const*>;
};
template <class Keep>
concept has_known_operands = names_elements<Keep> || requires(Keep const& keep) {
  keep.elements();
};

/// Prefetches the operands of a predicate a page (4 KiB) before they are read, where their address
/// is known: a tile is longer than the distance of the hardware prefetcher.
template <class Keep>
void prefetch_operands([[maybe_unused]] Keep const& keep, [[maybe_unused]] index_t i) {
  auto const prefetch = [i](auto const* in) {
    auto const* const next_page = reinterpret_cast<char const*>(in + i) + 4096;
    for (index_t k = 0; k < 64 * index_t{sizeof(*in)}; k += 64) prefetch_line(next_page + k);
  };
  if constexpr (names_elements<Keep>) {
    prefetch(keep.in);
  } else if constexpr (has_known_operands<Keep>) {
    prefetch(keep.elements());
  }
}

/// The default for an additional receiver of a tile's kept bits and of the number kept before it:
/// does nothing.
struct no_receiver {
  void operator()(tile, std::uint64_t const*, index_t) const {}
};

/// Comparisons with the element before whose words cost more than a loop with a branch for each.
template <class Keep>
inline constexpr bool keeps_in_turn = false;
template <class T, class Equal, class Space>
inline constexpr bool keeps_in_turn<
    ravel::detail::keeps_head<head_segments<ravel::detail::key_changes<T, Equal>, Space>>> =
    !flag_words<ravel::detail::key_changes<T, Equal>>::in_vectors;

/// The work of one thread on the tiles of a pack.
template <class Keep, class Visit, class Total, class Besides = no_receiver>
struct pack_tiles {
  static constexpr index_t width = index_t{1} << 14;

  Keep keep_all;
  Visit visit_all;
  index_t n;
  Total give_total;
  bool streaming;
  Besides besides;
  stored_words<width / 64> kept;

  pack_tiles(Keep const& keep, Visit const& visit, index_t many, Total const& total,
             Besides const& besides_that = {})
      : keep_all(keep),
        visit_all(visit),
        n(many),
        give_total(total),
        streaming(many >= beyond_caches / 4),
        besides(besides_that) {}

  /// Whether the visit has already prefetched the next tile's operands of the predicate: it reads
  /// the same memory.
  bool prefetches_next() const {
    if constexpr (requires {
                    visit_all.in;
                    { keep_all.in } -> std::convertible_to<void const*>;
                  }) {
      return streaming && static_cast<void const*>(visit_all.in) == keep_all.in;
    } else if constexpr (requires { visit_all.in, keep_all.elements(); }) {
      return streaming && static_cast<void const*>(visit_all.in) == keep_all.elements();
    } else {
      return false;
    }
  }

  index_t total(tile t) {
    bool const prefetched = prefetches_next();
    auto const keep = ravel::detail::on_tile(keep_all, t);
    flag_words<std::remove_const_t<decltype(keep)>> const words{keep};
    index_t count = 0;
    for (index_t k = 0; k < t.end - t.begin; k += 64) {
      if (!prefetched) prefetch_operands(keep, t.begin + k);
      std::uint64_t const word = words(t.begin + k, std::min<index_t>(64, t.end - t.begin - k));
      kept.of[static_cast<std::size_t>(k / 64)] = word;
      count += std::popcount(word);
    }
    return count;
  }
  index_t visit(tile t, index_t place, tile next) const {
    auto const visit = ravel::detail::on_tile(visit_all, t);
    besides(t, kept.of.data(), place);
    place = place_kept<std::remove_const_t<decltype(visit)>>{visit}(
        t.begin, t.end - t.begin, kept.of.data(), place, streaming,
        prefetches_next() ? next : tile{});
    return place;
  }

  /// A tile of a thread that knows the number kept before it.
  index_t visit_alone(index_t t, index_t place, index_t next) requires(
      keeps_in_turn<Keep>&& std::same_as<Besides, no_receiver>) {
    constexpr index_t together = 1024;
    tile const here = nth_tile(t, width, n);
    for (index_t i = here.begin, end; i < here.end; i = end) {
      end = streaming ? here.end : std::min(i + together, here.end);
      if (streaming || heads_vary_from(i, end)) {
        tile const part{t, i, end};
        total(part);
        place = visit(part, place, nth_tile(next, width, n));
      } else {
        place = in_turn(i, end, place);
      }
    }
    if (here.end == n) give_total(place);
    return place;
  }

  index_t total(index_t t) { return total(nth_tile(t, width, n)); }
  void visit(index_t t, index_t ahead, index_t next) {
    tile const here = nth_tile(t, width, n);
    if (here.end == n) total(here);  // only the last tile's total has not been computed before
    index_t const through = visit(here, ahead, nth_tile(next, width, n));
    if (here.end == n) give_total(through);
  }

 private:
  bool heads_vary_from([[maybe_unused]] index_t i, [[maybe_unused]] index_t end) const {
    if constexpr (is_cheap_flag<decltype(keep_all.segments.begins)>) {
      return heads_vary(flag_words<Keep>{keep_all}(i, std::min<index_t>(64, end - i)));
    } else {
      return false;
    }
  }
  index_t in_turn(index_t i, index_t end, index_t place) const {
    auto const visit = ravel::detail::on_tile(visit_all, {0, i, end});
    auto const begins = keep_all.segments.begins;
    auto const step = [&](index_t k) {
      if (begins(k)) visit(k, place++);
    };
    if (i == 0) visit(i++, place++);
    for (; i + 4 <= end; i += 4) step(i), step(i + 1), step(i + 2), step(i + 3);
    for (; i < end; ++i) step(i);
    return place;
  }
};

/// Fewer elements than this are processed serially, without words of bits: their kept indices are
/// stored without a branch on the predicate, and then visited.
template <class Keep>
inline constexpr index_t few_kept = 64;

/// For segment heads: element 0 has no predecessor, so if 64 elements make a single word, that word
/// would be evaluated serially anyway.
template <class Segments>
inline constexpr index_t few_kept<ravel::detail::keeps_head<Segments>> = 65;

template <class Keep, class Visit>
[[gnu::always_inline]] inline index_t pack_few(index_t n, Keep const& keep_all,
                                               Visit const& visit_all) {
  if (n == 0) return 0;
  auto const keep = ravel::detail::on_tile(keep_all, {0, 0, n});
  auto const visit = ravel::detail::on_tile(visit_all, {0, 0, n});
  static_assert(few_kept<Keep> <= 256);
  std::uint8_t kept[few_kept<Keep>];
  index_t count = 0;
  for (index_t i = 0; i < n; ++i) {
    kept[count] = static_cast<std::uint8_t>(i);
    count += keep(i) ? 1 : 0;
  }
  for (index_t k = 0; k < count; ++k) visit(kept[k], k);
  return count;
}

/// Packs tile by tile.  Out of line, so that the path for few elements inlines into the caller.
template <class Ex, class Keep, class Visit, class Total, class Besides = no_receiver>
[[gnu::noinline]] void pack_by_tiles(Ex const& ex, index_t n, Keep const& keep, Visit const& visit,
                                     Total total, Besides besides = {}) {
  using Tiles = pack_tiles<Keep, Visit, Total, Besides>;
  chained_scan(ex, div_up(n, Tiles::width), index_t{0}, plus<index_t>{},
               Tiles(keep, visit, n, total, besides), at_least(n));
}

}  // namespace detail

}  // namespace ravel::inline v0::cpu
