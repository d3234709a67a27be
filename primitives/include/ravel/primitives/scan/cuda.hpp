#pragma once

/// @file
/// Scan on a device: its table of forms.  A host compiler can read it; kernels are in cuda/*.cuh.

#include <ravel/core/cuda/device.hpp>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/structure.hpp>
#include <ravel/core/table.hpp>
#include <ravel/core/tile.hpp>
#include <ravel/primitives/carried.hpp>
#include <ravel/primitives/cuda/bulk_types.hpp>
#include <ravel/primitives/cuda/head_types.hpp>
#include <ravel/primitives/cuda/plain_scan.hpp>
#include <ravel/primitives/cuda/scan_policy.hpp>
#include <ravel/primitives/scan/call.hpp>
#include <ravel/primitives/scan/steps.hpp>
#include <ravel/primitives/scan_visits.hpp>
#include <ravel/primitives/tuples.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ravel::inline v0 {
namespace detail {

template <class T>
struct compose_maps;  // of a linear recurrence with a coefficient for each element
template <class T, class A, class In>
struct load_map;
template <class Out>
struct write_image;
template <class T, class Load, class Segments, class M, class Seed, bool Backward>
struct read_flagged;  // of a segmented scan
template <class Out>
struct write_value;
template <class Out, class Segments, class Seed, bool Backward>
struct write_value_before;

}  // namespace detail

namespace gpu {

/// What is launched for a form: overloads for `executor`, where kernels are compiled.  A host compiler has
/// none of them, and runs the device in software of the tests by steps.
template <class Form, class Ex, class Call>
void launch_form(Form, Ex const& ex, Call const& c) {
  run_call_by<scan_by_steps>(ex, c);
}

namespace detail {

template <class Form>
struct launched_form {
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    launch_form(Form{}, ex, c);
  }
};

/// The load and visit of a scan, of the sequence as it is in memory.
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

/// A scan from elements of memory, or what a load makes of each, into memory.
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
template <class Call>
constexpr need between_memories() {
  return {flows_between_memories<Call>(),
          "a load of elements of memory and a visit that writes to memory, of trivially copyable "
          "values of 1, 2, 4 or 8 bytes, as wide when written"};
}

/// A scan of tuples or of an order between plain sequences, and what is scanned; else void.
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
template <class Call>
constexpr need plain_numbers() {
  using plain = typename carried_scan<Call>::plain;
  using value = typename carried_scan<Call>::value;
  return {can_flow<typename plain::from, typename plain::to, value>,
          "trivially copyable elements of 1, 2, 4 or 8 bytes in memory, that are written to memory "
          "unmapped and as wide"};
}
/// The bytes that a scan of an order carries from tile to tile.
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
template <class Call>
constexpr need of_integer_orders() {
  return {Call::shape.order > 0 && std::is_integral_v<typename carried_scan<Call>::value>,
          "sums of an order, of integers"};
}

/// A recurrence with constant coefficients between plain sequences.
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

/// A recurrence with a coefficient for each element between plain sequences.
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

/// A segmented scan between plain sequences.
template <class Load, class Visit>
struct segmented_ends {
  static constexpr bool streams = false;
};
template <class T, class In, class Out, class Segments, bool Inclusive>
struct segmented_flow {
  using in = In;
  using out = Out;
  using heads = tile_heads_t<Segments>;
  static constexpr bool inclusive = Inclusive;
  static constexpr auto shape = shape_beside_heads<heads>;
  static constexpr int count = shape.vectors * 16 / static_cast<int>(sizeof(In));
  static constexpr bool streams =
      can_flow<In, Out, T> && sizeof(In) >= 4 && can_ride<heads, shape.threads * count, count>;
};
template <class T, class In, class Segments, class M, class Seed, bool Backward, class Out>
struct segmented_ends<ravel::detail::read_flagged<T, contiguous<In>, Segments, M, Seed, Backward>,
                      ravel::detail::write_value<Out>>
    : segmented_flow<T, In, Out, Segments, true> {};
template <class T, class In, class Segments, class M, class Seed, bool Backward, class Out>
struct segmented_ends<ravel::detail::read_flagged<T, contiguous<In>, Segments, M, Seed, Backward>,
                      ravel::detail::write_value_before<Out, Segments, Seed, Backward>>
    : segmented_flow<T, In, Out, Segments, false> {};
template <class Call>
constexpr auto ends_of_segmented() {
  if constexpr (is_instance<decltype(Call::m), segmented>) {
    return segmented_ends<decltype(load_in_memory(std::declval<Call const&>())),
                          decltype(visit_in_memory(std::declval<Call const&>()))>{};
  } else {
    return segmented_ends<void, void>{};
  }
}
template <class Call>
using segmented_scan = decltype(ends_of_segmented<Call>());

template <class Call>
constexpr need fits_shared_memory() {
  return {sizeof(typename Call::value_type) <= scan_policy::largest, "values of at most 160 bytes"};
}
inline need ends_aligned(void const* in, void const* out) {
  return {
      (reinterpret_cast<std::uintptr_t>(in) | reinterpret_cast<std::uintptr_t>(out)) % bulk_bytes ==
          0,
      "sequences that begin at multiples of 16 bytes"};
}
template <class In>
need pays_to_carry(index_t n, In const*, device const& d) {
  return {n * static_cast<index_t>(sizeof(In)) >= d.sizes.carried_bytes,
          "as many bytes of elements as tuning::carried_bytes"};
}
inline need streams_tiles(device const& d) {
  return {has_streams(d), "bulk copies and 227 KiB of shared memory (compute capability 9.0)"};
}
template <class Call>
auto pays_to_stream_carried(Call const& c, device const& d) {
  typename carried_scan<Call>::plain const plain(c.load.load, c.visit.visit);
  return needs(pays_to_carry(c.load.n, plain.in, d), ends_aligned(plain.in, plain.out),
               streams_tiles(d));
}
template <class Call>
index_t bytes_written(Call const& c) {
  return c.n * static_cast<index_t>(sizeof(*visit_in_memory(c).to));
}

}  // namespace detail

