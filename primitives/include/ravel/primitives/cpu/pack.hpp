#pragma once

/// @file
/// Pack on the host: 64 predicates at once, and no branch for each.
///
/// The generic steps evaluate the predicate twice for each element, and branch on it.  Here a
/// thread evaluates it once, stores the results of a tile as bits, counts them, gets the number
/// kept before the tile, and moves the elements, which are still in its cache.
///
/// Source   Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990;
///          docs/decisions/0008.

#include <ravel/core/cpu/chained_scan.hpp>
#include <ravel/core/cpu/compress.hpp>
#include <ravel/core/cpu/flag_words.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/std_algorithm.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/pack/call.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ravel::inline v0::cpu {

/// Segment heads: stored as words already, or compared in vectors.
template <class Segments>
struct flag_words<ravel::detail::keeps_head<Segments>> {
  ravel::detail::keeps_head<Segments> keep;

  std::uint64_t operator()(index_t i, index_t n) const {
    return flag_words<Segments>{keep.segments}(i, n);
  }
};

namespace detail {

/// Moves the kept elements of [i, i + n) to positions from `place` on, one by one.  Specialised for
/// visits that can move blocks; a specialisation may also prefetch the thread's next tile.
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

/// Types    that can be moved in blocks, with buffers of some tens of elements on the stack.
template <class T>
concept plain = std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> &&
                sizeof(T) <= 512;

/// Moves kept elements through a buffer in L1, into which compress may write elements that are not
/// kept, while prefetching.  to(kept, count, place, more) writes those of a block, and returns how
/// many it wrote: if more follow, it may leave less than a cache line.
template <class In, class To>
index_t compress_blocks(In const* in, index_t n, std::uint64_t const* keep, index_t place,
                        To const& to, prefetch_range const& upcoming = {}) {
  constexpr index_t most = std::max<index_t>(8192 / sizeof(In) / 64 * 64, 64);
  constexpr index_t line = std::max<index_t>(64 / sizeof(In), 1);
  In kept[line + most + compress_slack];
  index_t left = 0;
  for (index_t k = 0; k < n; k += most) {
    index_t const count = left + compress(in + k, std::min(n - k, most), keep + k / 64, kept + left,
                                          upcoming.after(k));
    index_t const taken = to(kept, count, place, k + most < n);
    place += taken;
    left = count - taken;
    std::copy_n(kept + taken, left, kept);
  }
  return place;
}

/// Writes `n` elements from `place` on, as far as there is room.  If `more` follow, an incomplete
/// cache line is left for the next call when streaming, because a partial store would fetch the
/// line.  Returns the number written.
template <class T>
index_t put_block(T const* from, index_t n, T* out, index_t place, index_t capacity, bool streaming,
                  bool more = false) {
  index_t const room = std::clamp<index_t>(capacity - place, 0, n);
  if (room == 0) return n;
  if constexpr (simd::number<T>) {
    if (streaming) {
      auto const end = reinterpret_cast<std::uintptr_t>(out + place + n);
      index_t const past = more && room == n ? static_cast<index_t>(end % 64 / sizeof(T)) : 0;
      stream(from, out + place, room - std::min(past, room));
      return n - std::min(past, n);
    }
  }
  std::memcpy(out + place, from, static_cast<std::size_t>(room) * sizeof(T));
  return n;
}

/// The prefetch range of the elements from in[t.begin] on.
template <class In>
prefetch_range prefetch_range_of_tile(In const* in, tile t) {
  if (t.end <= t.begin) return {};
  return {reinterpret_cast<char const*>(in + t.begin), sizeof(In), t.end - t.begin};
}

/// For plain copies.
template <plain T>
struct place_kept<write_packed<T, T>> {
  write_packed<T, T> visit;

  index_t operator()(index_t i, index_t n, std::uint64_t const* keep, index_t place, bool streaming,
                     tile next) const {
    return compress_blocks(
        visit.in + i, n, keep, place,
        [&](T const* kept, index_t count, index_t at, bool more) {
          return put_block(kept, count, visit.out, at, visit.capacity, streaming, more);
        },
        prefetch_range_of_tile(visit.in, next));
  }
};

/// For indices.
template <plain Out>
struct place_kept<ravel::detail::write_packed_index<Out>> {
  ravel::detail::write_packed_index<Out> visit;

