#pragma once

/// @file
/// A pass: what one run over memory does, as the primitive that does it.
///
/// A pass reads a view, drops and maps elements, scans what is left, drops and maps the
/// results, and gives them to whoever comes last.  Whatever of that is there becomes a
/// load, a step or a visit of one primitive:
///
///     scan   drops before   drops behind   primitive
///     no     no             -              map_on
///     no     yes            -              pack_on
///     yes    no             no             scan_on
///     yes    yes            no             scan_on, of pairs of a count and a value
///     yes    any            yes            scan_then_pack_on
///
/// A single stage over plain memory is the primitive of its name, called as one would.

#include <ravel/core/concepts.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/pipelines/element.hpp>
#include <ravel/pipelines/views.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/scan_then_pack.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace ravel::inline v0::piping {

template <class V>
struct is_in_memory : std::false_type {};
template <class T, class Space>
struct is_in_memory<in_memory<T, Space>> : std::true_type {};

/// Whether it is one filter, of elements just as they are in memory.
template <class V, class Before>
inline constexpr bool filters_plainly = false;
template <class T, class Space, class Keep>
inline constexpr bool filters_plainly<in_memory<T, Space>, sifted<as_it_is, Keep>> =
    std::is_invocable_r_v<bool, Keep const&, T const&>;

struct no_scan {
  static constexpr bool there = false, backward = false;
};

struct from_identity {};

/// A scan over the monoid M, from what Initial says: an option from(...), or from_identity.
template <bool Inclusive, bool Backward, class M, class Initial>
struct scan_of {
  static constexpr bool there = true, inclusive = Inclusive, backward = Backward;
  static constexpr char const* name =
      Inclusive ? (Backward ? "inclusive_scan backward" : "inclusive_scan")
                : (Backward ? "exclusive_scan backward" : "exclusive_scan");
  using state = carrier_t<M>;
  using value = typename value_of_maybe<state>::type;
  M m;
  Initial initial;
};

/// The value to start from, in any of its forms.
template <class M>
struct start {
  M m;
  RAVEL_HD carrier_t<M> operator()() const { return m.identity(); }
};
template <class M, class T>
struct start_at_value {
  T value;
  RAVEL_HD carrier_t<M> operator()() const { return static_cast<carrier_t<M>>(value); }
};
template <class M, class T>
struct start_at_element {
  T const* value;
  RAVEL_HD carrier_t<M> operator()() const { return static_cast<carrier_t<M>>(*value); }
};
template <class M>
auto start_of(M m, from_identity) {
  return start<M>{m};
}
template <class M, class T>
auto start_of(M, from_value<T> const& from) {
  return start_at_value<M, T>{from.value};
}
template <class M, class T, class S>
auto start_of(M, from_element<T, S> const& from) {
  return start_at_element<M, T>{from.value};
}

template <class View, class Before, class Scan, class Behind>
struct pass {
  using view_type = View;
  View view;
  Before before;
  Scan scan;
  Behind behind;

  static constexpr bool scans = Scan::there;
  /// Whether elements are dropped ahead of the scan, or of the end if there is none.
  static constexpr bool drops_before = View::counted || Before::partial;
  static constexpr bool drops_behind = Behind::partial;
  /// Whether how many elements come out is known ahead of running.
  static constexpr bool sized = !drops_before && !drops_behind;
  /// Whether it reads elements just as they are in memory.
  static constexpr bool plain = is_in_memory<View>::value && std::same_as<Before, as_it_is>;

  index_t most() const { return view.most(); }
};

// ---- loads ----

/// Element i, or nothing.
template <class V, class Before>
struct load_some {
  V view;
  Before before;
  using value_type = made_of_t<Before, value_t<V>>;
  RAVEL_HD maybe<value_type> operator()(index_t i) const {
    if constexpr (V::counted) {
      if (i >= view.size()) return {};
    }
    return before(i, view(i));
  }
  /// Whether it is there, and, if it is, its value.
  RAVEL_HD bool is(index_t i) const {
    if constexpr (V::counted) {
      return i < view.size() && before.is(i, view(i));
    } else {
      return before.is(i, view(i));
    }
  }
  RAVEL_HD value_type value(index_t i) const { return before.value(i, view(i)); }
  void const* address(index_t i) const requires addressed<V> { return view.address(i); }
};

/// Element i.
template <class V, class Before>
struct load_all {
  V view;
  Before before;
  RAVEL_HD auto operator()(index_t i) const { return before(i, view(i)); }
  void const* address(index_t i) const requires addressed<V> { return view.address(i); }
};
template <class V>
struct load_all<V, as_it_is> {
  V view;
  as_it_is before;
  RAVEL_HD decltype(auto) operator()(index_t i) const { return view(i); }
  void const* address(index_t i) const requires addressed<V> { return view.address(i); }
  RAVEL_HD auto elements() const requires of_elements<V> { return view.elements(); }
  template <class T>
  RAVEL_HD decltype(auto) of(index_t i, T const& x) const {
    return view.of(i, x);
  }
};

/// The load of a pass; of elements just as they are in memory the one that primitives know.
template <class V, class Before>
auto load_from(V const& view, Before const& before) {
  if constexpr (V::counted || Before::partial) {
    return load_some<V, Before>{view, before};
  } else if constexpr (is_in_memory<V>::value && std::same_as<Before, as_it_is>) {
    return load_elements<value_t<V>>{view.data};
  } else {
    return load_all<V, Before>{view, before};
  }
}
template <class V, class Before>
using loader = decltype(load_from(std::declval<V const&>(), std::declval<Before const&>()));

template <class Load>
struct is_some {
  Load load;
  RAVEL_HD bool operator()(index_t i) const { return load.is(i); }
};

template <class Load>
struct one_if_some {
  Load load;
  RAVEL_HD index_t operator()(index_t i) const { return load.is(i) ? 1 : 0; }
};

/// One and the value of an element that is there; zero and the identity of one that is not.
template <class Load, class M>
struct load_counted {
  Load load;
  M m;
  using T = carrier_t<M>;
  RAVEL_HD paired<index_t, T> operator()(index_t i) const {
    auto const x = load(i);
    return x.is ? paired<index_t, T>{1, T(x.value)} : paired<index_t, T>{0, m.identity()};
  }
};

/// The value of an element that is there, and the identity of one that is not.
template <class Load, class M>
struct load_or_identity {
  Load load;
  M m;
  RAVEL_HD carrier_t<M> operator()(index_t i) const {
    return load.is(i) ? carrier_t<M>(load.value(i)) : carrier_t<M>(m.identity());
  }
};

template <class M, class Seed>
struct start_counted {
  Seed seed;
  RAVEL_HD paired<index_t, carrier_t<M>> operator()() const { return {0, seed()}; }
};

// ---- what is done with what a scan makes ----

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

// ---- what is done with what was loaded ----

template <class Load, class Target>
struct put_kept {
  Load load;
  Target target;
  RAVEL_HD void operator()(index_t i, index_t place) const { target(place, load.value(i)); }
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

template <class V>
struct store_size {
  V view;
  index_t* to;
  RAVEL_HD void operator()(index_t) const { *to = view.size(); }
};

/// A receiver of how many there are.
struct store_count {
  index_t* to;
  RAVEL_HD void operator()(index_t n) const { *to = n; }
};
template <class Out>
struct store_total {
  Out* to;
  template <class T>
  RAVEL_HD void operator()(T const& x) const {
    *to = static_cast<Out>(x);
  }
};
struct no_count {
  template <class T>
  RAVEL_HD void operator()(T const&) const {}
};

// ---- where results go ----

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

}  // namespace ravel::inline v0::piping