struct scan_no_elements {
  static constexpr auto name = "no_elements";
  static constexpr auto why = "There is a total to be written, or nothing.";
  template <class Call>
  static constexpr auto types() {
    return needs();
  }
  template <class Call>
  static constexpr auto now(Call const& c, device const&) {
    return needs(need{c.n == 0, "no elements"});
  }
  template <class Ex, class Call>
  static void run(Ex const& ex, Call const& c) {
    ravel::detail::scan_none<typename Call::value_type>(ex, c.seed, c.total);
  }
};

struct scan_tuples_streamed : detail::launched_form<scan_tuples_streamed> {
  static constexpr auto name = "stream_tuples";
  static constexpr auto why =
      "Tiles are copied in bulk, and a prefix for each place of a tuple goes from tile to tile: "
      "tuples of 3 of 2^27 i64 at 0.96 of the speed of a copy on an H200.";
  template <class Call>
  static constexpr auto types() {
    return needs(need{Call::shape.tuples > 1 && Call::shape.order == 0, "tuples"},
                 detail::plain_numbers<Call>());
  }
  template <class Call>
  static auto now(Call const& c, device const& d) {
    return detail::pays_to_stream_carried(c, d);
  }
};

struct scan_high_orders_streamed : detail::launched_form<scan_high_orders_streamed> {
  static constexpr auto name = "stream_high_orders";
  static constexpr auto why =
      "As stream_orders, but elements are added up only once before they are scanned: order 8 of "
      "2^27 i64 in 598 us on an H200, where stream_orders takes 979 and a copy 510.";
  template <class Call>
  static constexpr auto types() {
    return needs(
        detail::of_integer_orders<Call>(), detail::plain_numbers<Call>(),
        need{detail::is_high_order<Call>(), "more than 40 bytes to be carried, no tuples"});
  }
  template <class Call>
  static auto now(Call const& c, device const& d) {
    return detail::pays_to_stream_carried(c, d);
  }
};

struct scan_orders_streamed : detail::launched_form<scan_orders_streamed> {
  static constexpr auto name = "stream_orders";
  static constexpr auto why =
      "Tiles are copied in bulk, and are joined as polynomials, of which integer sums have any "
      "order exactly.";
  template <class Call>
  static constexpr auto types() {
    return needs(detail::of_integer_orders<Call>(), detail::plain_numbers<Call>(),
                 need{!detail::is_high_order<Call>() && Call::shape.order * Call::shape.tuples <= 8,
                      "no high order, and at most 8 values to be carried"});
  }
  template <class Call>
  static auto now(Call const& c, device const& d) {
    return detail::pays_to_stream_carried(c, d);
  }
};

struct recurrence_streamed : detail::launched_form<recurrence_streamed> {
  static constexpr auto name = "stream_recurrence";
  static constexpr auto why =
      "Tiles are copied in bulk, and joined by powers of the coefficients.  Backward a tile that "
      "is not whole comes first, and would carry the seed too far.";
  template <class Call>
  static constexpr auto types() {
    return needs(
        need{detail::recurrence_scan<Call>::streams,
             "a recurrence that carries at most 12 bytes, from zero or forward, between plain "
             "sequences of trivially copyable elements that are as wide when written"});
  }
  template <class Call>
  static auto now(Call const& c, device const& d) {
    auto const& of = c.m.of;
    auto power = ravel::detail::power_of(of, detail::recurrence_scan<Call>::items);
    for (int tiles = 1; tiles < 32; tiles *= 2) power = of.then(power, power);
    typename detail::recurrence_scan<Call>::plain const plain(c.load.load, c.visit.visit);
    return needs(detail::pays_to_carry(c.n, plain.in, d), detail::ends_aligned(plain.in, plain.out),
                 detail::streams_tiles(d),
                 need{of.is_finite(power), "coefficients whose powers over 32 tiles are finite"});
  }
};

