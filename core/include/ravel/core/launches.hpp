#pragma once

/// @file
/// How many kernels have been launched, for who explains what a program does.

#include <ravel/core/tile.hpp>

namespace ravel::inline v0 {
namespace detail {

inline thread_local index_t launches_of_thread = 0;

}  // namespace detail

/// How many kernels the calling thread has launched so far, on all devices.
///
///     index_t const before = kernels_launched();
///     sort(ex, in, out);
///     kernels_launched() - before
///
/// What a plan rehearses and a graph replays is not launched by a thread, and not counted.
///
/// Cost     O(1): a number of the thread's own, to which each launch adds one.
/// Errors   none; it never waits for a device.
inline index_t kernels_launched() { return detail::launches_of_thread; }

}  // namespace ravel::inline v0
