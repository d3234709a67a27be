#pragma once

/// core/cuda/shared.cuh for a device in software.

#include <ravel/software_device/device.hpp>

namespace ravel::inline v0::gpu {

inline char* shared_bytes() { return software::device::shared(); }

}  // namespace ravel::inline v0::gpu
