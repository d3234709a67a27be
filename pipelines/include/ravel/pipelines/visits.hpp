#pragma once

/// @file
/// Visits of a pass: what is done with what was loaded, and with what a scan makes of it.

#include <ravel/core/config.hpp>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/pipelines/element.hpp>

#include <concepts>
#include <type_traits>

namespace ravel::inline v0::piping {

/// The result of a scan for an element.
template <class Scan, class S>
RAVEL_HD typename Scan::value result_of([[maybe_unused]] S const& before,
                                        [[maybe_unused]] S const& through) {
  return static_cast<typename Scan::value>(Scan::inclusive ? through : before);
}

/// Puts each result of an element that is there where the element stands.
template <class Scan, class Is, class Behind, class Target>
struct put_scanned {
  static constexpr bool only_through = Scan::inclusive;
  Is is;
  Behind behind;
  Target target;
  template <class S>
  RAVEL_HD void operator()(index_t i, S const& before, S const& through) const {
    if (is(i)) target(i, behind(i, result_of<Scan>(before, through)));
  }
};

/// Makes of each result what comes behind it.
template <class Scan, class Behind>
struct make_scanned {
  static constexpr bool only_through = Scan::inclusive;
  Behind behind;
  template <class S>
  RAVEL_HD auto operator()(index_t i, S const& before, S const& through) const {
    return behind(i, result_of<Scan>(before, through));
  }
};

/// Gives each result of an element that is there to `f`.
template <class Scan, class Is, class Behind, class F>
struct give_scanned {
  static constexpr bool only_through = Scan::inclusive;
  Is is;
  Behind behind;
  F f;
  template <class S>
  RAVEL_HD void operator()(index_t i, S const& before, S const& through) const {
    if (!is(i)) return;
    auto const x = behind(i, result_of<Scan>(before, through));
    if constexpr (Behind::partial) {
      if (x.is) call(f, x.value);
    } else {
      call(f, x);
    }
  }
};

/// Makes of each result of an element that is there what is to be kept of it.
template <class Scan, class Is, class Behind>
struct keep_scanned {
  Is is;
  Behind behind;
  template <class S>
  RAVEL_HD auto operator()(index_t i, S const& before, S const& through) const {
    return made(is(i), i, result_of<Scan>(before, through));
  }
  /// The same where elements()[i] of the load is x.
  template <class X, class S>
  RAVEL_HD auto of(index_t i, X const& x, S const& before,
                   S const& through) const requires requires {
    is.of(i, x);
  }
  { return made(is.of(i, x), i, result_of<Scan>(before, through)); }

 private:
  /// What is not there has a result too, which no function may see: of none it is the identity.
  template <class T>
  RAVEL_HD auto made(bool there, index_t i, T const& result) const {
    using Y = std::remove_cvref_t<decltype(behind(i, result))>;
    if constexpr (std::same_as<Behind, as_it_is>) {
      maybe<T> x(result);
      x.is = there;
      return x;
    } else if constexpr (Behind::partial) {
      return there ? behind(i, result) : Y();
    } else {
      return there ? maybe<Y>(behind(i, result)) : maybe<Y>();
    }
  }
};

/// As far as there is room.
template <class Load, class Target>
struct put_kept {
  Load load;
  Target target;
  index_t room;
  RAVEL_HD void operator()(index_t i, index_t place) const {
    if (place < room) target(place, load.value(i));
  }
};

/// Of a view that knows by itself how many elements it has.
template <class V, class Target>
struct put_while_there {
  V view;
  Target target;
  template <class T>
  RAVEL_HD void operator()(index_t i, T const& x) const {
    if (i < view.size()) target(i, x.value);
  }
};

template <class F, bool Some>
struct give {
  F f;
  template <class T>
  RAVEL_HD void operator()(index_t, T const& x) const {
    if constexpr (Some) {
      if (x.is) call(f, x.value);
    } else {
      call(f, x);
    }
  }
};

struct store_number {
  index_t number;
  index_t* to;
  RAVEL_HD void operator()(index_t) const { *to = number; }
};

template <class V>
struct store_size {
  V view;
  index_t* to;
  template <class Team>
  RAVEL_HD void operator()(Team const&) const {
    *to = view.size();
  }
};

}  // namespace ravel::inline v0::piping
