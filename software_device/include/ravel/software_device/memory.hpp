#pragma once

/// Memory of a device in software, which detects writes past its end, and is filled with a pattern
/// until it is written.

#include <cstddef>

namespace ravel::software::device_memory {

/// Memory of the device, in bytes: null if there is no more.
void* allocate(std::size_t bytes);  // null if out of memory
void free(void* freed);

/// Whether all of these bytes were allocated.
bool has(void const* first, std::size_t bytes);

/// Whether no allocation was written past its end since the last call.
bool intact();

}  // namespace ravel::software::device_memory
