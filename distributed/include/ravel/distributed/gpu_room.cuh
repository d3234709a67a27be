#pragma once

/// Memory of GPUs of one host that the others copy from, by NCCL's symmetric windows: then copy engines move
/// data, and no multiprocessor.
///
/// Without nccl.h this header is empty.

#if __has_include(<nccl.h>)

#  include <ravel/core/cuda/error.cuh>
#  include <ravel/core/cuda/executor.cuh>
#  include <ravel/distributed/communicator.hpp>

#  include <cstddef>
#  include <vector>

#  include <cuda_runtime_api.h>
#  include <nccl.h>

#  if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
#    define RAVEL_NCCL_WINDOWS 1
#    pragma GCC diagnostic push
#    pragma GCC diagnostic ignored "-Wunused-parameter"
#    include <nccl_device.h>
#    pragma GCC diagnostic pop
#  endif

namespace ravel::inline v0::distributed::detail {

#  ifdef RAVEL_NCCL_WINDOWS
template <class Window>
__global__ void find_rooms_kernel(Window window, int ranks, std::byte** rooms) {
  for (int r = static_cast<int>(threadIdx.x); r < ranks; r += static_cast<int>(blockDim.x)) {
    rooms[r] = static_cast<std::byte*>(ncclGetLsaPointer(window, 0, r));
  }
}
#  endif

/// The room of one rank, of the same size on all ranks.
class gpu_room {
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::vector<std::byte const*> of_rank_;  // empty if this device can't read all of them
#  ifdef RAVEL_NCCL_WINDOWS
  ncclWindow_t window_ = nullptr;
#  endif

 public:
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  /// Whether the devices of all ranks read one another's rooms.
  bool is_copied_from() const { return !of_rank_.empty(); }

  /// Takes memory from NCCL.
  ncclResult_t allocate(std::size_t bytes) {
    void* data = nullptr;
    auto const state = ncclMemAlloc(&data, bytes);
    if (state == ncclSuccess) {
      data_ = static_cast<std::byte*>(data);
      size_ = bytes;
    }
    return state;
  }

  /// Registers the memory with all ranks, which call this together; returns whether this device can read that
  /// of all of them.
  bool register_with([[maybe_unused]] ncclComm_t comm, [[maybe_unused]] int ranks) {
#  ifdef RAVEL_NCCL_WINDOWS
    auto const state =
        ncclCommWindowRegister(comm, data_, size_, &window_, NCCL_WIN_COLL_SYMMETRIC);
    return state == ncclSuccess && window_ != nullptr && ncclTeamLsa(comm).nRanks == ranks;
#  else
    return false;
#  endif
  }

  /// Finds where the rooms of all ranks are, which all of them can read; known once `on` has been waited
  /// for.
  void find_others([[maybe_unused]] gpu::executor const& on, [[maybe_unused]] int ranks) {
#  ifdef RAVEL_NCCL_WINDOWS
    auto const found = on.scratch<std::byte*>(ranks);
    find_rooms_kernel<<<1, 32, 0, on.stream()>>>(window_, ranks, found.data());
    of_rank_.resize(static_cast<std::size_t>(ranks));
    on.copy(found.data(), const_cast<std::byte**>(of_rank_.data()), ranks);
#  endif
  }

  /// Copies what a rank has in its room to where it goes here.
  void copy(run_of_room const& run, cudaStream_t stream) const {
    gpu::check(cudaMemcpyAsync(run.to, of_rank_[run.rank] + run.begin, run.size, cudaMemcpyDefault,
                               stream),
               "start_exchanges: copying ", run.size, " bytes of rank ", run.rank);
  }

  /// Gives the memory back; `comm` is null if the communicator has been aborted.
  void close([[maybe_unused]] ncclComm_t comm) {
#  ifdef RAVEL_NCCL_WINDOWS
    if (window_ && comm) ncclCommWindowDeregister(comm, window_);
#  endif
    if (data_) ncclMemFree(data_);
    *this = {};
  }
};

}  // namespace ravel::inline v0::distributed::detail
#endif
