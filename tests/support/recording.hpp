#pragma once

/// CUDA graphs captured from an executor.

#include <ravel/core/cuda/executor.cuh>

namespace ravel::testing {

/// Captures what `f` issues, to be replayed any number of times.
class recording {
  cudaGraphExec_t replayed_ = nullptr;
  cudaStream_t stream_;

 public:
  template <class F>
  recording(gpu::executor const& ex, F f) : stream_(ex.stream()) {
    cudaGraph_t graph = nullptr;
    gpu::check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capturing");
    f();
    gpu::check(cudaStreamEndCapture(stream_, &graph), "ending the capture");
    gpu::check(cudaGraphInstantiate(&replayed_, graph, 0), "instantiating the graph");
    gpu::check(cudaGraphDestroy(graph), "destroying the graph");
  }
  ~recording() { cudaGraphExecDestroy(replayed_); }
  recording(recording const&) = delete;
  recording& operator=(recording const&) = delete;

  void replay() const { gpu::check(cudaGraphLaunch(replayed_, stream_), "launching the graph"); }
};

}  // namespace ravel::testing
