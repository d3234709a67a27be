#pragma once

/// Segmented sort: each segment is sorted separately, for any mix of lengths.

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/segmented_sort/call.hpp>
#include <ravel/algorithms/segmented_sort/cpu.hpp>
#include <ravel/algorithms/segmented_sort/steps.hpp>
#include <ravel/primitives/readable_segments.hpp>
#include <ravel/primitives/rows.hpp>
#include <ravel/primitives/segment_forms.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/algorithms/cuda/segmented_sort.cuh>  // a form for each range of lengths
#endif

namespace ravel::inline v0 {
namespace detail {

/// Sorts rows within segments, after checking the options.
template <class Ex, class K, class V, class S, class... Options>
void sort_rows_in_segments(Ex const& ex, char const* call, index_t n, rows<K const, V const> in,
                           rows<K, V> out, S const& segments, Options... options) {
  static_assert(
      are_options<sort_options, Options...>,
      "segmented_sort: the options are descending, bit_range{...} and by(...), each once");
  checked_range<K>(call, keys_of(options...), options...);
  readable_segments<Ex, S> const readable(ex, segments, n, call);
  auto const sort = describe_sort_of_rows(n, in, out, rows<K, V>{}, options...);
  using Sort = std::remove_const_t<decltype(sort)>;
  using Readable = std::remove_cvref_t<decltype(readable.get())>;
  run_call(own(ex), segmented_sort_call<Sort, Readable>{sort, readable.get()});
}

template <class Ex, class S>
void expect_segments() {
  RAVEL_EXPECT_SEGMENTS(S, Ex, "segmented_sort");
}

}  // namespace detail

/// Sorts each segment of `in` to the same segment of `out`, stably:
///
///     in         3 1 2 | 4 1 | 5        segmented_sort(ex, in, by_lengths(lengths), out)
///     lengths    3 0 2 1
///     out        1 2 3 | 1 4 | 5
///     out        3 2 1 | 4 1 | 5        with the option `descending`
///
/// Shapes   in[n], and segments of n elements in any form of core/segments.hpp; out[n],
///          which may be `in`, and may overlap nothing else.  Keys and options as for
///          radix_sort.  n may be 0.
/// Order    As radix_sort, in each segment.
/// Cost     In general an argsort and a sort by segment numbers, and scratch for 5 integers of each
///          element, and for heads and keys 8 bytes for each.  On the host: O(n) work, each segment by one
///          thread in its cache, or by all threads if it is longer than a MiB, with scratch as long as
///          the longest.  On a device: in segments of up to 512 elements, elements are read and written once for each 32 bits of their keys, with O(n
///          log² l) work for segments of length l; in longer ones two or three times, with O(n)
///          work.  Scratch on a device: n elements for integers without values; otherwise 16 bytes
///          for each element, 4 or 8 more if keys have more than 32 bits, and n elements if they
///          are sorted in place.
/// Errors   contract_error if the sizes do not fit; on a checked executor, if offsets do not ascend or a
///          length is negative.  Issued, not awaited.
template <executor Ex, class In, class S, class Out, class... Options>
void segmented_sort(Ex const& ex, In const& in, S segments, Out&& out, Options... options) {
  detail::expect_segments<Ex, S>();
  detail::sort_keys_of(ex, "segmented_sort", in, out, [&](auto... rows) {
    detail::sort_rows_in_segments(ex, "segmented_sort", rows..., segments, options...);
  });
}

/// Sorts keys within segments, and moves the value of each key, of any type, with it.
///
///     keys      3 1 2 | 4 1        keys_out      1 2 3 | 1 4
///     values    a b c | d e        values_out    b c a | e d
///
/// All else is as for segmented_sort.  An output may be its own input.
template <executor Ex, class Keys, class Values, class S, class KeysOut, class ValuesOut,
          class... Options>
void segmented_sort_pairs(Ex const& ex, Keys const& keys, Values const& values, S segments,
                          KeysOut&& keys_out, ValuesOut&& values_out, Options... options) {
  detail::expect_segments<Ex, S>();
  detail::sort_pairs_of(
      ex, "segmented_sort_pairs", keys, values, keys_out, values_out, [&](auto... rows) {
        detail::sort_rows_in_segments(ex, "segmented_sort_pairs", rows..., segments, options...);
      });
}

}  // namespace ravel::inline v0
