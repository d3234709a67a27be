#pragma once

/// What each source of the archive needs.  RAVEL_DEVICE_TYPE is the type that it is compiled for.

#include <cuda_runtime_api.h>

#include <ravel/core/cuda/executor.cuh>
#include <ravel/device/calls.hpp>
