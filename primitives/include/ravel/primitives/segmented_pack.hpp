#pragma once

/// @file
/// Segmented pack: the elements of each segment that are flagged, in order, and where they
/// then begin.

#include <ravel/core/checked.hpp>
#include <ravel/core/concepts.hpp>
#include <ravel/core/config.hpp>
#include <ravel/core/error.hpp>
#include <ravel/core/flags.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/readable_segments.hpp>
#include <ravel/primitives/scan.hpp>

namespace ravel::inline v0 {
namespace detail {

/// How many elements share a note of how many are kept ahead of them: what is kept
/// ahead of a segment is the note, and a few elements asked again.
inline constexpr index_t elements_of_note = 8;

/// Visits what is kept, and notes how many are ahead of each few.
template <class Visit>
struct visit_and_note {
  Visit visit;
  index_t* notes;
  RAVEL_HD auto on(tile t) const {
    auto there = on_tile(visit, t);
    return visit_and_note<decltype(there)>{there, notes};
  }
  RAVEL_HD void operator()(index_t i, index_t before, index_t through) const {
    if (i % elements_of_note == 0) notes[i / elements_of_note] = before;
    if (before < through) visit(i, before);
  }
};
struct note_total {
  index_t* note;
  RAVEL_HD void operator()(index_t total) const { *note = total; }
};

template <class Segments, class Keep, class Begins>
struct tell_begin {
  Segments segments;
  Keep keep_all;
  Begins begins;
  index_t n;
  index_t const* notes;
  RAVEL_HD void operator()(index_t s) const {
    index_t const begin = segments.begin(s);
    if (begin == n) {
      begins(s, notes[div_up(n, elements_of_note)]);
      return;
    }
    index_t const first = begin / elements_of_note * elements_of_note;
    auto const keep = on_tile(keep_all, {0, first, begin + 1});
    index_t ahead = notes[begin / elements_of_note];
    for (index_t i = first; i < begin; ++i) ahead += keep(i) ? 1 : 0;
    begins(s, ahead);
  }
};

template <class O>
struct store_begin {
  O* to;
  RAVEL_HD void operator()(index_t s, index_t begin) const { to[s] = static_cast<O>(begin); }
};

}  // namespace detail

/// A visit of a pack in two steps, of which devices take the first of many elements before the
/// second of one:
///
///     visit(i, place) = visit.put(visit.take(i), place)
///
/// No take reads what a put writes.
template <class Visit>
concept takes_first = requires(Visit const& visit, index_t i) {
  visit.put(visit.take(i), i);
};

/// Visits each i of [0, n) that is kept, as pack_on does, and tells where the kept elements
/// of each segment begin:
///
///     visit(i, #{j < i : keep(j)})               for each i with keep(i)
///     begins(s, #{j < begin(s) : keep(j)})       for each s of [0, segments.count()]
///
/// The last begin is that of no segment, and so how many are kept.
///
/// Shapes   Segments of n elements, by offsets or uniform.  n may be 0.
/// Order    Calls come in any order.  keep(i) may be called any number of times, and gives
///          the same each time: visit overwrites nothing that a keep reads.
/// Cost     O(n + k) work for k segments, O(log n) span, and a byte of scratch for each
///          element.  Asks for each segment up to seven elements again; on the host none.
/// See also pack_on.
template <executor Ex, class Segments, class Keep, class Visit, class Begins>
void segmented_pack_on(Ex const& ex, index_t n, Segments segments, Keep keep, Visit visit,
                       Begins begins) {
  static_assert(Segments::numbered, "segmented_pack_on: the segments are by offsets or uniform");
  using sum = plus<index_t>;
  index_t const of_total = div_up(n, detail::elements_of_note);
  auto const notes = ex.template scratch<index_t>(of_total + 1);
  scan_on(ex, n, detail::count_kept<Keep>{keep}, detail::visit_and_note<Visit>{visit, notes.data()},
          sum{}, detail::seed_identity<sum>{{}}, detail::note_total{notes.data() + of_total});
  for_each_index(
      ex, segments.count() + 1,
      detail::tell_begin<Segments, Keep, Begins>{segments, keep, begins, n, notes.data()});
}

/// The same on a checked executor: there is nothing to verify.
template <executor Ex, class Segments, class Keep, class Visit, class Begins>
void segmented_pack_on(checked_executor<Ex> const& ex, index_t n, Segments segments, Keep keep,
                       Visit visit, Begins begins) {
  segmented_pack_on(ex.own(), n, segments, keep, visit, begins);
}

/// Keeps the flagged elements of each segment of `in`, in order, and tells where they begin:
///
///     in              a b c | d e | | f
///     flags           1 0 1   0 0     1
///     out             a c | | | f             offsets_out   0 2 2 2 3
///
/// Shapes   in[n] and n flags, bools or integers or by_bits, in segments by offsets, by
///          lengths or uniform, all in the memory of `ex`.  `out` is there too, of any size:
///          what it has no room for is counted and not written.  offsets_out has one element
///          more than there are segments.  `out` and offsets_out overlap nothing.
/// Order    Stable.
/// Cost     O(n + k) work for k segments, O(log n) span.  Reads the flags twice, and moves
///          twice the elements that are kept and the offsets.
/// Errors   contract_error if the sizes do not fit.
/// Source   Blelloch, "Vector Models for Data-Parallel Computing", 1990: pack of a segmented
///          vector.
/// See also pack.
template <executor Ex, class In, class Flags, class S, class Out, class OffsetsOut>
void segmented_pack(Ex const& ex, In const& in, Flags const& flags, S segments, Out&& out,
                    OffsetsOut&& offsets_out) {
  static_assert(sequence_on<In const&, Ex> && writable_on<Out, Ex> && writable_on<OffsetsOut, Ex>,
                "segmented_pack: in, out or offsets_out is not contiguous, writable and in the "
                "executor's memory");
  static_assert(flags_on<Flags, Ex>,
                "segmented_pack: flags is not a sequence of bools or integers, or by_bits(...), in "
                "the executor's memory");
  static_assert(segments_on<S, Ex>,
                "segmented_pack: segments is not a descriptor in the executor's memory");
  auto const from = view_of(in);
  auto const to = view_of(out);
  auto const offsets = view_of(offsets_out);
  expects(flag_count(flags) == from.size(), "segmented_pack: there are ", flag_count(flags),
          " flags, and in has ", from.size(), " elements");
  detail::readable_segments<Ex, S> const readable(ex, segments, from.size(), "segmented_pack");
  expects(offsets.size() == segments.count() + 1, "segmented_pack: offsets_out has ",
          offsets.size(), " elements, and there are ", segments.count(), " segments");
  segmented_pack_on(
      ex, from.size(), readable.get(), flag_at(flags),
      write_packed<element_t<In const&>, element_t<Out>>{from.data(), to.data(), to.size()},
      detail::store_begin<element_t<OffsetsOut>>{offsets.data()});
}

}  // namespace ravel::inline v0

#include <ravel/primitives/cpu/segmented_pack.hpp>  // begins by the bits of the pack
#ifdef __CUDACC__
#  include <ravel/primitives/cuda/segmented_pack.cuh>  // the same, in one pass
#endif
