#pragma once

/// Segment descriptors in the form that the steps of a primitive can read.

#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/verify.hpp>

namespace ravel::inline v0::detail {

/// A descriptor that a step can read: lengths become offsets, in scratch that lives as long as
/// this; every other form is unchanged.  Checks that it covers n elements: on the host what is
/// known there, and from memory where calls on `Ex` verify.
template <class Ex, class S>
class readable_segments {
  S segments_;

 public:
  readable_segments(Ex const& ex, S segments, index_t n, char const* call)
      : segments_(within(segments, n)) {
    segments_.expect_elements(n, call);
    verify_segments(ex, call, segments_, n);
  }
  S const& get() const { return segments_; }
};

template <class Ex, class T, class Space>
class readable_segments<Ex, length_segments<T, Space>> {
  decltype(std::declval<Ex const&>().template scratch<index_t>(0)) offsets_;
  index_t elements_;

 public:
  readable_segments(Ex const& ex, length_segments<T, Space> segments, index_t n, char const* call)
      : offsets_(ex.template scratch<index_t>(segments.count() + 1)), elements_(n) {
    verify_segments(ex, call, segments, n);
    exclusive_scan(own(ex), segments.lengths, offsets_);
    index_t sum = segments.count() > 0 ? n : 0;
    if constexpr (std::same_as<Space, host_space>) sum = offsets_.data()[segments.count()];
    expects(sum == n, call, ": the lengths add up to ", sum, ", and there are ", n, " elements");
  }
  auto get() const { return by_offsets(offsets_).within(elements_); }
};

}  // namespace ravel::inline v0::detail
