#pragma once

/// Segmented apply on any executor: one thread applies a function to each segment.

#include <ravel/core/table.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/segmented_apply/call.hpp>

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

struct segmented_apply_by_steps {
  static constexpr auto name = "by_steps";
  static constexpr auto why = "Any executor: f runs in place.";
  template <class Ex, class Segments, class Load, class T, class F>
  static void run(Ex const& ex, segmented_apply_call<Segments, Load, T, F> const& c) {
    for_each_index(ex, c.segments.count(),
                   detail::apply_in_place<Segments, Load, T, F>{c.segments, c.load, c.out, c.f});
  }
};

/// The family of calls of functions of segments.
struct segmented_apply_family : call_family_with_devices<segmented_apply_by_steps> {};

}  // namespace ravel::inline v0
