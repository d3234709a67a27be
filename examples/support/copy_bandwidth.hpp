#pragma once

/// The machine of a backend: whether it exists, its name, and its
/// copy bandwidth.

#include <string>

namespace ravel::examples {

/// Whether the machine exists.
template <class Backend>
bool is_available();

/// Its name, for people.
template <class Backend>
std::string description(int threads);

/// The bandwidth of a plain copy in bytes per second, reads and writes together, that moves
/// `bytes` in all: memcpy with the same threads on the CPU, the driver's
/// copy on the device.  The median of several copies, after one untimed.
template <class Backend>
double copy_bandwidth(int threads, double bytes);

}  // namespace ravel::examples
