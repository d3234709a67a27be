#pragma once

/// A stream beside that of an executor, and moments of streams, for which others wait.

#include <ravel/core/cuda/error.cuh>
#include <ravel/core/cuda/memory.cuh>

#include <cuda_runtime_api.h>

#include <utility>

namespace ravel::inline v0::gpu {

/// A stream for what runs beside the work of an executor: of high priority, so that its blocks do not
/// wait until those of long kernels are done.
class side_stream {
  int device_;
  cudaStream_t stream_ = nullptr;

 public:
  explicit side_stream(int device) : device_(device) {
    on_device const here(device_);
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "side_stream: querying priorities");
    check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest),
          "side_stream: creating a stream");
  }
  side_stream(side_stream const&) = delete;
  side_stream& operator=(side_stream const&) = delete;
  ~side_stream() {
    int before = 0;
    cudaGetDevice(&before);
    cudaSetDevice(device_);
    cudaStreamDestroy(stream_);
    cudaSetDevice(before);
  }
  cudaStream_t stream() const { return stream_; }
};

/// A moment of a stream.
class moment {
  cudaEvent_t event_ = nullptr;

 public:
  explicit moment(cudaStream_t stream) {
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "moment: creating an event");
    check(cudaEventRecord(event_, stream), "moment: recording an event");
  }
  moment(moment&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  moment& operator=(moment&&) = delete;
  ~moment() {
    if (event_) cudaEventDestroy(event_);
  }
  void before_work_of(cudaStream_t stream) const {
    check(cudaStreamWaitEvent(stream, event_), "moment: waiting for an event");
  }
};

}  // namespace ravel::inline v0::gpu
