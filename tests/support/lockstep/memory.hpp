#pragma once

/// @file
/// Memory of a device in software, which notices what is written behind its end.

#include <cstddef>

namespace ravel::testing::lockstep::device_memory {

void* allocate(std::size_t bytes);  // null where there is none
void free(void* freed);

/// Whether all of these bytes were allocated.
bool has(void const* first, std::size_t bytes);

/// Whether nothing was written behind an end since the last time somebody asked.
bool intact();

}  // namespace ravel::testing::lockstep::device_memory
