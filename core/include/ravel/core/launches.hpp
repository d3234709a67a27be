#pragma once

/// The number of kernels launched, for tools that explain what a program does.

#include <ravel/core/tile.hpp>

namespace ravel::inline v0 {
namespace detail {

inline thread_local index_t launches_of_thread = 0;

}  // namespace detail

/// The number of kernels that the calling thread has launched so far, on all devices.
///
///     index_t const before = kernels_launched();
///     sort(ex, in, out);
///     kernels_launched() - before
///
/// Launches that a plan only rehearses or a graph replays are not counted.
///
/// Cost     O(1): a thread-local counter, which each launch increments.
/// Errors   None.  It never waits for a device.
inline index_t kernels_launched() { return detail::launches_of_thread; }

}  // namespace ravel::inline v0
