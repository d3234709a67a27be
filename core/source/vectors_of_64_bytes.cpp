/// The loops over numbers in vectors of 64 bytes.

#include "vectors.hpp"

namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS {

template struct loops_over_rows<float>;
template struct loops_over_rows<double>;

}  // namespace ravel::inline v0::cpu::simd::inline RAVEL_VECTORS

static_assert(ravel::cpu::simd::vector_bytes == 64);
