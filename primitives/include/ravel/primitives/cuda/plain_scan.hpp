#pragma once

/// @file
/// Which loads and visits are of plain sequences, and of which scan.

#include <ravel/core/config.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/scan_visits.hpp>

namespace ravel::inline v0::gpu::detail {

/// A scan of one plain sequence to another.
template <class Load, class Visit>
struct plain_scan {
  static constexpr bool is = false;
  using from = void;
  using to = void;
};

template <class In, class Visit>
requires(ravel::detail::written<Visit>::known &&
         !ravel::detail::written<Visit>::made) struct plain_scan<contiguous<In>, Visit> {
  static constexpr bool is = true, backward = false;
  static constexpr bool inclusive = ravel::detail::only_through<Visit>;
  using from = In;
  using to = typename ravel::detail::written<Visit>::type;
  In const* in;
  to* out;
  plain_scan(contiguous<In> load, Visit visit) : in(load.data), out(visit.to) {}
};

template <class Load, class Visit>
requires plain_scan<Load, Visit>::is struct plain_scan<mirrored<Load>,
                                                       ravel::detail::mirrored_visit<Visit>>
    : plain_scan<Load, Visit> {
  static constexpr bool backward = true;
  plain_scan(mirrored<Load> load, ravel::detail::mirrored_visit<Visit> visit)
      : plain_scan<Load, Visit>(load.source, visit.visit) {}
};

}  // namespace ravel::inline v0::gpu::detail
