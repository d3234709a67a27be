#pragma once

/// The description of a segmented scan: segmented_inclusive_scan, segmented_exclusive_scan and
/// segmented_scan_on.  Loads and visits are normalised as those of a scan (scan/call.hpp).

#include <ravel/primitives/options.hpp>
#include <ravel/primitives/scan/call.hpp>

namespace ravel::inline v0 {

struct segmented_scan_family;

/// For each i of [0, n) calls visit(i, before, through), where s is the first element of the
/// segment that contains i, e its last, and, writing * for `m`,
///
///     before  = seed() * load(s) * ... * load(i - 1)             through = before * load(i)
///     before  = load(i + 1) * ... * load(e) * seed()             through = load(i) * before
///
/// the second if Backward.  Segments are in a form that can be read at any element: lengths have
/// become offsets.
template <bool Backward, class Load, class Segments, class Visit, class M, class Seed>
struct segmented_scan_call {
  using family = segmented_scan_family;
  using value_type = carrier_t<M>;
  static constexpr bool backward = Backward;
  index_t n;
  Load load;
  Segments segments;
  Visit visit;
  M m;
  Seed seed;

  /// before * x, and before the first element to be scanned of a segment.
  RAVEL_HD value_type then(value_type const& before, value_type const& x) const {
    return Backward ? m(x, before) : m(before, x);
  }
};

namespace detail {

template <bool Backward, class Load, class Segments, class Visit, class M, class Seed>
[[gnu::always_inline]] inline auto make_segmented_scan_call(index_t n, Load const& load,
                                                            Segments const& segments,
                                                            Visit const& visit, M m, Seed seed) {
  return segmented_scan_call<Backward, Load, Segments, Visit, M, Seed>{n,     load, segments,
                                                                       visit, m,    seed};
}

}  // namespace detail

/// The call of segmented_scan_on with the same arguments.
template <class Load, class Segments, class Visit, class M, class... Options>
[[gnu::always_inline]] inline auto describe_segmented_scan_on(index_t n, Load const& load,
                                                              Segments const& segments,
                                                              Visit const& visit, M m,
                                                              Options const&... options) {
  return detail::make_segmented_scan_call<detail::is_backward<Options...>>(
      n, detail::normal_load(load), segments, detail::normal_scan_visit(visit), m,
      detail::seed_of<carrier_t<M>>(m, options...));
}

namespace detail {

template <bool Before, class In, class Segments, class Out, class M, class... Options>
[[gnu::always_inline]] inline auto describe_segmented_scan(In const& in, Segments const& segments,
                                                           Out&& out, M m,
                                                           Options const&... options) {
  return describe_segmented_scan_on(operand_size(in), source_of(in), segments,
                                    result_into<Before, sink_t<Out>>{sink_of(out)},
                                    monoid_on<result_t<sink_t<Out>, source_t<In>>>(m), options...);
}

}  // namespace detail

/// The call of segmented_inclusive_scan with the same arguments.
template <class In, class Segments, class Out, class M = plus<>, class... Options>
[[gnu::always_inline]] inline auto describe_segmented_inclusive_scan(In const& in,
                                                                     Segments const& segments,
                                                                     Out&& out, M m = {},
                                                                     Options const&... options) {
  return detail::describe_segmented_scan<false>(in, segments, out, m, options...);
}

/// The call of segmented_exclusive_scan with the same arguments.
template <class In, class Segments, class Out, class M = plus<>, class... Options>
[[gnu::always_inline]] inline auto describe_segmented_exclusive_scan(In const& in,
                                                                     Segments const& segments,
                                                                     Out&& out, M m = {},
                                                                     Options const&... options) {
  return detail::describe_segmented_scan<true>(in, segments, out, m, options...);
}

}  // namespace ravel::inline v0
