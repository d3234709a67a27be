#pragma once

/// The normal form of a visit of a scan: sinks of prefixes, and function objects whose structure()
/// returns one, as types that loops and kernels recognise.

#include <ravel/primitives/scan_visits.hpp>

namespace ravel::inline v0 {

/// The visit that writes the inclusive or the exclusive prefix of each element to a sink.
template <bool Before, class K>
struct result_into {
  static constexpr bool only_through = !Before;
  K to;
  template <class T>
  RAVEL_HD void operator()(index_t i, T const& before, T const& through) const {
    to(i, Before ? before : through);
  }
};
template <class K>
using through_into = result_into<false, K>;
template <class K>
using before_into = result_into<true, K>;

namespace detail {

/// f of the inclusive or the exclusive prefix.
template <bool Before, class F>
struct of_result {
  static constexpr bool only_through = !Before;
  F f;
  template <class T>
  RAVEL_HD auto operator()(index_t, T const& before, T const& through) const {
    return f(Before ? before : through);
  }
};

template <bool Before, class K>
constexpr auto visit_of_sink(K const& sink) {
  if constexpr (is_instance<K, into_contiguous>) {
    using T = stored_t<K>;
    return std::conditional_t<Before, write_before<T>, write_through<T>>{sink.data};
  } else if constexpr (is_in_memory<K>) {
    return write_made<of_result<Before, decltype(sink.f)>, stored_t<K>>{{sink.f}, sink.to.data};
  } else if constexpr (is_instance<K, into_mirrored>) {
    auto const visit = visit_of_sink<Before>(sink.to);
    return mirrored_visit<std::remove_const_t<decltype(visit)>>{visit, sink.last};
  } else if constexpr (is_instance<under_maps_t<K>, into_mirrored>) {
    using under = into_mapped<decltype(sink.f), decltype(sink.to.to)>;
    return visit_of_sink<Before>(into_mirrored<under>{{sink.f, sink.to.to}, sink.to.last});
  } else {
    return result_into<Before, K>{sink};
  }
}

template <bool Before, class K>
constexpr auto normal_scan_visit(result_into<Before, K> const& visit) {
  return visit_of_sink<Before>(sink_of(visit.to));
}
constexpr auto normal_scan_visit(auto const& visit) {
  if constexpr (requires { visit.structure(); }) {
    return normal_scan_visit(visit.structure());
  } else {
    return visit;
  }
}

}  // namespace detail
}  // namespace ravel::inline v0
