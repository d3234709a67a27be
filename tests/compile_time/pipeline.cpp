/// A pipeline of five stages, by how long it takes to compile.

#ifdef __CUDACC__
#  include <ravel/core/cuda/executor.cuh>
using executor = ravel::gpu::executor;
#else
#  include <ravel/core/cpu/executor.hpp>
using executor = ravel::cpu::threads;
#endif
#include <ravel/pipelines/pipelines.hpp>

struct square {
  RAVEL_HD int operator()(int x) const { return x * x; }
};
struct is_even {
  RAVEL_HD bool operator()(int x) const { return x % 2 == 0; }
};

ravel::index_t kept(executor const& ex, ravel::view<int const, executor::space> in,
                    ravel::view<int, executor::space> out) {
  auto const count = ravel::on(ex, in) | ravel::map(square{}) |
                     ravel::inclusive_scan(ravel::plus{}) | ravel::filter(is_even{}) |
                     ravel::map(square{}) | ravel::drop(1) | ravel::into(out);
  return count.get();
}
