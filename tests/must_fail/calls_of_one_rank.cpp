// must fail: adjacent_difference: not on several ranks; use on[(]ex, in[)] [|] adjacent_difference[(]f[)]
// must fail: delta_encode: not on several ranks; use on[(]ex, in[)] [|] adjacent_difference[(][)]
// must fail: expand: not on several ranks; expand on ex[.]local[(][)]
// must fail: replicate: not on several ranks; replicate on ex[.]local[(][)]
// must fail: segmented_iota: not on several ranks; use segmented_exclusive_scan
// must fail: run_length_decode: not on several ranks; use it on ex[.]local[(][)]
// must fail: lower_bound: not on several ranks; search on ex[.]local[(][)]
// must fail: upper_bound: not on several ranks; search on ex[.]local[(][)]
// must fail: unique_by_key: not on several ranks; use reduce_by_key_sync
// must fail: unique_by_key_sync: not on several ranks; use reduce_by_key_sync
// must fail: unique: not on several ranks; use unique_sync
// must fail: run_length_encode: not on several ranks; use run_length_encode_sync
// must fail: reduce_by_key: not on several ranks; use reduce_by_key_sync
// must fail: pack: not on several ranks; use pack_sync
// must fail: pack_index: not on several ranks; use pack_index_sync
// must fail: filter: not on several ranks; use filter_sync
// must fail: split_pairs: not on several ranks; use radix_sort_pairs
// must fail: split: on several ranks the parts are in one sequence; filter_sync makes one each
// must fail: distributed: on several ranks what is read and out have elements of one type
// must fail: segmented_pack: not on several ranks; use each[(]nested values, f[)]
// must fail: segmented_split: not on several ranks; use each[(]nested values, f[)]
// must fail: segmented_apply: not on several ranks; use each[(]nested values, f[)]
// must fail: split_within: not on several ranks; use each[(]nested values, f[)]
// must fail: permute: not on several ranks; use scatter
// must fail: any_of: not on several ranks; use any_of_sync
// must fail: all_of: not on several ranks; use all_of_sync
// must fail: none_of: not on several ranks; use none_of_sync
// must fail: find_first: not on several ranks; use find_first_sync
// must fail: is_partitioned: not on several ranks; use is_partitioned_sync
// must fail: adjacent_find: not on several ranks; use adjacent_find_sync
// must fail: is_sorted: not on several ranks; use is_sorted_sync
// must fail: min_element: not on several ranks; use min_element_sync
// must fail: max_element: not on several ranks; use max_element_sync
// must fail: minmax_element: on several ranks the positions are replicated: ex[.]replicate<index_t>[(]2[)]
// must fail: mismatch: not on several ranks; use mismatch_sync
// must fail: equal: not on several ranks; use equal_sync
// must fail: lexicographical_compare: not on several ranks; use lexicographical_compare_sync
// must fail: search: not on several ranks; use search_sync
// must fail: find_end: not on several ranks; use find_end_sync
// must fail: partial_sort: not on several ranks; use top_k
// must fail: nth_element: not on several ranks; use top_k
// must fail: top_k_pairs: not on several ranks; use radix_sort_pairs
// must fail: radix_argsort: not on several ranks; use radix_sort_pairs with iota
// must fail: quicksort_sync: not on several ranks; use comparison_sort
// must fail: merge_segments: not on several ranks; use segmented_sort
// must fail: merge_segments_pairs: not on several ranks; use segmented_sort_pairs
// must fail: segmented_comparison_sort: not on several ranks; use segmented_sort
// must fail: segmented_comparison_sort_pairs: not on several ranks; use segmented_sort_pairs
// must fail: segmented_top_k: not on several ranks; use segmented_sort and gather
// must fail: segmented_nth_element: not on several ranks; use segmented_sort and gather
// must fail: reduce_by_hash_sync: not on several ranks; use group_by_sync
// must fail: histogram_by_key_sync: not on several ranks; use group_by_sync
// must fail: remove_duplicates_sync: not on several ranks; use radix_sort and unique_sync
// must fail: group_by_key_sync: not on several ranks; use radix_sort_pairs
// must fail: list_rank: on several ranks it takes no options: heads are found, and faults are not
// must fail: inclusive_list_scan: not on several ranks; use list_rank and scatter
// must fail: exclusive_list_scan: not on several ranks; use list_rank and scatter
// must fail: csr_from_coordinates: not on several ranks; use it on ex[.]local[(][)]
// must fail: spmspv_sync: not on several ranks; use spmv
// must fail: combine_duplicates_sync: not on several ranks; use it on ex[.]local[(][)]
// must fail: count_duplicates_sync: not on several ranks; use it on ex[.]local[(][)]
// must fail: string_argsort_sync: not on several ranks; use it on ex[.]local[(][)]
// must fail: for_each_index: not on several ranks; use for_each
// must fail: offsets_of: not on several ranks; use the descriptor itself
// must fail: lengths_of: not on several ranks; use the descriptor itself
// must fail: heads_of: not on several ranks; use the descriptor itself
// must fail: head_bits_of: not on several ranks; use the descriptor itself
// must fail: segment_ids_of: not on several ranks; use inclusive_scan of heads
// must fail: offsets_of_segment_ids: not on several ranks; use by_keys
// must fail: to: not on several ranks; use from[(]ex, all[)] or from_pieces[(]ex, mine[)]
// must fail 2 times: spmv: not on several ranks without a plan; use spmv_plan const plan[(]ex, a[)]
// must fail: spmm: not on several ranks without a plan; use spmv_plan const plan[(]ex, a[)]
#include <ravel/algorithms/comparison_sort.hpp>
#include <ravel/algorithms/coordinates.hpp>
#include <ravel/algorithms/delta.hpp>
#include <ravel/algorithms/duplicates.hpp>
#include <ravel/algorithms/group_by_hash.hpp>
#include <ravel/algorithms/list_ranking.hpp>
#include <ravel/algorithms/merge_segments.hpp>
#include <ravel/algorithms/partial_sort.hpp>
#include <ravel/algorithms/quicksort.hpp>
#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/algorithms/segmented_comparison_sort.hpp>
#include <ravel/algorithms/selection.hpp>
#include <ravel/algorithms/spmspv.hpp>
#include <ravel/algorithms/string_sort.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/distributed/in_process.hpp>
#include <ravel/distributed/merge.hpp>
#include <ravel/distributed/searches.hpp>
#include <ravel/distributed/segments.hpp>
#include <ravel/distributed/split.hpp>
#include <ravel/distributed/spmv.hpp>
#include <ravel/primitives/adjacent_difference.hpp>
#include <ravel/primitives/expand.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/run_length.hpp>
#include <ravel/primitives/scatter.hpp>
#include <ravel/primitives/search.hpp>
#include <ravel/primitives/segment_forms.hpp>
#include <ravel/primitives/segmented_apply.hpp>
#include <ravel/primitives/segmented_pack.hpp>
#include <ravel/primitives/segmented_split.hpp>
#include <ravel/primitives/split.hpp>
#include <ravel/primitives/split_within.hpp>
#include <ravel/primitives/unique.hpp>

