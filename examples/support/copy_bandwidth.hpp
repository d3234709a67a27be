#pragma once

/// @file
/// The machine of a backend: whether it is there, what it is called, and how
/// fast it copies memory.

#include <string>

namespace ravel::examples {

/// Whether there is such a machine.
template <class Backend>
bool is_available();

/// What it is, for people.
template <class Backend>
std::string description(int threads);

/// The bytes per second, read and written together, that a plain copy moves which moves
/// `bytes` in all, half of them read: memcpy with the same threads on the CPU, the driver's
/// copy on the device.  The median of several, after one untimed.
template <class Backend>
double copy_bandwidth(int threads, double bytes);

}  // namespace ravel::examples
