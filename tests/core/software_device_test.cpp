/// The device in software: that it reports the errors it claims to report.

#include <cuda_runtime_api.h>

#include <ravel/core/cuda/bulk_copy.cuh>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/shared.cuh>
#include <ravel/core/cuda/tile_state.cuh>
#include <ravel/core/transfer.hpp>

#include <ravel/software_device/executor.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace ravel::software_device_test {
namespace {

/// The error that a launch reports, or nothing.
template <class... P, class... A>
std::string fault_of(gpu::grid const& of, void (*kernel)(P...), A... args) {
  try {
    gpu::executor().launch(of, kernel, args...);
  } catch (software::fault const& e) {
    return e.what();
  }
  return "";
}

/// Whether some schedule makes `run` fail, or report an error.
template <class Run>
bool some_schedule_breaks(Run run) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    software::dice::seed(seed);
    try {
      if (!run()) return true;
    } catch (software::fault const&) {
      return true;
    }
  }
  return false;
}

__global__ void barrier_of_some() {
  if (threadIdx.x < 32) __syncthreads();
}
__global__ void votes_of_two_kinds(int* to) {
  to[threadIdx.x] = threadIdx.x % 2 == 0 ? __any_sync(0xffffffff, true)
                                         : static_cast<int>(__ballot_sync(0xffffffff, true));
}
__global__ void lane_unnamed(int* to) {
  if (threadIdx.x < 16) to[threadIdx.x] = __shfl_sync(0xffff, 1, 16);
}
__global__ void throws() { throw std::runtime_error("what a user's operator throws"); }

TEST(software_device_test, reports_what_cannot_go_on) {
  gpu::executor const ex;
  auto const out = ex.allocate<int>(32);
  EXPECT_NE(fault_of({1, 64}, barrier_of_some).find("never reaches"), std::string::npos);
  EXPECT_NE(fault_of({1, 32}, votes_of_two_kinds, out.data()).find("meet at"), std::string::npos);
  EXPECT_NE(fault_of({1, 32}, lane_unnamed, out.data()).find("does not name"), std::string::npos);
  EXPECT_THROW(ex.launch({4, 64}, throws), std::runtime_error);
}

__global__ void neighbours_in_halves(int* to) {
  unsigned const lane = threadIdx.x % 32;
  unsigned const half = lane < 16 ? 0xffff : 0xffff0000;
  to[threadIdx.x] = __shfl_xor_sync(half, static_cast<int>(lane), 1);
}

TEST(software_device_test, lets_parts_of_a_warp_meet) {
  gpu::executor const ex;
  auto const out = ex.allocate<int>(64);
  ex.launch({1, 64}, neighbours_in_halves, out.data());
  auto const got = to_host(ex, out);
  for (int k = 0; k < 64; ++k) EXPECT_EQ(got[static_cast<std::size_t>(k)], (k % 32) ^ 1);
}

/// Each block waits for the next one.
__global__ void chain_to_the_right(unsigned* words) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x + 1 < gridDim.x) {
    while (gpu::detail::load_acquire(words + blockIdx.x + 1) == 0) {
    }
  }
  gpu::detail::store_release(words + blockIdx.x, 1u);
}

TEST(software_device_test, has_room_for_all_blocks_only_if_cooperative) {
  gpu::executor const ex;
  auto const words = ex.allocate<unsigned>(software::device::room);
  auto const launch = [&](bool all_at_once) {
    cudaMemsetAsync(words.data(), 0, sizeof(unsigned) * software::device::room, ex.stream());
    ex.launch({software::device::room, 32, all_at_once}, chain_to_the_right, words.data());
    return true;
  };
  EXPECT_TRUE(some_schedule_breaks([&] { return launch(false); }));
  EXPECT_FALSE(some_schedule_breaks([&] { return launch(true); }));
  EXPECT_THROW(ex.launch({software::device::room + 1, 32, true}, chain_to_the_right, words.data()),
               cuda_error);
}

__global__ void write_at(char* to, index_t place) { to[place] = 1; }

TEST(software_device_test, notices_writes_past_an_allocation) {
#ifdef RAVEL_UNDER_ASAN
  GTEST_SKIP() << "which the sanitizer notices too";
#endif
  gpu::executor const ex;
  auto const out = ex.allocate<char>(100);
  ex.launch({1, 1}, write_at, out.data(), index_t{99});
  ex.wait();
  ex.launch({1, 1}, write_at, out.data(), index_t{100});
  EXPECT_THROW(ex.wait(), cuda_error);
}

