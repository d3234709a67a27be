#pragma once

/// @file
/// Segmented sort: each segment is sorted separately, for any mix of lengths.

#include <ravel/algorithms/cpu/segmented_sort.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/checked.hpp>
#include <ravel/core/function_ref.hpp>
#include <ravel/core/segments.hpp>
#include <ravel/core/vocabulary.hpp>
#include <ravel/primitives/gather.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/readable_segments.hpp>
#include <ravel/primitives/rows.hpp>
#include <ravel/primitives/segment_forms.hpp>

#include <optional>
#include <tuple>

#ifdef RAVEL_KERNELS
#  include <ravel/algorithms/cuda/segmented_sort.cuh>  // a form for each range of lengths
#endif

namespace ravel::inline v0 {
namespace detail {

/// Sorts rows within segments if this executor has a specialised implementation for them; returns
/// whether it has.
template <class Ex, class K, class V, class S, class... Key>
bool sort_rows_in_segments_on(Ex const&, index_t, rows<K const, V const>, rows<K, V>, S const&,
                              bool, std::optional<bit_range>, Key...) {
  return false;
}

template <class S>
struct begins_segment {
  S segments;
  RAVEL_HD bool operator()(index_t i) const { return segments.head(i); }
};

/// Segments by packed positions of heads, whose number is in the executor's memory.  There are `n` of
/// them, as far as is known on the host: those after the last head are empty.
struct packed_segments {
  static constexpr bool numbered = true;
  index_t const *begins, *heads;
  index_t n;

  index_t count() const { return n; }
  RAVEL_HD index_t begin(index_t s) const { return s < *heads ? begins[s] : n; }
};

/// Returns body(segments), with segments by heads, head bits or keys by their positions.
template <class Ex, class S, class Body>
bool with_packed_segments(Ex const& ex, index_t n, S const& segments, Body const& body) {
  auto const begins = ex.template scratch<index_t>(n + 1);
  auto const pack_heads = [&](auto total) {
    pack_on(ex, n, begins_segment<S>{segments}, write_packed_index<index_t>{begins.data(), n},
            total);
  };
  if constexpr (cpu::host_executor<Ex>) {
    index_t const count = total_sync(ex, [&](auto total) { pack_heads(total_of(total)); });
    begins.data()[count] = n;
    return body(by_offsets(view_of(begins).slice(0, count + 1)));
  } else {
    auto const heads = ex.template scratch<index_t>(1);
    pack_heads(store_total<index_t>{heads.data()});
    return body(packed_segments{begins.data(), heads.data(), n});
  }
}

template <class Ex, class K, class V, class S, class... Options>
bool sort_rows_in_segments(Ex const& ex, char const* call, rows<K const, V const> in,
                           rows<K, V> out, index_t n, S const& segments, Options... options) {
  static_assert(
      are_options<sort_options, Options...>,
      "segmented_sort: the options are descending, bit_range{...} and by(...), each once");
  constexpr bool packs_heads =
      !cpu::host_executor<Ex> || cpu::detail::cached_row<cpu::detail::row<K, V>>;
  if constexpr (!S::numbered && packs_heads) {
    return with_packed_segments(ex, n, segments, [&](auto const& packed) {
      return sort_rows_in_segments(ex, call, in, out, n, packed, options...);
    });
  } else {
    auto const sort_by = [&]<class... Key>(std::tuple<Key...> const& keys) {
      auto const range = checked_range<K>(call, keys, options...);
      bool constexpr down = has<option::descending, Options...>;
      return call_with(
          [&](auto const&... key) {
            return sort_rows_in_segments_on(ex, n, in, out, segments, down, range, key...);
          },
          keys);
    };
    return sort_by(keys_of(options...));
  }
}

/// order[i] is the index of the i-th sorted element: a stable sort by key, then a stable sort by
/// segment.
template <class Ex, class In, class S, class Order, class... Options>
void order_in_segments(Ex const& ex, In const& in, S const& segments, Order const& order,
                       Options... options) {
  index_t const n = size_of(in);
  auto const ids = ex.template scratch<index_t>(n);
  auto const sorted_ids = ex.template scratch<index_t>(n);
  segment_ids_of(ex, segments, ids);
  radix_argsort(ex, in, order, options...);
  gather(ex, ids, order, sorted_ids);
  index_t most_segments = n;  // an upper bound on nonempty segments
  if constexpr (requires { segments.count(); }) most_segments = segments.count();
  int bits = 1;
  while (bits < 63 && index_t{1} << bits < most_segments) ++bits;
  radix_sort_pairs(ex, sorted_ids, order, bit_range{0, bits});
}

/// out[i] = in[at[i]], where `out` may be `in`.
template <class Ex, class In, class At, class Out>
void gather_over(Ex const& ex, In const& in, At const& at, Out&& out) {
  using T = element_t<Out>;
  if (view_of(in).data() != view_of(out).data()) return gather(ex, in, at, out);
  auto const aside = ex.template scratch<T>(size_of(in));
  gather(ex, in, at, aside);
  for_each_index(ex, size_of(in),
                 move_row<T, no_value>{{aside.data(), nullptr}, {view_of(out).data(), nullptr}});
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
  auto const& from = detail::sorted_operand(ex, "segmented_sort", in);
  detail::expect_alike<Ex>("segmented_sort", from, out);
  index_t const n = size_of(from);
  detail::readable_segments<Ex, S> const readable(ex, segments, n, "segmented_sort");
  auto const& own = detail::own(ex);
  using K = element_t<Out>;
  if (detail::sort_rows_in_segments(
          own, "segmented_sort", rows<K const, no_value const>{view_of(from).data(), nullptr},
          rows<K, no_value>{view_of(out).data(), nullptr}, n, readable.get(), options...)) {
    return;
  }
  auto const order = own.template scratch<index_t>(n);
  detail::order_in_segments(own, from, readable.get(), order, options...);
  detail::gather_over(own, from, order, out);
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
  auto const& from = detail::sorted_operand(ex, "segmented_sort_pairs", keys);
  auto const& beside = detail::sorted_operand(ex, "segmented_sort_pairs", values);
  detail::expect_pairs_alike<Ex>("segmented_sort_pairs", from, beside, keys_out, values_out);
  index_t const n = size_of(from);
  detail::readable_segments<Ex, S> const readable(ex, segments, n, "segmented_sort_pairs");
  auto const& own = detail::own(ex);
  using K = element_t<KeysOut>;
  using V = element_t<ValuesOut>;
  if (detail::sort_rows_in_segments(
          own, "segmented_sort_pairs",
          rows<K const, V const>{view_of(from).data(), view_of(beside).data()},
          rows<K, V>{view_of(keys_out).data(), view_of(values_out).data()}, n, readable.get(),
          options...)) {
    return;
  }
  auto const order = own.template scratch<index_t>(n);
  detail::order_in_segments(own, from, readable.get(), order, options...);
  detail::gather_over(own, from, order, keys_out);
  detail::gather_over(own, beside, order, values_out);
}

}  // namespace ravel::inline v0
