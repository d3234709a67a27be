#include <ravel/core/cuda/executor.cuh>

#include "laws/executor.hpp"
#include "support/recording.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace ravel::gpu {
namespace {

struct on_a_device : ::testing::Test {
  void SetUp() override {
    if (!available()) GTEST_SKIP() << "no CUDA device";
  }
};
using cuda_stream = on_a_device;
using cuda_memory = on_a_device;
using cuda_error_of = on_a_device;

/// Waits until the flag is raised, with a timeout; returns whether it was.
struct await_flag {
  int volatile* flag;
  int* raised;
  template <class Team>
  __device__ void operator()(Team const& team, tile) const {
    if (!team.leads()) return;
    for (int naps = 0; *flag == 0 && naps < 2'000'000; ++naps) __nanosleep(1000);
    *raised = *flag;
  }
};
struct raise_flag {
  int volatile* flag;
  template <class Team>
  __device__ void operator()(Team const& team, tile) const {
    if (team.leads()) *flag = 1;
  }
};

/// Writes `value` after a delay longer than the other work.
struct write_late {
  int* to;
  int value;
  template <class Team>
  __device__ void operator()(Team const& team, tile) const {
    if (!team.leads()) return;
    for (int naps = 0; naps < 20'000; ++naps) __nanosleep(1000);
    *to = value;
  }
};

struct fill {
  int* to;
  int value;
  struct write {
    int* to;
    int value;
    __device__ void operator()(index_t i) const { to[i] = value; }
  };
  template <class Team>
  __device__ void operator()(Team const& team, tile t) const {
    team.for_each(t, write{to, value});
  }
};

std::vector<int> const one_zero(1, 0);

/// Must be skipped under tools that run one kernel at a time (compute-sanitizer).
TEST_F(cuda_stream, of_two_executors_run_at_the_same_time) {
  executor const a;
  executor const b;
  EXPECT_NE(a.stream(), b.stream());
  auto const flag = to(a, one_zero);
  auto const raised = to(a, one_zero);
  b.for_each_tile(1, raise_flag{raised.data()});  // loads both kernels
  b.wait();
  a.for_each_tile(1, await_flag{raised.data(), raised.data()});
  a.wait();

  a.for_each_tile(1, await_flag{flag.data(), raised.data()});
  b.for_each_tile(1, raise_flag{flag.data()});
  EXPECT_EQ(to_host(a, raised).front(), 1);
}

TEST_F(cuda_stream, may_be_the_callers) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  {
    executor const ex(0, stream);
    EXPECT_EQ(ex.stream(), stream);
    EXPECT_EQ(ex.device(), 0);
    testing::expect_executor_laws(ex);
  }
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess) << "it is still there";
  check(cudaStreamDestroy(stream), "destroying a stream");
}

TEST_F(cuda_stream, of_its_own_and_the_default_stream_wait_for_each_other) {
  executor const ex;
  executor const on_default(ex.device(), nullptr);
  auto const x = to(ex, one_zero);
  on_default.for_each_tile(1, write_late{x.data(), 7});
  EXPECT_EQ(to_host(ex, x).front(), 7);
  ex.for_each_tile(1, write_late{x.data(), 9});
  EXPECT_EQ(to_host(on_default, x).front(), 9);
}

TEST_F(cuda_stream, is_used_from_another_thread) {
  executor const ex;
  auto const x = to(ex, one_zero);
  std::jthread([&] { ex.for_each_tile(1, fill{x.data(), 5}); }).join();
  EXPECT_EQ(to_host(ex, x).front(), 5);
}

TEST_F(cuda_stream, of_every_device_keeps_the_laws_and_the_current_device) {
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "counting devices");
  for (int device = 0; device < devices; ++device) {
    SCOPED_TRACE(device);
    executor const ex(device);
    EXPECT_EQ(ex.device(), device);
    testing::expect_executor_laws(ex);
    int current = -1;
    check(cudaGetDevice(&current), "querying the current device");
    EXPECT_EQ(current, 0);
  }
}

TEST_F(cuda_memory, of_a_buffer_is_given_back_in_stream_order) {
  executor const ex;
  constexpr index_t n = 1 << 20;
  constexpr int times = 20;
  auto const kept = ex.allocate<int>(times);
  for (int k = 0; k < times; ++k) {
    auto const there = ex.allocate<int>(n);
    ex.for_each_tile(n, fill{there.data(), k});
    ex.copy(there.data() + n - 1, kept.data() + k, 1);
  }
  EXPECT_EQ(to_host(ex, kept), testing::numbers_from(0, times));
}

TEST_F(cuda_memory, of_scratch_is_a_stack) {
  auto const from = std::make_shared<memory>(0, nullptr, true);
  scratch<int> const a(from, 100);
  int* freed = nullptr;
  {
    scratch<int> const b(from, 1000);
    scratch<char> const c(from, 1);
    EXPECT_GE(b.data(), a.data() + 100);
    EXPECT_GE(c.data(), reinterpret_cast<char*>(b.data() + 1000));
    for (void const* p : {static_cast<void*>(a.data()), static_cast<void*>(b.data()),
                          static_cast<void*>(c.data())}) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % memory::alignment, 0u);
    }
    freed = b.data();
  }
  scratch<int> const again(from, 7);
  EXPECT_EQ(again.data(), freed);
  EXPECT_TRUE(from->on_stack(again.data()));
}

