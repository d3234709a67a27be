#include "gpu/nested/on_device.cuh"

namespace ravel::bench::nested_programs {

template comparison on_device<strassen>(gpu::executor const&, index_t);
template comparison on_device<product>(gpu::executor const&, index_t);
template comparison on_device<gauss_jordan>(gpu::executor const&, index_t);
template comparison on_device<conjugate_gradients>(gpu::executor const&, index_t);

}  // namespace ravel::bench::nested_programs
