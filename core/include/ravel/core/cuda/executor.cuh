#pragma once

/// @file
/// The device executor: one thread block for each tile, on one stream.

#include <ravel/core/concepts.hpp>
#include <ravel/core/cuda/block.cuh>
#include <ravel/core/cuda/buffer.cuh>
#include <ravel/core/cuda/device.hpp>
#include <ravel/core/cuda/error.cuh>
#include <ravel/core/cuda/tuning.hpp>
#include <ravel/core/launches.hpp>
#include <ravel/core/tile.hpp>

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
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

/// The kernel of for_each_tile.
template <class F>
__global__ void __launch_bounds__(block::threads) tile_kernel(index_t n, F f) {
  f(block{}, nth_tile(blockIdx.x, block::tile_width, n));
}

/// Runs tiles on a CUDA device.
///
///     gpu::executor{}               a stream of its own on the current device
///     gpu::executor{device}         a stream of its own on that device
///     gpu::executor{device, s}      the caller's stream, which must outlive it
///
/// The executor's own stream synchronises with the legacy default stream in both directions, so it
/// sees work issued there (by Thrust, say).
///
/// Only wait() and calls that end in `_sync` wait for the device.  Copies of an executor share its
/// stream and its workspace.  Threads that issue work concurrently need an executor each.
///
/// Errors   cuda_error if there is no such device; allocation_error if memory runs out; a fault
///          inside a kernel is thrown by the next wait().
class executor {
  std::shared_ptr<memory> memory_;
  gpu::device machine_;

  static constexpr int most_devices = 64;

  unsigned attribute(cudaDeviceAttr which, char const* what) const {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, device()), "gpu::executor: querying device ",
          device(), " ", what);
    return static_cast<unsigned>(value);
  }

  gpu::device properties() const {
    auto const major = attribute(cudaDevAttrComputeCapabilityMajor, "for its compute capability");
    auto const minor = attribute(cudaDevAttrComputeCapabilityMinor, "for its compute capability");
    gpu::device d;
    d.capability = ravel::detail::compiled_capability(static_cast<int>(10 * major + minor));
    d.shared_bytes = static_cast<index_t>(most_shared_bytes());
    return d;
  }

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
  static void check_launch(cudaError_t status, grid const& of) {
    check(status, "gpu::executor: launching ", of.blocks, " blocks of ", of.threads, " threads");
  }

  static int current_device() {
    int device = 0;
    check(cudaGetDevice(&device), "gpu::executor: querying the current device");
    return device;
  }

 public:
  using space = device_space;

  executor() : executor(current_device()) {}
  explicit executor(int device) : memory_(std::make_shared<memory>(device, nullptr, true)) {
    machine_ = properties();
  }
  executor(int device, cudaStream_t stream)
      : memory_(std::make_shared<memory>(device, stream, false)) {
    machine_ = properties();
  }

  /// Takes the scratch of its calls, and of calls on copies made from now on, from a stack; all
  /// else stays as it is: core/plan.hpp.  If the stack only counts, nothing is launched or copied.
  void lay_scratch(std::shared_ptr<scratch_stack> stack) {
    memory_ = std::make_shared<memory>(memory_, std::move(stack));
  }

  /// Sets the sizes from which its calls, and those on copies made from now on, take which form.
  ///
  /// Errors   contract_error if a size is invalid.
  void tune(tuning const& sizes) {
    expect_possible(sizes, "gpu::executor: tune");
    machine_.sizes = sizes;
  }
  tuning const& tuned() const { return machine_.sizes; }

  /// The machine description, by which forms are chosen.
  gpu::device const& machine() const { return machine_; }

  /// Whether this executor only plans: calls count their scratch and launch nothing
  /// (core/plan.hpp).
  bool is_planned() const { return memory_->rehearses(); }

  int device() const { return memory_->device(); }
  cudaStream_t stream() const { return memory_->stream(); }

  template <class T>
  buffer<T> allocate(index_t n) const {
    expects(n >= 0, "gpu::executor: allocate: the size is ", n);
    return {memory_, n, memory::small_bytes};
  }

  /// allocate, reusing freed blocks of any size.
  template <class T>
  buffer<T> allocate_pooled(index_t n) const {
    expects(n >= 0, "gpu::executor: allocate_pooled: the size is ", n);
    return {memory_, n, SIZE_MAX};
  }

  /// Pinned host memory that kernels can write.
  template <class T>
  pinned_buffer<T> allocate_pinned(index_t n) const {
    expects(n >= 0, "gpu::executor: allocate_pinned: the size is ", n);
    on_device const here(device());
    return pinned_buffer<T>(n);
  }

  template <class T>
  gpu::scratch<T> scratch(index_t n) const {
    expects(n >= 0, "gpu::executor: scratch: the size is ", n);
    return {memory_, n};
  }

  /// `slots` tile states of type T, with their ticket dispenser, for one kernel.
  template <class T>
  state_lease<typename tile_states<T>::word> states(index_t slots) const {
    return {memory_, slots};
  }

  /// Copies `n` elements between any two of host and device memory.  To or from pageable host
  /// memory, CUDA may return before or after the copy is complete.
  template <class T>
  void copy(T const* from, T* to, index_t n) const {
    if (n == 0 || memory_->rehearses()) return;
    on_device const here(device());
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(n) * sizeof(T), cudaMemcpyDefault,
                          stream()),
          "gpu::executor: copying ", n, " elements of ", sizeof(T), " bytes");
  }

  /// Sets all bytes of a sequence in its memory to 0.
  template <class R>
  void clear(R const& of) const {
    using T = element_t<R const&>;
    if (of.size() == 0 || memory_->rehearses()) return;
    on_device const here(device());
    check(cudaMemsetAsync(of.data(), 0, static_cast<std::size_t>(of.size()) * sizeof(T), stream()),
          "gpu::executor: clearing ", of.size(), " elements of ", sizeof(T), " bytes");
  }

  static constexpr index_t tile_count(index_t n) { return div_up(n, block::tile_width); }

  template <class F>
  void for_each_tile(index_t n, F f) const {
    if (n == 0) return;  // a grid of no blocks is a launch error
    launch({tile_count(n), block::threads}, tile_kernel<F>, n, f);
  }

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
    check_launch(cudaLaunchKernelEx(&config, kernel, args...), of);
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

  /// The counter of the grid-wide barrier: cuda/grid_sync.cuh.
  unsigned* gate() const { return memory_->gate(); }

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

  void wait() const {
    expects(!memory_->rehearses(), "plan: a call that waits for the device cannot be planned");
    on_device const here(device());
    check(cudaStreamSynchronize(stream()), "gpu::executor: waiting for device ", device());
  }
};

}  // namespace ravel::inline v0::gpu
