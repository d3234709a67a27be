#pragma once

/// @file
/// The loads and visits of a scan from the last element to the first.

#include <ravel/core/config.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0::detail {

/// A load, and a visit, of the sequence reversed.
template <class Load>
struct mirrored_load {
  Load load;
  index_t last;
  RAVEL_HD auto on(tile t) const {
    auto there = on_tile(load, {t.id, last + 1 - t.end, last + 1 - t.begin});
    return mirrored_load<decltype(there)>{there, last};
  }
  RAVEL_HD decltype(auto) operator()(index_t i) const { return load(last - i); }
};
template <class Visit>
struct mirrored_visit {
  static constexpr bool only_through = detail::only_through<Visit>;
  Visit visit;
  index_t last;
  RAVEL_HD auto on(tile t) const {
    auto there = on_tile(visit, {t.id, last + 1 - t.end, last + 1 - t.begin});
    return mirrored_visit<decltype(there)>{there, last};
  }
  template <class T>
  RAVEL_HD void operator()(index_t i, T const& before, T const& through) const {
    visit(last - i, before, through);
  }
};

}  // namespace ravel::inline v0::detail
