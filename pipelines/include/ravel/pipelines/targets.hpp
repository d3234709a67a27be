#pragma once

/// @file
/// Where results go, and who is told how many there are.

#include <ravel/core/config.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/pipelines/row.hpp>
#include <ravel/primitives/options.hpp>

#include <cstddef>
#include <utility>

namespace ravel::inline v0::piping {

/// Position i of a sequence.
template <class Out>
struct to_memory {
  Out* out;
  template <class T>
  RAVEL_HD void operator()(index_t i, T const& x) const {
    out[i] = static_cast<Out>(x);
  }
};

/// The same of rows, the k-th values to the k-th of several sequences.
template <class... Out>
struct to_fields {
  row<Out*...> out;
  template <class T, std::size_t... k>
  RAVEL_HD void put(index_t i, T const& x, std::index_sequence<k...>) const {
    ((get<k>(out)[i] = static_cast<Out>(get<k>(x))), ...);
  }
  template <class T>
  RAVEL_HD void operator()(index_t i, T const& x) const {
    put(i, x, std::index_sequence_for<Out...>{});
  }
};

/// Nowhere: only how many there are is wanted.
struct to_nowhere {
  template <class T>
  RAVEL_HD void operator()(index_t, T const&) const {}
};

/// As far as there is room.
template <class Target>
struct while_room {
  Target target;
  index_t room;
  template <class T>
  RAVEL_HD void operator()(index_t i, T const& x) const {
    if (i < room) target(i, x);
  }
};

/// Receivers of what everything combines to, of how many there are, and of what nobody asks.
using detail::store_total;
using store_count = store_total<index_t>;
using no_count = detail::no_total;

}  // namespace ravel::inline v0::piping
