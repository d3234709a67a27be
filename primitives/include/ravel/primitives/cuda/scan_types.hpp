#pragma once

/// Traits of the scans that have streaming kernels on a device: between contiguous sequences, of
/// tuples, of higher order, and recurrences.  A host compiler can read them.

#include <ravel/primitives/carried.hpp>
#include <ravel/primitives/cuda/bulk_types.hpp>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/scan/call.hpp>
#include <ravel/primitives/scan_visits.hpp>
#include <ravel/primitives/tuples.hpp>

namespace ravel::inline v0 {
namespace detail {

template <class T>
struct compose_maps;  // for a linear recurrence with a coefficient for each element
template <class T, class A, class In>
struct load_map;
template <class Out>
struct write_image;

}  // namespace detail

namespace gpu::detail {

/// Whether a scan reads one contiguous sequence and writes another, and their types.
template <class Load, class Visit>
struct plain_scan {
  static constexpr bool is = false;
  using from = void;
  using to = void;
};

template <class In, class Visit>
requires(ravel::detail::written<Visit>::known &&
         !ravel::detail::written<Visit>::made) struct plain_scan<contiguous<In>, Visit> {
  static constexpr bool is = true, backward = false;
  static constexpr bool inclusive = ravel::detail::only_through<Visit>;
  using from = In;
  using to = typename ravel::detail::written<Visit>::type;
  In const* in;
  to* out;
  plain_scan(contiguous<In> load, Visit visit) : in(load.data), out(visit.to) {}
};

template <class Load, class Visit>
requires plain_scan<Load, Visit>::is struct plain_scan<mirrored<Load>,
                                                       ravel::detail::mirrored_visit<Visit>>
    : plain_scan<Load, Visit> {
  static constexpr bool backward = true;
  plain_scan(mirrored<Load> load, ravel::detail::mirrored_visit<Visit> visit)
      : plain_scan<Load, Visit>(load.source, visit.visit) {}
};

/// The load and the visit of a scan in memory order, which for a backward scan are wrapped.
template <class Call>
auto load_in_memory(Call const& c) {
  if constexpr (Call::shape.backward) {
    return c.load.source;
  } else {
    return c.load;
  }
}
template <class Call>
auto visit_in_memory(Call const& c) {
  if constexpr (Call::shape.backward) {
    return c.visit.visit;
  } else {
    return c.visit;
  }
}

/// Whether a scan reads contiguous memory, perhaps mapped by a load, and writes contiguous memory.
template <class Call>
constexpr bool flows_between_memories() {
  if constexpr (Call::shape.tuples > 1 || Call::shape.order > 0) {
    return false;
  } else {
    using Load = decltype(load_in_memory(std::declval<Call const&>()));
    using Visit = decltype(visit_in_memory(std::declval<Call const&>()));
    return can_flow_of<Load, written_by<Visit>, typename Call::value_type>;
  }
}
/// The parts of a scan of tuples or of higher order between contiguous sequences; otherwise void.
template <class Call>
struct carried_scan {
  using plain = plain_scan<void, void>;
  using value = void;
};
template <int S, class Load, class M, class Visit, class Seed, class Total>
struct carried_scan<
    scan_call<ravel::detail::load_tuple<S, Load, M>, ravel::detail::visit_tuple<S, Visit>,
              ravel::detail::tuple_monoid<M, S>, Seed, Total>> {
  using plain = plain_scan<Load, Visit>;
  using value = carrier_t<M>;
};
template <class T, int Q, int S, class Load, class Visit, class M, class Seed, class Total>
struct carried_scan<scan_call<ravel::detail::load_run<ravel::detail::carried_sums<T, Q>, S, Load>,
                              ravel::detail::visit_run<ravel::detail::carried_sums<T, Q>, S, Visit>,
                              M, Seed, Total>> {
  using plain = plain_scan<Load, Visit>;
  using value = T;
};
/// The number of bytes that a scan of higher order carries from tile to tile.
template <class Call>
constexpr std::size_t carried_bytes() {
  using T = typename carried_scan<Call>::value;
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::size_t>(Call::shape.order * Call::shape.tuples) *
           sizeof(ravel::detail::wrapping_t<T>);
  } else {
    return 0;
  }
}
template <class Call>
constexpr bool is_high_order() {
  return Call::shape.tuples == 1 && scan_policy::is_high_order(carried_bytes<Call>());
}
/// A recurrence with constant coefficients between contiguous sequences.
template <class Call>
struct recurrence_scan {
  static constexpr bool streams = false;
};
template <class T, int K, class Load, class Visit, class M, class Seed, class Total>
struct recurrence_scan<
    scan_call<ravel::detail::load_run<ravel::detail::carried_results<T, K>, 1, Load>,
              ravel::detail::visit_run<ravel::detail::carried_results<T, K>, 1, Visit>, M,
              ravel::detail::seed_run<ravel::detail::carried_results<T, K>, 1, Seed>, Total>> {
  using plain = plain_scan<Load, Visit>;
  static constexpr bool streams = [] {
    if constexpr (can_flow<typename plain::from, typename plain::to, T>) {
      constexpr bool from_zero = std::same_as<Seed, ravel::detail::seed_identity<plus<T>>>;
      return sizeof(ravel::detail::wrapping_t<T>) * K <= 12 && (from_zero || !plain::backward);
    } else {
      return false;
    }
  }();
  static constexpr auto shape = scan_policy::streamed_runs(sizeof(T), K);
  static constexpr index_t items =
      index_t{shape.threads} * shape.vectors * 16 / static_cast<index_t>(sizeof(T));
};

/// A recurrence with a coefficient for each element between contiguous sequences.
template <class Load, class Visit>
inline constexpr bool maps_flow = false;
template <class T, class A, class In, class Out>
inline constexpr bool
    maps_flow<ravel::detail::load_map<T, A, In>, ravel::detail::write_image<Out>> =
        can_flow<In, Out, T>&& can_flow<A, Out, T> && sizeof(ravel::detail::wrapping_t<T>) <= 4;
template <class Call>
constexpr bool maps_flow_of_call() {
  if constexpr (is_instance<decltype(Call::m), ravel::detail::compose_maps>) {
    return maps_flow<decltype(load_in_memory(std::declval<Call const&>())),
                     decltype(visit_in_memory(std::declval<Call const&>()))>;
  } else {
    return false;
  }
}

}  // namespace gpu::detail
}  // namespace ravel::inline v0
