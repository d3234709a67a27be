#pragma once

/// The device's forms of scans that carry several values from tile to tile: tuples, sums of higher
/// order and recurrences.  A host compiler can read it.

#include <ravel/core/cuda/device.hpp>
#include <ravel/core/run_call.hpp>
#include <ravel/primitives/carried.hpp>
#include <ravel/primitives/cuda/bulk_types.hpp>
#include <ravel/primitives/cuda/scan_types.hpp>

namespace ravel::inline v0::gpu {
namespace detail {

template <class Call>
constexpr need plain_numbers() {
  using plain = typename carried_scan<Call>::plain;
  using value = typename carried_scan<Call>::value;
  return {can_flow<typename plain::from, typename plain::to, value>,
          "trivially copyable elements of 1, 2, 4 or 8 bytes in memory, that are written to memory "
          "unmapped and as wide"};
}
template <class Call>
inline constexpr need of_integer_orders{
    Call::shape.order > 0 && std::is_integral_v<typename carried_scan<Call>::value>,
    "sums of an order, of integers"};

template <class In>
need pays_to_carry(index_t n, In const*, device const& d) {
  return {n * static_cast<index_t>(std::max(sizeof(In), sizeof(int))) >= d.sizes.carried_bytes,
          "as many bytes of elements, or of ints, as tuning::carried_bytes"};
}
template <class Form>
struct streamed_carried : launched_form<Form> {
  template <class Call>
  static auto now(Call const& c, device const& d) {
    typename carried_scan<Call>::plain const plain(c.load.load, c.visit.visit);
    return needs(pays_to_carry(c.load.n, plain.in, d), ends_aligned(plain.in, plain.out),
                 streams_tiles(d));
  }
};

}  // namespace detail

struct scan_tuples_streamed : detail::streamed_carried<scan_tuples_streamed> {
  static constexpr auto name = "stream_tuples";
  static constexpr auto why =
      "Tiles are copied in bulk, and a prefix for each place of a tuple goes from tile to tile: "
      "tuples of 3 of 2^27 i64 at 0.96 of the speed of a copy on an H200.";
  template <class Call>
  static constexpr auto types = needs(need{Call::shape.tuples > 1 && Call::shape.order == 0,
                                           "tuples"},
                                      detail::plain_numbers<Call>());
};

struct scan_high_orders_streamed : detail::streamed_carried<scan_high_orders_streamed> {
  static constexpr auto name = "stream_high_orders";
  static constexpr auto why =
      "As stream_orders, but elements are added up only once before they are scanned: order 8 of "
      "2^27 i64 in 598 us on an H200, where stream_orders takes 979 and a copy 510.";
  template <class Call>
  static constexpr auto types = needs(detail::of_integer_orders<Call>,
                                      detail::plain_numbers<Call>(),
                                      need{detail::is_high_order<Call>(),
                                           "more than 40 bytes to be carried, no tuples"});
};

struct scan_orders_streamed : detail::streamed_carried<scan_orders_streamed> {
  static constexpr auto name = "stream_orders";
  static constexpr auto why =
      "Tiles are copied in bulk, and are joined as polynomials, of which integer sums have any "
      "order exactly.";
  template <class Call>
  static constexpr auto types = needs(detail::of_integer_orders<Call>,
                                      detail::plain_numbers<Call>(),
                                      need{!detail::is_high_order<Call>() &&
                                               Call::shape.order * Call::shape.tuples <= 8,
                                           "no high order, and at most 8 values to be carried"});
};

struct recurrence_streamed : launched_form<recurrence_streamed> {
  static constexpr auto name = "stream_recurrence";
  static constexpr auto why =
      "Tiles are copied in bulk, and joined by powers of the coefficients.  Backward a tile that "
      "is not whole comes first, and would carry the seed too far.";
  template <class Call>
  static constexpr auto types = needs(need{
      detail::recurrence_scan<Call>::streams,
      "a recurrence that carries at most 12 bytes, from zero or forward, between plain "
      "sequences of trivially copyable elements that are as wide when written"});
  template <class Call>
  static auto now(Call const& c, device const& d) {
    auto const& recurrence = c.m.of;
    auto power = ravel::detail::power_of(recurrence, detail::recurrence_scan<Call>::items);
    for (int tiles = 1; tiles < 32; tiles *= 2) power = recurrence.then(power, power);
    typename detail::recurrence_scan<Call>::plain const plain(c.load.load, c.visit.visit);
    return needs(
        detail::pays_to_carry(c.n, plain.in, d), detail::ends_aligned(plain.in, plain.out),
        detail::streams_tiles(d),
        need{recurrence.is_finite(power), "coefficients whose powers over 32 tiles are finite"});
  }
};

struct recurrence_of_maps_streamed : launched_form<recurrence_of_maps_streamed> {
  static constexpr auto name = "stream_maps";
  static constexpr auto why =
      "Tiles of elements and of coefficients are copied in bulk into one stage.";
  template <class Call>
  static constexpr auto types = needs(need{
      detail::maps_flow_of_call<Call>(),
      "a recurrence with a coefficient for each element, of at most 4 bytes and trivially "
      "copyable, as are elements and results"});
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

}  // namespace ravel::inline v0::gpu
