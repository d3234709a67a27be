#pragma once

/// The description of a function of each segment.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0 {

struct segmented_apply_family;

/// f(out + begin(s), end(s) - begin(s)) for each segment s that is not empty, once its elements are
/// loaded to `out`.
template <class Segments, class Load, class T, class F>
struct segmented_apply_call {
  static_assert(Segments::numbered, "segmented_apply_on: the segments are by offsets or uniform");
  using family = segmented_apply_family;
  using value_type = T;
  Segments segments;
  Load load;
  T* out;
  F f;
};

/// The call of segmented_apply_on with the same arguments.
template <class Segments, class Load, class T, class F>
auto describe_segmented_apply_on(Segments segments, Load load, T* out, F f) {
  return segmented_apply_call<Segments, Load, T, F>{segments, load, out, f};
}

}  // namespace ravel::inline v0
