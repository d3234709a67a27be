#pragma once

/// A pass: one run over memory, by one primitive.
///
/// A pass reads a view, drops and maps elements, scans what is left, drops and maps the
/// results, and gives them to a target.  Each of these parts that is present becomes a
/// load (loads.hpp), a step or a visit (visits.hpp) of one primitive:
///
///     scan   drops before   drops after    primitive
///     no     no             -              map_on
///     no     yes            -              pack_on
///     yes    no             no             scan_on
///     yes    yes            any            scan_then_pack_on
///     yes    no             yes            scan_then_pack_on
///
/// A single stage over unmodified memory calls the primitive of its name directly.

#include <ravel/pipelines/element.hpp>
#include <ravel/pipelines/targets.hpp>
#include <ravel/pipelines/view_steps.hpp>
#include <ravel/pipelines/views.hpp>
#include <ravel/primitives/options.hpp>

namespace ravel::inline v0::piping {

/// Whether calls complete before they return, as on the host, so that nothing waits.
template <class Ex>
inline constexpr bool never_waits = std::same_as<space_of_t<Ex>, host_space>;

template <class V>
struct is_in_memory : std::false_type {};
template <class T, class Space>
struct is_in_memory<in_memory<T, Space>> : std::true_type {};

/// Whether a pass writes unmodified elements, or those that a filter keeps, and moves from them.
template <class V, class Before>
inline constexpr bool moves_elements = false;
template <class T, class Room>
inline constexpr bool moves_elements<sized_view<taken<T, Room>, host_space>, as_it_is> = true;
template <class T, class Room, class Keep>
inline constexpr bool
    moves_elements<sized_view<taken<T, Room>, host_space>, sifted<as_it_is, Keep>> = true;

/// Whether a pass is one filter of unmodified elements in memory.
template <class V, class Before>
inline constexpr bool filters_plainly = false;
template <class T, class Space, class Keep>
inline constexpr bool filters_plainly<in_memory<T, Space>, sifted<as_it_is, Keep>> =
    std::is_invocable_r_v<bool, Keep const&, T const&>;

/// Whether a pass is unique, of unmodified elements in memory.
template <class V, class Before>
inline constexpr bool is_plain_unique = false;
template <class T, class Space, class Eq>
inline constexpr bool is_plain_unique<stepped<in_memory<T, Space>, changes_step<Eq>>,
                                      mapped<sifted<as_it_is, field<1>>, field<0>>> = true;

/// Whether a pass is adjacent_difference, of unmodified elements in memory to others of their type.
template <class V, class Before, class Target>
inline constexpr bool is_plain_difference = false;
template <class T, class Space, class F>
inline constexpr bool
    is_plain_difference<stepped<in_memory<T, Space>, difference_step<F>>, as_it_is, to_memory<T>> =
        true;

struct no_scan {
  static constexpr bool there = false, backward = false;
};

using from_identity = ravel::detail::no_seed;

/// A scan over the monoid M, which starts from Initial: an option from(...), or from_identity.
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

/// The seed of a scan or a reduction over m.
template <class M, class Initial>
auto start_of(M m, Initial const& initial) {
  return ravel::detail::seed_of<carrier_t<M>>(m, initial);
}

template <class View, class Before, class Scan, class After>
struct pass {
  using view_type = View;
  View view;
  Before before;
  Scan scan;
  After after;

  static constexpr bool scans = Scan::there;
  /// Whether elements are dropped before the scan, or, without a scan, at all.
  static constexpr bool drops_before = View::counted || Before::partial;
  static constexpr bool drops_after = After::partial;
  /// Whether only the executor knows the number of results; otherwise it is most().
  static constexpr bool counted = drops_before || drops_after;
  /// Whether kept elements are compacted.
  static constexpr bool packs = Before::partial || drops_after;
  /// Its name among the steps of a program, and at the end that of the primitive which runs it.
  static constexpr char const* step = scans ? packs ? "pass: scan_then_pack" : "pass: scan"
                                      : Before::partial ? "pass: pack"
                                                        : "pass: map";
  static constexpr char const* primitive = step + sizeof("pass: ") - 1;
  /// Whether it moves from the elements that it writes.
  static constexpr bool moves = !scans && moves_elements<View, Before>;
  /// Whether it reads unmodified elements in memory.
  static constexpr bool plain = is_in_memory<View>::value && std::same_as<Before, as_it_is>;

  index_t most() const { return view.most(); }
};

}  // namespace ravel::inline v0::piping
