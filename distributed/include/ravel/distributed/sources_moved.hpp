#pragma once

/// @file
/// Sorts, groups, merges, splits, comparisons, gathers and scatters of sources over all ranks, as that of a
/// deferred scan.
///
///     auto const sums = deferred_inclusive_scan(ex, x, y);
///     radix_sort(ex, sums.source(), z);       // z as after sums.settle(); radix_sort(ex, y, z)
///
/// These calls move elements, so each rank writes those of its piece to a sequence first.  Operands that are
/// sequences are read where they are.
///
/// Cost     That of the call of sequences; and of each source on each rank memory for its piece, in which
///          each element is written once.  settle() writes in place.
/// Volume   That of the call of sequences, and 8 bytes for each source.

#include <ravel/core/operands.hpp>
#include <ravel/core/search.hpp>
#include <ravel/core/structure.hpp>
#include <ravel/core/vocabulary.hpp>
#include <ravel/distributed/executor.hpp>
#include <ravel/distributed/operands.hpp>
#include <ravel/distributed/sequence.hpp>
#include <ravel/primitives/map.hpp>

namespace ravel::inline v0 {
namespace distributed::detail {

/// Whether X is an operand of ranks that is a source, and one of several such operands.
template <class X, class L, class C>
concept is_written = operand_of<X, executor<L, C>> && !is_sequence<X>;
template <class X, class Y, class L, class C, class... Z>
concept one_written = operand_of<X, executor<L, C>> && operand_of<Y, executor<L, C>> &&
                      (operand_of<Z, executor<L, C>>&&...) &&
                      (is_written<X, L, C> || is_written<Y, L, C> || (is_written<Z, L, C> || ...));

/// The elements of an operand in a sequence; those of a source as elements of type T.
template <class T, class Ex, class In>
decltype(auto) written(Ex const& ex, In const& in) {
  if constexpr (is_sequence<In>) {
    return (in);
  } else {
    return together(ex, "a source", [&] {
      sequence<T, Ex> out(ex, begins_of(ex, in.n));
      map_on(ex.local(), in.n, in.source, ravel::detail::store<T>{out.data()});
      return out;
    });
  }
}

}  // namespace distributed::detail

/// radix_sort of the elements of a source, which are written first.
template <class L, class C, distributed::detail::is_written<L, C> In, class Out, class... O>
void radix_sort(detail::ranks<L, C> ex, In const& in, Out&& out, O... options) {
  radix_sort(ex, distributed::detail::written<element_t<Out>>(ex, in), out, options...);
}
/// comparison_sort likewise.
template <class L, class C, distributed::detail::is_written<L, C> In, class Out,
          class Before = less>
void comparison_sort(detail::ranks<L, C> ex, In const& in, Out&& out, Before before = {}) {
  comparison_sort(ex, distributed::detail::written<element_t<Out>>(ex, in), out, before);
}
/// top_k likewise.
template <class L, class C, distributed::detail::is_written<L, C> In, class Out, class... O>
void top_k(detail::ranks<L, C> ex, In const& in, Out&& out, O... options) {
  top_k(ex, distributed::detail::written<element_t<Out>>(ex, in), out, options...);
}
/// segmented_sort likewise.
template <class L, class C, distributed::detail::is_written<L, C> In, class S, class Out,
          class... O>
void segmented_sort(detail::ranks<L, C> ex, In const& in, S segments, Out&& out, O... options) {
  segmented_sort(ex, distributed::detail::written<element_t<Out>>(ex, in), segments, out,
                 options...);
}
/// split likewise.
template <int Ways = 2, class L, class C, distributed::detail::is_written<L, C> In, class Which,
          class Out, class... O>
void split(detail::ranks<L, C> ex, In const& in, Which const& which, Out&& out, O... options) {
  split<Ways>(ex, distributed::detail::written<element_t<Out>>(ex, in), which, out, options...);
}
/// gather of which `in` or `at` or both are sources.
template <class L, class C, class In, distributed::detail::one_written<In, L, C> At, class Out>
void gather(detail::ranks<L, C> ex, In const& in, At const& at, Out&& out) {
  using distributed::detail::written;
  gather(ex, written<element_t<Out>>(ex, in), written<element_of_t<source_t<At>>>(ex, at), out);
}
/// scatter likewise.
template <class L, class C, class In, distributed::detail::one_written<In, L, C> At, class Out>
void scatter(detail::ranks<L, C> ex, In const& in, At const& at, Out&& out) {
  using distributed::detail::written;
  scatter(ex, written<element_t<Out>>(ex, in), written<element_of_t<source_t<At>>>(ex, at), out);
}
/// merge of which `a` or `b` or both are sources.
template <class L, class C, class A, distributed::detail::one_written<A, L, C> B, class Out,
          class Before = less>
void merge(detail::ranks<L, C> ex, A const& a, B const& b, Out&& out, Before before = {}) {
  using distributed::detail::written;
  merge(ex, written<element_t<Out>>(ex, a), written<element_t<Out>>(ex, b), out, before);
}
/// radix_sort_pairs of which the keys or the values or both are sources.
template <class L, class C, class K, distributed::detail::one_written<K, L, C> V, class KeysOut,
          class Out, class... O>
void radix_sort_pairs(detail::ranks<L, C> ex, K const& keys, V const& values, KeysOut&& keys_out,
                      Out&& values_out, O... options) {
  using distributed::detail::written;
  radix_sort_pairs(ex, written<element_t<KeysOut>>(ex, keys), written<element_t<Out>>(ex, values),
                   keys_out, values_out, options...);
}
/// comparison_sort_pairs likewise.
template <class L, class C, class K, distributed::detail::one_written<K, L, C> V, class KeysOut,
          class Out, class Before = less>
void comparison_sort_pairs(detail::ranks<L, C> ex, K const& keys, V const& values,
                           KeysOut&& keys_out, Out&& values_out, Before before = {}) {
  using distributed::detail::written;
  comparison_sort_pairs(ex, written<element_t<KeysOut>>(ex, keys),
                        written<element_t<Out>>(ex, values), keys_out, values_out, before);
}

/// segmented_sort_pairs likewise.
template <class L, class C, class K, distributed::detail::one_written<K, L, C> V, class S,
          class KeysOut, class Out, class... O>
void segmented_sort_pairs(detail::ranks<L, C> ex, K const& keys, V const& values, S segments,
                          KeysOut&& keys_out, Out&& values_out, O... options) {
  using distributed::detail::written;
  segmented_sort_pairs(ex, written<element_t<KeysOut>>(ex, keys),
                       written<element_t<Out>>(ex, values), segments, keys_out, values_out,
                       options...);
}
/// group_by_sync likewise.
template <class L, class C, class K, distributed::detail::one_written<K, L, C> V, class KeysOut,
          class Out, class M = plus<>>
index_t group_by_sync(detail::ranks<L, C> ex, K const& keys, V const& values, KeysOut&& out_keys,
                      Out&& out_values, M m = {}) {
  using distributed::detail::written;
  return group_by_sync(ex, written<element_t<KeysOut>>(ex, keys),
                       written<element_of_t<source_t<V>>>(ex, values), out_keys, out_values, m);
}
/// merge_pairs of which any of the keys and values are sources.
template <class L, class C, class KA, class VA, class KB,
          distributed::detail::one_written<KA, L, C, VA, KB> VB, class KeysOut, class Out,
          class Before = less>
void merge_pairs(detail::ranks<L, C> ex, KA const& keys_a, VA const& values_a, KB const& keys_b,
                 VB const& values_b, KeysOut&& keys_out, Out&& values_out, Before before = {}) {
  using distributed::detail::written;
  using K = element_t<KeysOut>;
  using V = element_t<Out>;
  merge_pairs(ex, written<K>(ex, keys_a), written<V>(ex, values_a), written<K>(ex, keys_b),
              written<V>(ex, values_b), keys_out, values_out, before);
}
/// mismatch_sync of which `a` or `b` or both are sources.
template <class L, class C, class A, distributed::detail::one_written<A, L, C> B,
          class Eq = equal_to>
index_t mismatch_sync(detail::ranks<L, C> ex, A const& a, B const& b, Eq eq = {}) {
  using distributed::detail::written;
  return mismatch_sync(ex, written<element_of_t<source_t<A>>>(ex, a),
                       written<element_of_t<source_t<B>>>(ex, b), eq);
}
/// equal_sync likewise.
template <class L, class C, class A, distributed::detail::one_written<A, L, C> B,
          class Eq = equal_to>
bool equal_sync(detail::ranks<L, C> ex, A const& a, B const& b, Eq eq = {}) {
  using distributed::detail::written;
  return equal_sync(ex, written<element_of_t<source_t<A>>>(ex, a),
                    written<element_of_t<source_t<B>>>(ex, b), eq);
}
/// lexicographical_compare_sync likewise.
template <class L, class C, class A, distributed::detail::one_written<A, L, C> B,
          class Before = less>
bool lexicographical_compare_sync(detail::ranks<L, C> ex, A const& a, B const& b,
                                  Before before = {}) {
  using distributed::detail::written;
  return lexicographical_compare_sync(ex, written<element_of_t<source_t<A>>>(ex, a),
                                      written<element_of_t<source_t<B>>>(ex, b), before);
}

}  // namespace ravel::inline v0
