/// The loops over numbers in vectors of 32 bytes.

#include "vectors.hpp"

static_assert(ravel::cpu::simd::vector_bytes == 32);
