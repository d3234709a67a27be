#pragma once

/// @file
/// Launches of kernels on the stream of an executor.

#include <ravel/core/cuda/error.cuh>
#include <ravel/core/cuda/kernel_handles.cuh>
#include <ravel/core/cuda/memory.cuh>
#include <ravel/core/error.hpp>
#include <ravel/core/launches.hpp>
#include <ravel/core/tile.hpp>

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace ravel::inline v0::gpu {

/// The shape of a launch.  Blocks that wait for later blocks must be resident together: with
/// all_at_once, the launch fails if the device has no room for them.
struct grid {
  index_t blocks;
  int threads;
  bool all_at_once = false;
  std::size_t shared_bytes = 0;  // dynamic shared memory
};

/// Launches kernels on a stream, and knows what fits on its device: the base of gpu::executor.
class launcher {
  static constexpr int most_devices = 64;

  using kernel_pointer = void const*;

  template <auto Kernel>
  void let_share(std::size_t bytes) const {
    static std::atomic<std::size_t> configured[most_devices] = {};
    auto& configured_here = configured[device() % most_devices];
    if (bytes <= configured_here.load()) return;
    allow_shared(reinterpret_cast<kernel_pointer>(Kernel), bytes);
    configured_here.store(bytes);
  }
  void allow_shared(kernel_pointer kernel, std::size_t bytes) const {
    on_device const here(device());
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(bytes)),
          "gpu::executor: requesting ", bytes, " bytes of shared memory");
  }

  /// Checks and counts a launch: false in a rehearsal, which launches nothing.
  bool begins_launch(grid const& of) const {
    expects(of.blocks <= 0x7fffffff, "gpu::executor: a grid of ", of.blocks,
            " blocks is more than a device takes");
    if (memory_->rehearses()) return false;
    ++ravel::detail::launches_of_thread;
    return true;
  }
  cudaLaunchConfig_t configured(grid const& of, kernel_pointer kernel,
                                cudaLaunchAttribute& together) const {
    if (of.shared_bytes > detail::default_shared_bytes) allow_shared(kernel, of.shared_bytes);
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    cudaLaunchConfig_t config{};
    config.gridDim.x = static_cast<unsigned>(of.blocks);
    config.blockDim.x = static_cast<unsigned>(of.threads);
    config.dynamicSmemBytes = of.shared_bytes;
    config.stream = stream();
    config.attrs = &together;
    config.numAttrs = of.all_at_once ? 1 : 0;
    return config;
  }

 protected:
  std::shared_ptr<memory> memory_;

  explicit launcher(std::shared_ptr<memory> of) : memory_(std::move(of)) {}

  unsigned attribute(cudaDeviceAttr which, char const* what) const {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, device()), "gpu::executor: querying device ",
          device(), " ", what);
    return static_cast<unsigned>(value);
  }

 public:
  int device() const { return memory_->device(); }
  cudaStream_t stream() const { return memory_->stream(); }

  /// Launches kernel(args...), a __global__ function, on a grid.
  template <class... P, class... A>
  void launch(grid const& of, void (*kernel)(P...), A const&... args) const {
    if (!begins_launch(of)) return;
    if (!of.all_at_once && memory_->kernels().launch(static_cast<unsigned>(of.blocks), of.threads,
                                                     of.shared_bytes, stream(), kernel, args...)) {
      return;
    }
    on_device const here(device());
    cudaLaunchAttribute together{};
    auto const config = configured(of, reinterpret_cast<kernel_pointer>(kernel), together);
    check(cudaLaunchKernelEx(&config, kernel, args...), "gpu::executor: launching ", of.blocks,
          " blocks of ", of.threads, " threads");
  }

  /// The same for a kernel that needs more than 48 KB of dynamic shared memory.
  template <auto Kernel, class... A>
  void launch_sharing(grid const& of, A const&... args) const {
    let_share<Kernel>(of.shared_bytes);
    launch(of, Kernel, args...);
  }

  /// Sets the shared memory carve-out for a kernel: `bytes` per multiprocessor as shared memory,
  /// the rest as L1.
  template <auto Kernel>
  void leave_to_cache_beside(std::size_t bytes) const {
    static std::atomic<bool> configured[most_devices] = {};
    if (configured[device() % most_devices].exchange(true)) return;
    on_device const here(device());
    check(cudaFuncSetAttribute(Kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                               static_cast<int>(100 * bytes / most_shared_bytes() + 1)),
          "gpu::executor: requesting ", bytes, " bytes of shared memory");
  }

  index_t multiprocessors() const {
    return attribute(cudaDevAttrMultiProcessorCount, "how many multiprocessors it has");
  }
  /// The most shared memory that a block can use (opt-in limit).
  std::size_t most_shared_bytes() const {
    return attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, "how much shared memory it has");
  }

  /// The number of blocks of `threads` threads of a kernel that can be resident on the device at
  /// once, each with `shared_bytes` of dynamic shared memory.
  template <class... P>
  index_t room_for(void (*kernel)(P...), int threads, std::size_t shared_bytes = 0) const {
    on_device const here(device());
    int blocks = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes),
          "gpu::executor: querying how many blocks fit on a multiprocessor");
    return multiprocessors() * blocks;
  }
  /// The same for a kernel that needs more than 48 KB of dynamic shared memory.
  template <auto Kernel>
  index_t room_sharing(int threads, std::size_t shared_bytes) const {
    let_share<Kernel>(shared_bytes);
    return room_for(Kernel, threads, shared_bytes);
  }
};

}  // namespace ravel::inline v0::gpu
