/// A program of medium size, by how long it takes to compile.

#ifdef __CUDACC__
#  include <ravel/core/cuda/executor.cuh>
#else
#  include <ravel/core/cpu/executor.hpp>
#endif

#include "nested/quicksort.hpp"

#include <vector>

std::vector<std::vector<int>> sorted(std::vector<std::vector<int>> const& rows) {
#ifdef __CUDACC__
  ravel::gpu::executor const ex;
#else
  ravel::cpu::threads const ex;
#endif
  return to_host(each(ravel::from(ex, rows), ravel::examples::quicksort<int>));
}
