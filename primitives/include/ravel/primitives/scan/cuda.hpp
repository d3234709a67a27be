#pragma once

/// @file
/// Scan on a device: its table of forms.  A host compiler can read it; kernels are in
/// cuda/scan.cuh.

#include <ravel/core/cuda/device.hpp>
#include <ravel/core/table.hpp>
#include <ravel/primitives/scan/call.hpp>
#include <ravel/primitives/scan/steps.hpp>

namespace ravel::inline v0 {
namespace gpu {

struct scan_no_elements {
  static constexpr auto name = "no_elements";
  static constexpr auto why = "There is a total to be written, or nothing.";
  template <class Call>
  static constexpr auto types() {
    return needs();
  }
  template <class Call>
  static constexpr auto now(Call const& c, device const&) {
    return needs(need{c.n == 0, "no elements"});
  }
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    ravel::detail::scan_none<typename Call::value_type>(ex, c.seed, c.total);
  }
};

/// The overloads of cuda/scan.cuh and of the headers that it names are more special.  This one is for host
/// compilers, which have no kernels: the device in software of the tests.
template <class Ex, class Load, class Visit, class M, class Seed, class Total>
void scan_in_one_pass(Ex const& ex, index_t n, Load load, Visit visit, M m, Seed seed,
                      Total total) {
  run_call_by<scan_by_steps>(ex, describe_scan_on(n, load, visit, m, seed, total));
}

struct scan_by_overloads {
  static constexpr auto name = "the_overloads";
  static constexpr auto why =
      "Orders, tuples, recurrences, segments and scans between memories have kernels that are "
      "still "
      "chosen by overloads of scan_in_one_pass; any other load and visit takes one block for each "
      "tile, "
      "which publishes its total.";
  template <class Call>
  static constexpr auto types() {
    return needs();
  }
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    scan_in_one_pass(ex, c.n, c.load, c.visit, c.m, c.seed, c.total);
  }
};

}  // namespace gpu

template <>
struct form_table<scan_family, gpu::device> {
  using type = forms<gpu::scan_no_elements, gpu::scan_by_overloads>;
};

}  // namespace ravel::inline v0
