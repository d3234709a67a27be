#pragma once

/// @file
/// A survey of contiguous keys by one thread, in vectors of the width in use.

#include <ravel/core/cpu/loops_by_width.hpp>
#include <ravel/core/cpu/simd.hpp>
#include <ravel/core/cpu/simd_survey.hpp>
#include <ravel/core/radix_key.hpp>
#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0::cpu {

/// Surveys keys[0, n), of 4 or 8 bytes, and their adjacent pairs.
template <simd::number K>
key_survey<radix_bits_t<K>> survey_keys(K const* keys, index_t n) {
  static_assert(sizeof(K) == 4 || sizeof(K) == 8, "survey_keys: keys have 4 or 8 bytes");
#ifdef RAVEL_CHOOSES_VECTORS
  using T = loops::detail::plain<K>;
  return loops::survey_loop<T>::run(reinterpret_cast<T const*>(keys), n);
#else
  return simd::survey_loop<K>::run(keys, n);
#endif
}

}  // namespace ravel::inline v0::cpu
