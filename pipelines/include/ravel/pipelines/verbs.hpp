#pragma once

/// The names of pipelines alone, to be imported without all others of ravel.

#include <ravel/pipelines/concat.hpp>
#include <ravel/pipelines/explain.hpp>
#include <ravel/pipelines/extrema.hpp>
#include <ravel/pipelines/flat_map.hpp>
#include <ravel/pipelines/in_segments.hpp>
#include <ravel/pipelines/own_pass.hpp>
#include <ravel/pipelines/scans.hpp>
#include <ravel/pipelines/searches.hpp>
#include <ravel/pipelines/sinks.hpp>
#include <ravel/pipelines/sources.hpp>
#include <ravel/pipelines/stages.hpp>

/// Sources, stages and sinks: `using namespace ravel::verbs` leaves names such as `join`, `product`
/// and `view` to you.
namespace ravel::inline v0::verbs {

// Sources.
using ravel::concat, ravel::constant, ravel::generate, ravel::iota, ravel::moved, ravel::on,
    ravel::zip;

// Stages.
using ravel::adjacent, ravel::adjacent_difference, ravel::chunk, ravel::drop, ravel::enumerate,
    ravel::exclusive_scan, ravel::expand, ravel::filter, ravel::flat_map, ravel::gather,
    ravel::in_segments, ravel::inclusive_scan, ravel::map, ravel::merge_with, ravel::partial_sort,
    ravel::reverse, ravel::sized_sync, ravel::slice, ravel::sort, ravel::stride, ravel::take,
    ravel::top_k, ravel::transform, ravel::unique;

// Sinks.
using ravel::adjacent_find, ravel::all_of, ravel::any_of, ravel::contains, ravel::count,
    ravel::count_if, ravel::equal, ravel::find, ravel::find_end, ravel::find_if, ravel::find_if_not,
    ravel::first, ravel::for_each, ravel::histogram, ravel::into, ravel::is_partitioned,
    ravel::is_sorted, ravel::lexicographical_compare, ravel::max_element, ravel::min_element,
    ravel::minmax_element, ravel::mismatch, ravel::none_of, ravel::nth_element, ravel::reduce,
    ravel::search, ravel::to_buffer, ravel::to_vector, ravel::unzip;

}  // namespace ravel::inline v0::verbs
