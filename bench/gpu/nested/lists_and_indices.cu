#include "gpu/nested/on_device.cuh"

namespace ravel::bench::nested_programs {

template comparison on_device<list_rank>(gpu::executor const&, index_t);
template comparison on_device<leaffix>(gpu::executor const&, index_t);
template comparison on_device<suffix_array>(gpu::executor const&, index_t);
template comparison on_device<inverted_index>(gpu::executor const&, index_t);

}  // namespace ravel::bench::nested_programs
