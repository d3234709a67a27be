#pragma once

/// @file
/// core/cuda/shared.cuh for a device in software.

#include "support/lockstep/device.hpp"

namespace ravel::inline v0::gpu {

inline char* shared_bytes() { return testing::lockstep::device::shared(); }

}  // namespace ravel::inline v0::gpu
