#pragma once

/// Tile descriptors that are cleared before each launch, as in the papers.

#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/cuda/tile_state.cuh>

namespace ravel::inline v0::gpu::detail {

/// `slots` tile descriptors without published values, and a ticket counter of 0.
template <class T>
class cleared_states {
  using word = typename tile_states<T>::word;
  index_t slots_;
  gpu::scratch<word> words_;
  gpu::scratch<T> values_;

 public:
  cleared_states(executor const& ex, index_t slots)
      : slots_(slots),
        words_(ex.scratch<word>(slots + 1)),
        values_(ex.scratch<T>(tile_states<T>::apart ? 2 * slots : 0)) {
    ex.clear(words_);
  }

  tile_states<T> states() const { return {words_.data(), values_.data(), 1}; }
  unsigned* counter() const { return reinterpret_cast<unsigned*>(words_.data() + slots_); }
};

}  // namespace ravel::inline v0::gpu::detail
