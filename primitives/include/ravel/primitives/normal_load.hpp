#pragma once

/// The normal form of a load: sources, and function objects whose structure() returns one, as types
/// that loops and kernels recognise.

#include <ravel/core/structure.hpp>

namespace ravel::inline v0::detail {

/// Mirrors are moved outside of maps, since a loop goes backward over the source of a map.
template <class Load>
constexpr auto normal_load(Load const& load) {
  if constexpr (is_instance<Load, computed>) {
    return normal_load(load.f);  // loops use its other members
  } else if constexpr (source_structure<Load>) {
    auto const in = normal_form(load);
    using In = std::remove_const_t<decltype(in)>;
    if constexpr (is_instance<In, mirrored>) {
      auto const source = normal_load(in.source);
      return mirrored<std::remove_const_t<decltype(source)>>{source, in.last};
    } else if constexpr (is_instance<under_maps_t<In>, mirrored>) {
      using S = decltype(in.source.source);
      return mirrored<mapped<S, decltype(in.f)>>{{in.source.source, in.f}, in.source.last};
    } else {
      return in;
    }
  } else if constexpr (requires { load.structure(); }) {
    return normal_load(load.structure());
  } else {
    return load;
  }
}
template <class Load>
using normal_load_t = decltype(normal_load(std::declval<Load const&>()));

}  // namespace ravel::inline v0::detail