#include <vector>

using namespace ravel;
using ranks = distributed::executor<cpu::sequential, distributed::in_process>;
using numbers = distributed::sequence<int, ranks>;
using ints = view<int, host_space>;
using matrix = csr<ints, ints, ints>;

struct odd {
  int operator()(int i) const { return i % 2; }
};

void each_call(ranks const& ex, numbers const& x, numbers& y,
               distributed::sequence<float, ranks>& floats,
               distributed::csr<ints, ints, ints> const& m) {
  ravel::adjacent_difference(ex, x, y);
  ravel::delta_encode(ex, x, y);
  ravel::expand(ex, plus{}, x, by_lengths(x), y);
  ravel::replicate(ex, x, by_lengths(x), y);
  ravel::segmented_iota(ex, by_lengths(x), y);
  ravel::run_length_decode(ex, x, x, y);
  ravel::lower_bound(ex, x, x, y);
  ravel::upper_bound(ex, x, x, y);
  ravel::unique_by_key(ex, x, x, y, y);
  ravel::unique_by_key_sync(ex, x, x, y, y);
  ravel::unique(ex, x, y);
  ravel::run_length_encode(ex, x, y, y);
  ravel::reduce_by_key(ex, x, x, y, y);
  ravel::pack(ex, x, x, y);
  ravel::pack_index(ex, x, y);
  ravel::filter(ex, x, odd{}, y);
  ravel::split_pairs<4>(ex, x, x, odd{}, y, y);
  ravel::split(ex, x, odd{}, parts(y, y));
  ravel::split(ex, x, odd{}, floats);
  ravel::merge(ex, x, x, floats);
  ravel::segmented_pack(ex, x, x, by_lengths(x), y, y);
  ravel::segmented_split(ex, x, odd{}, by_lengths(x), parts(y, y), parts(y, y));
  ravel::segmented_apply(ex, x, by_lengths(x), y, odd{});
  ravel::split_within<2>(ex, x, odd{}, by_lengths(x), y, offsets_to(y));
  ravel::permute(ex, x, x, y);
  ravel::any_of(ex, x, odd{}, y);
  ravel::all_of(ex, x, odd{}, y);
  ravel::none_of(ex, x, odd{}, y);
  ravel::find_first(ex, x, odd{}, y);
  ravel::is_partitioned(ex, x, odd{}, y);
  ravel::adjacent_find(ex, x, y);
  ravel::is_sorted(ex, x, y);
  ravel::min_element(ex, x, y);
  ravel::max_element(ex, x, y);
  ravel::minmax_element(ex, x, y);
  ravel::mismatch(ex, x, x, y);
  ravel::equal(ex, x, x, y);
  ravel::lexicographical_compare(ex, x, x, y);
  ravel::search(ex, x, x, y);
  ravel::find_end(ex, x, x, y);
  ravel::partial_sort(ex, y, 3);
  ravel::nth_element(ex, x, 3, y);
  ravel::top_k_pairs(ex, x, x, y, y);
  ravel::radix_argsort(ex, x, y);
  ravel::quicksort_sync(ex, x, y);
  ravel::merge_segments(ex, x, by_lengths(x), y);
  ravel::merge_segments_pairs(ex, x, x, by_lengths(x), y, y);
  ravel::segmented_comparison_sort(ex, x, by_lengths(x), y);
  ravel::segmented_comparison_sort_pairs(ex, x, x, by_lengths(x), y, y);
  ravel::segmented_top_k(ex, x, by_lengths(x), 3, 0, y);
  ravel::segmented_nth_element(ex, x, by_lengths(x), 3, 0, y);
  ravel::reduce_by_hash_sync(ex, x, x, y, y);
  ravel::histogram_by_key_sync(ex, x, y, y);
  ravel::remove_duplicates_sync(ex, x, y);
  ravel::group_by_key_sync(ex, x, y, y);
  ravel::list_rank(ex, x, y, one_list);
  ravel::inclusive_list_scan(ex, x, x, y);
  ravel::exclusive_list_scan(ex, x, x, y);
  ravel::csr_from_coordinates(ex, 3, 3, x, x, x);
  ravel::spmspv_sync(ex, matrix{}, sparse_vector<ints, ints>{});
  ravel::combine_duplicates_sync(ex, matrix{});
  ravel::count_duplicates_sync(ex, matrix{});
  ravel::string_argsort_sync(ex, x, by_lengths(x), y);
  ravel::for_each_index(ex, 3, odd{});
  ravel::offsets_of(ex, by_lengths(x), y);
  ravel::lengths_of(ex, by_offsets(x), y);
  ravel::heads_of(ex, by_lengths(x), y);
  ravel::head_bits_of(ex, by_lengths(x), y, 9);
  ravel::segment_ids_of(ex, by_lengths(x), y);
  ravel::offsets_of_segment_ids(ex, x, y);
  ravel::to(ex, std::vector{1});
  ravel::string_argsort_sync(ex, x, x, x, y);
  ravel::spmv(ex, m, x, y);
  ravel::spmv(ex, 2, m, x, 1, y);
  ravel::spmm(ex, m, 2, x, y);
}