TEST_F(cuda_memory, of_scratch_comes_from_the_pool_when_the_workspace_is_full) {
  auto const from = std::make_shared<memory>(0, nullptr, true);
  constexpr auto half = static_cast<index_t>(memory::workspace_bytes / 2);
  void* first = nullptr;
  {
    scratch<char> const a(from, half);
    scratch<char> const b(from, half);
    scratch<char> const none(from, 0);
    scratch<char> const c(from, 1);
    scratch<char> const d(from, 3 * half);
    EXPECT_TRUE(from->on_stack(a.data()));
    EXPECT_TRUE(from->on_stack(b.data()));
    EXPECT_FALSE(from->on_stack(c.data()));
    EXPECT_FALSE(from->on_stack(d.data()));
    EXPECT_EQ(none.size(), 0);
    for (void* p : {a.data(), b.data(), c.data(), d.data()}) {
      EXPECT_EQ(cudaMemsetAsync(p, 1, 1, from->stream()), cudaSuccess);
    }
    first = a.data();
  }
  EXPECT_EQ(cudaStreamSynchronize(from->stream()), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  scratch<char> const again(from, 1);
  EXPECT_EQ(again.data(), first);
}

TEST_F(cuda_memory, that_is_not_there_is_an_allocation_error_and_later_calls_work) {
  std::size_t free = 0;
  std::size_t total = 0;
  executor const ex;
  check(cudaMemGetInfo(&free, &total), "querying the memory of the device");
  auto const too_much = static_cast<index_t>(total + 1);
  for (int repeat = 0; repeat < 3; ++repeat) {
    EXPECT_THROW(ex.allocate<char>(too_much), allocation_error);
    EXPECT_THROW(ex.scratch<char>(too_much), allocation_error);
    EXPECT_THROW(ex.allocate<double>(index_t{1} << 61), allocation_error);
    EXPECT_THROW(ex.scratch<double>(index_t{1} << 61), allocation_error);
    EXPECT_THROW(ex.allocate_pinned<double>(index_t{1} << 61), allocation_error);
    auto const x = ex.allocate<int>(1000);
    ex.for_each_tile(1000, fill{x.data(), 3});
    EXPECT_EQ(to_host(ex, x), std::vector<int>(1000, 3));
  }
}

TEST_F(cuda_memory, of_small_buffers_is_given_again) {
  executor const ex;
  int* first = nullptr;
  {
    auto const x = ex.allocate<int>(10);
    first = x.data();
    ex.for_each_tile(10, fill{x.data(), 3});
    EXPECT_EQ(to_host(ex, x), std::vector<int>(10, 3));
  }
  auto y = ex.allocate<int>(12);
  EXPECT_EQ(y.data(), first);
  auto const z = ex.allocate<int>(12);
  EXPECT_NE(z.data(), first);
  y = ex.allocate<int>(1);  // and then frees its block
  EXPECT_NE(y.data(), first);
  EXPECT_EQ(ex.allocate<int>(12).data(), first);
}

TEST_F(cuda_memory, of_a_graph_is_not_reused) {
  executor const ex;
  auto const out = ex.allocate<int>(10);
  int* of_graph = nullptr;
  testing::recording const twice(ex, [&] {
    auto const x = ex.allocate<int>(10);
    of_graph = x.data();
    ex.for_each_tile(10, fill{x.data(), 3});
    ex.copy(x.data(), out.data(), 10);
  });
  auto const beside = ex.allocate<int>(10);
  EXPECT_NE(beside.data(), of_graph);
  ex.for_each_tile(10, fill{beside.data(), 4});
  twice.replay();
  twice.replay();
  EXPECT_EQ(to_host(ex, out), std::vector<int>(10, 3));
  EXPECT_EQ(to_host(ex, beside), std::vector<int>(10, 4));
}

TEST_F(cuda_error_of, a_device_that_is_not_there_leaves_the_others_working) {
  executor const ex;
  EXPECT_THROW(executor(1000), cuda_error);
  auto const x = to(ex, one_zero);
  ex.for_each_tile(1, fill{x.data(), 3});
  EXPECT_EQ(to_host(ex, x).front(), 3);
}

TEST_F(cuda_error_of, a_grid_that_is_too_large_is_a_contract_error) {
  executor const ex;
  EXPECT_THROW(ex.for_each_tile(index_t{1} << 50, fill{nullptr, 0}), contract_error);
}

TEST(cuda_check, says_what_failed) {
  EXPECT_NO_THROW(check(cudaSuccess, "querying"));
  EXPECT_THROW(check(cudaErrorMemoryAllocation, "querying"), allocation_error);
  try {
    check(cudaErrorInvalidDevice, "choosing device ", 17);
    FAIL() << "nothing was thrown";
  } catch (cuda_error const& thrown) {
    EXPECT_EQ(thrown.code, cudaErrorInvalidDevice);
    EXPECT_EQ(thrown.what(),
              std::string("choosing device 17: ") + cudaGetErrorString(cudaErrorInvalidDevice));
  }
}

/// Causes a fault, and exits with 0 if wait() throws with the right message; in a process of its
/// own, since the context is unusable after a fault.
[[noreturn]] void fault() {
  std::string said = "nothing was thrown";
  try {
    executor const ex;
    ex.for_each_tile(1, fill{nullptr, 1});
    try {
      ex.wait();
    } catch (cuda_error const& thrown) {
      said = thrown.what();
    }
  } catch (std::exception const& thrown) {
    said = std::string("too early or too late: ") + thrown.what();
  }
  std::fputs(said.c_str(), stderr);
  std::_Exit(said.starts_with("gpu::executor: waiting for device") ? 0 : 1);
}

TEST(cuda_fault_DeathTest, is_thrown_by_wait) {
  if (!available()) GTEST_SKIP() << "no CUDA device";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(fault(), ::testing::ExitedWithCode(0), "illegal");
}

}  // namespace
}  // namespace ravel::gpu
