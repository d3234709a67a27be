#pragma once

/// Sorted search: the insertion points of many needles in a sorted haystack.

#include <ravel/primitives/search/call.hpp>
#include <ravel/primitives/search/cpu.hpp>
#include <ravel/primitives/verify.hpp>

#ifdef RAVEL_KERNELS
#  include <ravel/primitives/cuda/search.cuh>  // by a directory of the haystack
#endif

namespace ravel::inline v0 {
namespace detail {

/// The common part of both searches.
template <template <class, class, class> class Is, class Ex, class Needles, class Haystack,
          class Out, class Before>
void search_each(Ex const& ex, char const* call, Needles const& needles, Haystack const& haystack,
                 Out&& out, Before before) {
  expects(size_of(out) == size_of(needles), call, ": out has ", size_of(out),
          " elements, and there are ", size_of(needles), " needles");
  using T = element_t<Haystack const&>;
  if constexpr (std::predicate<Before const&, T const&, T const&>) {
    verify_sorted(ex, call, "the haystack", haystack, before);
  }
  run_call(own(ex), describe_search<Is>(needles, haystack, out, before));
}

}  // namespace detail

/// Finds for each needle the first position in a sorted haystack where it could be inserted:
///
///     out[i] = #{j : haystack[j] < needles[i]}         writing < for `before`
///
///     haystack     1  3  3  5  9
///     needles      3  0  4  9 10
///     out          1  0  3  4  5
///
/// Shapes   needles[m], in any order; haystack[n], sorted by `before`; out[m] of
///          an integer type that holds n; all in the memory of `ex`.  `out` may
///          be the needles, and may overlap nothing else.  m and n may be 0.
/// Order    `before` is a strict weak order, called only as before(haystack[j], needles[i]), so the
///          types may differ.
/// Cost     O(m log n) work, O(log n) span.  Moves 2 m elements and the probed parts of the
///          haystack; sorted needles probe the same parts.  On a device, 2^20 or more needles
///          are searched in a directory of the haystack first, with an element of scratch for each
///          128 bytes of it.
/// Errors   contract_error if the sizes differ; on a checked executor, if the haystack is
///          not sorted by `before`.  Issued, not awaited.
/// See also merge_path, which balances a search over both sequences.
template <local_executor Ex, class Needles, class Haystack, class Out, class Before = less>
void lower_bound(Ex const& ex, Needles const& needles, Haystack const& haystack, Out&& out,
                 Before before = {}) {
  RAVEL_EXPECT_RANGE(Needles, Ex, "lower_bound: needles");
  RAVEL_EXPECT_RANGE(Haystack, Ex, "lower_bound: haystack");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "lower_bound: out");
  static_assert(std::integral<element_t<Out>>, "lower_bound: the places in out must be integers");
  detail::search_each<detail::is_before>(
      ex, "lower_bound", detail::sequence_of(ex, "lower_bound", needles),
      detail::sequence_of(ex, "lower_bound", haystack), out, before);
}

/// Finds for each needle the last position in a sorted haystack where it could be inserted:
///
///     out[i] = #{j : not needles[i] < haystack[j]}     writing < for `before`
///
///     haystack     1  3  3  5  9
///     needles      3  0  4  9 10
///     out          3  0  3  5  5
///
/// All else is as for lower_bound, except that before(needles[i], haystack[j]) is called.
template <local_executor Ex, class Needles, class Haystack, class Out, class Before = less>
void upper_bound(Ex const& ex, Needles const& needles, Haystack const& haystack, Out&& out,
                 Before before = {}) {
  RAVEL_EXPECT_RANGE(Needles, Ex, "upper_bound: needles");
  RAVEL_EXPECT_RANGE(Haystack, Ex, "upper_bound: haystack");
  RAVEL_EXPECT_WRITABLE(Out, Ex, "upper_bound: out");
  static_assert(std::integral<element_t<Out>>, "upper_bound: the places in out must be integers");
  detail::search_each<detail::is_not_after>(
      ex, "upper_bound", detail::sequence_of(ex, "upper_bound", needles),
      detail::sequence_of(ex, "upper_bound", haystack), out, before);
}

}  // namespace ravel::inline v0
