#include "gpu/nested/on_device.cuh"

namespace ravel::bench::nested_programs {

template comparison on_device<random_mate>(gpu::executor const&, index_t);
template comparison on_device<awerbuch_shiloach>(gpu::executor const&, index_t);
template comparison on_device<independent_set>(gpu::executor const&, index_t);
template comparison on_device<maximal_cliques>(gpu::executor const&, index_t);
template comparison on_device<triangles>(gpu::executor const&, index_t);
template comparison on_device<shortest_paths>(gpu::executor const&, index_t);

}  // namespace ravel::bench::nested_programs
