#include "gpu/nested/on_device.cuh"

namespace ravel::bench::nested_programs {

template comparison on_device<bfs>(gpu::executor const&, index_t);
template comparison on_device<bfs_of_path>(gpu::executor const&, index_t);

}  // namespace ravel::bench::nested_programs
