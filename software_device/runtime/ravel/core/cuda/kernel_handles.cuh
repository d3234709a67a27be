#pragma once

/// @file
/// core/cuda/kernel_handles.cuh for a device in software, which has no driver.

#include <cuda_runtime_api.h>

#include <cstddef>

namespace ravel::inline v0::gpu {
namespace detail {

inline constexpr std::size_t default_shared_bytes = 48 << 10;

class kernel_handles {
 public:
  void begin() {}
  template <class... P, class... A>
  bool launch(unsigned, int, std::size_t, cudaStream_t, void (*)(P...), A const&...) {
    return false;
  }
};

}  // namespace detail
}  // namespace ravel::inline v0::gpu
