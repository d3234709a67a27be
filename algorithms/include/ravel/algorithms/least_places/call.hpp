#pragma once

/// The description of a call for the places of the least elements of each segment.

#include <ravel/core/vocabulary.hpp>

namespace ravel::inline v0 {

struct least_places_family;

/// out[s * each + j] = the place in segment s of its j-th least element load(i), of equal ones the first.
/// Segments have at least `each` elements; of others something is written.
template <class T, class Load, class Segments>
struct least_places_call {
  using family = least_places_family;
  using value_type = T;
  index_t n;
  Load load;
  Segments segments;
  index_t each;
  index_t* out;
};

}  // namespace ravel::inline v0
