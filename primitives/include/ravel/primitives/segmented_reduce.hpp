#pragma once

/// @file
/// Segmented reduce: the combination of all elements of each segment.

#include <ravel/core/checked.hpp>
#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/primitives/options.hpp>
#include <ravel/primitives/readable_segments.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include <concepts>
#include <type_traits>

namespace ravel::inline v0 {
namespace detail {

/// The result of an empty segment.
template <class T, class Segments, class Seed, class Visit>
struct visit_empty {
  Segments segments;
  Seed seed;
  Visit visit;
  RAVEL_HD void operator()(index_t s) const {
    if (segments.begin(s) == segments.begin(s + 1)) visit(s, T(seed()));
  }
};

/// For segments with numbers: the last element of each finds its own segment.
template <class Visit, class Cursor>
struct visit_at_tail {
  static constexpr bool only_through = true;
  Visit visit;
  Cursor segments;

  RAVEL_HD auto on(tile t) const {
    auto there = on_tile(segments, t);
    return visit_at_tail<Visit, decltype(there)>{visit, there};
  }
  template <class T>
  RAVEL_HD void operator()(index_t i, flagged<T> const&, flagged<T> const& through) const {
    if (segments.tail(i)) visit(segments.segment(i), through.value);
  }
};

/// For segments without numbers: heads are counted by the same scan.
template <class Load>
struct read_counted {
  Load load;
  RAVEL_HD auto on(tile t) const {
    auto there = on_tile(load, t);
    return read_counted<decltype(there)>{there};
  }
  RAVEL_HD auto operator()(index_t i) const {
    auto const x = load(i);
    return paired<std::remove_cvref_t<decltype(x)>, index_t>{x, x.head ? 1 : 0};
  }
};
template <class Visit, class Cursor>
struct visit_at_count {
  static constexpr bool only_through = true;
  Visit visit;
  Cursor segments;

