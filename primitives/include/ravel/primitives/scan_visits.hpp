#pragma once

/// Visits of a scan that write results, or functions of them, to contiguous memory.

#include <ravel/primitives/map.hpp>

namespace ravel::inline v0 {
namespace detail {

/// Writes inclusive prefixes.
template <class T>
struct write_through {
  static constexpr bool only_through = true;
  T* to;
  template <class U>
  RAVEL_HD void operator()(index_t i, U const&, U const& through) const {
    to[i] = detail::as_assigned<T>(through);
  }
};

/// Writes exclusive prefixes.
template <class T>
struct write_before {
  T* to;
  template <class U>
  RAVEL_HD void operator()(index_t i, U const& before, U const&) const {
    to[i] = detail::as_assigned<T>(before);
  }
};

/// Writes make(i, before, through): a map after a scan.
template <class Make, class T>
struct write_made {
  static constexpr bool only_through = detail::only_through<Make>;
  Make make;
  T* to;
  template <class U>
  RAVEL_HD void operator()(index_t i, U const& before, U const& through) const {
    to[i] = detail::as_assigned<T>(make(i, before, through));
  }
};

/// A visit of the reversed sequence.
template <class Visit>
struct mirrored_visit {
  static constexpr bool only_through = detail::only_through<Visit>;
  Visit visit;
  index_t last;
  RAVEL_HD auto on(tile t) const {
    return mirrored_visit<on_tile_t<Visit>>{
        on_tile(visit, {t.id, last + 1 - t.end, last + 1 - t.begin}), last};
  }
  template <class T>
  RAVEL_HD void operator()(index_t i, T const& before, T const& through) const {
    visit(last - i, before, through);
  }
};

/// Whether a visit writes to contiguous memory, and its element type.
template <class Visit>
struct written {
  static constexpr bool known = false;
  using type = void;
};
template <class T>
struct written<write_through<T>> {
  static constexpr bool known = true, made = false;
  using type = T;
};
template <class T>
struct written<write_before<T>> : written<write_through<T>> {};
template <class Make, class T>
struct written<write_made<Make, T>> {
  static constexpr bool known = true, made = true;
  using type = T;
};

}  // namespace detail

/// The visits that write to contiguous memory at `to`: results, or make(i, before, through), if it
/// always returns the same.  Executors recognise them, and scan long sequences by forms that
/// stream, or write in bulk.
using detail::write_before, detail::write_made, detail::write_through;

}  // namespace ravel::inline v0
