#pragma once

/// The description of a segmented pack: a pack that also passes on where the kept elements of each
/// segment begin.

#include <ravel/primitives/pack/call.hpp>

namespace ravel::inline v0 {

struct segmented_pack_family;

/// pack_call that also calls begins(s, place) for each s of [0, segments.count()], where place is
/// the number of elements kept before segment s.
template <class Segments, class Keep, class Visit, class Begins>
struct segmented_pack_call {
  using family = segmented_pack_family;
  index_t n;
  Segments segments;
  Keep keep;
  Visit visit;
  Begins begins;
};

namespace detail {

template <class Segments, class Keep, class Visit, class Begins>
auto make_segmented_pack_call(index_t n, Segments segments, Keep keep, Visit visit, Begins begins) {
  return segmented_pack_call<Segments, Keep, Visit, Begins>{n, segments, keep, visit, begins};
}

}  // namespace detail

/// The call of segmented_pack_on with the same arguments.
template <class Segments, class Keep, class Visit, class Begins>
auto describe_segmented_pack_on(index_t n, Segments segments, Keep const& keep, Visit const& visit,
                                Begins begins) {
  return detail::make_segmented_pack_call(n, segments, detail::normal_keep(keep, n),
                                          detail::normal_visit(visit), begins);
}

}  // namespace ravel::inline v0
