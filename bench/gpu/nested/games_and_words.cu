#include "gpu/nested/on_device.cuh"

namespace ravel::bench::nested_programs {

template comparison on_device<minimax>(gpu::executor const&, index_t);
template comparison on_device<edit_distance>(gpu::executor const&, index_t);
template comparison on_device<edit_distance_in_place>(gpu::executor const&, index_t);
template comparison on_device<mandelbrot>(gpu::executor const&, index_t);

}  // namespace ravel::bench::nested_programs
