#pragma once

/// Segmented pack on the host: the table of forms, and the forms.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/primitives/cpu/segmented_pack.hpp>
#include <ravel/primitives/segmented_pack/call.hpp>
#include <ravel/primitives/segmented_pack/steps.hpp>

namespace ravel::inline v0 {
namespace cpu {

struct segmented_pack_of_none {
  static constexpr auto name = "no_elements";
  static constexpr auto why = "All segments are empty, and begin at 0.";
  static auto now(auto const& c, host const&) { return needs(need{c.n == 0, "no elements"}); }
  static void run(auto const&, auto const& c) {
    detail::begins_at_end<decltype(c.segments), decltype(c.begins)>{c.segments, c.begins, c.n}(0);
  }
};

struct segmented_pack_in_tiles {
  static constexpr auto name = "words_in_tiles";
  static constexpr auto why =
      "The pack of the host, whose bits also say how many elements of a tile are kept before a "
      "segment.";
  static void run(auto const& ex, auto const& c) {
    using Segments = decltype(c.segments);
    using Begins = decltype(c.begins);
    detail::pack_by_tiles(ex, c.n, c.keep, c.visit,
                          detail::begins_at_end<Segments, Begins>{c.segments, c.begins, c.n},
                          detail::begins_in_tile<Segments, Begins>{c.segments, c.begins});
  }
};

}  // namespace cpu

template <>
struct form_table<segmented_pack_family, cpu::host>
    : forms<cpu::segmented_pack_of_none, cpu::segmented_pack_in_tiles> {};

}  // namespace ravel::inline v0
