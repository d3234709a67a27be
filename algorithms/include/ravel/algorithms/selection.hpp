#pragma once

/// Selection: the k-th smallest element, and the k smallest, without sorting the others.

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/segmented_sort.hpp>
#include <ravel/algorithms/select_by_digits.hpp>
#include <ravel/algorithms/selection/call.hpp>
#include <ravel/algorithms/selection/cpu.hpp>
#include <ravel/algorithms/selection/steps.hpp>
#include <ravel/primitives/rows.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/algorithms/cuda/selection.cuh>  // counts digits at memory bandwidth
#endif

namespace ravel::inline v0 {
namespace detail {

template <class... Options>
void expect_selection_options() {
  static_assert(are_options<takes<option::descending>, Options...>,
                "selection: the only option is descending, once");
}

template <executor Ex, class K, class V, class... Options>
void top_k_rows(Ex const& ex, char const* call, index_t n, rows<K const, V const> in,
                rows<K, V> out, index_t k, Options... options) {
  expect_selection_options<Options...>();
  static_assert(radix_sortable<K>,
                "top_k: the elements are no numbers, and radix_key is not specialised for them");
  expects(k <= n, call, ": there is room for ", k, " elements, and there are ", n);
  if (k == 0) return;
  if (k < n) {
    run_call(own(ex), selection_call<K, V>{n, in, out, 0, k, sizeof...(Options) > 0});
  } else {
    sort_rows(ex, call, n, in, out, keys_of(), options...);
  }
}

/// What a selection reads.
template <class Ex, class In>
[[gnu::always_inline]] inline decltype(auto) selected_from(Ex const& ex, char const* call,
                                                           In const& in) {
  RAVEL_EXPECT_RANGE(In, Ex, "selection: in");
  return sequence_of(ex, call, in);
}
template <class Ex, class In, class Out>
void expect_selection(In const&, Out const&) {
  RAVEL_EXPECT_WRITABLE(Out, Ex, "selection by an order: out");
  static_assert(std::same_as<element_t<In const&>, element_t<Out>>,
                "selection by an order: in and out have different elements");
  static_assert(std::copyable<element_t<Out>>,
                "selection by an order: the elements cannot be copied: partial_sort(ex, data, k, "
                "before) sorts them in place");
}

template <executor Ex, class In, class S, class Out, class... Options>
void take_of_segments(Ex const& ex, char const* call, In const& in, S segments, index_t first,
                      index_t per_segment, element_t<Out> absent, Out&& out, Options...) {
  expect_selection_options<Options...>();
  static_assert(radix_sortable<element_t<Out>>,
                "segmented selection: the elements are no numbers, and radix_key is not "
                "specialised for them");
  expect_segments<Ex, S>();
  static_assert(
      requires(S const& s) { s.count(); },
      "segmented selection: the number of segments is not known; offsets_of gives "
      "by_offsets");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "segmented selection: out");
  auto const& source = selected_from(ex, call, in);
  index_t const n = size_of(source);
  readable_segments<Ex, S> const readable(ex, segments, n, call);
  auto const segments_read = readable.get();
  auto const results = view_of(out);
  expects(first >= 0 && per_segment >= 0, call, ": first is ", first,
          ", and the number of elements ", per_segment);
  expects(is_product(results.size(), segments_read.count(), per_segment), call,
          ": out has room for ", results.size(), " results, not for ", per_segment, " of each of ",
          segments_read.count(), " segments");
  using T = element_t<decltype(source)>;
  using Readable = std::remove_cvref_t<decltype(segments_read)>;
  run_call(own(ex), segmented_selection_call<T, space_of_t<Ex>, Readable, element_t<Out>>{
                        {view_of(source).data(), n},
                        segments_read,
                        std::min(first, n),
                        per_segment,
                        absent,
                        results.data(),
                        sizeof...(Options) > 0});
}

}  // namespace detail

