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

/// The bytes per second, read and written together, that a plain copy between
/// two large arrays moves: memcpy with the same threads on the CPU, the
/// driver's copy on the device.  The median of several, after one untimed.
///
/// Shapes   Two arrays of 256 MiB, beyond any cache.
template <class Backend>
double copy_bandwidth(int threads);

}  // namespace ravel::examples
