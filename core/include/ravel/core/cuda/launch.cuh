#pragma once

/// @file
/// Launches through the driver, by a kernel's handle.
///
/// The runtime looks a kernel up at each launch, and keeps books.  On an H200's host that is
/// 0.4 of 3.3 microseconds, which a scan of few elements waits for.

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <unordered_map>

namespace ravel::inline v0::gpu {
namespace detail {

/// The shared memory that a kernel may have unasked.
inline constexpr std::size_t unasked_bytes = 48 << 10;

/// The handles of kernels in one context.
///
/// More shared memory is asked for here, with the pointer that is launched: instances of a kernel's
/// template have a pointer in each translation unit, and of callers the linker keeps one.
class kernel_handles {
  decltype(&cuLaunchKernel) launch_ = nullptr;
  decltype(&cuCtxGetCurrent) current_ = nullptr;
  CUcontext context_ = nullptr;

  struct handle {
    CUfunction of = nullptr;
    std::size_t shared_bytes = unasked_bytes;  // that it may have
  };
  std::unordered_map<void const*, handle> known_;

  template <class F>
  static F of_driver(char const* name) {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    bool const asked = cudaGetDriverEntryPointByVersion(name, &entry, 4000, cudaEnableDefault,
                                                        &found) == cudaSuccess;
    return reinterpret_cast<F>(asked && found == cudaDriverEntryPointSuccess ? entry : nullptr);
  }

  CUcontext current() const {
    CUcontext context = nullptr;
    return current_ && current_(&context) == CUDA_SUCCESS ? context : nullptr;
  }

  /// Of a kernel that may have so much shared memory; null if the runtime refuses.
  CUfunction find(void const* kernel, std::size_t shared_bytes) {
    handle& h = known_[kernel];
    if (!h.of && cudaGetFuncBySymbol(&h.of, kernel) != cudaSuccess) h.of = nullptr;
    if (h.of && shared_bytes > h.shared_bytes) {
      if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared_bytes)) != cudaSuccess) {
        return nullptr;
      }
      h.shared_bytes = shared_bytes;
    }
    return h.of;
  }

 public:
  /// Of the context that is current.
  void begin() {
    launch_ = of_driver<decltype(launch_)>("cuLaunchKernel");
    current_ = of_driver<decltype(current_)>("cuCtxGetCurrent");
    context_ = current();
  }

  /// Launches a kernel if that context is current and the driver takes it; returns whether it
  /// did.  Otherwise the runtime is to be asked, which says why not.
  template <class... P, class... A>
  bool launch(unsigned blocks, int threads, std::size_t shared_bytes, cudaStream_t stream,
              void (*kernel)(P...), A const&... args) {
    if (!launch_ || !context_ || current() != context_) return false;
    CUfunction const f = find(reinterpret_cast<void const*>(kernel), shared_bytes);
    if (!f) return false;
    return [&](P... p) {
      void* at[sizeof...(P) + 1] = {&p...};
      return launch_(f, blocks, 1, 1, static_cast<unsigned>(threads), 1, 1,
                     static_cast<unsigned>(shared_bytes), stream, at, nullptr) == CUDA_SUCCESS;
    }(args...);
  }
};

}  // namespace detail
}  // namespace ravel::inline v0::gpu
