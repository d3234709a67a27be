#pragma once

/// Grain: how many elements are enough work for a thread of the host to take at a time.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0 {

/// The result of `grain`.
struct grain_size {
  index_t elements;
};

/// The option of map and parallel_for by which threads take `elements` of them at a time, and are
/// woken at once if there are more:
///
///     map(ex, render_line, lines, indices, grain(1))
///
/// Without it the clock decides, after the first elements, so that few calls need it: those whose
/// first elements are much cheaper than the others, and single calls of some microseconds.
///
/// Errors   contract_error unless elements > 0.
inline grain_size grain(index_t elements) {
  expects(elements > 0, "grain: a thread cannot take ", elements, " elements at a time");
  return {elements};
}

/// An executor like `ex` on which that option holds for all elementwise steps, as those of
/// pipelines and nested programs: maps, generated sequences, for_each, gather, scatter.
///
///     on(with_grain(ex, grain(1)), generate(64, simulate{})) | to_vector()
///
/// Executors other than cpu::threads have no threads to wake, and are returned as they are.
template <executor Ex>
Ex with_grain(Ex const& ex, grain_size g) {
  if constexpr (requires {
                  { ex.with_grain(g.elements) } -> std::same_as<Ex>;
                }) {
    return ex.with_grain(g.elements);
  } else {
    return ex;
  }
}

}  // namespace ravel::inline v0