/// Writes the element that would be at `nth` if `in` were sorted:
///
///     in         3  1  2  4  1  5
///     out        2                     nth_element(ex, in, 2, out)
///     out        4                     nth_element(ex, in, 1, out, descending)
///
/// Shapes   in[n], nth of [0, n), out[1], in the memory of `ex`, of the same elements, which
///          are anything that radix_key knows.  `out` does not overlap `in`.
/// Order    As radix_sort: of equal elements the one that a stable sort would put there.
/// Cost     O(n) work and O(log n) span for each 8 bits of a key, 11 on a device, and a split; each
///          step reads n elements.  On the host it reads n elements twice, and sorts an eighth of
///          them, with scratch for three eighths, unless many are equal.  On a device it reads
///          elements of at most 32 bits once, if there are 2^22 to 2^32, unless a sample misleads,
///          with scratch for 1 to 4 % of them.
/// Errors   contract_error if nth is not in [0, n).  Issued, not awaited.
/// Source   Alabi, Blanchard, Gordon and Steinbach, "Fast k-selection algorithms for
///          graphics processing units", ACM JEA 17, 2012: selection by digits.
template <local_executor Ex, class In, class Out, class... Options>
requires(sequence<Out>) void nth_element(Ex const& ex, In const& in, index_t nth, Out&& out,
                                         Options... options) {
  RAVEL_EXPECT_WRITABLE(Out, Ex, "nth_element: out");
  auto const& source = detail::selected_from(ex, "nth_element", in);
  static_assert(std::same_as<element_t<decltype(source)>, element_t<Out>>,
                "nth_element: in and out have different elements");
  detail::expect_selection_options<Options...>();
  static_assert(radix_sortable<element_t<Out>>,
                "nth_element: the elements are no numbers, and radix_key is not specialised for "
                "them: an order selects any");
  index_t const n = size_of(source);
  expects(0 <= nth && nth < n, "nth_element: nth is ", nth, ", and there are ", n, " elements");
  expects(size_of(out) == 1, "nth_element: out has ", size_of(out), " elements, not 1");
  run_call(detail::own(ex), describe_nth_element(source, nth, out, options...));
}

/// The same by any strict weak order of any elements:
///
///     in         3  1  2  4  1  5
///     out        4                     nth_element(ex, in, 1, out, even_first{})
///
/// Order    As comparison_sort.
/// Cost     On the host expected O(n): it calls the order at most twice for each element, and a few
///          times for each of O(n^(2/3)), with scratch for a third of n elements and their indices.  Elsewhere
///          that of comparison_sort.
/// Errors   contract_error if nth is not in [0, n).
/// Source   Floyd and Rivest, "Expected Time Bounds for Selection", CACM 18(3), 1975.
template <executor Ex, class In, class Out, class Before>
requires(sequence<Out>&& detail::order_of_selection<Before, element_t<Out>>) void nth_element(
    Ex const& ex, In const& in, index_t nth, Out&& out, Before before) {
  auto const& source = detail::selected_from(ex, "nth_element", in);
  detail::expect_selection<Ex>(source, out);
  using T = element_t<Out>;
  index_t const n = size_of(source);
  expects(0 <= nth && nth < n, "nth_element: nth is ", nth, ", and there are ", n, " elements");
  expects(size_of(out) == 1, "nth_element: out has ", size_of(out), " elements, not 1");
  if constexpr (std::copyable<T>) {
    run_call(detail::own(ex),
             detail::describe_selection_by_order<space_of_t<Ex>>(source, nth, out, before));
  }
}

/// Writes the smallest elements of `in`, in order, as many as `out` has:
///
///     in         3  1  2  4  1  5
///     out        1  1  2               top_k(ex, in, out)
///     out        5  4  3               top_k(ex, in, out, descending)
///
/// Shapes   in[n], out[k] with k <= n, in the memory of `ex`, of the same elements, which are
///          anything that radix_key knows.  `out` does not overlap `in`.
/// Order    As radix_sort: of equal elements the first ones, in their order.
/// Cost     That of nth_element, and a sort of k elements.  On a device it reads elements once only
///          if k is at most n / 64; on the host also if k is at most n / 128 and an eighth of a thread's
///          share, or n / 16 of 512 to 2^14 keys of 4 or 8 bytes, with scratch for 2 k elements and their
///          indices of each thread.  For other k scratch
///          on the host is that of nth_element and for k elements.
/// Errors   contract_error if k is more than n.  Issued, not awaited.
/// See also nth_element, segmented_top_k.
template <executor Ex, class In, class Out, class... Options>
requires(sequence<Out>) void top_k(Ex const& ex, In const& in, Out&& out, Options... options) {
  RAVEL_EXPECT_WRITABLE(Out, Ex, "top_k: out");
  auto const& source = detail::selected_from(ex, "top_k", in);
  static_assert(std::same_as<element_t<decltype(source)>, element_t<Out>>,
                "top_k: in and out have different elements");
  using K = element_t<Out>;
  detail::top_k_rows(ex, "top_k", size_of(source),
                     detail::rows<K const, no_value const>{view_of(source).data(), nullptr},
                     detail::rows<K, no_value>{view_of(out).data(), nullptr}, size_of(out),
                     options...);
}

