#pragma once

/// Calls on some of the multiprocessors of a device, for rows of scaling: by green contexts, whose
/// streams run kernels on their multiprocessors alone (CUDA 12.5).

#include "support/gpu.cuh"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <functional>
#include <string>

namespace ravel::bench::on_gpu {

class some_multiprocessors {
  CUgreenCtx context_ = nullptr;
  CUstream stream_ = nullptr;
  cudaEvent_t before_ = nullptr, after_ = nullptr;
  unsigned count_ = 0;

  template <class F, class... A>
  static void driver(F, char const* name, A... arguments) {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    gpu::check(cudaGetDriverEntryPointByVersion(name, &entry, 12050, cudaEnableDefault, &found),
               "bench: finding ", name);
    expects(entry && reinterpret_cast<F>(entry)(arguments...) == CUDA_SUCCESS, "bench: ", name,
            " failed");
  }

 public:
  /// At least `wanted`: a device gives them in groups.
  some_multiprocessors(gpu::executor const& ex, unsigned wanted) {
    CUdevResource all{}, some{};
    CUdevResourceDesc description{};
    unsigned groups = 1;
    driver(&cuDeviceGetDevResource, "cuDeviceGetDevResource", ex.device(), &all,
           CU_DEV_RESOURCE_TYPE_SM);
    driver(&cuDevSmResourceSplitByCount, "cuDevSmResourceSplitByCount", &some, &groups, &all,
           nullptr, 0u, wanted);
    driver(&cuDevResourceGenerateDesc, "cuDevResourceGenerateDesc", &description, &some, 1u);
    driver(&cuGreenCtxCreate, "cuGreenCtxCreate", &context_, description, ex.device(),
           unsigned{CU_GREEN_CTX_DEFAULT_STREAM});
    driver(&cuGreenCtxStreamCreate, "cuGreenCtxStreamCreate", &stream_, context_,
           unsigned{CU_STREAM_NON_BLOCKING}, 0);
    gpu::check(cudaEventCreateWithFlags(&before_, cudaEventDisableTiming), "bench: an event");
    gpu::check(cudaEventCreateWithFlags(&after_, cudaEventDisableTiming), "bench: an event");
    count_ = some.sm.smCount;
  }
  some_multiprocessors(some_multiprocessors const&) = delete;
  some_multiprocessors& operator=(some_multiprocessors const&) = delete;
  ~some_multiprocessors() {
    cudaStreamSynchronize(stream_);
    cudaEventDestroy(before_);
    cudaEventDestroy(after_);
    cudaStreamDestroy(stream_);
    driver(&cuGreenCtxDestroy, "cuGreenCtxDestroy", context_);
  }

  unsigned count() const { return count_; }
  gpu::executor executor(int device) const { return {device, stream_}; }

  /// A call of an executor of these, after what is on the stream of `ex`, and before what follows there.
  void within(gpu::executor const& ex, std::function<void()> const& call) const {
    gpu::check(cudaEventRecord(before_, ex.stream()), "bench: recording");
    gpu::check(cudaStreamWaitEvent(stream_, before_, 0), "bench: waiting");
    call();
    gpu::check(cudaEventRecord(after_, stream_), "bench: recording");
    gpu::check(cudaStreamWaitEvent(ex.stream(), after_, 0), "bench: waiting");
  }
};

/// Adds call(executor) on 8, 16, 32, ... multiprocessors, as far as the device has them.
template <class Call>
void add_scaling(gpu::executor const& ex, comparison& c, std::function<bool()> const& right,
                 Call call) {
  for (unsigned wanted = 8; wanted < ex.multiprocessors(); wanted *= 2) {
    auto const some = std::make_shared<some_multiprocessors>(ex, wanted);
    auto const on = some->executor(ex.device());
    c.contenders.push_back({"named:" + std::to_string(some->count()) + " multiprocessors",
                            [=] { some->within(ex, [&] { call(on); }); }, right});
  }
}

}  // namespace ravel::bench::on_gpu
