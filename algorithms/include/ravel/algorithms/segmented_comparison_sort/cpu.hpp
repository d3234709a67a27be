#pragma once

/// Segmented comparison sort on the host, the table of forms and the forms: one thread sorts each
/// segment within its cache; all threads together sort each longer one.

#include <ravel/algorithms/cpu/each_segment.hpp>
#include <ravel/algorithms/cpu/sort_tile.hpp>
#include <ravel/algorithms/segmented_comparison_sort/steps.hpp>
#include <ravel/algorithms/segmented_sort/steps.hpp>
#include <ravel/core/cpu/host.hpp>

namespace ravel::inline v0 {
namespace cpu {

struct segmented_comparison_sort_by_threads {
  static constexpr auto name = "by_threads";
  static constexpr auto why =
      "A thread merges whole segments in its cache; longer ones are sorted by all threads.";
  template <class Call>
  static constexpr auto types = needs(ravel::detail::segments_have_numbers<Call>);
  template <class Ex, class K, class V, class Before, class S>
  static void run(Ex const& ex,
                  segmented_comparison_sort_call<comparison_sort_call<K, V, Before>, S> const& c) {
    auto const& whole = c.sort;
    auto const spare_keys = ex.template scratch<K>(whole.n);
    auto const spare_values = ex.template scratch<V>(rows<K, V>::has_values ? whole.n : 0);
    detail::sort_tile<K, V, Before> const sort{
        whole.out, {spare_keys.data(), spare_values.data()}, whole.before};
    bool const copies = whole.in.keys != whole.out.keys || whole.in.values != whole.out.values;
    detail::for_each_segment(
        ex, c.segments, whole.n, detail::nanoseconds{10},
        [&](index_t, index_t begin, index_t end) {
          for (index_t i = begin; copies && i < end; ++i) whole.out.set(i, whole.in, i);
          if (end - begin > 1) sort(worker{}, tile{0, begin, end});
        },
        [&](index_t, index_t begin, index_t end) {
          run_call(ex, comparison_sort_call<K, V, Before>{end - begin, whole.in.from(begin),
                                                          whole.out.from(begin), whole.before});
        });
  }
};

}  // namespace cpu

template <>
struct form_table<segmented_comparison_sort_family, cpu::host>
    : forms<segmented_sort_of_heads, cpu::segmented_comparison_sort_by_threads> {};

}  // namespace ravel::inline v0
