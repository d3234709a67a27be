#pragma once

/// Split to parts on the host: by whole cache lines, as in cpu/split.hpp.

#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/cpu/write_combining.hpp>
#include <ravel/primitives/cpu/chunk_counts.hpp>
#include <ravel/primitives/split_parts/call.hpp>
#include <ravel/primitives/split_parts/steps.hpp>

namespace ravel::inline v0 {
namespace cpu {

struct split_parts_by_lines {
  static constexpr auto name = "by_lines";
  static constexpr auto why =
      "Rows are written to their parts by whole cache lines; by_steps, if a part has no room for "
      "its own.";
  template <class Call>
  static constexpr auto types = [] {
    using T = ravel::detail::moved_to_parts_t<Call>;
    return needs(need{!std::is_void_v<T> && std::is_trivially_copyable_v<T>,
                      "elements that are trivially copyable, and moved unchanged"});
  }();
  template <class Ex, int Ways, class Digit, class T, class Counts>
  static void run(Ex const& ex, split_parts_call<Ways, Digit, T, T, Counts> const& c) {
    index_t many[Ways];
    {
      detail::chunk_counts<Ex> const places(ex, c.n, Ways, c.digit);
      bool fits = true;
      for (int d = 0; d < Ways; ++d) {
        many[d] = places.place(d, 0);
        fits &= many[d] <= c.to.room[d];
      }
      if (fits) {
        bool const far = c.n >= beyond_caches / index_t{sizeof(T)};
        ex.for_each_tile_of(
            places.width(), c.n,
            [&](worker, tile t) {
              scatter_rows_to(
                  t, contiguous<T>{c.in}, ravel::detail::on_tile(c.digit, t), Ways, places.of(t.id),
                  [&](index_t d) { return c.to.to[d]; }, far);
            },
            detail::nanoseconds{c.n});
        for (int d = 0; d < Ways; ++d) c.counts(d, many[d]);
        return;
      }
    }
    run_call_by<split_parts_by_steps>(ex, c);
  }
};

}  // namespace cpu

template <>
struct form_table<split_parts_family, cpu::host>
    : forms<cpu::split_parts_by_lines, split_parts_by_steps> {};

}  // namespace ravel::inline v0
