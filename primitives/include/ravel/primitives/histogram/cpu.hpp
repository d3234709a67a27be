#pragma once

/// Histogram on the host: the table of forms, and the forms.

#include <ravel/core/cpu/host.hpp>
#include <ravel/primitives/cpu/histogram.hpp>
#include <ravel/primitives/histogram/call.hpp>
#include <ravel/primitives/histogram/steps.hpp>

namespace ravel::inline v0 {
namespace cpu {

struct histogram_in_turn {
  static constexpr auto name = "in_turn";
  static constexpr auto why = "One table of counts; more of them would have to be summed.";
  static constexpr auto now(auto const& c, host const&) {
    return needs(need{c.n < 8192, "fewer than 8192 elements"});
  }
  [[gnu::always_inline]] static void run(auto const&, auto const& c) {
    detail::count_in_turn(c.n, c.bin, c.counts, c.bins);
  }
};

struct histogram_by_threads {
  static constexpr auto name = "by_threads";
  static constexpr auto why =
      "Each thread has counts of its own, four tables where there are few bins, which are summed "
      "at the end.  Atomic additions are taken by 8 threads or more, for so many bins that the "
      "sums would take longer.";
  [[gnu::noinline]] static void run(auto const& ex, auto const& c) {
    index_t const threads =
        c.n < detail::fewest_to_count_by_threads ? 1 : detail::threads_that_count(ex, c.n);
    if (threads == 1 && !detail::pays_for_tables(c.n, c.bins)) {
      detail::count_in_turn(c.n, c.bin, c.counts, c.bins);
    } else {
      detail::histogram_of_many(ex, threads, c);
    }
  }
};

}  // namespace cpu

template <>
struct form_table<histogram_family, cpu::host>
    : forms<cpu::histogram_in_turn, cpu::histogram_by_threads> {};

}  // namespace ravel::inline v0
