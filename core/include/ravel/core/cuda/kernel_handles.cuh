#pragma once

/// @file
/// The function handles of kernels, and launches by them through the driver API.
///
/// The runtime looks the kernel up and does bookkeeping at each launch: on an H200's host 0.4 of
/// 3.3 microseconds, which count in a scan of few elements.

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <unordered_map>

namespace ravel::inline v0::gpu {
namespace detail {

/// The dynamic shared memory that a kernel can use without opting in.
inline constexpr std::size_t default_shared_bytes = 48 << 10;

/// The function handles of kernels in one context.
///
/// Opting in to more shared memory is done here, on the pointer that is launched: each translation
/// unit has its own pointer to an instance of a kernel template, while the linker keeps one copy of
/// its callers.
class kernel_handles {
  decltype(&cuLaunchKernel) launch_ = nullptr;
  decltype(&cuCtxGetCurrent) current_ = nullptr;
  CUcontext context_ = nullptr;

  struct handle {
    CUfunction of = nullptr;
    std::size_t shared_bytes = default_shared_bytes;  // the opted-in limit
  };
  std::unordered_map<void const*, handle> known_;

  template <class F>
  static F of_driver(char const* name) {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    bool const succeeded = cudaGetDriverEntryPointByVersion(name, &entry, 4000, cudaEnableDefault,
                                                            &found) == cudaSuccess;
    return reinterpret_cast<F>(succeeded && found == cudaDriverEntryPointSuccess ? entry : nullptr);
  }

  CUcontext current() const {
    CUcontext context = nullptr;
    return current_ && current_(&context) == CUDA_SUCCESS ? context : nullptr;
  }

  /// The handle of a kernel that can use `shared_bytes`; null if the runtime refuses.
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
  /// Binds to the current context.
  void begin() {
    launch_ = of_driver<decltype(launch_)>("cuLaunchKernel");
    current_ = of_driver<decltype(current_)>("cuCtxGetCurrent");
    context_ = current();
  }

  /// Launches a kernel if that context is current and the driver accepts it; returns whether it
  /// did.  If not, launch through the runtime, which reports the error.
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
