#pragma once

/// The description of a segmented reduction: segmented_reduce and segmented_reduce_on.

#include <ravel/core/operands.hpp>
#include <ravel/core/table.hpp>
#include <ravel/primitives/normal_load.hpp>
#include <ravel/primitives/options.hpp>

namespace ravel::inline v0 {

struct segmented_reduce_family;

/// Whether a load finds the elements of a segment at once, where all segments have one length:
/// load.of_segment(s)(i) is load(i) for i in [s * load.length, (s + 1) * load.length).
template <class Load>
concept locates_segments = requires(Load const& load, index_t s) {
  { load.length } -> std::convertible_to<index_t>;
  load.of_segment(s)(s);
};

namespace detail {

template <class Call>
inline constexpr need has_numbers{bool{decltype(Call::segments)::numbered},
                                  "segments that have numbers, as those of offsets"};

/// Writes the value of each segment, as many as there is room for.
template <class Out>
struct write_segment {
  static constexpr bool overwrites = std::is_arithmetic_v<Out>;
  Out* to;
  index_t capacity;
  template <class T>
  RAVEL_HD void operator()(index_t s, T const& value) const {
    if (s < capacity) to[s] = detail::as_assigned<Out>(value);
  }
};
template <class K>
struct segment_into {
  K to;
  template <class T>
  RAVEL_HD void operator()(index_t s, T const& value) const {
    if (has_room(to, s)) to(s, value);
  }
};

/// Sinks, and function objects whose structure() returns one, as visits that forms recognise.
template <class Visit>
constexpr auto normal_segment_visit(Visit const& visit) {
  if constexpr (sink_structure<Visit> || requires { visit.structure(); }) {
    auto const sink = sink_of(visit);
    using K = std::remove_const_t<decltype(sink)>;
    if constexpr (is_instance<K, into_contiguous>) {
      return write_segment<stored_t<K>>{sink.data, sink.room};
    } else {
      return segment_into<K>{sink};
    }
  } else {
    return visit;
  }
}

}  // namespace detail

/// For each segment s calls visit(s, seed() * load(begin of s) * ... * load(end of s - 1)), writing
/// * for `m`; and, of segments without numbers, total(k) with their number k.
template <class Load, class Segments, class M, class Seed, class Visit, class Total>
struct segmented_reduce_call {
  using family = segmented_reduce_family;
  using value_type = carrier_t<M>;
  index_t n;
  Load load;
  Segments segments;
  M m;
  Seed seed;
  Visit visit;
  Total total;
};

namespace detail {

template <class Load, class Segments, class M, class Seed, class Visit, class Total>
[[gnu::always_inline]] inline auto make_segmented_reduce_call(index_t n, Load const& load,
                                                              Segments const& segments, M m,
                                                              Seed seed, Visit const& visit,
                                                              Total total) {
  return segmented_reduce_call<Load, Segments, M, Seed, Visit, Total>{n,    load,  segments, m,
                                                                      seed, visit, total};
}

}  // namespace detail

/// The call of segmented_reduce_on with the same arguments.
template <class Load, class Segments, class M, class Seed, class Visit,
          class Total = detail::no_total>
[[gnu::always_inline]] inline auto describe_segmented_reduce_on(index_t n, Load const& load,
                                                                Segments const& segments, M m,
                                                                Seed seed, Visit const& visit,
                                                                Total total = {}) {
  return detail::make_segmented_reduce_call(n, detail::normal_load(load), segments, m, seed,
                                            detail::normal_segment_visit(visit), total);
}

/// The call of segmented_reduce with the same arguments.
template <class In, class Segments, class Out, class M = plus<>, class... Options>
[[gnu::always_inline]] inline auto describe_segmented_reduce(In const& in, Segments const& segments,
                                                             Out&& out, M m = {},
                                                             Options const&... options) {
  auto const monoid = monoid_on<result_t<sink_t<Out>, source_t<In>>>(m);
  return describe_segmented_reduce_on(
      operand_size(in), source_of(in), segments, monoid,
      detail::seed_of<carrier_t<decltype(monoid)>>(monoid, options...), sink_of(out),
      detail::total_of(options...));
}

}  // namespace ravel::inline v0
