#pragma once

/// @file
/// GPUs as ranks: a communicator for device data, by NCCL, beside one for host data.
///
/// The host communicator, in_process or mpi, starts the group, carries values of the host, and
/// passes errors to all ranks.  For the GPUs of one process:
///
///     run_ranks(gpus, [](in_process const& threads) {
///       gpu::executor const device(threads.rank());
///       executor const ex(device, nccl(threads, device.device()));
///       ...
///     });
///
/// Calls are issued on the stream of the executor.  NCCL runs without blocking the host, so every
/// wait has the time limit, and a rank that fails ends the kernels of the others.
///
/// Without nccl.h this header is empty.  Link -lnccl.

#if __has_include(<nccl.h>)

#  include <ravel/core/cuda/error.cuh>
#  include <ravel/core/cuda/executor.cuh>
#  include <ravel/core/error.hpp>
#  include <ravel/core/view.hpp>
#  include <ravel/distributed/communicator.hpp>

#  include <chrono>
#  include <cstddef>
#  include <cstdint>
#  include <memory>
#  include <numeric>
#  include <optional>
#  include <string>
#  include <thread>
#  include <utility>
#  include <vector>

#  include <cuda_runtime_api.h>
#  include <nccl.h>

namespace ravel::inline v0::distributed {

template <communicator Host>
class nccl {
  using clock = std::chrono::steady_clock;

  struct group {
    Host host;
    std::chrono::milliseconds limit;
    ncclComm_t comm = nullptr;
    std::uint64_t sent = 0;

    group(Host const& h, std::chrono::milliseconds l) : host(h), limit(l) {}
    group(group const&) = delete;
    group& operator=(group const&) = delete;
    ~group() {
      if (!comm) return;
      auto state = ncclInProgress;
      auto const end = clock::now() + limit;
      if (!host.failure()) ncclCommFinalize(comm);
      while (state == ncclInProgress && !host.failure() && clock::now() < end) {
        if (ncclCommGetAsyncError(comm, &state) != ncclSuccess) break;
      }
      state == ncclSuccess ? ncclCommDestroy(comm) : ncclCommAbort(comm);
    }
  };
  std::shared_ptr<group> group_;

 public:
  using memory = device_space;

  /// The rank of `host`, with a device that no other rank has.  Waits for all ranks.
  nccl(Host const& host, int device, std::chrono::milliseconds limit = std::chrono::seconds(60))
      : group_(std::make_shared<group>(host, limit)) {
    gpu::on_device const here(device);
    ncclUniqueId mine{};
    if (rank() == 0) succeed("nccl", ncclGetUniqueId(&mine));
    std::vector<ncclUniqueId> ids(size());
    host.all_gather_host(reinterpret_cast<std::byte const*>(&mine),
                         reinterpret_cast<std::byte*>(ids.data()), sizeof mine);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    auto const begun = ncclCommInitRankConfig(&group_->comm, size(), ids[0], rank(), &config);
    succeed("nccl", begun);
  }

  int rank() const { return group_->host.rank(); }
  int size() const { return group_->host.size(); }
  std::uint64_t sent() const { return group_->sent + group_->host.sent(); }
  std::optional<error> failure() const { return group_->host.failure(); }
  Host const& host() const { return group_->host; }

  void all_gather(gpu::executor const& on, void const* mine, void* all, std::size_t bytes) const {
    if (on.is_planned() || bytes == 0) return;
    expect_running("all_gather");
    gpu::on_device const here(on.device());
    succeed("all_gather", ncclAllGather(mine, all, bytes, ncclInt8, group_->comm, on.stream()));
    group_->sent += bytes * (size() - 1);
  }
  void all_gather_host(void const* mine, void* all, std::size_t bytes) const {
    group_->host.all_gather_host(static_cast<std::byte const*>(mine), static_cast<std::byte*>(all),
                                 bytes);
  }

  /// What a rank keeps is copied; the rest is one group of sends and receives.
  void all_to_all_v(gpu::executor const& on, void const* from, byte_counts counts, void* to,
                    byte_counts to_counts) const {
    if (on.is_planned()) return;
    expect_running("all_to_all_v");
    gpu::on_device const here(on.device());
    auto const* out = static_cast<std::byte const*>(from);
    auto* in = static_cast<std::byte*>(to);
    auto const own_out = std::accumulate(counts.begin(), counts.begin() + rank(), out);
    auto const own_in = std::accumulate(to_counts.begin(), to_counts.begin() + rank(), in);
    gpu::check(
        cudaMemcpyAsync(own_in, own_out, counts[rank()], cudaMemcpyDeviceToDevice, on.stream()),
        "all_to_all_v: copying ", counts[rank()], " bytes");

    succeed("all_to_all_v", ncclGroupStart());
    auto state = ncclSuccess;
    for (int r = 0; r < size(); out += counts[r], in += to_counts[r], ++r) {
      if (r == rank() || has_failed(state)) continue;
      if (counts[r] > 0) {
        state = ncclSend(out, counts[r], ncclInt8, r, group_->comm, on.stream());
        group_->sent += counts[r];
      }
      if (to_counts[r] > 0 && !has_failed(state)) {
        state = ncclRecv(in, to_counts[r], ncclInt8, r, group_->comm, on.stream());
      }
    }
    auto const ended = ncclGroupEnd();
    succeed("all_to_all_v", has_failed(state) ? state : ended);
  }

  void wait(gpu::executor const& on) const {
    expect_running("wait");
    gpu::on_device const here(on.device());
    auto const end = clock::now() + group_->limit;
    while (cudaStreamQuery(on.stream()) == cudaErrorNotReady) {
      state_of("wait");
      if (clock::now() >= end) abort("wait", waited());
      std::this_thread::yield();
    }
    on.wait();
  }

  [[noreturn]] void abort(std::string const& call, std::string const& sentence) const {
    try {
      group_->host.abort(call, sentence);
    } catch (error const&) {
      if (group_->comm) ncclCommAbort(std::exchange(group_->comm, nullptr));
      throw;
    }
  }

 private:
  std::string waited() const { return detail::waited(group_->limit, "other ranks"); }

  static bool has_failed(ncclResult_t state) {
    return state != ncclSuccess && state != ncclInProgress;
  }

  /// Throws if a rank has failed: the first error, whatever is passed to abort.
  void expect_running(char const* call) const {
    if (auto const failed = failure()) abort(call, failed->what());
  }

  /// The state of the communicator; throws if it has failed, or another rank has.
  ncclResult_t state_of(char const* call) const {
    expect_running(call);
    auto state = ncclSuccess;
    auto const queried = ncclCommGetAsyncError(group_->comm, &state);
    if (has_failed(queried)) fail(call, queried);
    if (has_failed(state)) fail(call, state);
    return state;
  }

  [[noreturn]] void fail(char const* call, ncclResult_t state) const {
    abort(call, ravel::detail::sentence("NCCL: ", ncclGetErrorString(state), ": ",
                                        ncclGetLastError(group_->comm)));
  }

  /// Returns once NCCL has taken a call; throws if it does not, or within the time limit.
  void succeed(char const* call, ncclResult_t begun) const {
    if (has_failed(begun)) fail(call, begun);
    if (begun == ncclSuccess) return;
    auto const end = clock::now() + group_->limit;
    while (state_of(call) == ncclInProgress) {
      if (clock::now() >= end) abort(call, waited());
      std::this_thread::yield();
    }
  }
};

}  // namespace ravel::inline v0::distributed
#endif
