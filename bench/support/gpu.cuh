#pragma once

/// Shared by the suites for the GPU: a stopwatch of CUDA events, the memory-bandwidth limits, data
/// generated on the device, and checks that run there.

#include "support/harness.hpp"
#include "support/random.hpp"

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/plan.hpp>
#include <ravel/primitives/map.hpp>

#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace ravel::bench::on_gpu {

/// Device memory that the contenders of a row share.
template <class T>
using shared = std::shared_ptr<gpu::buffer<T>>;

template <class T>
shared<T> allocate(gpu::executor const& ex, index_t n) {
  return std::make_shared<gpu::buffer<T>>(ex.allocate<T>(n));
}

/// out[i] = f(i).
template <class T, class F>
struct store_each {
  T* out;
  F f;
  RAVEL_HD void operator()(index_t i) const { out[i] = f(i); }
};

/// f(0), ..., f(n - 1).
template <class T, class F>
shared<T> generate(gpu::executor const& ex, index_t n, F f) {
  auto out = allocate<T>(ex, n);
  for_each_index(ex, n, store_each<T, F>{out->data(), f});
  return out;
}

/// Counts the i of [0, n) for which wrong(i).
template <class Wrong>
__global__ void count_wrong(index_t n, Wrong wrong, unsigned long long* count) {
  index_t const stride = index_t{gridDim.x} * blockDim.x;
  unsigned long long mine = 0;
  for (index_t i = index_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    mine += wrong(i) ? 1 : 0;
  }
  if (mine > 0) atomicAdd(count, mine);
}

/// Whether none of [0, n) is wrong.  Waits.
template <class Wrong>
bool none(gpu::executor const& ex, index_t n, Wrong wrong) {
  auto const count = ex.allocate<unsigned long long>(1);
  gpu::check(cudaMemsetAsync(count.data(), 0, sizeof(unsigned long long), ex.stream()),
             "bench: clearing a count");
  count_wrong<<<1024, 256, 0, ex.stream()>>>(n, wrong, count.data());
  gpu::check(cudaGetLastError(), "bench: checking a result");
  unsigned long long found = 0;
  ex.copy(count.data(), &found, 1);
  ex.wait();
  return found == 0;
}

template <class T, class F>
struct differs_from {
  T const* out;
  F f;
  __device__ bool operator()(index_t i) const { return out[i] != f(i); }
};

/// Whether out[i] == f(i) throughout.
template <class T, class F>
bool all_equal(gpu::executor const& ex, index_t n, T const* out, F f) {
  return none(ex, n, differs_from<T, F>{out, f});
}

template <class T>
struct element {
  T const* of;
  RAVEL_HD T operator()(index_t i) const { return of[i]; }
};

/// Fills memory with values that no correct result contains.
template <class... T>
std::function<void()> poison(gpu::executor const& ex, shared<T> const&... buffers) {
  return [=] {
    (gpu::check(cudaMemsetAsync(buffers->data(), 0xcd,
                                static_cast<std::size_t>(buffers->size()) * sizeof(T), ex.stream()),
                "bench: poisoning an output"),
     ...);
  };
}

/// Adds our call(ex) as the next contender, and records its bytes of scratch, tile states included.
template <class Call>
void add_ours(gpu::executor const& ex, comparison& to, std::function<bool()> const& right,
              Call call) {
  plan const known(ex, "ours", call);
  to.counters["scratch_bytes"] = double(known.bytes() + known.bytes_of_executor());
  to.contenders.push_back({"ours", [=] { call(ex); }, right});
}

/// Calls a CUB algorithm with the scratch that it requests, allocated once.
template <class Call>
std::function<void()> with_scratch(gpu::executor const& ex, Call call) {
  std::size_t bytes = 0;
  gpu::check(call(nullptr, bytes), "bench: querying the scratch size of CUB");
  auto const scratch = allocate<char>(ex, static_cast<index_t>(bytes));
  return [=]() mutable { gpu::check(call(scratch->data(), bytes), "bench: calling CUB"); };
}

/// Copies with 16-byte loads and stores, a chunk for each block.  Complete chunks run without a
/// bounds test, which gains 4 %.
template <int Threads, int Each>
__global__ void __launch_bounds__(Threads) copy_chunks(index_t n, uint4 const* in, uint4* out) {
  index_t const base = index_t{blockIdx.x} * (Threads * Each) + threadIdx.x;
  uint4 x[Each];
  if (index_t{blockIdx.x + 1} * (Threads * Each) <= n) {
#pragma unroll
    for (int k = 0; k < Each; ++k) x[k] = in[base + k * Threads];
#pragma unroll
    for (int k = 0; k < Each; ++k) out[base + k * Threads] = x[k];
  } else {
    for (index_t i = base; i < n; i += Threads) out[i] = in[i];
  }
}

