#pragma once

/// Visits of a pass: what is done with loaded elements, and with the results of a scan.

#include <ravel/pipelines/element.hpp>

namespace ravel::inline v0::piping {

/// The result of a scan for an element.
template <class Scan, class S>
RAVEL_HD typename Scan::value result_of([[maybe_unused]] S const& before,
                                        [[maybe_unused]] S const& through) {
  return static_cast<typename Scan::value>(Scan::inclusive ? through : before);
}

/// Gives the result of each kept element, at the element's position, to a target.
template <class Scan, class Is, class After, class Target>
struct put_scanned {
  static constexpr bool only_through = Scan::inclusive;
  Is is;
  After after;
  Target target;
  template <class S>
  RAVEL_HD void operator()(index_t i, S const& before, S const& through) const {
    if (is(i)) target(i, after(i, result_of<Scan>(before, through)));
  }
};

/// Applies the functions after the scan to each result.
template <class Scan, class After>
struct make_scanned {
  static constexpr bool only_through = Scan::inclusive;
  After after;
  template <class S>
  RAVEL_HD auto operator()(index_t i, S const& before, S const& through) const {
    return after(i, result_of<Scan>(before, through));
  }
};

/// Computes from the result of each kept element the value to keep.
template <class Scan, class Is, class After>
struct keep_scanned {
  Is is;
  After after;
  template <class S>
  RAVEL_HD auto operator()(index_t i, S const& before, S const& through) const {
    return made(is(i), i, result_of<Scan>(before, through));
  }
  /// The same, given x = elements()[i] of the load.
  template <class X, class S>
  RAVEL_HD auto of(index_t i, X const& x, S const& before,
                   S const& through) const requires requires {
    is.of(i, x);
  }
  { return made(is.of(i, x), i, result_of<Scan>(before, through)); }

 private:
  /// Dropped elements have a result too, to which no function is applied: it would see the
  /// identity.
  template <class T>
  RAVEL_HD auto made(bool kept, index_t i, T const& result) const {
    using Y = std::remove_cvref_t<decltype(after(i, result))>;
    if constexpr (std::same_as<After, as_it_is>) {
      maybe<T> x(result);
      x.is = kept;
      return x;
    } else if constexpr (After::partial) {
      return kept ? after(i, result) : Y();
    } else {
      return kept ? maybe<Y>(after(i, result)) : maybe<Y>();
    }
  }
};

/// Writes kept elements up to the room.
template <class Load, class Target>
struct put_kept {
  Load load;
  Target target;
  index_t room;
  RAVEL_HD void operator()(index_t i, index_t place) const {
    if (place < room) target(place, load.value(i));
  }
};

/// Moves elements up to the room.
template <class V, class Out>
struct put_taken {
  V view;
  Out* out;
  index_t room;
  void operator()(index_t i, index_t place) const {
    if (place < room) out[place] = ravel::detail::as_assigned<Out>(std::move(view.at(i)));
  }
  void operator()(index_t i) const { (*this)(i, i); }
};
template <class V, class Keep>
struct is_kept {
  V view;
  Keep keep;
  bool operator()(index_t i) const { return static_cast<bool>(call(keep, view(i))); }
};

/// Writes elements of a view that knows their number on the executor.
template <class V, class Target>
struct put_while_there {
  V view;
  Target target;
  template <class T>
  RAVEL_HD void operator()(index_t i, T const& x) const {
    if (i < view.size()) target(i, x.value);
  }
};

/// A target that calls f; with `Some`, with the values of maybes that have one.
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
