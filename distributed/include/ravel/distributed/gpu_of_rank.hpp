#pragma once

/// Which GPU each rank has: ranks that share one are refused before NCCL refuses them, which says less.

#include <ravel/distributed/communicator.hpp>
#include <ravel/distributed/exchange.hpp>

#include <array>
#include <string>

namespace ravel::inline v0::distributed::detail {

/// The number of a GPU that no other has: cudaDeviceProp::uuid.
using gpu_uuid = std::array<unsigned char, 16>;

/// As nvidia-smi -L writes it.
inline std::string text_of(gpu_uuid const& id) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    for (int const digit : {id[i] / 16, id[i] % 16}) text += "0123456789abcdef"[digit];
  }
  return text;
}

/// Refuses, on all ranks alike, a GPU that two ranks have; `own_gpu` is that of this rank.
void expect_own_gpus(communicator auto const& ranks, gpu_uuid const& own_gpu) {
  auto const gpus = gather_values(ranks, own_gpu);
  for (std::size_t r = 1; r < gpus.size(); ++r) {
    for (std::size_t before = 0; before < r; ++before) {
      expects(gpus[before] != gpus[r], "ranks ", before, " and ", r, " have one GPU, ",
              text_of(gpus[r]),
              ": each needs its own, as gpu::executor(device) with the number of the rank on its "
              "host, OMPI_COMM_WORLD_LOCAL_RANK or MPI_LOCALRANKID");
    }
  }
}

}  // namespace ravel::inline v0::distributed::detail
