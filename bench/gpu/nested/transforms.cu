#include "gpu/nested/on_device.cuh"

namespace ravel::bench::nested_programs {

template comparison on_device<fft>(gpu::executor const&, index_t);
template comparison on_device<bitonic_sort>(gpu::executor const&, index_t);

}  // namespace ravel::bench::nested_programs
