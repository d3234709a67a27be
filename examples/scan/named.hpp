#pragma once

/// The named scans: their papers, and the options that choose them.

#include <ravel/primitives/scan_algorithm.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ravel::examples {

struct named_scan {
  std::string_view name, source, figure;  // what the paper says of it
  bool needs_device = false;
};
inline constexpr named_scan named_scans[] = {
    {"naive", "the definition", "n^2 / 2 operations"},
    {"step_doubling", "Hillis and Steele 1986", "n log2 n operations in log2 n steps"},
    {"work_efficient", "Blelloch 1990", "2 n operations in 2 log2 n steps"},
    {"work_efficient_unpadded", "Blelloch 1990", "the same, with conflicts of banks"},
    {"brent_kung", "Brent and Kung 1982", "2 n operations in 2 log2 n - 1 steps"},
    {"warp_hierarchical", "Sengupta, Harris and Garland 2008", "three kernels, which move 4 n"},
    {"reduce_then_scan", "Dotsenko et al. 2008", "three kernels, which move 3 n"},
    {"chained_cyclic", "Liu and Aluru 2016", "one pass; a message a tile", true},
    {"lightscan", "Liu and Aluru 2016", "25.5 billion elements a second on a K40c", true},
    {"decoupled_look_back", "Merrill and Garland 2016", "one pass, which moves 2 n", true},
    {"local_sums", "Maleki, Yang and Burtscher 2016", "as fast as a copy on a Titan X", true},
    {"look_ahead", "ravel", "look-back in a fixed order", true},
};
inline named_scan const& scan_named(std::string_view name) {
  return *std::find_if(std::begin(named_scans), std::end(named_scans),
                       [&](named_scan const& each) { return each.name == name; });
}

/// f() for no name, and f(option) for that of an algorithm.
///
/// Errors   std::invalid_argument for one that needs a device, where there is none.
template <bool OnDevice, class F>
auto with_scan(std::string const& name, F const& f) {
  using namespace scan_algorithm;
  if (name == "naive") return f(naive);
  if (name == "step_doubling") return f(step_doubling);
  if (name == "work_efficient") return f(work_efficient);
  if (name == "work_efficient_unpadded") return f(work_efficient_unpadded);
  if (name == "brent_kung") return f(brent_kung);
  if (name == "warp_hierarchical") return f(warp_hierarchical);
  if (name == "reduce_then_scan") return f(reduce_then_scan);
  if constexpr (OnDevice) {
    if (name == "chained_cyclic") return f(chained_cyclic);
    if (name == "lightscan") return f(lightscan);
    if (name == "decoupled_look_back") return f(decoupled_look_back);
    if (name == "local_sums") return f(local_sums);
    if (name == "look_ahead") return f(look_ahead);
  } else if (!name.empty()) {
    throw std::invalid_argument(name + " needs a device: --device cuda, or --device software");
  }
  return f();
}

}  // namespace ravel::examples
