#pragma once

/// Digits of elements, for splits.

#include <ravel/core/config.hpp>
#include <ravel/core/tile.hpp>

#include <cstdint>

namespace ravel::testing {

template <int Ways>
struct remainder {
  template <class T>
  RAVEL_HD int operator()(T const& x) const {
    return static_cast<int>(static_cast<std::uint64_t>(x) % Ways);
  }
};
/// The digit of an element varies from segment to segment.
template <int Ways>
struct shifted_by_segment {
  template <class T>
  RAVEL_HD int operator()(T const& x, index_t s) const {
    return static_cast<int>((static_cast<index_t>(x) + s) % Ways);
  }
};

}  // namespace ravel::testing
