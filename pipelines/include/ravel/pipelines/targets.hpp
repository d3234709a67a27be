#pragma once

/// Targets: where results are written, and where their number is stored.

#include <ravel/pipelines/row.hpp>
#include <ravel/primitives/options.hpp>

namespace ravel::inline v0::piping {

/// Position i of a sequence.
template <class Out>
struct to_memory {
  Out* out;
  static to_memory at(Out* out) { return {out}; }
  RAVEL_MAY_CALL_HOST
  template <class T>
  RAVEL_HD void operator()(index_t i, T const& x) const {
    static_assert(
        std::constructible_from<Out, T const&>,
        "elements that cannot be copied: a pipeline that begins with moved(in) takes them "
        "through filter, unique, sort, take, drop and slice; map them to others for all else");
    if constexpr (std::constructible_from<Out, T const&>)
      out[i] = ravel::detail::as_assigned<Out>(x);
  }
  /// Of results that cannot be copied.
  template <class T>
  requires(!std::copyable<Out> && !std::is_reference_v<T>) void operator()(index_t i, T&& x) const {
    out[i] = ravel::detail::as_assigned<Out>(std::forward<T>(x));
  }
};

/// The k-th values of rows to the k-th of several sequences.
template <class... Out>
struct to_fields {
  row<Out*...> out;
  static to_fields at(Out*... out) { return {make_row(out...)}; }
  template <class T, std::size_t... k>
  RAVEL_HD void put(index_t i, T const& x, std::index_sequence<k...>) const {
    ((get<k>(out)[i] = ravel::detail::as_assigned<Out>(get<k>(x))), ...);
  }
  template <class T>
  RAVEL_HD void operator()(index_t i, T const& x) const {
    put(i, x, std::index_sequence_for<Out...>{});
  }
};

/// No results: only their number is wanted.
struct to_nowhere {
  template <class T>
  RAVEL_HD void operator()(index_t, T const&) const {}
};

/// A target that ignores positions past the room.
template <class Target>
struct while_room {
  Target target;
  index_t room;
  template <class T>
  RAVEL_HD void operator()(index_t i, T const& x) const {
    if (i < room) target(i, x);
  }
};

/// Receivers of the total, of the number of results, and of nothing.
using detail::store_total;
using store_count = store_total<index_t>;
using no_count = detail::no_total;

}  // namespace ravel::inline v0::piping
