#pragma once

/// The names of pipelines alone, to be imported without all others of ravel.

#include <ravel/pipelines/explain.hpp>
#include <ravel/pipelines/extrema.hpp>

/// Sources, stages and sinks: `using namespace ravel::verbs` leaves names such as `join`, `product`
/// and `view` to you.
namespace ravel::inline v0::verbs {

// Sources.
using ravel::concat;
using ravel::constant;
using ravel::generate;
using ravel::iota;
using ravel::moved;
using ravel::on;
using ravel::zip;

// Stages.
using ravel::adjacent;
using ravel::adjacent_difference;
using ravel::chunk;
using ravel::drop;
using ravel::enumerate;
using ravel::exclusive_scan;
using ravel::expand;
using ravel::filter;
using ravel::flat_map;
using ravel::gather;
using ravel::in_segments;
using ravel::inclusive_scan;
using ravel::map;
using ravel::merge_with;
using ravel::partial_sort;
using ravel::reverse;
using ravel::sized_sync;
using ravel::slice;
using ravel::sort;
using ravel::stride;
using ravel::take;
using ravel::top_k;
using ravel::transform;
using ravel::unique;

// Sinks.
using ravel::adjacent_find;
using ravel::all_of;
using ravel::any_of;
using ravel::contains;
using ravel::count;
using ravel::count_if;
using ravel::equal;
using ravel::find;
using ravel::find_end;
using ravel::find_if;
using ravel::find_if_not;
using ravel::first;
using ravel::for_each;
using ravel::histogram;
using ravel::into;
using ravel::is_partitioned;
using ravel::is_sorted;
using ravel::lexicographical_compare;
using ravel::max_element;
using ravel::min_element;
using ravel::minmax_element;
using ravel::mismatch;
using ravel::none_of;
using ravel::nth_element;
using ravel::reduce;
using ravel::search;
using ravel::to_buffer;
using ravel::to_vector;
using ravel::unzip;

}  // namespace ravel::inline v0::verbs
