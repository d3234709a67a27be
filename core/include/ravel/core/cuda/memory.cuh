#pragma once

/// The memory of a gpu::executor: its device, its stream, a stream-ordered pool, and a workspace
/// for the scratch of single calls.

#include <ravel/core/cuda/error.cuh>
#include <ravel/core/scratch_stack.hpp>
#include <ravel/core/spare_blocks.hpp>
#include <ravel/core/std_memory.hpp>
#include <ravel/core/std_mutex.hpp>

#include <cuda_runtime_api.h>

namespace ravel::inline v0::gpu {

/// Makes `device` the calling thread's current device for a scope.
class on_device {
  int before_ = 0;
  bool changed_ = false;

 public:
  explicit on_device(int device) {
    check(cudaGetDevice(&before_), "cuda: querying the current device");
    if (before_ == device) return;
    check(cudaSetDevice(device), "cuda: choosing device ", device);
    changed_ = true;
  }
  ~on_device() {
    if (changed_) cudaSetDevice(before_);
  }
  on_device(on_device const&) = delete;
  on_device& operator=(on_device const&) = delete;
};

/// The stream and the memory that an executor shares with its copies and its buffers.
///
/// The pool keeps freed memory, so that allocating again neither calls the driver nor
/// synchronises.  A pool allocation still takes microseconds, so freed small blocks are also reused
/// directly.
///
/// The workspace is a stack of `workspace_bytes`, allocated once.  A call pushes its scratch and
/// pops it when it returns, before its kernels have finished: that is safe, since later work on the
/// same stream runs later.  Scratch that does not fit comes from the pool.  A CUDA graph captured
/// from an executor holds addresses of its workspace: replay it on the same stream, while the
/// executor is alive.
///
/// A memory may be layered on another.  It shares all of it but the stack, which then uses memory
/// of the caller, or only measures what is needed.
class memory {
  std::shared_ptr<memory> const under_;  // the memory that this one is layered on, or null
  int device_ = 0;
  cudaStream_t stream_ = nullptr;
  bool owns_stream_ = false;
  cudaMemPool_t pool_ = nullptr;
  char* workspace_ = nullptr;
  char* states_ = nullptr;
  std::shared_ptr<scratch_stack> stack_;

  struct free_in_order {
    cudaStream_t stream;
    void operator()(void* p) const { cudaFreeAsync(p, stream); }
  };
  using block = std::unique_ptr<void, free_in_order>;
  std::mutex busy_;
  spare_blocks<block> spare_;

  void release() {
    if (under_) return;
    spare_.clear();
    if (states_) cudaFreeAsync(states_, stream_);
    if (workspace_) cudaFreeAsync(workspace_, stream_);
    if (pool_) cudaMemPoolDestroy(pool_);
    if (owns_stream_) cudaStreamDestroy(stream_);
  }

 public:
  static constexpr std::size_t workspace_bytes = std::size_t{8} << 20;
  static constexpr std::size_t alignment = scratch_stack::alignment;

  /// Freed buffers of callers are kept for reuse up to this size.
  static constexpr std::size_t small_bytes = 64 << 10;

  /// The number of preallocated tile descriptors of each layout, which need no clearing.  Layouts
  /// have words of 4, 8 and 16 bytes.
  static constexpr index_t state_slots = 256 << 10;

 private:
  /// The offset of a layout: each is its ticket dispenser, followed by its words.
  static constexpr std::size_t states_before(std::size_t word) {
    return word == 4 ? 0 : states_before(word / 2) + states_bytes(word / 2, state_slots);
  }

 public:
  /// A dispenser has an L2 cache line of its own: blocks increment it while others poll words.
  static constexpr std::size_t dispenser_bytes = 128;

  static constexpr std::size_t states_bytes(std::size_t word, index_t slots) {
    return dispenser_bytes + word * static_cast<std::size_t>((slots + 3) / 4 * 4);
  }

