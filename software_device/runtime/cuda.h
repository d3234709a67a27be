#pragma once

/// The part of the CUDA driver that this library names, for a device in software, which has none: kernels
/// are launched by the runtime.

#include <cuda_runtime_api.h>

using CUcontext = struct software_context*;
using CUfunction = struct software_function*;
enum CUresult { CUDA_SUCCESS };

CUresult cuCtxGetCurrent(CUcontext*);
enum CUlaunchAttributeID { CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION };
struct CUlaunchAttribute {
  CUlaunchAttributeID id;
  struct {
    int programmaticStreamSerializationAllowed;
  } value;
};
struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  cudaStream_t hStream;
  CUlaunchAttribute* attrs;
  unsigned numAttrs;
};
CUresult cuLaunchKernelEx(CUlaunchConfig const*, CUfunction, void**, void**);

enum cudaDriverEntryPointQueryResult {
  cudaDriverEntryPointSuccess,
  cudaDriverEntryPointSymbolNotFound
};
inline constexpr unsigned long long cudaEnableDefault = 0;
inline cudaError_t cudaGetDriverEntryPointByVersion(char const*, void** entry, unsigned,
                                                    unsigned long long,
                                                    cudaDriverEntryPointQueryResult* found) {
  *entry = nullptr;
  *found = cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
inline cudaError_t cudaGetFuncBySymbol(CUfunction*, void const*) { return cudaErrorInvalidValue; }
