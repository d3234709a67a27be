#pragma once

/// @file
/// The forms of primitives that are the device's own, for cuda::executor on a
/// device in software.  nvcc finds them by itself.

#ifndef __CUDACC__
#  include <cuda_runtime_api.h>  // as nvcc does by itself: ours, of support/lockstep
#endif

#include <ravel/core/cuda/executor.cuh>
#include <ravel/primitives/cuda/scan.cuh>
