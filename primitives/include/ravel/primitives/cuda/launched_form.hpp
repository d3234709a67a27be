#pragma once

/// @file
/// What forms on a device have in common: their launch, and needs of several tables.  A host
/// compiler can read it.

#include <ravel/core/cuda/device.hpp>
#include <ravel/core/run_call.hpp>
#include <ravel/core/table.hpp>
#include <ravel/primitives/cuda/bulk_types.hpp>

#include <cstdint>

namespace ravel::inline v0::gpu {

/// Launches a form: overloads for `executor`, where kernels are compiled.  A host compiler sees
/// none of them, and runs the tests' device in software by steps.
template <class Form, class Ex, class Call>
void launch_form(Form, Ex const& ex, Call const& c) {
  run_call_by<first_fitting_t<typename Call::family::by_steps, Call>>(ex, c);
}

namespace detail {

template <class Form>
struct launched_form {
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    launch_form(Form{}, ex, c);
  }
};

template <class... Pointers>
need ends_aligned(Pointers... ends) {
  return {(reinterpret_cast<std::uintptr_t>(ends) | ...) % bulk_bytes == 0,
          "sequences that begin at multiples of 16 bytes"};
}
inline need streams_tiles(device const& d) {
  return {has_streams(d), "bulk copies and 227 KiB of shared memory (compute capability 9.0)"};
}

}  // namespace detail
}  // namespace ravel::inline v0::gpu
