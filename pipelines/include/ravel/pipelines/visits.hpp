#pragma once

/// @file
/// Visits of a pass: what is done with what was loaded, and with what a scan makes of it.

#include <ravel/core/config.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/pipelines/element.hpp>

#include <concepts>

namespace ravel::inline v0::piping {

/// The result of a scan for element i: whether there is one, at which position, which.
template <class Scan, bool Counted>
struct result_of {
  using T = typename Scan::value;
  static RAVEL_HD auto const& value(typename Scan::state const& s) { return s; }

  template <class S>
  static RAVEL_HD bool is([[maybe_unused]] S const& before, [[maybe_unused]] S const& through) {
    if constexpr (Counted) {
      return before.first < through.first;
    } else {
      return true;
    }
  }
  template <class S>
  static RAVEL_HD index_t place(index_t i, [[maybe_unused]] S const& before) {
    if constexpr (Counted) {
      return before.first;
    } else {
      return i;
    }
  }
  template <class S>
  static RAVEL_HD T of(S const& before, S const& through) {
    auto const& s = Scan::inclusive ? through : before;
    if constexpr (Counted) {
      return static_cast<T>(s.second);
    } else {
      return static_cast<T>(s);
    }
  }
};

/// Puts each result where it belongs.
template <class Scan, bool Counted, class Behind, class Target>
struct put_scanned {
  static constexpr bool only_through = Scan::inclusive && !Counted;
  Behind behind;
  Target target;
  template <class S>
  RAVEL_HD void operator()(index_t i, S const& before, S const& through) const {
    using result = result_of<Scan, Counted>;
    if (!result::is(before, through)) return;
    index_t const place = result::place(i, before);
    target(place, behind(place, result::of(before, through)));
  }
};

/// Makes of each result what comes behind it.
template <class Scan, class Behind>
struct make_scanned {
  static constexpr bool only_through = Scan::inclusive;
  Behind behind;
  template <class S>
  RAVEL_HD auto operator()(index_t i, S const& before, S const& through) const {
    return behind(i, result_of<Scan, false>::of(before, through));
  }
};

/// Gives each result that is there to `f`.
template <class Scan, bool Counted, class Behind, class F>
struct give_scanned {
  static constexpr bool only_through = Scan::inclusive && !Counted;
  Behind behind;
  F f;
  template <class S>
  RAVEL_HD void operator()(index_t i, S const& before, S const& through) const {
    using result = result_of<Scan, Counted>;
    if (!result::is(before, through)) return;
    auto const x = behind(result::place(i, before), result::of(before, through));
    if constexpr (Behind::partial) {
      if (x.is) call(f, x.value);
    } else {
      call(f, x);
    }
  }
};

/// Makes of each result what is to be kept of it.
template <class Scan, bool Counted, class Behind>
struct keep_scanned {
  Behind behind;
  template <class S>
  RAVEL_HD auto operator()(index_t i, S const& before, S const& through) const {
    using result = result_of<Scan, Counted>;
    index_t const place = result::place(i, before);
    auto x = behind(place, result::of(before, through));
    if (!result::is(before, through)) x.is = false;
    return x;
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

/// How many elements were scanned, of pairs of a count and a value.
struct store_counted {
  index_t* to;
  template <class Pair>
  RAVEL_HD void operator()(Pair const& last) const {
    *to = last.first;
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
  RAVEL_HD void operator()(index_t) const { *to = view.size(); }
};

}  // namespace ravel::inline v0::piping
