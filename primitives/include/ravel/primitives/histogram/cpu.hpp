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
  static constexpr auto why =
      "One thread counts; fewer than 32768 elements are counted before another thread is awake.";
  template <class Call>
  static constexpr auto now(Call const& c, host const& m) {
    return needs(need{!m.several_threads || c.n < detail::fewest_to_count_by_threads,
                      "one thread, or fewer than 32768 elements"});
  }
  [[gnu::always_inline]] static void run(auto const&, auto const& c) {
    detail::count_in_turn(c.n, c.bin, c.counts, c.bins);
  }
};

struct histogram_by_threads {
  static constexpr auto name = "by_threads";
  static constexpr auto why =
      "Each thread has counts of its own, which are summed at the end.  Atomic additions are taken "
      "by 8 threads or more, for so many bins that the sums would take longer.";
  [[gnu::noinline]] static void run(auto const& ex, auto const& c) {
    index_t const threads = detail::threads_that_count(ex, c.n);
    if (threads == 1) {
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
