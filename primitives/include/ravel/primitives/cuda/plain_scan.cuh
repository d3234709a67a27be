#pragma once

/// @file
/// Which loads and visits are of plain sequences, and of which scan.

#include <ravel/core/config.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0 {
namespace detail {

template <class Out>
struct write_through;  // of a scan
template <class Out>
struct write_before;
template <class Load>
struct mirrored_load;
template <class Visit>
struct mirrored_visit;

}  // namespace detail

namespace cuda::detail {

/// A scan of one plain sequence to another.
template <class Load, class Visit>
struct plain_scan {
  static constexpr bool is = false;
};

template <class In, class Out, bool Inclusive, bool Backward>
struct plain_scan_of {
  static constexpr bool is = true, inclusive = Inclusive, backward = Backward;
  using from = In;
  using to = Out;
  In const* in;
  Out* out;
};
template <class In, class Out>
struct plain_scan<ravel::detail::read<In>, ravel::detail::write_through<Out>>
    : plain_scan_of<In, Out, true, false> {
  plain_scan(ravel::detail::read<In> load, ravel::detail::write_through<Out> visit)
      : plain_scan_of<In, Out, true, false>{load.from, visit.to} {}
};
template <class In, class Out>
struct plain_scan<ravel::detail::read<In>, ravel::detail::write_before<Out>>
    : plain_scan_of<In, Out, false, false> {
  plain_scan(ravel::detail::read<In> load, ravel::detail::write_before<Out> visit)
      : plain_scan_of<In, Out, false, false>{load.from, visit.to} {}
};
template <class In, class Visit>
struct plain_scan<ravel::detail::mirrored_load<ravel::detail::read<In>>,
                  ravel::detail::mirrored_visit<Visit>>
    : plain_scan_of<In, typename plain_scan<ravel::detail::read<In>, Visit>::to,
                    plain_scan<ravel::detail::read<In>, Visit>::inclusive, true> {
  using forward = plain_scan<ravel::detail::read<In>, Visit>;
  plain_scan(ravel::detail::mirrored_load<ravel::detail::read<In>> load,
             ravel::detail::mirrored_visit<Visit> visit)
      : plain_scan_of<In, typename forward::to, forward::inclusive, true>{load.load.from,
                                                                          visit.visit.to} {}
};

}  // namespace cuda::detail
}  // namespace ravel::inline v0
