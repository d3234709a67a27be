#pragma once

/// @file
/// Split to parts on the host: by whole cache lines, as in cpu/split.hpp.

#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/core/cpu/worker.hpp>
#include <ravel/core/cpu/write_combining.hpp>
#include <ravel/core/vocabulary.hpp>
#include <ravel/primitives/cpu/chunk_counts.hpp>
#include <ravel/primitives/split_parts/steps.hpp>

namespace ravel::inline v0::cpu {

/// Overload of ravel::split_apart_on for elements that are moved unchanged.  If the output of a
/// part may be too small for its elements, the generic steps run instead.
template <host_executor Ex, int Ways, class Digit, class T, class Counts>
requires std::is_trivially_copyable_v<T>
void split_apart_on(Ex const& ex, index_t n, Digit digit, T const* in,
                    split_places<Ways, T> const& to, Counts counts) {
  bool fits = true;
  {
    detail::chunk_counts<Ex> const places(ex, n, Ways, digit);
    index_t many[Ways];
    for (int d = 0; d < Ways; ++d) {
      many[d] = places.place(d, 0);
      fits &= many[d] <= to.room[d];
    }
    if (fits) {
      bool const far = n >= beyond_caches / index_t{sizeof(T)};
      ex.for_each_tile_of(
          places.width(), n,
          [&](worker, tile t) {
            scatter_rows_to(
                t, contiguous<T>{in}, ravel::detail::on_tile(digit, t), Ways, places.of(t.id),
                [&](index_t d) { return to.to[d]; }, far);
          },
          detail::nanoseconds{n});
      for (int d = 0; d < Ways; ++d) counts(d, many[d]);
    }
  }
  if (!fits) ravel::split_apart_on<Ex>(ex, n, digit, in, to, counts);
}

}  // namespace ravel::inline v0::cpu
