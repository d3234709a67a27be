#pragma once

/// A failed CUDA call becomes an exception.

#include <ravel/core/error.hpp>

#include <string>

#include <cuda_runtime_api.h>

namespace ravel::inline v0 {

/// The error `code` of the CUDA runtime as an exception.  Kernels run asynchronously: a fault
/// inside one is thrown by the next call that waits for it.
struct cuda_error : call_error {
  cudaError_t code;
  cuda_error(cudaError_t c, std::string const& doing)
      : call_error(doing + ": " + cudaGetErrorString(c)), code(c) {}
};

namespace gpu {

namespace detail {

[[noreturn, gnu::cold]] inline void throw_failed(
    cudaError_t code, std::initializer_list<ravel::detail::streamed> doing) {
  // clears the error, which a later call would otherwise report
  static_cast<void>(cudaGetLastError());
  std::string const words = ravel::detail::sentence_of(doing);
  if (code != cudaErrorMemoryAllocation) throw cuda_error(code, words);
  throw allocation_error(words + ": " + cudaGetErrorString(code));
}

}  // namespace detail

/// Throws unless `code` is success; `doing` describes the failed action.  Out of memory becomes an
/// allocation_error, anything else a cuda_error.
template <class... Words>
void check(cudaError_t code, Words const&... doing) {
  if (code != cudaSuccess) detail::throw_failed(code, {doing...});
}

/// Whether there is a device that this process can use.
inline bool available() {
  int count = 0;
  bool const found = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
  static_cast<void>(cudaGetLastError());
  return found;
}

}  // namespace gpu
}  // namespace ravel::inline v0
