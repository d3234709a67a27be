#pragma once

/// Scan then pack on the host, in one pass over memory: a tile is scanned and packed while it is in
/// cache.
///
/// A thread takes a tile that fits in L2, reduces it, and passes its inclusive prefix to the next
/// tile's thread.  It scans the tile from cache and compacts the kept results there.  When it has
/// received the number kept before the tile, it passes the sum on too, and copies what it kept to
/// memory.  So two values are passed from tile to tile, and memory traffic is the input and the
/// kept results alone.

#include <ravel/core/cpu/compress.hpp>
#include <ravel/core/cpu/flag_words.hpp>
#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/cpu/scratch.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/primitives/scan/cpu.hpp>
#include <ravel/primitives/scan_then_pack/call.hpp>

#include <cstring>

namespace ravel::inline v0::cpu::detail {

/// Elements of a tile: 64 KiB, since the kept results may take as many bytes again.
template <class T>
inline constexpr index_t scan_then_pack_width = std::max<index_t>(65536 / sizeof(T), 1024);

/// The work of one thread on tiles.
template <class Load, class M, class Step, class Visit, class Total>
struct scan_then_pack_tiles {
  using T = carrier_t<M>;
  using U = decltype(ravel::detail::made_by_t<Step, T>::value);
  static constexpr index_t width = scan_then_pack_width<T>;

  index_t n;
  Load load_all;
  M m;
  Step step;
  Visit visit;
  Total give_total;
  bool streaming;
  index_t count = 0;
  scratch_buffer<U> kept;

  scan_then_pack_tiles(index_t n, Load load, M m, Step step, Visit visit, Total total)
      : n(n),
        load_all(load),
        m(m),
        step(step),
        visit(visit),
        give_total(total),
        streaming(n * index_t{sizeof(T)} >= beyond_caches) {}
  /// A copy, one for each thread, has a buffer of its own.
  scan_then_pack_tiles(scan_then_pack_tiles const& src)
      : scan_then_pack_tiles(src.n, src.load_all, src.m, src.step, src.visit, src.give_total) {
    kept = scratch_buffer<U>(width + compress_slack);
  }

  T total(index_t t) const {
    using write = write_through<T>;
    using scan =
        scan_call<Load, write, M, ravel::detail::seed_identity<M>, ravel::detail::no_total>;
    return first_fitting_t<scans_in_tiles, scan>::of_tile(m, load_all, write{nullptr}, n)
        .total(nth_tile(t, width, n));
  }

  /// Scans a tile and keeps results.  Stores ahead * total(t) in `ahead`, grouped so unless M groups
  /// freely.
  [[gnu::noinline]] index_t keep(index_t t, T& ahead, index_t next) {
    tile const here = nth_tile(t, width, n);
    tile const upcoming = nth_tile(next, width, n);
    auto const load = ravel::detail::on_tile(load_all, here);
    T through[batch<T> + 1];
    T carry = ahead, all = m.identity(), first_half = all;
    index_t const middle = loops::known<M> ? here.end : middle_of(here);
    count = 0;
    for (index_t i = here.begin, few; i < here.end; i += few) {
      if (i == middle) std::swap(all, first_half);
      few = std::min(batch<T>, (i < middle ? middle : here.end) - i);
      through[0] = carry;
      scan(load, i, few, through, upcoming.begin + (i - here.begin), upcoming.end, all);
      carry = through[few];
      keep_made(i, few, through);
    }
    if constexpr (ravel::detail::receives_state<Total, T>) {
      if (here.end == n) give_total.state(carry);
    }
    ahead = groups_freely<M> ? carry : T(m(ahead, T(m(first_half, all))));
    return count;
  }

  [[gnu::noinline]] void place(index_t t, index_t ahead) const {
    move(ahead);
    if (nth_tile(t, width, n).end == n) give_total(ahead + count);
  }

 private:
  /// Scans `few` elements to through[0] on.  Also combines `all` with them, unless M groups freely.
  template <class L>
  void scan(L const& load, index_t i, index_t few, T* through, [[maybe_unused]] index_t next,
            [[maybe_unused]] index_t end, [[maybe_unused]] T& all) const {
    if constexpr (loops::known<M>) {
      T room[batch<T>];
      results out(through + 1, false);
      loops::scan<scanned::through, M>(loaded<T>(load, i, few, room), few, through[0], out,
                                       prefetch_range_of(load, next, end),
                                       groups_freely<M> ? nullptr : &all);
    } else {
      for (index_t k = 0; k < few; ++k) {
        T const x = T(load(i + k));
        through[k + 1] = m(through[k], x);
        if constexpr (!groups_freely<M>) all = m(all, x);
      }
    }
  }

  void keep_made(index_t i, index_t few, T const* through) {
    constexpr index_t part = 256;
    index_t k = 0;
    for (; k + part <= few; k += part)
      keep_some<part>(i + k, part, through + k);  // the constant number lets the compiler vectorise
    for (; k < few; k += 64) keep_some<64>(i + k, std::min<index_t>(64, few - k), through + k);
  }

  template <index_t Most>
  [[gnu::always_inline]] void keep_some(index_t i, index_t few, T const* through) {
    Step const make = step;
    U made[Most];
    unsigned char flags[Most] = {};
    // Two loops, which vectorise: computing the step twice costs less than one scalar loop.
    for (index_t l = 0; l < few; ++l) made[l] = make(i + l, through[l], through[l + 1]).value;
    for (index_t l = 0; l < few; ++l) flags[l] = make(i + l, through[l], through[l + 1]).is ? 1 : 0;
    std::uint64_t keep[Most / 64];
    for (index_t w = 0; w < Most / 64; ++w) keep[w] = bits_of_bytes(flags + 64 * w);
    count += compress(made, few, keep, kept.data() + count);
  }

  void move(index_t place) const {
    if constexpr (std::same_as<Visit, write_kept<U>> && std::is_trivially_copyable_v<U>) {
      index_t const room = ravel::detail::clamped<index_t>(visit.capacity - place, 0, count);
      if (room == 0) return;
      if constexpr (simd::number<U>) {
        if (streaming) return stream(kept.data(), visit.out + place, room);
      }
      std::memcpy(visit.out + place, kept.data(), static_cast<std::size_t>(room) * sizeof(U));
    } else {
      for (index_t k = 0; k < count; ++k) visit(place + k, kept[k]);
    }
  }
};

}  // namespace ravel::inline v0::cpu::detail
