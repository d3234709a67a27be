#pragma once

/// Scan then pack on the host: the table of forms, and the forms.

#include <ravel/core/cpu/chained_scan_of_counts.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/primitives/cpu/scan_then_pack.hpp>
#include <ravel/primitives/scan_then_pack/call.hpp>
#include <ravel/primitives/scan_then_pack/steps.hpp>

namespace ravel::inline v0 {
namespace cpu {
namespace detail {

template <class Call>
using tiles_of_call =
    scan_then_pack_tiles<decltype(Call::load), decltype(Call::m), decltype(Call::step),
                         decltype(Call::visit), decltype(Call::total)>;
template <class Call>
constexpr auto fits_in_cache() {
  using tiles = tiles_of_call<Call>;
  return needs(need{sizeof(typename tiles::T) <= 64 && sizeof(typename tiles::U) <= 64,
                    "values, and what is made of them, of at most 64 bytes"});
}
template <class Call>
tiles_of_call<Call> make_tiles(Call const& c) {
  return {c.n, c.load, c.m, c.step, c.visit, c.total};
}

}  // namespace detail

struct scan_then_pack_of_none {
  static constexpr auto name = "no_elements";
  static constexpr auto why = "Nothing is made.";
  template <class Call>
  static constexpr auto types = detail::fits_in_cache<Call>();
  static auto now(auto const& c, host const&) { return needs(need{c.n == 0, "no elements"}); }
  static void run(auto const&, auto const& c) { c.total(index_t{0}); }
};

struct scan_then_pack_in_turn {
  static constexpr auto name = "tiles_in_turn";
  static constexpr auto why =
      "One thread goes from the first tile to the last, and needs no earlier totals; few tiles are "
      "done before another thread is awake.  Sums are grouped as by several threads.";
  template <class Call>
  static constexpr auto types = detail::fits_in_cache<Call>();
  template <class Call>
  static auto now(Call const& c, host const& m) {
    return needs(
        need{!m.several_threads || c.n < 4 * detail::tiles_of_call<Call>::width,
             "one thread, or fewer than 4 tiles, of 64 KiB and no fewer than 1024 values"});
  }
  template <class Ex, class Call>
  static void run(Ex const&, Call const& c) {
    using tiles = detail::tiles_of_call<Call>;
    using T = typename tiles::T;
    tiles const work = detail::make_tiles(c);
    tiles local = work;
    T ahead = T(c.seed());
    index_t place = 0;
    for (index_t t = 0; t < div_up(c.n, tiles::width); ++t) {
      index_t const kept = local.keep(t, ahead, t + 1);
      local.place(t, place);
      place += kept;
    }
    if (work.streaming) stream_fence();
  }
};

struct scan_then_pack_in_tiles {
  static constexpr auto name = "chained_tiles";
  static constexpr auto why =
      "Each tile is read from memory once: the thread of one passes on what is through it, and "
      "later how many it keeps.";
  template <class Call>
  static constexpr auto types = detail::fits_in_cache<Call>();
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    using tiles = detail::tiles_of_call<Call>;
    tiles const work =
        detail::make_tiles(c);  // only the threads' copies of it allocate room for kept results
    chained_scan_of_counts(ex, div_up(c.n, tiles::width), typename tiles::T(c.seed()), c.m, work,
                           detail::at_least(c.n));
  }
};

}  // namespace cpu

template <>
struct form_table<scan_then_pack_family, cpu::host>
    : forms<cpu::scan_then_pack_of_none, cpu::scan_then_pack_in_turn, cpu::scan_then_pack_in_tiles,
            scan_then_pack_by_steps> {};

}  // namespace ravel::inline v0
