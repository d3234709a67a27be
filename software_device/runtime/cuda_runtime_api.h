#pragma once

/// The part of the CUDA runtime that this library uses, for a device in software, whose memory is
/// the host's and whose streams have completed their work when a call returns.  Programs of
/// the host compiler include it in place of NVIDIA's, and so compile every .cuh unchanged.

#include <ravel/software_device/intrinsics.hpp>
#include <ravel/software_device/memory.hpp>

#include <ravel/core/function_ref.hpp>

#include <cstdlib>
#include <cstring>

enum cudaError_t {
  cudaSuccess,
  cudaErrorIllegalAddress,
  cudaErrorInvalidValue,
  cudaErrorMemoryAllocation,
  cudaErrorCooperativeLaunchTooLarge
};
using cudaStream_t = struct software_stream*;
using cudaMemPool_t = struct software_pool*;

inline char const* cudaGetErrorString(cudaError_t code) {
  switch (code) {
    case cudaSuccess:
      return "no error";
    case cudaErrorIllegalAddress:
      return "something was written past the end of an allocation";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorCooperativeLaunchTooLarge:
      return "too many blocks in cooperative launch";
  }
  return "unknown error";
}
inline cudaError_t cudaGetLastError() { return cudaSuccess; }

inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount,
  cudaDevAttrMaxSharedMemoryPerBlockOptin,
  cudaDevAttrComputeCapabilityMajor,
  cudaDevAttrComputeCapabilityMinor
};
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr what, int) {
  *value = what == cudaDevAttrMultiProcessorCount
               ? static_cast<int>(ravel::software::device::multiprocessors)
           : what == cudaDevAttrComputeCapabilityMajor ? 9
           : what == cudaDevAttrComputeCapabilityMinor ? 0
                                                       : 227 << 10;
  return cudaSuccess;
}

struct cudaFuncAttributes {
  int ptxVersion, binaryVersion;
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize,
  cudaFuncAttributePreferredSharedMemoryCarveout
};
template <class F>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, F) {
  *attributes = {90, 90};
  return cudaSuccess;
}
template <class F>
cudaError_t cudaFuncSetAttribute(F, cudaFuncAttribute, int) {
  return cudaSuccess;
}

inline cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = nullptr;
  return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return ravel::software::device_memory::intact() ? cudaSuccess : cudaErrorIllegalAddress;
}

enum cudaMemAllocationType { cudaMemAllocationTypePinned = 1 };
enum cudaMemLocationType { cudaMemLocationTypeDevice = 1 };
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold };
enum cudaMemcpyKind { cudaMemcpyDefault };
struct cudaMemLocation {
  cudaMemLocationType type;
  int id;
};
struct cudaMemPoolProps {
  cudaMemAllocationType allocType;
  cudaMemLocation location;
};
inline cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, cudaMemPoolProps const*) {
  *pool = nullptr;
  return cudaSuccess;
}
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return cudaSuccess;
}
inline cudaError_t cudaMemPoolDestroy(cudaMemPool_t) { return cudaSuccess; }
inline cudaError_t cudaMallocFromPoolAsync(void** p, std::size_t bytes, cudaMemPool_t,
                                           cudaStream_t) {
  *p = ravel::software::device_memory::allocate(bytes);
  return *p != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline cudaError_t cudaMallocHost(void** p, std::size_t bytes) {
  *p = std::malloc(bytes);
  return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline cudaError_t cudaFreeHost(void* p) {
  std::free(p);
  return cudaSuccess;
}
inline cudaError_t cudaFreeAsync(void* p, cudaStream_t) {
  ravel::software::device_memory::free(p);
  return cudaSuccess;
}
/// Reports an active capture, so that freed blocks are not reused: AddressSanitizer then sees the
/// bounds and the lifetime of each block.
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive };
inline cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusActive;
  return cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t) {
  std::memset(to, byte, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t bytes, cudaMemcpyKind,
                                   cudaStream_t) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};
enum cudaLaunchAttributeID { cudaLaunchAttributeCooperative };
struct cudaLaunchAttributeValue {
  int cooperative;
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};
/// Not a template: it is compiled once for all kernels.
static inline cudaError_t launch_in_software(cudaLaunchConfig_t const& config,
                                             ravel::detail::function_ref<void()> thread) {
  using ravel::software::device;
  bool all_at_once = false;
  for (unsigned k = 0; k < config.numAttrs; ++k) all_at_once |= config.attrs[k].val.cooperative;
  if (config.gridDim.x == 0 || config.blockDim.x == 0 || config.blockDim.x > 1024) {
    return cudaErrorInvalidValue;
  }
  if (all_at_once && config.gridDim.x > device::room) {
    return cudaErrorCooperativeLaunchTooLarge;
  }
  device::launch({config.gridDim.x, config.blockDim.x, all_at_once, config.dynamicSmemBytes, false,
                  RAVEL_WARP_SIZE},
                 thread);
  return cudaSuccess;
}
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(cudaLaunchConfig_t const* config, void (*kernel)(P...),
                               A&&... args) {
  return launch_in_software(*config, [&] { kernel(P(args)...); });
}
template <class F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F, int, std::size_t) {
  *blocks = ravel::software::device::room / ravel::software::device::multiprocessors;
  return cudaSuccess;
}