  template <class P>
  RAVEL_HD void operator()(index_t i, P const&, P const& through) const {
    if (segments.tail(i)) visit(through.second - 1, through.first.value);
  }
};

/// For segments with numbers: writes the results of empty ones, then does a segmented scan, and the
/// last element of each segment gives its result.
template <class Ex, class Load, class Cursor, class M, class Seed, class Visit>
void reduce_numbered_on(Ex const& ex, index_t n, Load load, Cursor segments, M m, Seed seed,
                        Visit visit) {
  using T = carrier_t<M>;
  segmented<M> const lifted{m};
  for_each_index(ex, segments.count(), visit_empty<T, Cursor, Seed, Visit>{segments, seed, visit});
  scan_on(ex, n, read_flagged<T, Load, Cursor, M, Seed, false>{load, segments, m, seed},
          visit_at_tail<Visit, Cursor>{visit, segments}, lifted,
          seed_identity<segmented<M>>{lifted}, no_total{});
}

/// For segments without numbers: the same, with a count of heads.
template <class Ex, class Load, class Segments, class M, class Seed, class Visit, class Total>
void reduce_headed_on(Ex const& ex, index_t n, Load load, Segments segments, M m, Seed seed,
                      Visit visit, Total total) {
  using T = carrier_t<M>;
  read_flagged<T, Load, Segments, M, Seed, false> const flagged_load{load, segments, m, seed};
  segmented<M> const lifted{m};
  using Counted = pair_of<segmented<M>, plus<index_t>>;
  Counted const counted{lifted, {}};
  read_counted<std::remove_const_t<decltype(flagged_load)>> const counted_load{flagged_load};
  scan_on(ex, n, counted_load, visit_at_count<Visit, Segments>{visit, segments}, counted,
          seed_identity<Counted>{counted}, second_of(total));
}

/// segmented_reduce_on, whose errors name `call`.  By reference: clang copies larger
/// descriptors through memory, where vector loads stall.
template <class Ex, class Load, class S, class M, class Seed, class Visit, class Total>
void segmented_reduce_for(Ex const& ex, char const* call, index_t n, Load load, S const& segments,
                          M m, Seed seed, Visit const& visit, Total total) {
  readable_segments<Ex, S> const readable(ex, segments, n, call);
  auto const cursor = readable.get();
  using Cursor = std::remove_const_t<decltype(cursor)>;
  if constexpr (Cursor::numbered) {
    static_assert(std::same_as<Total, no_total>,
                  "the number of segments goes to a total of heads, head bits and keys; of these "
                  "segments it is known");
    reduce_numbered_on(own(ex), n, load, cursor, m, seed, visit);
  } else {
    reduce_headed_on(own(ex), n, load, cursor, m, seed, visit, total);
  }
}

/// Writes the value of each segment, as many as there is room for.
template <class Out>
struct write_segment {
  static constexpr bool overwrites = std::is_arithmetic_v<Out>;
  Out* to;
  index_t capacity;
  template <class T>
  RAVEL_HD void operator()(index_t s, T const& value) const {
    if (s < capacity) to[s] = static_cast<Out>(value);
  }
};

}  // namespace detail

/// Visits each segment of [0, n) with the combination of its elements.
///
/// For each segment s, calls visit(s, x) once, in any order, with
///
///     x = seed() * load(begin of s) * ... * load(end of s - 1)
///
/// writing * for `m`, so that x is seed() for an empty segment.  Segments by heads, head bits and
/// keys are numbered from 0, and total(k) is called once with their number k.  A map before the
/// reduction is a different `load`, and a map after it a different `visit`: with products as the
/// load, and alpha x + beta y as the visit, this is a sparse matrix-vector product.
///
/// load(i) may be called more than once and must return the same value each time; if a load has a
/// member on(tile), each tile uses its result instead.  visit(s, ...) must not change what a load
/// reads.
///
/// Order, cost and errors are those of segmented_reduce.
template <executor Ex, class Load, class S, class M, class Seed, class Visit,
          class Total = detail::no_total>
void segmented_reduce_on(Ex const& ex, index_t n, Load load, S segments, M m, Seed seed,
                         Visit visit, Total total = {}) {
  static_assert(segments_on<S, Ex>,
                "segmented_reduce_on: segments is not a descriptor (by_offsets, by_lengths, "
                "by_heads, by_head_bits, by_keys, uniform) in the executor's memory");
  static_assert(some_monoid<M>,
                "segmented_reduce_on: m is not a monoid: it needs m(x, y) and m.identity()");
  detail::segmented_reduce_for(ex, "segmented_reduce_on", n, load, segments, m, seed, visit, total);
}

/// Combines the elements of each segment of `in`:
///
///     out[s] = init * in[begin of s] * ... * in[end of s - 1]    writing * for `m`
///
///     in        3  1  2 | 4  1 | | 5
///     lengths   3         2     0  1                   by_lengths(lengths)
///     out       6         5     0  5                   with plus
///
/// where init is the identity of `m`, or the value of the option `from`; it is the result of an
/// empty segment.
///
/// Shapes   in[n], and segments of n elements in any form of core/segments.hpp, all in the memory
///          of `ex`.  For offsets, lengths and uniform, out[k] for k segments.  For heads, head
///          bits and keys the number of segments is known only when the call is done: the option
///          `total_to` receives it, and segments beyond the size of `out` are counted and not
///          written.  n may be 0.  `out` overlaps nothing.
/// Order    `m` is applied left to right and need not be commutative; the grouping is fixed by n,
///          the executor's tile width and the segments.
/// Cost     O(n + k) work, O(log n) span, whatever the lengths; with offsets O(n log k') for k'
///          segments in a tile.  Moves 2 n elements, the descriptor three times, and k results; for
///          segments with numbers, on the host and for plain numbers on a device, n elements and
///          the descriptor once.
/// Source   Blelloch, "Scans as Primitive Parallel Operations", IEEE Trans.
///          Computers 38(11), 1989.
template <executor Ex, class In, class S, class Out, class M = plus<>, class... Options>
void segmented_reduce(Ex const& ex, In const& in, S segments, Out&& out, M m = {},
                      Options... options) {
  static_assert(sequence_on<In const&, Ex>,
                "segmented_reduce: in is not a contiguous sequence in the executor's memory");
  static_assert(segments_on<S, Ex>,
                "segmented_reduce: segments is not a descriptor (by_offsets, by_lengths, by_heads, "
                "by_head_bits, by_keys, uniform) in the executor's memory");
  static_assert(
      writable_on<Out, Ex>,
      "segmented_reduce: out is not a writable contiguous sequence in the executor's memory");
  static_assert(
      detail::are_options<detail::takes<detail::option::from, detail::option::total>, Options...>,
      "segmented_reduce: the options are from(...) and total_to(...), each once");
  static_assert(detail::options_on<Ex, Options...>,
                "segmented_reduce: from(...) or total_to(...) is not in the executor's memory");
  using U = element_t<Out>;
  auto const monoid = monoid_on<U>(m);
  static_assert(some_monoid<decltype(monoid)>,
                "segmented_reduce: m is not a monoid: it needs m(x, y) and m.identity()");
  using T = carrier_t<decltype(monoid)>;

  auto const from = view_of(in);
  auto const to = view_of(out);
  if constexpr (requires { segments.count(); }) {
    static_assert(
        !detail::has<detail::option::total, Options...>,
        "segmented_reduce: total_to(...) is for heads, head bits and keys; of these segments the "
        "number is known");
    expects(to.size() == segments.count(), "segmented_reduce: out has ", to.size(),
            " elements, and there are ", segments.count(), " segments");
  }
  detail::segmented_reduce_for(
      ex, "segmented_reduce", from.size(), contiguous<element_t<In const&>>{from.data()}, segments,
      monoid, detail::seed_of<T>(monoid, options...),
      detail::write_segment<U>{to.data(), to.size()}, detail::total_of(options...));
}

}  // namespace ravel::inline v0

#include <ravel/primitives/cpu/reduce_headed.hpp>     // heads where they are
#include <ravel/primitives/cpu/segmented_reduce.hpp>  // each element once, and no flags
#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/segmented_reduce.cuh>  // the same, at the speed of reading
#endif