struct recurrence_of_maps_streamed : detail::launched_form<recurrence_of_maps_streamed> {
  static constexpr auto name = "stream_maps";
  static constexpr auto why =
      "Tiles of elements and of coefficients are copied in bulk into one stage.";
  template <class Call>
  static constexpr auto types() {
    return needs(
        need{detail::maps_flow_of_call<Call>(),
             "a recurrence with a coefficient for each element, of at most 4 bytes and trivially "
             "copyable, as are elements and results"});
  }
  template <class Call>
  static auto now(Call const& c, device const& d) {
    auto const load = detail::load_in_memory(c);
    return needs(detail::pays_to_carry(c.n, load.in, d),
                 detail::ends_aligned(load.in, detail::visit_in_memory(c).to),
                 need{detail::ends_aligned(load.a, nullptr).holds,
                      "coefficients that begin at a multiple of 16 bytes"},
                 detail::streams_tiles(d));
  }
};

struct scan_in_wave : detail::launched_form<scan_in_wave> {
  static constexpr auto name = "wave";
  static constexpr auto why =
      "All blocks are resident at once: each publishes its total and polls those of all preceding "
      "blocks, which takes one copy and one exchange between multiprocessors.";
  template <class Call>
  static constexpr auto types() {
    return needs(detail::between_memories<Call>(),
                 need{sizeof(typename Call::value_type) <= 12,
                      "values of at most 12 bytes, which are published in one word"});
  }
  template <class Call>
  static auto now(Call const& c, device const& d) {
    return needs(
        need{detail::bytes_written(c) < d.sizes.streamed_bytes,
             "fewer bytes of results than tuning::streamed_bytes"},
        detail::ends_aligned(detail::load_in_memory(c).elements(), detail::visit_in_memory(c).to));
  }
};

struct scan_streamed : detail::launched_form<scan_streamed> {
  static constexpr auto name = "stream";
  static constexpr auto why =
      "Tiles are copied in bulk into shared memory and out of it, while others look ahead for "
      "prefixes: 2^28 i32 at 0.99 of the speed of a copy on an H200.";
  template <class Call>
  static constexpr auto types() {
    return needs(detail::between_memories<Call>());
  }
  template <class Call>
  static auto now(Call const& c, device const& d) {
    return needs(
        need{detail::bytes_written(c) >= d.sizes.streamed_bytes,
             "as many bytes of results as tuning::streamed_bytes"},
        detail::ends_aligned(detail::load_in_memory(c).elements(), detail::visit_in_memory(c).to),
        detail::streams_tiles(d));
  }
};

struct segments_streamed : detail::launched_form<segments_streamed> {
  static constexpr auto name = "stream_segments";
  static constexpr auto why =
      "Tiles are copied in bulk, and beside them what says where segments begin, of which a thread "
      "has the bits of its elements.";
  template <class Call>
  static constexpr auto types() {
    return needs(
        need{detail::segmented_scan<Call>::streams,
             "segments of a plain sequence of trivially copyable elements of 4 or 8 bytes, as "
             "wide when written, by bits, flags, keys of numbers, offsets of 4 or 8 bytes, or "
             "one length"});
  }
  template <class Call>
  static auto now(Call const& c, device const& d) {
    auto const load = detail::load_in_memory(c);
    return needs(detail::pays_to_carry(c.n, load.load.data, d),
                 detail::ends_aligned(load.load.data, detail::visit_in_memory(c).to),
                 need{detail::ends_aligned(detail::begin_of_heads(load.segments), nullptr).holds,
                      "heads that begin at a multiple of 16 bytes"},
                 detail::streams_tiles(d));
  }
};

struct scan_in_blocks : detail::launched_form<scan_in_blocks> {
  static constexpr auto name = "in_blocks";
  static constexpr auto why =
      "Any load, visit and monoid in one kernel: a block for each tile, which publishes its total "
      "and waits for what precedes it.  Sums of 4 and 8 bytes at 0.64 to 0.79 of the speed of a "
      "copy on an H200, by steps at 0.29.";
  template <class Call>
  static constexpr auto types() {
    return needs(detail::fits_shared_memory<Call>());
  }
};

}  // namespace gpu

template <>
struct form_table<scan_family, gpu::device> {
  using type =
      forms<gpu::scan_no_elements, gpu::scan_tuples_streamed, gpu::scan_high_orders_streamed,
            gpu::scan_orders_streamed, gpu::recurrence_streamed, gpu::recurrence_of_maps_streamed,
            gpu::scan_in_wave, gpu::scan_streamed, gpu::segments_streamed, gpu::scan_in_blocks,
            scan_by_steps>;
};

}  // namespace ravel::inline v0
