#pragma once

/// Split on the host: the table of forms, and the forms.

#include <ravel/core/cpu/host.hpp>
#include <ravel/primitives/cpu/split.hpp>
#include <ravel/primitives/split/call.hpp>
#include <ravel/primitives/split/steps.hpp>

namespace ravel::inline v0 {
namespace cpu {
namespace detail {

template <class Call>
constexpr auto moves_elements_of_split() {
  using T = ravel::detail::moved_by_call<Call>;
  return need{!std::is_void_v<T> && std::is_trivially_copyable_v<T>,
              "elements that are trivially copyable, and moved unchanged"};
}
template <class Call>
void pass_starts(Call const& c, index_t const* begins) {
  for (int d = 0; d <= Call::ways; ++d) c.starts(d, begins[d]);
}

}  // namespace detail

struct split_few {
  static constexpr auto name = "few";
  static constexpr auto why = "A serial loop is fastest for fewer than 80 elements of two parts.";
  template <class Call>
  static constexpr auto types = needs(detail::moves_elements_of_split<Call>());
  template <class Call>
  static constexpr auto now(Call const& c, host const&) {
    return needs(need{c.n < (Call::ways == 2 ? 80 : 1024),
                      "fewer than 80 elements of two parts, or than 1024 of more"});
  }
  template <class Ex, class Call>
  static void run(Ex const&, Call const& c) {
    index_t begins[Call::ways + 1] = {};  // optimised out if the starts are not used
    detail::split_few<Call::ways>(c.n, ravel::detail::on_tile(c.digit, {0, 0, c.n}), c.visit.from,
                                  c.visit.to, begins);
    detail::pass_starts(c, begins);
  }
};

struct split_in_two {
  static constexpr auto name = "in_two";
  static constexpr auto why =
      "Digits are bits, evaluated 64 at once, and each part is packed: one pass.";
  template <class Call>
  static constexpr auto types = [] {
    using T = std::conditional_t<std::is_void_v<ravel::detail::moved_by_call<Call>>, int,
                                 ravel::detail::moved_by_call<Call>>;
    return needs(detail::moves_elements_of_split<Call>(),
                 need{Call::ways == 2 && detail::plain<T> && sizeof(T) <= 64,
                      "two parts, of plain elements of at most 64 bytes"});
  }();
  static void run(auto const& ex, auto const& c) {
    index_t const begins[] = {0, detail::split_in_two(ex, c.n, c.digit, c.visit.from, c.visit.to),
                              c.n};
    detail::pass_starts(c, begins);
  }
};

struct split_by_lines {
  static constexpr auto name = "by_lines";
  static constexpr auto why =
      "Each thread counts the parts of a few long chunks, and writes to each part by whole cache "
      "lines.";
  template <class Call>
  static constexpr auto types = needs(detail::moves_elements_of_split<Call>());
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    using T = ravel::detail::moved_by_call<Call>;
    index_t begins[Call::ways + 1] = {};
    split_rows_on(ex, c.n, Call::ways, c.digit, contiguous<T>{c.visit.from}, c.visit.to, begins);
    detail::pass_starts(c, begins);
  }
};

}  // namespace cpu

template <>
struct form_table<split_family, cpu::host>
    : forms<cpu::split_few, cpu::split_in_two, cpu::split_by_lines, split_by_steps> {};

}  // namespace ravel::inline v0