/// The same by any strict weak order of any elements, as std::partial_sort_copy:
///
///     in         3  1  2  4  1  5
///     out        2  4  3               top_k(ex, in, out, even_first{})
///
/// Order    As comparison_sort: of elements that are equivalent the first ones, in their order.
/// Cost     That of nth_element by an order, and a sort of k elements.  On the host, if k is at most n / 64
///          and an eighth of a thread's share, or n / 16 of up to 2^14 elements, expected
///          n + O(k log n) calls of the order, with scratch
///          for 2 k elements and their indices of each thread; for other k that of nth_element and for 2 k
///          elements and their indices.
/// Errors   contract_error if k is more than n.
template <executor Ex, class In, class Out, class Before>
requires(sequence<Out>&& detail::order_of_selection<Before, element_t<Out>>) void top_k(
    Ex const& ex, In const& in, Out&& out, Before before) {
  auto const& source = detail::selected_from(ex, "top_k", in);
  detail::expect_selection<Ex>(source, out);
  using T = element_t<Out>;
  index_t const n = size_of(source), k = size_of(out);
  expects(k <= n, "top_k: there is room for ", k, " elements, and there are ", n);
  if (k == 0) return;
  if constexpr (std::copyable<T>) {
    run_call(detail::own(ex),
             detail::describe_selection_by_order<space_of_t<Ex>>(source, 0, out, before));
  }
}

/// As top_k for keys, and the value of each:
///
///     keys      3  1  2  1        keys_out      1  1  2
///     values    a  b  c  d        values_out    b  d  c
template <local_executor Ex, class Keys, class Values, class KeysOut, class ValuesOut,
          class... Options>
requires(sequence<KeysOut>&& sequence<ValuesOut>) void top_k_pairs(Ex const& ex, Keys const& keys,
                                                                   Values const& values,
                                                                   KeysOut&& keys_out,
                                                                   ValuesOut&& values_out,
                                                                   Options... options) {
  RAVEL_EXPECT_WRITABLE(KeysOut, Ex, "top_k_pairs: keys_out");
  RAVEL_EXPECT_WRITABLE(ValuesOut, Ex, "top_k_pairs: values_out");
  auto const& keys_in = detail::selected_from(ex, "top_k_pairs", keys);
  auto const& values_in = detail::selected_from(ex, "top_k_pairs", values);
  using K = element_t<KeysOut>;
  using V = element_t<ValuesOut>;
  static_assert(std::same_as<element_t<decltype(keys_in)>, K> &&
                    std::same_as<element_t<decltype(values_in)>, V>,
                "top_k_pairs: an input and its output have different elements");
  expects(size_of(keys_in) == size_of(values_in), "top_k_pairs: there are ", size_of(keys_in),
          " keys and ", size_of(values_in), " values");
  expects(size_of(keys_out) == size_of(values_out), "top_k_pairs: there is room for ",
          size_of(keys_out), " keys and ", size_of(values_out), " values");
  detail::top_k_rows(
      ex, "top_k_pairs", size_of(keys_in),
      detail::rows<K const, V const>{view_of(keys_in).data(), view_of(values_in).data()},
      detail::rows<K, V>{view_of(keys_out).data(), view_of(values_out).data()}, size_of(keys_out),
      options...);
}

/// Writes the k smallest elements of each segment, in order:
///
///     in         3 1 2 | 4 1 | | 5
///     out        1 2 | 1 4 | 9 9 | 5 9      segmented_top_k(ex, in, by_lengths(lengths), 2, 9, out)
///
/// Shapes   in[n], segments of n elements by offsets, lengths or one length, out[segments * k].
///          Where a segment has fewer than k elements, `absent` fills its results.
/// Order    As segmented_sort, and its option `descending`.
/// Cost     That of segmented_sort, scratch for n more elements, and writing the results.  On the host
///          it reads each element once, without scratch, if k is at most 16.  On a
///          device it reads segments of one length of at least 2^14 elements of at most 32 bits once
///          and sorts a few thousand of each, without scratch, if k is small: up to 1024 of 2^17.
/// Errors   contract_error if the sizes do not fit; on a checked executor, if offsets do not ascend or a
///          length is negative.  Issued, not awaited.
template <local_executor Ex, class In, class S, class Out, class... Options>
void segmented_top_k(Ex const& ex, In const& in, S segments, index_t k, element_t<Out> absent,
                     Out&& out, Options... options) {
  detail::take_of_segments(ex, "segmented_top_k", in, segments, 0, k, absent, out, options...);
}

/// Writes, for each segment, the element at `nth` of its sorted order:
///
///     in         3 1 2 | 4 1 | | 5
///     out        2 4 9 9            segmented_nth_element(ex, in, by_lengths(lengths), 1, 9, out)
///
/// All else is as for segmented_top_k of nth + 1 elements, with one result for each segment.
template <local_executor Ex, class In, class S, class Out, class... Options>
void segmented_nth_element(Ex const& ex, In const& in, S segments, index_t nth,
                           element_t<Out> absent, Out&& out, Options... options) {
  detail::take_of_segments(ex, "segmented_nth_element", in, segments, nth, 1, absent, out,
                           options...);
}

}  // namespace ravel::inline v0
