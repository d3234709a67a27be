#pragma once

/// @file
/// A pass: what one run over memory does, as the primitive that does it.
///
/// A pass reads a view, drops and maps elements, scans what is left, drops and maps the
/// results, and gives them to whoever comes last.  Whatever of that is there becomes a
/// load (loads.hpp), a step or a visit (visits.hpp) of one primitive:
///
///     scan   drops before   drops behind   primitive
///     no     no             -              map_on
///     no     yes            -              pack_on
///     yes    no             no             scan_on
///     yes    yes            any            scan_then_pack_on
///     yes    no             yes            scan_then_pack_on
///
/// A single stage over plain memory is the primitive of its name, called as one would.

#include <ravel/core/concepts.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/pipelines/element.hpp>
#include <ravel/pipelines/targets.hpp>
#include <ravel/pipelines/views.hpp>
#include <ravel/primitives/options.hpp>

#include <concepts>
#include <type_traits>

namespace ravel::inline v0::piping {

/// Whether nothing has to be waited for, as on the host, where all is done when a call returns.
template <class Ex>
inline constexpr bool never_waits = std::same_as<space_of_t<Ex>, host_space>;

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

/// Whether it is unique, of elements just as they are in memory.
template <class V, class Before>
inline constexpr bool is_plain_unique = false;
template <class T, class Space, class Eq>
inline constexpr bool is_plain_unique<stepped<in_memory<T, Space>, changes_step<Eq>>,
                                      mapped<sifted<as_it_is, field<1>>, field<0>>> = true;

/// Whether it is difference, of elements just as they are in memory, to others of their type.
template <class V, class Before, class Target>
inline constexpr bool is_plain_difference = false;
template <class T, class Space, class F>
inline constexpr bool
    is_plain_difference<stepped<in_memory<T, Space>, difference_step<F>>, as_it_is, to_memory<T>> =
        true;

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
  /// Whether the executor alone knows how many elements come out; otherwise it is most().
  static constexpr bool counted = drops_before || drops_behind;
  /// Whether what is kept must be moved together.
  static constexpr bool packs = Before::partial || drops_behind;
  /// Whether it reads elements just as they are in memory.
  static constexpr bool plain = is_in_memory<View>::value && std::same_as<Before, as_it_is>;

  index_t most() const { return view.most(); }
};

}  // namespace ravel::inline v0::piping
