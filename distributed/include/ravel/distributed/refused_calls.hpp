#pragma once

/// @file
/// Calls that are not there on several ranks: each is refused by a sentence that says what to use.
///
/// An overload here has the parameters of the call of one rank, so that it fits better by its executor
/// alone, and nothing is ambiguous.

#include <ravel/core/vocabulary.hpp>
#include <ravel/distributed/executor.hpp>

namespace ravel::inline v0 {
namespace detail {

template <class L, class C>
using ranks = distributed::executor<L, C> const&;
struct not_given {};

/// Whether a call has a form for several ranks.
template <class>
inline constexpr bool has_form = false;

}  // namespace detail

template <class P, class I, class V>
struct csr;
template <class I, class V>
struct sparse_vector;
template <int Ways, class T, class Space>
struct split_parts;
template <class T, class Space>
struct offsets_to_elements;

template <class L, class C, class In, class Out, class F = detail::not_given>
void adjacent_difference(detail::ranks<L, C>, In const&, Out&&, F = {}) {
  static_assert(
      detail::has_form<L>,
      "adjacent_difference: not on several ranks; use on(ex, in) | adjacent_difference(f)");
}
template <class L, class C, class In, class Out, class... O>
void delta_encode(detail::ranks<L, C>, In const&, Out&&, O...) {
  static_assert(detail::has_form<L>,
                "delta_encode: not on several ranks; use on(ex, in) | adjacent_difference()");
}
template <class L, class C, class F, class In, class S, class Out>
void expand(detail::ranks<L, C>, F, In const&, S, Out&&) {
  static_assert(detail::has_form<L>, "expand: not on several ranks; expand on ex.local()");
}
template <class L, class C, class In, class S, class Out>
void replicate(detail::ranks<L, C>, In const&, S, Out&&) {
  static_assert(detail::has_form<L>, "replicate: not on several ranks; replicate on ex.local()");
}
template <class L, class C, class S, class Out>
void segmented_iota(detail::ranks<L, C>, S, Out&&) {
  static_assert(detail::has_form<L>,
                "segmented_iota: not on several ranks; use segmented_exclusive_scan");
}
template <class L, class C, class V, class N, class Out>
void run_length_decode(detail::ranks<L, C>, V const&, N const&, Out&&) {
  static_assert(detail::has_form<L>,
                "run_length_decode: not on several ranks; use it on ex.local()");
}
template <class L, class C, class A, class B, class Out, class Before = detail::not_given>
void lower_bound(detail::ranks<L, C>, A const&, B const&, Out&&, Before = {}) {
  static_assert(detail::has_form<L>, "lower_bound: not on several ranks; search on ex.local()");
}
template <class L, class C, class A, class B, class Out, class Before = detail::not_given>
void upper_bound(detail::ranks<L, C>, A const&, B const&, Out&&, Before = {}) {
  static_assert(detail::has_form<L>, "upper_bound: not on several ranks; search on ex.local()");
}
template <class L, class C, class K, class V, class A, class B, class... O>
void unique_by_key(detail::ranks<L, C>, K const&, V const&, A&&, B&&, O...) {
  static_assert(detail::has_form<L>, "unique_by_key: not on several ranks; use reduce_by_key_sync");
}
template <class L, class C, class K, class V, class A, class B, class... O>
index_t unique_by_key_sync(detail::ranks<L, C>, K const&, V const&, A&&, B&&, O...) {
  static_assert(detail::has_form<L>,
                "unique_by_key_sync: not on several ranks; use reduce_by_key_sync");
  return 0;
}
template <class L, class C, class In, class Out, class... O>
void unique(detail::ranks<L, C>, In const&, Out&&, O...) {
  static_assert(detail::has_form<L>, "unique: not on several ranks; use unique_sync");
}
template <class L, class C, class In, class V, class N, class... O>
void run_length_encode(detail::ranks<L, C>, In const&, V&&, N&&, O...) {
  static_assert(detail::has_form<L>,
                "run_length_encode: not on several ranks; use run_length_encode_sync");
}
template <class L, class C, class K, class V, class A, class B, class M = detail::not_given,
          class... O>
void reduce_by_key(detail::ranks<L, C>, K const&, V const&, A&&, B&&, M = {}, O...) {
  static_assert(detail::has_form<L>, "reduce_by_key: not on several ranks; use reduce_by_key_sync");
}
template <class L, class C, class In, class Flags, class Out, class... O>
void pack(detail::ranks<L, C>, In const&, Flags const&, Out&&, O...) {
  static_assert(detail::has_form<L>, "pack: not on several ranks; use pack_sync");
}
template <class L, class C, class Flags, class Out, class... O>
void pack_index(detail::ranks<L, C>, Flags const&, Out&&, O...) {
  static_assert(detail::has_form<L>, "pack_index: not on several ranks; use pack_index_sync");
}
template <class L, class C, class In, class Keep, class Out, class... O>
void filter(detail::ranks<L, C>, In const&, Keep, Out&&, O...) {
  static_assert(detail::has_form<L>, "filter: not on several ranks; use filter_sync");
}
template <int Ways = 2, class L, class C, class K, class V, class Which, class A, class B,
          class... O>
void split_pairs(detail::ranks<L, C>, K const&, V const&, Which const&, A&&, B&&, O...) {
  static_assert(detail::has_form<L>, "split_pairs: not on several ranks; use radix_sort_pairs");
}
template <int Ways = 2, class L, class C, class In, class Which, int W, class T, class Space,
          class... O>
void split(detail::ranks<L, C>, In const&, Which const&, split_parts<W, T, Space>, O...) {
  static_assert(
      detail::has_form<L>,
      "split: on several ranks the parts are in one sequence; filter_sync makes one each");
}
template <int Ways = 2, class L, class C, class In, class Which, class Out, class... O>
void split(detail::ranks<L, C>, In const&, Which const&, Out&&, O...) {
  static_assert(detail::has_form<L>,
                "split: on several ranks in and out have elements of one type");
}
template <class L, class C, class A, class B, class Out, class Before = detail::not_given>
void merge(detail::ranks<L, C>, A const&, B const&, Out&&, Before = {}) {
  static_assert(detail::has_form<L>,
                "merge: on several ranks a, b and out have elements of one type");
}
template <class L, class C, class In, class Flags, class S, class Out, class To>
void segmented_pack(detail::ranks<L, C>, In const&, Flags const&, S, Out&&, To&&) {
  static_assert(detail::has_form<L>,
                "segmented_pack: not on several ranks; use each(nested values, f)");
}
template <class L, class C, class In, class Digit, class S, int Ways, class T, class O, class Space>
void segmented_split(detail::ranks<L, C>, In const&, Digit const&, S, split_parts<Ways, T, Space>,
                     split_parts<Ways, O, Space>) {
  static_assert(detail::has_form<L>,
                "segmented_split: not on several ranks; use each(nested values, f)");
}
template <class L, class C, class In, class S, class Out, class F>
void segmented_apply(detail::ranks<L, C>, In const&, S, Out&&, F) {
  static_assert(detail::has_form<L>,
                "segmented_apply: not on several ranks; use each(nested values, f)");
}
template <int Ways, class L, class C, class In, class Digit, class S, class Out, class O,
          class Space>
void split_within(detail::ranks<L, C>, In const&, Digit const&, S, Out&&,
                  offsets_to_elements<O, Space>) {
  static_assert(detail::has_form<L>,
                "split_within: not on several ranks; use each(nested values, f)");
}
template <class L, class C, class In, class At, class Out>
void permute(detail::ranks<L, C>, In const&, At const&, Out&&) {
  static_assert(detail::has_form<L>, "permute: not on several ranks; use scatter");
}
template <class L, class C, class In, class F, class Out>
void any_of(detail::ranks<L, C>, In const&, F const&, Out&&) {
  static_assert(detail::has_form<L>, "any_of: not on several ranks; use any_of_sync");
}
template <class L, class C, class In, class F, class Out>
void all_of(detail::ranks<L, C>, In const&, F const&, Out&&) {
  static_assert(detail::has_form<L>, "all_of: not on several ranks; use all_of_sync");
}
template <class L, class C, class In, class F, class Out>
void none_of(detail::ranks<L, C>, In const&, F const&, Out&&) {
  static_assert(detail::has_form<L>, "none_of: not on several ranks; use none_of_sync");
}
template <class L, class C, class In, class F, class Out>
void find_first(detail::ranks<L, C>, In const&, F const&, Out&&) {
  static_assert(detail::has_form<L>, "find_first: not on several ranks; use find_first_sync");
}
template <class L, class C, class In, class F, class Out>
void is_partitioned(detail::ranks<L, C>, In const&, F const&, Out&&) {
  static_assert(detail::has_form<L>,
                "is_partitioned: not on several ranks; use is_partitioned_sync");
}
template <class L, class C, class In, class Out, class F = detail::not_given>
void adjacent_find(detail::ranks<L, C>, In const&, Out&&, F = {}) {
  static_assert(detail::has_form<L>, "adjacent_find: not on several ranks; use adjacent_find_sync");
}
template <class L, class C, class In, class Out, class F = detail::not_given>
void is_sorted(detail::ranks<L, C>, In const&, Out&&, F = {}) {
  static_assert(detail::has_form<L>, "is_sorted: not on several ranks; use is_sorted_sync");
}
template <class L, class C, class In, class Out, class F = detail::not_given>
void min_element(detail::ranks<L, C>, In const&, Out&&, F = {}) {
  static_assert(detail::has_form<L>, "min_element: not on several ranks; use min_element_sync");
}
template <class L, class C, class In, class Out, class F = detail::not_given>
void max_element(detail::ranks<L, C>, In const&, Out&&, F = {}) {
  static_assert(detail::has_form<L>, "max_element: not on several ranks; use max_element_sync");
}
template <class L, class C, class A, class B, class Out, class F = detail::not_given>
void mismatch(detail::ranks<L, C>, A const&, B const&, Out&&, F = {}) {
  static_assert(detail::has_form<L>, "mismatch: not on several ranks; use mismatch_sync");
}
template <class L, class C, class A, class B, class Out, class F = detail::not_given>
void equal(detail::ranks<L, C>, A const&, B const&, Out&&, F = {}) {
  static_assert(detail::has_form<L>, "equal: not on several ranks; use equal_sync");
}
template <class L, class C, class A, class B, class Out, class F = detail::not_given>
void lexicographical_compare(detail::ranks<L, C>, A const&, B const&, Out&&, F = {}) {
  static_assert(detail::has_form<L>,
                "lexicographical_compare: not on several ranks; use lexicographical_compare_sync");
}
template <class L, class C, class In, class What, class Out, class F = detail::not_given>
void search(detail::ranks<L, C>, In const&, What const&, Out&&, F = {}) {
  static_assert(detail::has_form<L>, "search: not on several ranks; use search_sync");
}
template <class L, class C, class In, class What, class Out, class F = detail::not_given>
void find_end(detail::ranks<L, C>, In const&, What const&, Out&&, F = {}) {
  static_assert(detail::has_form<L>, "find_end: not on several ranks; use find_end_sync");
}
template <class L, class C, class Data, class Before = detail::not_given>
void partial_sort(detail::ranks<L, C>, Data&&, index_t, Before = {}) {
  static_assert(detail::has_form<L>, "partial_sort: not on several ranks; use top_k");
}
template <class L, class C, class In, class Out, class... O>
void nth_element(detail::ranks<L, C>, In const&, index_t, Out&&, O...) {
  static_assert(detail::has_form<L>, "nth_element: not on several ranks; use top_k");
}
template <class L, class C, class K, class V, class A, class B, class... O>
void top_k_pairs(detail::ranks<L, C>, K const&, V const&, A&&, B&&, O...) {
  static_assert(detail::has_form<L>, "top_k_pairs: not on several ranks; use radix_sort_pairs");
}
template <class L, class C, class In, class Order, class... O>
void radix_argsort(detail::ranks<L, C>, In const&, Order&&, O...) {
  static_assert(detail::has_form<L>,
                "radix_argsort: not on several ranks; use radix_sort_pairs with iota");
}
template <class L, class C, class In, class Out, class Before = detail::not_given>
void quicksort_sync(detail::ranks<L, C>, In const&, Out&&, Before = {}) {
  static_assert(detail::has_form<L>, "quicksort_sync: not on several ranks; use comparison_sort");
}
template <class L, class C, class In, class S, class Out, class Before = detail::not_given>
void merge_segments(detail::ranks<L, C>, In const&, S, Out&&, Before = {}) {
  static_assert(detail::has_form<L>, "merge_segments: not on several ranks; use segmented_sort");
}
template <class L, class C, class K, class V, class S, class A, class B,
          class Before = detail::not_given>
void merge_segments_pairs(detail::ranks<L, C>, K const&, V const&, S, A&&, B&&, Before = {}) {
  static_assert(detail::has_form<L>,
                "merge_segments_pairs: not on several ranks; use segmented_sort_pairs");
}
template <class L, class C, class In, class S, class Out, class Before = detail::not_given>
void segmented_comparison_sort(detail::ranks<L, C>, In const&, S, Out&&, Before = {}) {
  static_assert(detail::has_form<L>,
                "segmented_comparison_sort: not on several ranks; use segmented_sort");
}
template <class L, class C, class K, class V, class S, class A, class B,
          class Before = detail::not_given>
void segmented_comparison_sort_pairs(detail::ranks<L, C>, K const&, V const&, S, A&&, B&&,
                                     Before = {}) {
  static_assert(detail::has_form<L>,
                "segmented_comparison_sort_pairs: not on several ranks; use segmented_sort_pairs");
}
template <class L, class C, class In, class S, class Out, class... O>
void segmented_top_k(detail::ranks<L, C>, In const&, S, index_t, element_t<Out>, Out&&, O...) {
  static_assert(detail::has_form<L>,
                "segmented_top_k: not on several ranks; use segmented_sort and gather");
}
template <class L, class C, class In, class S, class Out, class... O>
void segmented_nth_element(detail::ranks<L, C>, In const&, S, index_t, element_t<Out>, Out&&,
                           O...) {
  static_assert(detail::has_form<L>,
                "segmented_nth_element: not on several ranks; use segmented_sort and gather");
}
template <class L, class C, class K, class V, class A, class B, class M = detail::not_given,
          class... O>
index_t reduce_by_hash_sync(detail::ranks<L, C>, K const&, V const&, A&&, B&&, M = {}, O...) {
  static_assert(detail::has_form<L>,
                "reduce_by_hash_sync: not on several ranks; use group_by_sync");
  return 0;
}
template <class L, class C, class K, class A, class B, class... O>
index_t histogram_by_key_sync(detail::ranks<L, C>, K const&, A&&, B&&, O...) {
  static_assert(detail::has_form<L>,
                "histogram_by_key_sync: not on several ranks; use group_by_sync");
  return 0;
}
template <class L, class C, class K, class Out, class... O>
index_t remove_duplicates_sync(detail::ranks<L, C>, K const&, Out&&, O...) {
  static_assert(detail::has_form<L>,
                "remove_duplicates_sync: not on several ranks; use radix_sort and unique_sync");
  return 0;
}
template <class L, class C, class K, class A, class B, class... O>
index_t group_by_key_sync(detail::ranks<L, C>, K const&, A&&, B&&, O...) {
  static_assert(detail::has_form<L>,
                "group_by_key_sync: not on several ranks; use radix_sort_pairs");
  return 0;
}
template <class L, class C, class Next, class Out, class O, class... More>
void list_rank(detail::ranks<L, C>, Next const&, Out&&, O, More...) {
  static_assert(
      detail::has_form<L>,
      "list_rank: on several ranks it takes no options: heads are found, and faults are not");
}
template <class L, class C, class Next, class In, class Out, class M = detail::not_given,
          class... O>
void inclusive_list_scan(detail::ranks<L, C>, Next const&, In const&, Out&&, M = {}, O...) {
  static_assert(detail::has_form<L>,
                "inclusive_list_scan: not on several ranks; use list_rank and scatter");
}
template <class L, class C, class Next, class In, class Out, class M = detail::not_given,
          class... O>
void exclusive_list_scan(detail::ranks<L, C>, Next const&, In const&, Out&&, M = {}, O...) {
  static_assert(detail::has_form<L>,
                "exclusive_list_scan: not on several ranks; use list_rank and scatter");
}
template <class Index = index_t, class L, class C, class A, class B, class V>
int csr_from_coordinates(detail::ranks<L, C>, index_t, index_t, A const&, B const&, V const&) {
  static_assert(detail::has_form<L>,
                "csr_from_coordinates: not on several ranks; use it on ex.local()");
  return 0;
}
template <class L, class C, class P, class I, class V, class J, class X,
          class R = detail::not_given>
int spmspv_sync(detail::ranks<L, C>, csr<P, I, V> const&, sparse_vector<J, X> const&, R = {}) {
  static_assert(detail::has_form<L>, "spmspv_sync: not on several ranks; use spmv");
  return 0;
}
template <class L, class C, class P, class I, class V, class M = detail::not_given>
int combine_duplicates_sync(detail::ranks<L, C>, csr<P, I, V> const&, M = {}) {
  static_assert(detail::has_form<L>,
                "combine_duplicates_sync: not on several ranks; use it on ex.local()");
  return 0;
}
template <class L, class C, class P, class I, class V>
int count_duplicates_sync(detail::ranks<L, C>, csr<P, I, V> const&) {
  static_assert(detail::has_form<L>,
                "count_duplicates_sync: not on several ranks; use it on ex.local()");
  return 0;
}
template <class L, class C, class Text, class S, class Order, class... O>
void string_argsort_sync(detail::ranks<L, C>, Text const&, S, Order&&, O...) {
  static_assert(detail::has_form<L>,
                "string_argsort_sync: not on several ranks; use it on ex.local()");
}
template <class L, class C, class Text, class A, class B, class Order, class... O>
void string_argsort_sync(detail::ranks<L, C>, Text const&, A const&, B const&, Order&&, O...) {
  static_assert(detail::has_form<L>,
                "string_argsort_sync: not on several ranks; use it on ex.local()");
}
template <class L, class C, class F>
void for_each_index(detail::ranks<L, C>, index_t, F) {
  static_assert(detail::has_form<L>, "for_each_index: not on several ranks; use for_each");
}
template <class L, class C, class S, class Out, class... O>
void offsets_of(detail::ranks<L, C>, S, Out&&, O...) {
  static_assert(detail::has_form<L>, "offsets_of: not on several ranks; use the descriptor itself");
}
template <class L, class C, class S, class Out, class... O>
void lengths_of(detail::ranks<L, C>, S, Out&&, O...) {
  static_assert(detail::has_form<L>, "lengths_of: not on several ranks; use the descriptor itself");
}
template <class L, class C, class S, class Out>
void heads_of(detail::ranks<L, C>, S, Out&&) {
  static_assert(detail::has_form<L>, "heads_of: not on several ranks; use the descriptor itself");
}
template <class L, class C, class S, class Out>
void head_bits_of(detail::ranks<L, C>, S, Out&&, index_t) {
  static_assert(detail::has_form<L>,
                "head_bits_of: not on several ranks; use the descriptor itself");
}
template <class L, class C, class S, class Out, class... O>
void segment_ids_of(detail::ranks<L, C>, S, Out&&, O...) {
  static_assert(detail::has_form<L>,
                "segment_ids_of: not on several ranks; use inclusive_scan of heads");
}
template <class L, class C, class Ids, class Out>
void offsets_of_segment_ids(detail::ranks<L, C>, Ids const&, Out&&) {
  static_assert(detail::has_form<L>, "offsets_of_segment_ids: not on several ranks; use by_keys");
}
template <class L, class C, class R>
int to(detail::ranks<L, C>, R&&) {
  static_assert(detail::has_form<L>,
                "to: not on several ranks; use from(ex, all) or from_pieces(ex, mine)");
  return 0;
}

}  // namespace ravel::inline v0
