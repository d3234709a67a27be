#pragma once

/// Launches of kernels on the stream of an executor, through the driver's function handles.

#include <ravel/core/cuda/error.cuh>
#include <ravel/core/cuda/memory.cuh>
#include <ravel/core/function_ref.hpp>
#include <ravel/core/launches.hpp>
#include <ravel/core/search.hpp>
#include <ravel/core/std_memory.hpp>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <atomic>
#include <vector>

namespace ravel::inline v0::gpu {

/// The shape of a launch.  Blocks that wait for later blocks must be resident together: with
/// all_at_once the launch is cooperative, and fails if the device has no room for all of them.
///
/// A launch that starts_early hides its latency: in code for compute capability 9.0 or later its
/// blocks take their places while the preceding kernel of the stream ends (programmatic dependent
/// launch).  The kernel has to call await_preceding_kernel before it reads or writes memory.
struct grid {
  index_t blocks;
  int threads;
  bool all_at_once = false;
  std::size_t shared_bytes = 0;  // of dynamic shared memory, for each block
  bool starts_early = false;

  constexpr grid early() const {
    grid result = *this;
    result.starts_early = true;
    return result;
  }
};

/// Waits until all preceding kernels of the stream have ended and what they wrote can be read.
__device__ inline void await_preceding_kernel() {
#if defined(RAVEL_DEVICE_CODE) && defined(RAVEL_BULK_COPIES)
  cudaGridDependencySynchronize();
#endif
}

namespace detail {

/// The dynamic shared memory that a kernel can use without opting in.
inline constexpr std::size_t default_shared_bytes = 48 << 10;

/// The driver's function handles of kernels in one context, and launches by them.
///
/// The runtime looks the kernel up and does bookkeeping at each launch: on an H200's host 0.4 of
/// 3.3 microseconds, which matter in a scan of few elements.
///
/// Kernels are opted in to more shared memory here, by the pointer that is launched.  Each
/// translation unit has its own pointer to an instance of a kernel template, while the linker keeps
/// one copy of the functions that call it.
class kernel_handles {
  decltype(&cuLaunchKernelEx) launch_ = nullptr;
  decltype(&cuCtxGetCurrent) current_ = nullptr;
  CUcontext context_ = nullptr;
  bool may_start_early_ = false;

  struct handle {
    void const* kernel;
    CUfunction of = nullptr;
    // the limit that the kernel has been opted in to
    std::size_t shared_bytes = default_shared_bytes;
  };
  // In the order of the kernels' addresses: <unordered_map> is 4,800 lines.
  std::vector<handle> known_;

  template <class F>
  static F of_driver(char const* name) {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    bool const succeeded = cudaGetDriverEntryPointByVersion(name, &entry, 11060, cudaEnableDefault,
                                                            &found) == cudaSuccess;
    return reinterpret_cast<F>(succeeded && found == cudaDriverEntryPointSuccess ? entry : nullptr);
  }

  CUcontext current() const {
    CUcontext context = nullptr;
    return current_ && current_(&context) == CUDA_SUCCESS ? context : nullptr;
  }

  handle& known(void const* kernel) {
    auto const address = [](void const* k) { return reinterpret_cast<std::uintptr_t>(k); };
    auto at = known_.begin() + partition_point(0, std::ssize(known_), [&](index_t k) {
                return address(known_[k].kernel) < address(kernel);
              });
    bool const is_new = at == known_.end() || at->kernel != kernel;
    if (is_new) at = known_.insert(at, handle{.kernel = kernel});
    return *at;
  }

  /// The handle of a kernel, opted in to `shared_bytes` of shared memory; null if the runtime
  /// refuses.
  CUfunction find(void const* kernel, std::size_t shared_bytes) {
    handle& h = known(kernel);
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
  /// Binds to the context of a device.
  explicit kernel_handles(int device) {
    on_device const guard(device);
    launch_ = of_driver<decltype(launch_)>("cuLaunchKernelEx");
    current_ = of_driver<decltype(current_)>("cuCtxGetCurrent");
    context_ = current();
    int major = 0, minor = 0;
    bool const is_known =
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess;
    // Kernels compiled for older devices do not wait.
    may_start_early_ = is_known && ravel::detail::compiled_capability(10 * major + minor) >= 90;
  }

  /// Launches a kernel if this context is current and the driver accepts it; returns whether it
  /// did.  If it did not, the caller launches through the runtime, which reports the error.
  bool launch(grid const& shape, cudaStream_t stream, void const* kernel, void** args) {
    if (!launch_ || !context_ || current() != context_) return false;
    CUfunction const f = find(kernel, shape.shared_bytes);
    if (!f) return false;
    CUlaunchAttribute early{};
    early.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    early.value.programmaticStreamSerializationAllowed = 1;
    CUlaunchConfig config{};
    config.gridDimX = static_cast<unsigned>(shape.blocks);
    config.blockDimX = static_cast<unsigned>(shape.threads);
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.sharedMemBytes = static_cast<unsigned>(shape.shared_bytes);
    config.hStream = stream;
    config.attrs = &early;
    config.numAttrs = shape.starts_early && may_start_early_ ? 1 : 0;
    return launch_(&config, f, args, nullptr) == CUDA_SUCCESS;
  }
};

}  // namespace detail

/// Launches kernels on a stream, and computes how many blocks fit on its device: the base of
/// gpu::executor.
class launcher {
  static constexpr int most_devices = 64;