/// A ring of `Stages` through which a thread copies sections of 4 numbers, `Loading` in flight, and
/// in which `Readers` threads double every Readers-th section.
template <int Stages, int Loading, int Readers, bool AwaitReading>
__global__ void ring(int const* in, int* out, int sections) {
  struct stage {
    int x[4];
  };
  auto* const stages = reinterpret_cast<stage*>(gpu::shared_bytes());
  __shared__ gpu::barrier landed[Stages];
  __shared__ gpu::barrier free[Stages];
  __shared__ int tile[Stages];
  if (threadIdx.x == 0) {
    for (int s = 0; s < Stages; ++s) {
      landed[s].begin(1);
      free[s].begin(1);
    }
    gpu::fence_barriers();
  }
  __syncthreads();
  unsigned const warp = threadIdx.x / 32;
  if (threadIdx.x % 32 != 0) return;
  if (warp == 0) {
    for (int k = 0; k < sections; ++k) {
      int const s = k % Stages;
      if (k >= Stages) free[s].wait((k / Stages - 1) & 1);
      if (k >= Loading) landed[(k - Loading) % Stages].wait((k - Loading) / Stages & 1);
      tile[s] = k;
      landed[s].copy(&stages[s], in + 4 * k, 16);
      landed[s].arrive_and_expect(16);
    }
  } else {
    for (int k = static_cast<int>(warp) - 1; k < sections; k += Readers) {
      int const s = k % Stages;
      landed[s].wait(k / Stages & 1);
      for (int& x : stages[s].x) x *= 2;
      gpu::fence_copies();
      gpu::copy_out(out + 4 * tile[s], &stages[s], 16);
      gpu::commit_copies();
      if (AwaitReading) gpu::wait_until_read();
      free[s].arrive();
    }
    gpu::wait_until_written();
  }
}

template <int Stages, int Loading, int Readers, bool AwaitReading>
bool ring_doubles() {
  gpu::executor const ex;
  std::vector<int> host(4 * 50);
  std::iota(host.begin(), host.end(), 1);
  auto const in = to(ex, host);
  auto const out = ex.allocate<int>(std::ssize(host));
  ex.launch({1, 32 * (Readers + 1), false, 16 * Stages},
            ring<Stages, Loading, Readers, AwaitReading>, in.data(), out.data(), 50);
  for (int& x : host) x *= 2;
  return to_host(ex, out) == host;
}

TEST(software_device_test, copies_in_bulk_in_any_order) {
  EXPECT_FALSE(some_schedule_breaks([] { return ring_doubles<5, 2, 3, true>(); }));
  EXPECT_FALSE(some_schedule_breaks([] { return ring_doubles<7, 4, 2, true>(); }));
}

/// A reader that skips the sections of others may wait for a barrier that is two phases late, which
/// has the same parity, unless the ring has as many stages as sections skipped and in flight.
TEST(software_device_test, confuses_phases_of_one_parity_as_a_device_does) {
  EXPECT_TRUE(some_schedule_breaks([] { return ring_doubles<5, 5, 3, true>(); }));
}

TEST(software_device_test, reads_late_what_is_copied_out) {
  EXPECT_TRUE(some_schedule_breaks([] { return ring_doubles<5, 2, 3, false>(); }));
}

__global__ void invalid_copies(char const* in, int kind) {
  __shared__ gpu::barrier landed;
  landed.begin(1);
  if (kind == 0) landed.copy(gpu::shared_bytes(), in + 4, 16);
  if (kind == 1) landed.copy(gpu::shared_bytes(), in + 96, 16);
  if (kind == 2) landed.copy(gpu::shared_bytes(), in, 16);
  if (kind == 3) gpu::copy_out(const_cast<char*>(in), gpu::shared_bytes(), 16);
}

TEST(software_device_test, refuses_copies_that_a_device_may_not_make) {
  gpu::executor const ex;
  auto const bytes = ex.allocate<char>(100);
  int kind = 0;
  for (char const* const sentence :
       {"not aligned", "outside of device memory", "no thread awaits", "still copied out"}) {
    EXPECT_NE(
        fault_of({1, 1, false, 64}, invalid_copies, static_cast<char const*>(bytes.data()), kind++)
            .find(sentence),
        std::string::npos)
        << sentence;
  }
}

}  // namespace
}  // namespace ravel::software_device_test