template <int Threads, int Each>
std::function<void()> copy_kernel(gpu::executor const& ex, index_t bytes, shared<char> const& in,
                                  shared<char> const& out) {
  index_t const n = div_up(bytes, sizeof(uint4));
  auto const blocks = static_cast<unsigned>(div_up(n, Threads * Each));
  return [=] {
    copy_chunks<Threads, Each><<<blocks, Threads, 0, ex.stream()>>>(
        n, reinterpret_cast<uint4 const*>(in->data()), reinterpret_cast<uint4*>(out->data()));
    gpu::check(cudaGetLastError(), "bench: copying with a kernel");
  };
}

/// Three copies that move `bytes`, half read and half written: the fastest is the limit.
inline void add_copies(gpu::executor const& ex, comparison& to) {
  auto const bytes = static_cast<index_t>(to.bytes / 2);
  index_t const room = div_up(bytes, 16) * 16;
  auto const in = generate<char>(ex, room, reached<char>{});
  auto const out = allocate<char>(ex, room);
  to.contenders.push_back({"copy:cudaMemcpy", [=] {
                             gpu::check(cudaMemcpyAsync(out->data(), in->data(),
                                                        static_cast<std::size_t>(bytes),
                                                        cudaMemcpyDeviceToDevice, ex.stream()),
                                        "bench: copying");
                           }});
  to.contenders.push_back({"copy:kernel512x2", copy_kernel<512, 2>(ex, bytes, in, out)});
  to.contenders.push_back({"copy:kernel768x4", copy_kernel<768, 4>(ex, bytes, in, out)});
}

/// A reduction that reads `bytes`.
inline void add_read(gpu::executor const& ex, comparison& to) {
  auto const n = static_cast<index_t>(to.bytes / 4);
  auto const in = generate<std::uint32_t>(ex, n, reached<std::uint32_t>{});
  auto const out = allocate<std::uint32_t>(ex, 1);
  to.contenders.push_back({"read:cub", with_scratch(ex, [=](void* scratch, std::size_t& size) {
                             return cub::DeviceReduce::Sum(scratch, size, in->data(), out->data(),
                                                           n, ex.stream());
                           })});
}

/// The common part of a suite on the device: name, context of the record, stopwatch.
inline suite make_suite(std::string name, gpu::executor const& ex) {
  cudaDeviceProp device;
  gpu::check(cudaGetDeviceProperties(&device, ex.device()), "bench: querying the device");
  int driver = 0, runtime = 0;
  gpu::check(cudaDriverGetVersion(&driver), "bench: querying the driver's version");
  gpu::check(cudaRuntimeGetVersion(&runtime), "bench: querying the runtime's version");
  auto const dotted = [](int version) {
    return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
  };

  suite s;
  s.name = std::move(name);
  s.machine = slug(device.name);
  s.context = {{"device", device.name},
               {"driver_supports_cuda", dotted(driver)},
               {"cuda_runtime", dotted(runtime)},
               {"cub", std::to_string(CUB_MAJOR_VERSION) + '.' + std::to_string(CUB_MINOR_VERSION) +
                           '.' + std::to_string(CUB_SUBMINOR_VERSION)}};
  cudaEvent_t begin, end;
  gpu::check(cudaEventCreate(&begin), "bench: creating an event");
  gpu::check(cudaEventCreate(&end), "bench: creating an event");
  s.seconds = [=](std::function<void()> const& call) {
    gpu::check(cudaEventRecord(begin, ex.stream()), "bench: starting the stopwatch");
    call();
    gpu::check(cudaEventRecord(end, ex.stream()), "bench: stopping the stopwatch");
    gpu::check(cudaEventSynchronize(end), "bench: waiting for the device");
    float milliseconds = 0;
    gpu::check(cudaEventElapsedTime(&milliseconds, begin, end), "bench: reading the stopwatch");
    return double(milliseconds) * 1e-3;
  };
  s.shortest = 0;  // single launches are timed: their latency is part of the result
  return s;
}

/// The main() of a suite.
inline int run_suite(suite (*make)(gpu::executor const&), int argc, char** argv) try {
  if (!gpu::available()) {
    std::fprintf(stderr, "There is no CUDA device to measure.\n");
    return nothing_to_run_on;
  }
  return run(make(gpu::executor()), argc, argv);
} catch (std::exception const& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}

}  // namespace ravel::bench::on_gpu
