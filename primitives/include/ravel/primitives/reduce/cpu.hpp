#pragma once

/// Reduce on the host: the table of forms, and the forms.
///
/// A serial floating-point sum takes the latency of an addition, four cycles, for each element.
/// Here numbers are reduced in vector registers, a tile in the order of scans (core/cpu/loops.hpp),
/// and the totals of tiles in the same way.  So the result is the same for any number of threads,
/// and on all processors.  Structs take the latency of their operator too: compositions of affine
/// functions take half the time by halves of a tile (docs/lab/host_scans.md).

#include <ravel/core/cpu/flow.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/primitives/cpu/reduce_carried.hpp>
#include <ravel/primitives/cpu/reduce_halves.hpp>
#include <ravel/primitives/cpu/scan_numbers.hpp>
#include <ravel/primitives/reduce/call.hpp>
#include <ravel/primitives/reduce/steps.hpp>

namespace ravel::inline v0 {
namespace cpu {
namespace detail {

/// Up to so many elements are reduced by an inlined loop: floating-point numbers in the order of
/// the vector loop, integers in any.  More for integers if the compiler's vectors have 32 bytes:
/// its inlined loop is then as fast as the vector loop out of line.
template <class T>
inline constexpr index_t few_of_reduce = (!std::integral<T>          ? 1
                                          : simd::vector_bytes >= 32 ? 33
                                                                     : 4) *
                                         loops::small_group_width<T>;

template <class Call>
inline constexpr auto reduces_in_vectors =
    needs(need{loops::known<decltype(Call::m)>,
               "plus, a minimum, a maximum or a bit operation of numbers"},
          need{ignores_tiles<decltype(Call::load)>, "a load without on(tile)"});

/// The number of elements of a tile.
template <class T>
inline constexpr index_t reduce_width = 65536 / sizeof(T);

/// Out of line: then the form of few elements inlines into the caller, which need not save
/// registers for this.
template <class Load, class M, class Seed, class Total>
[[gnu::noinline]] void reduce_some(index_t n, Load load, M m, Seed seed, Total total) {
  total(combined(m, load, {0, 0, n}, carrier_t<M>(seed())));
}
/// Whether one thread reduces n elements of memory at least as fast as several: it adds up 1 MiB of
/// integers in 11 us, if they are in a cache.  If they are not, more than four threads help.
template <class T, class Ex>
bool are_few_to_reduce(Ex const& ex, index_t n) {
  return n <= (std::integral<T> && threads_of(ex) <= 4 ? 16 : 1) * reduce_width<T>;
}

/// Reduces tiles of reduce_width<T> elements: totals[t.id] = m.identity() * load(t.begin) * ...
template <class Ex, class Load, class M, class T>
void reduce_each_tile(Ex const& ex, index_t n, Load load, M m, T* totals) {
  // The prefetch distance.  For contiguous elements a page, which takes longer to reduce than the
  // memory latency; for elements that are loaded to a buffer first, one such load.
  constexpr bool is_plain = std::same_as<Load, contiguous<T>>;
  constexpr index_t ahead = is_plain ? 4096 / index_t{sizeof(T)} : batch<T>;
  bool const prefetches = n >= beyond_caches / index_t{sizeof(T)} && !on_amd();
  auto const reduced = [&](tile t, T carry) {
    if (!prefetches) return combined(m, load, t, carry);
    return combined(m, load, t, carry, prefetch_range_of(load, t.begin + ahead, t.end + ahead));
  };
  auto const reduce_tile = [&](worker, tile t) { totals[t.id] = reduced(t, T(m.identity())); };
  ex.for_each_tile_of(reduce_width<T>, n, reduce_tile);
}
template <class Ex, class Load, class M, class Seed, class Total>
[[gnu::noinline]] void reduce_many(Ex const& ex, index_t n, Load load, M m, Seed seed,
                                   Total total) {
  using T = carrier_t<M>;
  constexpr index_t width = reduce_width<T>;
  if (std::same_as<Load, contiguous<T>> && are_few_to_reduce<T>(ex, n)) {
    return reduce_some(n, load, m, seed, total);
  }
  auto const totals = ex.template scratch<T>(div_up(n, width));
  reduce_each_tile(ex, n, load, m, totals.data());
  if (totals.size() > width) {
    return reduce_many(ex, totals.size(), contiguous<T>{totals.data()}, m, seed, total);
  }
  reduce_some(totals.size(), contiguous<T>{totals.data()}, m, seed, total);
}

}  // namespace detail

struct reduce_few {
  static constexpr auto name = "few";
  static constexpr auto why =
      "One by one, inlined into the caller, without what vectors need for large inputs.";
  template <class Call>
  static constexpr auto types = detail::reduces_in_vectors<Call>;
  template <class Call>
  [[gnu::always_inline]] static constexpr auto now(Call const& c, host const&) {
    return needs(
        need{c.n < detail::few_of_reduce<typename Call::value_type>,
             "fewer than 128 bytes of floating-point numbers, or 512 of integers, 4224 where "
             "the compiler has vectors of 32 bytes"});
  }
  template <class Ex, class Call>
  [[gnu::always_inline]] static void run(Ex const&, Call const& c) {
    ravel::detail::assume(c.n < detail::few_of_reduce<typename Call::value_type>);
    c.total(worker::reduce({0, 0, c.n}, c.load, c.m, typename Call::value_type(c.seed())));
  }
};

struct reduce_numbers {
  static constexpr auto name = "numbers";
  static constexpr auto why =
      "In vector registers: a tree of 1 KiB of elements, and tiles of 64 KiB by several threads, "
      "of integers in memory from 1 MiB on if there are up to four.";
  template <class Call>
  static constexpr auto types = detail::reduces_in_vectors<Call>;
  template <class Ex, class Call>
  [[gnu::always_inline]] static void run(Ex const& ex, Call const& c) {
    using T = typename Call::value_type;
    if (c.n > detail::reduce_width<T>) {
      detail::reduce_many(ex, c.n, c.load, c.m, c.seed, c.total);
    } else if (std::integral<T> || c.n > loops::group_width<T>) {
      detail::reduce_some(c.n, c.load, c.m, c.seed, c.total);
    } else {  // few floating-point numbers: the loop takes much longer than its call
      c.total(detail::combined(c.m, c.load, {0, 0, c.n}, T(c.seed())));
    }
  }
};

struct reduce_by_halves {
  static constexpr auto name = "by_halves";
  static constexpr auto why =
      "The two halves of a tile at once: the latency of the operator counts once for two "
      "elements.";
  template <class Call>
  static constexpr auto types = [] {
    using T = typename Call::value_type;
    return needs(need{std::is_class_v<T> && std::is_trivially_copyable_v<T> && sizeof(T) <= 32,
                      "trivially copyable structs of at most 32 bytes"},
                 need{detail::ignores_tiles<decltype(Call::load)>, "a load without on(tile)"});
  }();
  [[gnu::always_inline]] static constexpr auto now(auto const& c, host const&) {
    return needs(need{c.n >= 512, "512 elements or more"});
  }
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    using T = typename Call::value_type;
    detail::reduce_tiles(ex, c, [&](tile t) { return detail::reduce_halves<T>(t, c.load, c.m); });
  }
};

}  // namespace cpu

template <>
struct form_table<reduce_family, cpu::host>
    : forms<cpu::reduce_few, cpu::reduce_numbers, cpu::reduce_tuples, cpu::reduce_recurrence,
            cpu::reduce_by_halves, reduce_by_steps> {};

}  // namespace ravel::inline v0