  using kernel_pointer = void const*;

  std::shared_ptr<detail::kernel_handles> kernels_;

  template <auto Kernel>
  void opt_in_shared(std::size_t bytes) const {
    static std::atomic<std::size_t> configured[most_devices] = {};
    auto& configured_here = configured[device() % most_devices];
    if (bytes <= configured_here.load()) return;
    allow_shared(reinterpret_cast<kernel_pointer>(Kernel), bytes);
    configured_here.store(bytes);
  }
  void allow_shared(kernel_pointer kernel, std::size_t bytes) const {
    on_device const guard(device());
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(bytes)),
          "gpu::executor: requesting ", bytes, " bytes of shared memory");
  }

  /// Launches a kernel on `args`, one pointer each; `by_runtime` launches it where the driver does
  /// not.
  void launch_by(
      grid const& shape, kernel_pointer kernel, void** args,
      ravel::detail::function_ref<cudaError_t(cudaLaunchConfig_t const&)> by_runtime) const {
    expects(shape.blocks <= 0x7fffffff, "gpu::executor: a grid of ", shape.blocks,
            " blocks is more than a device takes");
    if (memory_->rehearses()) return;  // the executor only plans
    ++ravel::detail::launches_of_thread;
    if (!shape.all_at_once && kernels_->launch(shape, stream(), kernel, args)) return;
    on_device const guard(device());
    if (shape.shared_bytes > detail::default_shared_bytes) allow_shared(kernel, shape.shared_bytes);
    cudaLaunchAttribute together{};
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    cudaLaunchConfig_t config{};
    config.gridDim.x = static_cast<unsigned>(shape.blocks);
    config.blockDim.x = static_cast<unsigned>(shape.threads);
    config.dynamicSmemBytes = shape.shared_bytes;
    config.stream = stream();
    config.attrs = &together;
    config.numAttrs = shape.all_at_once ? 1 : 0;
    check(by_runtime(config), "gpu::executor: launching ", shape.blocks, " blocks of ",
          shape.threads, " threads");
  }

 protected:
  std::shared_ptr<memory> memory_;

  explicit launcher(std::shared_ptr<memory> m)
      : kernels_(std::make_shared<detail::kernel_handles>(m->device())), memory_(std::move(m)) {}

  unsigned attribute(cudaDeviceAttr id, char const* what) const {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, id, device()), "gpu::executor: querying device ", device(),
          " ", what);
    return static_cast<unsigned>(value);
  }

 public:
  int device() const { return memory_->device(); }
  cudaStream_t stream() const { return memory_->stream(); }

  /// Launches kernel(args...), a __global__ function, on a grid.
  template <class... P, class... A>
  void launch(grid const& shape, void (*kernel)(P...), A const&... args) const {
    [&](P... p) {
      void* pointers[] = {static_cast<void*>(&p)..., nullptr};
      launch_by(shape, reinterpret_cast<kernel_pointer>(kernel), pointers,
                [&](cudaLaunchConfig_t const& config) {
                  return cudaLaunchKernelEx(&config, kernel, p...);
                });
    }(args...);
  }

  /// As launch, for a kernel that needs more than 48 KB of dynamic shared memory.
  template <auto Kernel, class... A>
  void launch_sharing(grid const& shape, A const&... args) const {
    opt_in_shared<Kernel>(shape.shared_bytes);
    launch(shape, Kernel, args...);
  }

  /// Sets the shared memory carve-out of a kernel: `bytes` of each multiprocessor as shared memory,
  /// the rest as L1.
  template <auto Kernel>
  void set_shared_carveout(std::size_t bytes) const {
    static std::atomic<bool> configured[most_devices] = {};
    if (configured[device() % most_devices].exchange(true)) return;
    on_device const guard(device());
    check(cudaFuncSetAttribute(Kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                               static_cast<int>(100 * bytes / most_shared_bytes() + 1)),
          "gpu::executor: requesting ", bytes, " bytes of shared memory");
  }

  index_t multiprocessors() const {
    return attribute(cudaDevAttrMultiProcessorCount, "how many multiprocessors it has");
  }
  /// The most shared memory that a block can opt in to.
  std::size_t most_shared_bytes() const {
    return attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, "how much shared memory it has");
  }

  /// The number of blocks of `threads` threads of a kernel that can be resident on the device at
  /// once, each with `shared_bytes` of dynamic shared memory.
  template <class... P>
  index_t room_for(void (*kernel)(P...), int threads, std::size_t shared_bytes = 0) const {
    on_device const guard(device());
    int blocks = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes),
          "gpu::executor: querying how many blocks fit on a multiprocessor");
    return multiprocessors() * blocks;
  }
  /// As room_for, for a kernel that needs more than 48 KB of dynamic shared memory.
  template <auto Kernel>
  index_t room_sharing(int threads, std::size_t shared_bytes) const {
    opt_in_shared<Kernel>(shared_bytes);
    return room_for(Kernel, threads, shared_bytes);
  }
};

}  // namespace ravel::inline v0::gpu
