#pragma once

/// Partial sort on the host: the table of forms, and that for small k.

#include <ravel/algorithms/cpu/least_elements.hpp>
#include <ravel/algorithms/partial_sort/steps.hpp>
#include <ravel/core/cpu/host.hpp>
#include <ravel/core/cpu/worker.hpp>

namespace ravel::inline v0 {
namespace cpu {

struct partial_sort_in_one_pass : partial_sort_by_steps {
  static constexpr auto name = "in_one_pass";
  static constexpr auto why =
      "Each thread keeps candidates and their positions, if k is at most n / 64, or n / 16 of "
      "up to 16384 elements; else by_steps.";
  static auto now(auto const& c, host const&) {
    return needs(need{c.k <= c.data.size() / 3, "at most a third of the elements are sorted"});
  }
  template <class Ex, class T, class Before>
  static void run(Ex const& ex, partial_sort_call<T, host_space, Before> const& c) {
    if (!detail::are_few_of(c.k, c.data.size(), detail::threads_of(ex))) {
      return run_call_by<partial_sort_by_steps>(ex, c);
    }
    ravel::detail::bring_to_front(ex, c, [&](T* least, index_t* chosen) {
      T* const data = c.data.data();
      detail::write_least(ex, view<T const>(c.data), c.k, ravel::detail::order_of_elements(c),
                          [=](index_t i, auto const& p) {
                            least[i] = p.in(data);
                            chosen[i] = p.place;
                          });
    });
  }
};

}  // namespace cpu

template <>
struct form_table<partial_sort_family, cpu::host>
    : forms<cpu::partial_sort_in_one_pass, partial_sort_of_all> {};

}  // namespace ravel::inline v0