  index_t operator()(index_t i, index_t n, std::uint64_t const* keep, index_t place, bool streaming,
                     tile) const {
    constexpr index_t some = 64;
    for (index_t k = 0; k < n; k += some) {
      index_t const many = std::min(n - k, some);
      Out index[some], kept[some + compress_slack];
      for (index_t j = 0; j < some; ++j) index[j] = static_cast<Out>(i + k + j);
      index_t const count = simd::compress_word(index, many, keep[k / some], kept);
      put_block(kept, count, visit.out, place, visit.capacity, streaming);
      place += count;
    }
    return place;
  }
};

/// For mapped elements: evaluated contiguously, so that the loop vectorises.
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
    constexpr index_t most = std::max<index_t>(8192 / sizeof(Out), 64);
    Out made[most];
    for (index_t k = 0; k < count; k += most) {
      index_t const n = std::min(count - k, most);
      for (index_t j = 0; j < n; ++j) made[j] = static_cast<Out>(visit.make(kept[k + j]));
      put_block(made, n, visit.out, place + k, visit.capacity, streaming);
    }
  }
};

/// A predicate whose operands are known.
template <class Keep>
concept names_elements = requires(Keep const& keep) {
  { keep.in } -> std::convertible_to<void const*>;
};
template <class Keep>
concept has_known_operands = names_elements<Keep> || requires(Keep const& keep) {
  keep.elements();
};

/// Prefetches the operands of a word of predicates, a page ahead, where they are known: a tile is
/// longer than the hardware prefetcher's distance.
template <class Keep>
void prefetch_operands([[maybe_unused]] Keep const& keep, [[maybe_unused]] index_t i) {
  auto const prefetch = [i](auto const* in) {
    auto const* const there = reinterpret_cast<char const*>(in + i) + 4096;
    for (index_t k = 0; k < 64 * index_t{sizeof(*in)}; k += 64) prefetch_line(there + k);
  };
  if constexpr (names_elements<Keep>) {
    prefetch(keep.in);
  } else if constexpr (has_known_operands<Keep>) {
    prefetch(keep.elements());
  }
}

/// An additional receiver of a tile's kept bits and the number kept before it; this one does
/// nothing.
struct nothing_besides {
  void operator()(tile, std::uint64_t const*, index_t) const {}
};

/// One thread's part of a pack.
template <class Keep, class Visit, class Total, class Besides = nothing_besides>
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

  /// Whether the visit has prefetched the operands of the predicates of the next tile.
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

  index_t total(index_t t) { return total(nth_tile(t, width, n)); }
  void visit(index_t t, index_t ahead, index_t next) {
    tile const here = nth_tile(t, width, n);
    if (here.end == n) total(here);  // its total was not evaluated
    index_t const through = visit(here, ahead, nth_tile(next, width, n));
    if (here.end == n) give_total(through);
  }
};

/// Fewer elements are processed serially, without words of bits.  The kept indices are written down
/// and then visited, without a branch on the predicate.
template <class Keep>
inline constexpr index_t few_kept = 64;

/// The first element of the first word has no predecessor, so a word that is the only one would be
/// evaluated serially.
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

/// All tiles.  Out of line, so that the path for few elements inlines into the caller.
template <class Ex, class Keep, class Visit, class Total, class Besides = nothing_besides>
[[gnu::noinline]] void pack_by_tiles(Ex const& ex, index_t n, Keep const& keep, Visit const& visit,
                                     Total total, Besides besides = {}) {
  using Tiles = pack_tiles<Keep, Visit, Total, Besides>;
  relay(ex, div_up(n, Tiles::width), index_t{0}, plus<index_t>{},
        Tiles(keep, visit, n, total, besides), at_least(n));
}

}  // namespace detail

}  // namespace ravel::inline v0::cpu