  memory(int device, cudaStream_t stream, bool owns_stream)
      : device_(device), stream_(stream), owns_stream_(owns_stream) {
    on_device const guard(device_);
    try {
      if (owns_stream_) {
        owns_stream_ = false;
        check(cudaStreamCreate(&stream_), "gpu::executor: creating a stream");
        owns_stream_ = true;
      }
      cudaMemPoolProps what = {};
      what.allocType = cudaMemAllocationTypePinned;
      what.location = {cudaMemLocationTypeDevice, device_};
      check(cudaMemPoolCreate(&pool_, &what), "gpu::executor: creating a memory pool");
      std::uint64_t keep = UINT64_MAX;
      check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep),
            "gpu::executor: setting the memory pool to keep freed memory");
      workspace_ = static_cast<char*>(allocate(workspace_bytes));
      stack_ = std::make_shared<scratch_stack>(workspace_, workspace_bytes, "gpu::executor");
      states_ = static_cast<char*>(allocate(states_before(32) + sizeof(unsigned)));
      check(cudaMemsetAsync(states_, 0, states_before(32) + sizeof(unsigned), stream_),
            "gpu::executor: clearing the tile states");
    } catch (...) {
      release();
      throw;
    }
  }
  memory(std::shared_ptr<memory> const& over, std::shared_ptr<scratch_stack> stack)
      : under_(over->under_ ? over->under_ : over),
        device_(under_->device_),
        stream_(under_->stream_),
        pool_(under_->pool_),
        states_(under_->states_),
        stack_(std::move(stack)) {}
  ~memory() {
    if (under_) return;
    int before = 0;
    cudaGetDevice(&before);
    cudaSetDevice(device_);
    release();
    cudaSetDevice(before);
  }
  memory(memory const&) = delete;
  memory& operator=(memory const&) = delete;

  int device() const { return device_; }
  cudaStream_t stream() const { return stream_; }

  /// Whether calls only plan, and nothing is launched.
  bool rehearses() const { return stack_->counts(); }

  void* allocate(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    on_device const guard(device_);
    void* p = nullptr;
    check(cudaMallocFromPoolAsync(&p, bytes, pool_, stream_), "gpu::executor: allocating ", bytes,
          " bytes on device ", device_);
    return p;
  }
  void free(void* p) noexcept {
    if (p) cudaFreeAsync(p, stream_);
  }
  bool is_captured() const {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(stream_, &status),
          "gpu::executor: querying whether a capture is active");
    return status != cudaStreamCaptureStatusNone;
  }

  /// As allocate, from a freed block if there is one, which is safe as later work on the stream
  /// runs later. Also returns the block's size; 0 if the block must be freed and not reused, as
  /// memory allocated during graph capture: it belongs to the graph, which uses it again at each
  /// replay.
  std::pair<void*, std::size_t> take(std::size_t bytes) {
    if (under_) return under_->take(bytes);
    if (bytes == 0) return {nullptr, 0};
    if (is_captured()) return {allocate(bytes), 0};
    std::lock_guard const lock(busy_);
    auto const fresh = [this](std::size_t many) {
      return block(allocate(many), free_in_order{stream_});
    };
    auto [taken, many] = spare_.take(bytes, fresh);
    return {taken.release(), many};
  }
  void give_back(void* p, std::size_t bytes) noexcept {
    if (bytes == 0) return free(p);
    if (under_) return under_->give_back(p, bytes);
    std::lock_guard const lock(busy_);
    spare_.give_back(block(p, free_in_order{stream_}), bytes);
  }

  /// The dispenser and the words of the layout with words of `word` bytes.
  char* states(std::size_t word) const { return states_ + states_before(word); }

  /// The counter of the grid barrier.
  unsigned* gate() const { return reinterpret_cast<unsigned*>(states_ + states_before(32)); }

  /// Pushes `bytes` on the stack; null if they do not fit in the workspace.
  void* push(std::size_t bytes) {
    return under_ ? stack_->push(bytes) : stack_->push_if_room(bytes);
  }
  /// Pops everything from `p` on.
  void pop(void* p) noexcept { stack_->pop(p); }
  bool on_stack(void* p) const { return stack_->holds(p); }

  /// Records that a call uses `bytes` of tile states.
  void note_states(std::size_t bytes) { stack_->note_beside(bytes); }
};

}  // namespace ravel::inline v0::gpu
