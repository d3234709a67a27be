#pragma once

/// @file
/// Segmented apply on any executor: one thread applies a function to each segment.

#include <ravel/core/checked.hpp>
#include <ravel/core/vocabulary.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0 {

namespace detail {

/// Copies the elements [begin, end) of segment s to `first`, and calls f on the copy.
template <class Load, class T, class F>
RAVEL_HD void apply_to_segment(Load const& load, F const& f, index_t s, index_t begin, index_t end,
                               T* first) {
  auto const opened = load.of_segment(s, begin);
  for (index_t i = begin; i < end; ++i) first[i - begin] = static_cast<T>(load.load(opened, i));
  f(first, end - begin);
}

template <class Segments, class Load, class T, class F>
struct apply_in_place {
  Segments segments;
  Load load;
  T* out;
  F f;
  RAVEL_HD void operator()(index_t s) const {
    index_t const begin = segments.begin(s), end = segments.begin(s + 1);
    if (begin < end) apply_to_segment(load, f, s, begin, end, out + begin);
  }
};

}  // namespace detail

/// Writes the loaded elements of each segment to `out`, and applies f to them in place:
///
///     out[i] = load.load(load.of_segment(s, begin(s)), i)      for all i of segment s; then
///     f(out + begin(s), end(s) - begin(s))                     unless it is empty
///
/// f may find them at another address than in `out`: it must read and write these elements alone.
///
/// Shapes   Segments of n elements, by offsets or uniform.  n may be 0.
/// Order    Segments are processed in any order; f is called once for each, by one thread.
/// Cost     O(n) work, and that of f; its span is that of the longest segment.  Moves 2 n elements
///          and the descriptor: on a device segments are in shared memory while f runs, if they
///          fit.
template <executor Ex, class Segments, class Load, class T, class F>
void segmented_apply_on(Ex const& ex, Segments segments, Load load, T* out, F f) {
  static_assert(Segments::numbered, "segmented_apply_on: the segments are by offsets or uniform");
  for_each_index(ex, segments.count(),
                 detail::apply_in_place<Segments, Load, T, F>{segments, load, out, f});
}

/// The overload for a checked executor, which has nothing to verify here.
template <executor Ex, class Segments, class Load, class T, class F>
void segmented_apply_on(checked_executor<Ex> const& ex, Segments segments, Load load, T* out, F f) {
  segmented_apply_on(ex.own(), segments, load, out, f);
}

}  // namespace ravel::inline v0
