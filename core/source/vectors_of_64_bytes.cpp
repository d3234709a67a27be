/// The loops over numbers in vectors of 64 bytes.

#include "vectors.hpp"

namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS {

template struct rows_loop<float>;
template struct rows_loop<double>;

}  // namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS

static_assert(ravel::cpu::simd::vector_bytes == 64);
