#pragma once

/// The device executor: one thread block for each tile, on one stream.

#include <ravel/core/cuda/block.cuh>
#include <ravel/core/cuda/buffer.cuh>
#include <ravel/core/cuda/device.hpp>
#include <ravel/core/cuda/error.cuh>
#include <ravel/core/cuda/launcher.cuh>
#include <ravel/core/cuda/tuning.hpp>
#include <ravel/core/std_memory.hpp>

#include <cuda_runtime_api.h>

namespace ravel::inline v0::gpu {

/// The kernel of for_each_tile.
template <class F>
__global__ void __launch_bounds__(block::threads) tile_kernel(index_t n, index_t width, F f) {
  await_preceding_kernel();
  f(block{}, nth_tile(blockIdx.x, width, n));
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
class executor : public launcher {
  gpu::device machine_;
  index_t value_bytes_ = 0;  // 0: any number

  gpu::device properties() const {
    auto const major = attribute(cudaDevAttrComputeCapabilityMajor, "for its compute capability");
    auto const minor = attribute(cudaDevAttrComputeCapabilityMinor, "for its compute capability");
    gpu::device d;
    d.capability = ravel::detail::compiled_capability(static_cast<int>(10 * major + minor));
    d.shared_bytes = static_cast<index_t>(most_shared_bytes());
    d.multiprocessors = multiprocessors();
    return d;
  }

  static int current_device() {
    int device = 0;
    check(cudaGetDevice(&device), "gpu::executor: querying the current device");
    return device;
  }

 public:
  using space = device_space;

  executor() : executor(current_device()) {}
  explicit executor(int device) : launcher(std::make_shared<memory>(device, nullptr, true)) {
    machine_ = properties();
  }
  executor(int device, cudaStream_t stream)
      : launcher(std::make_shared<memory>(device, stream, false)) {
    machine_ = properties();
  }

  /// Sets the stack from which its later calls, and those of copies made from now on, take scratch;
  /// all else stays as it is (core/plan.hpp).  If the stack only measures, nothing is launched or
  /// copied.
  void lay_scratch(std::shared_ptr<scratch_stack> stack) {
    memory_ = std::make_shared<memory>(memory_, std::move(stack));
  }

  /// Sets the input sizes that select forms, for its later calls and those of copies made from now
  /// on.
  ///
  /// Errors   contract_error if a size is invalid.
  void tune(tuning const& sizes) {
    expect_possible(sizes, "gpu::executor: tune");
    machine_.sizes = sizes;
  }
  tuning const& tuned() const { return machine_.sizes; }

  /// Sets how many bytes the values of an `each` with budget() take at a time, in programs on this
  /// executor and copies made from now on (flatten/budget.hpp).
  void bound_values(index_t bytes) { value_bytes_ = bytes; }
  index_t value_bytes() const { return value_bytes_; }

  /// The machine description, on which the choice of forms depends.
  gpu::device const& machine() const { return machine_; }

  /// Whether this executor only plans: its calls measure their scratch and launch nothing
  /// (core/plan.hpp).
  bool is_planned() const { return memory_->rehearses(); }

  template <class T>
  buffer<T> allocate(index_t n) const {
    expects(n >= 0, "gpu::executor: allocate: the size is ", n);
    return {memory_, n, memory::small_bytes};
  }

  /// As allocate, reusing freed blocks of any size.
  template <class T>
  buffer<T> allocate_pooled(index_t n) const {
    expects(n >= 0, "gpu::executor: allocate_pooled: the size is ", n);
    return {memory_, n, SIZE_MAX};
  }

  /// Pinned host memory that kernels can write.
  template <class T>
  pinned_buffer<T> allocate_pinned(index_t n) const {
    expects(n >= 0, "gpu::executor: allocate_pinned: the size is ", n);
    on_device const guard(device());
    return pinned_buffer<T>(n);
  }

  template <class T>
  gpu::scratch<T> scratch(index_t n) const {
    expects(n >= 0, "gpu::executor: scratch: the size is ", n);
    return {memory_, n};
  }

  /// `slots` tile descriptors of type T, with their ticket dispenser, for one kernel.
  template <class T>
  state_lease<typename tile_states<T>::word> states(index_t slots) const {
    return {memory_, slots};
  }

  /// Copies `n` elements between any two of host and device memory.  To or from pageable host
  /// memory, CUDA may return before or after the copy is complete.
  template <class T>
  void copy(T const* source, T* target, index_t n) const {
    if (n == 0 || memory_->rehearses()) return;
    on_device const guard(device());
    check(cudaMemcpyAsync(target, source, static_cast<std::size_t>(n) * sizeof(T),
                          cudaMemcpyDefault, stream()),
          "gpu::executor: copying ", n, " elements of ", sizeof(T), " bytes");
  }

  /// Sets all bytes of a sequence in its memory to 0.
  template <class R>
  void clear(R const& x) const {
    using T = element_t<R const&>;
    if (x.size() == 0 || memory_->rehearses()) return;
    on_device const guard(device());
    check(cudaMemsetAsync(x.data(), 0, static_cast<std::size_t>(x.size()) * sizeof(T), stream()),
          "gpu::executor: clearing ", x.size(), " elements of ", sizeof(T), " bytes");
  }

  static constexpr index_t tile_count(index_t n) { return div_up(n, block::tile_width); }

  template <class F>
  void for_each_tile(index_t n, F f) const {
    if (n == 0) return;  // a grid of no blocks is a launch error
    index_t width = block::tile_width;
    if constexpr (ravel::detail::divisible<F>) {  // narrower, so that few elements have many blocks
      index_t const rounds = n / (8 * multiprocessors() * block::threads);
      width = ravel::detail::clamped(rounds, index_t{1}, index_t{block::rounds}) * block::threads;
    }
    launch(grid{div_up(n, width), block::threads}.early(), tile_kernel<F>, n, width, f);
  }

  /// The counter of the grid-wide barrier: cuda/grid_sync.cuh.
  unsigned* gate() const { return memory_->gate(); }

  void wait() const {
    expects(!memory_->rehearses(), "plan: a call that waits for the device cannot be planned");
    on_device const guard(device());
    check(cudaStreamSynchronize(stream()), "gpu::executor: waiting for device ", device());
  }
};

}  // namespace ravel::inline v0::gpu
