#pragma once

/// Pack on the host: the table of forms, and the forms.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/primitives/cpu/pack.hpp>
#include <ravel/primitives/pack/call.hpp>
#include <ravel/primitives/pack/steps.hpp>

namespace ravel::inline v0 {
namespace cpu {

struct pack_few_elements {
  static constexpr auto name = "few";
  static constexpr auto why =
      "One by one: a word of 64 flags is not worth making.  The kept indices are written down "
      "without a branch, and then visited.";
  static constexpr auto now(auto const& c, host const&) {
    return needs(
        need{c.n < detail::few_kept<decltype(c.keep)>,
             "fewer than 64 elements, or than 65 where each is compared with the one before"});
  }
  [[gnu::always_inline]] static void run(auto const&, auto const& c) {
    c.total(detail::pack_few(c.n, c.keep, c.visit));
  }
};

struct pack_in_tiles {
  static constexpr auto name = "words_in_tiles";
  static constexpr auto why =
      "Each keep is evaluated once, 64 at a time, and kept as bits; a thread counts those of its "
      "tile and moves the elements, which its cache still holds, without a branch for each.  Wide "
      "or composite keys whose changes do not vary in distance are compared in a serial loop.";
  [[gnu::always_inline]] static void run(auto const& ex, auto const& c) {
    auto const keep =
        c.keep;  // copies, so that the form of few elements finds the call in registers
    auto const visit = c.visit;
    detail::pack_by_tiles(ex, c.n, keep, visit, c.total);
  }
};

}  // namespace cpu

template <>
struct form_table<pack_family, cpu::host> : forms<cpu::pack_few_elements, cpu::pack_in_tiles> {};

}  // namespace ravel::inline v0
