#pragma once

/// Segmented pack: the flagged elements of each segment, in order, and the begins of the new
/// segments.

#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/readable_segments.hpp>
#include <ravel/primitives/segmented_pack/call.hpp>
#include <ravel/primitives/segmented_pack/cpu.hpp>
#include <ravel/primitives/segmented_pack/steps.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/segmented_pack.cuh>  // defines what segmented_pack/cuda.hpp declares
#endif

namespace ravel::inline v0 {
namespace detail {

template <class O>
struct store_begin {
  O* to;
  RAVEL_HD void operator()(index_t s, index_t begin) const { to[s] = static_cast<O>(begin); }
};

}  // namespace detail

/// Visits each i of [0, n) that is kept, as pack_on does, and passes on where the kept elements of
/// each segment begin:
///
///     visit(i, #{j < i : keep(j)})               for each i with keep(i)
///     begins(s, #{j < begin(s) : keep(j)})       for each s of [0, segments.count()]
///
/// The last begin, after all segments, is the number of elements kept.
///
/// Shapes   Segments of n elements, by offsets or uniform.  n may be 0.
/// Order    Calls are made in any order.  keep(i) may be called any number of times, and must
///          return the same each time: visit overwrites nothing that a keep reads.
/// Cost     O(n + k) work for k segments, O(log n) span, and a byte of scratch for each element.
///          Evaluates keep again for up to seven elements per segment; on the host for none.
/// See also pack_on.
template <executor Ex, class Segments, class Keep, class Visit, class Begins>
void segmented_pack_on(Ex const& ex, index_t n, Segments segments, Keep keep, Visit visit,
                       Begins begins) {
  static_assert(Segments::numbered, "segmented_pack_on: the segments are by offsets or uniform");
  run_call(detail::own(ex), describe_segmented_pack_on(n, segments, keep, visit, begins));
}

/// Keeps the flagged elements of each segment of `in`, in order, and writes where they begin:
///
///     in              a b c | d e | | f
///     flags           1 0 1   0 0     1
///     out             a c | | | f             offsets_out   0 2 2 2 3
///
/// Shapes   in[n] and n flags, bools or integers or by_bits, in segments by offsets, by lengths or
///          uniform, all in the memory of `ex`.  `out` is there too, of any size: elements that it
///          has no room for are counted and not written.  offsets_out has one element more than
///          there are segments.  `out` and offsets_out overlap nothing.
/// Order    Stable.
/// Cost     O(n + k) work for k segments, O(log n) span.  Reads the flags twice, and moves
///          twice the elements that are kept and the offsets.
/// Errors   contract_error if the sizes do not fit.
/// Source   Blelloch, "Vector Models for Data-Parallel Computing", 1990: pack of a segmented
///          vector.
/// See also pack.
template <local_executor Ex, class In, class Flags, class S, class Out, class OffsetsOut>
void segmented_pack(Ex const& ex, In const& in, Flags const& flags, S segments, Out&& out,
                    OffsetsOut&& offsets_out) {
  static_assert(range_on<In const&, Ex> && writable_on<Out, Ex> && writable_on<OffsetsOut, Ex>,
                "segmented_pack: in, out or offsets_out is not contiguous, writable and in the "
                "executor's memory");
  static_assert(flag_range_on<Flags, Ex>,
                "segmented_pack: flags is not a sequence of bools or integers, or by_bits(...), in "
                "the executor's memory");
  static_assert(segments_on<S, Ex>,
                "segmented_pack: segments is not a descriptor in the executor's memory");
  auto const& kept = detail::flags_of(ex, "segmented_pack", flags);
  auto const& seq = detail::sequence_of(ex, "segmented_pack", in);
  auto const src = view_of(seq);
  auto const dst = view_of(out);
  auto const offsets = view_of(offsets_out);
  expects(flag_count(kept) == src.size(), "segmented_pack: there are ", flag_count(kept),
          " flags, and in has ", src.size(), " elements");
  detail::readable_segments<Ex, S> const readable(ex, segments, src.size(), "segmented_pack");
  expects(offsets.size() == segments.count() + 1, "segmented_pack: offsets_out has ",
          offsets.size(), " elements, and there are ", segments.count(), " segments");
  segmented_pack_on(
      ex, src.size(), readable.get(), flag_at(kept),
      write_packed<element_t<decltype(seq)>, element_t<Out>>{src.data(), dst.data(), dst.size()},
      detail::store_begin<element_t<OffsetsOut>>{offsets.data()});
}

}  // namespace ravel::inline v0
