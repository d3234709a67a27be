#pragma once

/// Calls that are not there on several ranks: each is refused by a sentence that says what to use.
///
/// Calls of one process are for local_executor, so that an overload here is the only one of its name.  Names
/// that several ranks have, too, are refused with the parameters of the call of one process, beside which
/// an overload here fits better by its executor alone.

#include <ravel/distributed/executor.hpp>

namespace ravel::inline v0 {
namespace detail {

template <class L, class C>
using ranks = distributed::executor<L, C> const&;
struct not_given {};
template <class Ex>
concept executor_of_ranks = executor<Ex> && !local_executor<Ex>;

/// Whether a call has a form for several ranks.
template <class>
inline constexpr bool has_form = false;

}  // namespace detail

template <int Ways, class T, class Space>
struct split_parts;
template <class T, class Space>
struct offsets_to_elements;

#define RAVEL_NOT_ON_RANKS(call, advice)                                                   \
  template <detail::executor_of_ranks Ex, class... Operands>                               \
  int call(Ex const&, Operands&&...) {                                                     \
    static_assert(!distributed::is_executor<Ex>, #call ": not on several ranks; " advice); \
    static_assert(distributed::is_executor<Ex>, #call                                      \
                  ": same_everywhere of several ranks has reductions and forward scans; "  \
                  "make other calls on the executor that it was made of");                 \
    return 0;                                                                              \
  }
RAVEL_NOT_ON_RANKS(adjacent_difference, "use on(ex, in) | adjacent_difference(f)")
RAVEL_NOT_ON_RANKS(delta_encode, "use on(ex, in) | adjacent_difference()")
RAVEL_NOT_ON_RANKS(expand, "expand on ex.local()")
RAVEL_NOT_ON_RANKS(segmented_iota, "use segmented_exclusive_scan")
RAVEL_NOT_ON_RANKS(run_length_decode, "use it on ex.local()")
RAVEL_NOT_ON_RANKS(lower_bound, "search on ex.local()")
RAVEL_NOT_ON_RANKS(upper_bound, "search on ex.local()")
RAVEL_NOT_ON_RANKS(unique_by_key, "use reduce_by_key_sync")
RAVEL_NOT_ON_RANKS(unique_by_key_sync, "use reduce_by_key_sync")
RAVEL_NOT_ON_RANKS(unique, "use unique_sync")
RAVEL_NOT_ON_RANKS(run_length_encode, "use run_length_encode_sync")
RAVEL_NOT_ON_RANKS(reduce_by_key, "use reduce_by_key_sync")
RAVEL_NOT_ON_RANKS(pack, "use pack_sync")
RAVEL_NOT_ON_RANKS(pack_index, "use pack_index_sync")
RAVEL_NOT_ON_RANKS(filter, "use filter_sync")
RAVEL_NOT_ON_RANKS(segmented_pack, "use each(nested values, f)")
RAVEL_NOT_ON_RANKS(segmented_split, "use each(nested values, f)")
RAVEL_NOT_ON_RANKS(segmented_apply, "use each(nested values, f)")
RAVEL_NOT_ON_RANKS(permute, "use scatter")
RAVEL_NOT_ON_RANKS(any_of, "use any_of_sync")
RAVEL_NOT_ON_RANKS(all_of, "use all_of_sync")
RAVEL_NOT_ON_RANKS(none_of, "use none_of_sync")
RAVEL_NOT_ON_RANKS(find_first, "use find_first_sync")
RAVEL_NOT_ON_RANKS(is_partitioned, "use is_partitioned_sync")
RAVEL_NOT_ON_RANKS(adjacent_find, "use adjacent_find_sync")
RAVEL_NOT_ON_RANKS(is_sorted, "use is_sorted_sync")
RAVEL_NOT_ON_RANKS(min_element, "use min_element_sync")
RAVEL_NOT_ON_RANKS(max_element, "use max_element_sync")
RAVEL_NOT_ON_RANKS(mismatch, "use mismatch_sync")
RAVEL_NOT_ON_RANKS(equal, "use equal_sync")
RAVEL_NOT_ON_RANKS(lexicographical_compare, "use lexicographical_compare_sync")
RAVEL_NOT_ON_RANKS(search, "use search_sync")
RAVEL_NOT_ON_RANKS(find_end, "use find_end_sync")
RAVEL_NOT_ON_RANKS(partial_sort, "use top_k")
RAVEL_NOT_ON_RANKS(nth_element, "use top_k")
RAVEL_NOT_ON_RANKS(top_k_pairs, "use radix_sort_pairs")
RAVEL_NOT_ON_RANKS(radix_argsort, "use radix_sort_pairs with iota")
RAVEL_NOT_ON_RANKS(quicksort_sync, "use comparison_sort")
RAVEL_NOT_ON_RANKS(merge_segments, "use segmented_sort")
RAVEL_NOT_ON_RANKS(merge_segments_pairs, "use segmented_sort_pairs")
RAVEL_NOT_ON_RANKS(segmented_comparison_sort, "use segmented_sort")
RAVEL_NOT_ON_RANKS(segmented_comparison_sort_pairs, "use segmented_sort_pairs")
RAVEL_NOT_ON_RANKS(segmented_top_k, "use segmented_sort and gather")
RAVEL_NOT_ON_RANKS(segmented_nth_element, "use segmented_sort and gather")
RAVEL_NOT_ON_RANKS(reduce_by_hash_sync, "use group_by_sync")
RAVEL_NOT_ON_RANKS(histogram_by_key_sync, "use group_by_sync")
RAVEL_NOT_ON_RANKS(remove_duplicates_sync, "use radix_sort and unique_sync")
RAVEL_NOT_ON_RANKS(group_by_key_sync, "use radix_sort_pairs")
RAVEL_NOT_ON_RANKS(inclusive_list_scan, "use list_rank and scatter")
RAVEL_NOT_ON_RANKS(exclusive_list_scan, "use list_rank and scatter")
RAVEL_NOT_ON_RANKS(spmspv_sync, "use spmv")
RAVEL_NOT_ON_RANKS(combine_duplicates_sync, "use it on ex.local()")
RAVEL_NOT_ON_RANKS(count_duplicates_sync, "use it on ex.local()")
RAVEL_NOT_ON_RANKS(string_argsort_sync, "use it on ex.local()")
RAVEL_NOT_ON_RANKS(offsets_of, "use the descriptor itself")
RAVEL_NOT_ON_RANKS(lengths_of, "use the descriptor itself")
RAVEL_NOT_ON_RANKS(heads_of, "use the descriptor itself")
RAVEL_NOT_ON_RANKS(head_bits_of, "use the descriptor itself")
RAVEL_NOT_ON_RANKS(segment_ids_of, "use inclusive_scan of heads")
RAVEL_NOT_ON_RANKS(offsets_of_segment_ids, "use by_keys")
#undef RAVEL_NOT_ON_RANKS

// What ranks have, and same_everywhere of them does not.
#define RAVEL_NOT_IN_ONE_ORDER(call)                                                        \
  template <detail::executor_of_ranks Ex, class... Operands>                                \
  requires(!distributed::is_executor<Ex>) int call(Ex const&, Operands&&...) {              \
    static_assert(distributed::is_executor<Ex>, #call                                       \
                  ": same_everywhere of several ranks has reductions and forward scans of " \
                  "sequences; make other calls on the executor that it was made of");       \
    return 0;                                                                               \
  }
RAVEL_NOT_IN_ONE_ORDER(balance)
RAVEL_NOT_IN_ONE_ORDER(gather_to)
RAVEL_NOT_IN_ONE_ORDER(spmm)
RAVEL_NOT_IN_ONE_ORDER(spmv)
RAVEL_NOT_IN_ONE_ORDER(transpose)
#undef RAVEL_NOT_IN_ONE_ORDER
template <detail::executor_of_ranks Ex, class X>
requires(!distributed::is_executor<Ex>) int from(Ex const&, X&&) {
  static_assert(distributed::is_executor<Ex>,
                "from: sequences are on the executor that same_everywhere was made of");
  return 0;
}

template <class L, class C, class In, class S, class Out>
void replicate(detail::ranks<L, C>, In const&, S, Out&&) {
  static_assert(detail::has_form<L>, "replicate: not on several ranks; replicate on ex.local()");
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
template <int Ways, class L, class C, class In, class Digit, class S, class Out, class O,
          class Space>
void split_within(detail::ranks<L, C>, In const&, Digit const&, S, Out&&,
                  offsets_to_elements<O, Space>) {
  static_assert(detail::has_form<L>,
                "split_within: not on several ranks; use each(nested values, f)");
}
template <class L, class C, class Next, class Out, class O, class... More>
void list_rank(detail::ranks<L, C>, Next const&, Out&&, O, More...) {
  static_assert(
      detail::has_form<L>,
      "list_rank: on several ranks it takes no options: heads are found, and faults are not");
}
template <class Index = index_t, class L, class C, class A, class B, class V>
int csr_from_coordinates(detail::ranks<L, C>, index_t, index_t, A const&, B const&, V const&) {
  static_assert(detail::has_form<L>,
                "csr_from_coordinates: not on several ranks; use it on ex.local()");
  return 0;
}
template <class L, class C, class F>
void for_each_index(detail::ranks<L, C>, index_t, F) {
  static_assert(
      detail::has_form<L>,
      "for_each_index: not on several ranks; use for_each.  If another call makes this one, "
      "the header of distributed/ that has that call is not included");
}
template <class L, class C, class R>
int to(detail::ranks<L, C>, R&&) {
  static_assert(detail::has_form<L>,
                "to: not on several ranks; use from(ex, all) or from_pieces(ex, mine)");
  return 0;
}

}  // namespace ravel::inline v0
