#pragma once

/// The backend of the current compiler: CPU or CUDA.
///
/// The computation of a program is in a file that is compiled twice, by the host compiler
/// and by nvcc.  It defines a template on the backend, declared in a
/// header and instantiated at its end, so that the two have different names:
///
///     template <class Backend>
///     result work(job const&, int threads) {
///       auto const ex = Backend::executor(threads);
///       ...
///     }
///     template result work<backend>(job const&, int);
///
/// and with_backend (device.hpp) chooses between them.

#include "support/device.hpp"

#ifdef __CUDACC__
#  include <ravel/core/cuda/executor.cuh>
#else
#  include <ravel/core/cpu/executor.hpp>
#endif

namespace ravel::examples {

#ifdef __CUDACC__

struct cuda_backend {
  static gpu::executor executor(int) { return gpu::executor(); }
};
using backend = cuda_backend;

#else

struct cpu_backend {
  static cpu::threads executor(int threads) { return cpu::threads(threads); }
};
using backend = cpu_backend;

#endif

}  // namespace ravel::examples
