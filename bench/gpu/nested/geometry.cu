#include "gpu/nested/on_device.cuh"

namespace ravel::bench::nested_programs {

template comparison on_device<closest_pair>(gpu::executor const&, index_t);
template comparison on_device<nearest_k>(gpu::executor const&, index_t);
template comparison on_device<barnes_hut>(gpu::executor const&, index_t);

}  // namespace ravel::bench::nested_programs
