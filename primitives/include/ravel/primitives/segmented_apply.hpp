#pragma once

/// Segmented apply: a function of each whole segment, by one thread per segment.

#include <ravel/primitives/readable_segments.hpp>
#include <ravel/primitives/segmented_apply/call.hpp>
#include <ravel/primitives/segmented_apply/steps.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/segmented_apply.cuh>  // in shared memory
#endif

namespace ravel::inline v0 {
namespace detail {

template <class In>
struct load_in_order {
  In const* from;
  RAVEL_HD index_t of_segment(index_t, index_t) const { return 0; }
  RAVEL_HD In load(index_t, index_t i) const { return from[i]; }
};

}  // namespace detail

/// Writes the loaded elements of each segment to `out`, and applies f to them in place:
///
///     out[i] = load.load(load.of_segment(s, begin(s)), i)      for all i of segment s; then
///     f(out + begin(s), end(s) - begin(s))                     unless it is empty
///
/// f may find them at another address than in `out`: it must read and write these elements alone.
///
/// Shapes   Segments of n elements, by offsets or uniform.  n may be 0.
/// Order    Segments are processed in any order; f is called once for each, by one thread.
/// Cost     O(n) work, and that of f; its span is that of the longest segment.  Moves 2 n elements
///          and the descriptor: on a device segments are in shared memory while f runs, if they
///          fit.
template <executor Ex, class Segments, class Load, class T, class F>
void segmented_apply_on(Ex const& ex, Segments segments, Load load, T* out, F f) {
  run_call(detail::own(ex), describe_segmented_apply_on(segments, load, out, f));
}

/// Applies f to a copy of each segment:
///
///     in              3 1 2 | 5 4 | | 6
///     out             1 2 3 | 4 5 | | 6             with an f(first, n) that sorts
///
/// For segments so short that a serial loop is best: one thread processes each.
///
/// Shapes   in[n] and out[n], in segments by offsets, by lengths or uniform, all in the memory of
///          `ex`.  `out` may be `in`, and overlaps nothing else.  n may be 0.
/// Order    See segmented_apply_on.  f is not called for empty segments.
/// Cost     O(n) work, and that of f; its span is that of the longest segment.  Moves 2 n elements
///          and the descriptor.
/// Errors   contract_error if the sizes differ.  Issued, not awaited.
/// Source   Hardwick, "Practical Parallel Divide-and-Conquer Algorithms", CMU-CS-97-197, 1997:
///          small problems are left to serial code.
/// See also segmented_sort (algorithms), for segments of any length.
template <local_executor Ex, class In, class S, class Out, class F>
void segmented_apply(Ex const& ex, In const& in, S segments, Out&& out, F f) {
  static_assert(
      range_on<In const&, Ex> && writable_on<Out, Ex>,
      "segmented_apply: in or out is not contiguous, writable and in the executor's memory");
  static_assert(segments_on<S, Ex>,
                "segmented_apply: segments is not a descriptor in the executor's memory");
  using T = element_t<Out>;
  static_assert(std::invocable<F const&, T*, index_t>,
                "segmented_apply: f is no function of where the elements of a segment begin, and "
                "how many there are");
  auto const& seq = detail::sequence_of(ex, "segmented_apply", in);
  auto const src = view_of(seq);
  auto const dst = view_of(out);
  expects(src.size() == dst.size(), "segmented_apply: in has ", src.size(),
          " elements, and out has ", dst.size());
  detail::readable_segments<Ex, S> const readable(ex, segments, src.size(), "segmented_apply");
  segmented_apply_on(ex, readable.get(),
                     detail::load_in_order<element_t<decltype(seq)>>{src.data()}, dst.data(), f);
}

}  // namespace ravel::inline v0
