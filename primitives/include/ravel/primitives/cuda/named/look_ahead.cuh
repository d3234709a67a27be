#pragma once

/// The named algorithm look_ahead: the device's default single-pass scan.

#include <ravel/primitives/cuda/scan.cuh>
#include <ravel/primitives/named/device_scans.hpp>

namespace ravel::inline v0::scan_algorithm {

template <class Load, class Visit, class M, class Seed, class Total>
void scan_by(look_ahead_t, gpu::executor const& ex, index_t n, Load load, Visit visit, M m,
             Seed seed, Total total) {
  scan_on(ex, n, load, visit, m, seed, total);
}

}  // namespace ravel::inline v0::scan_algorithm
