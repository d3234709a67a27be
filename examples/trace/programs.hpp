#pragma once

/// Programs of several calls of the library, and nested programs, traced as one.

#include "algorithms.hpp"

namespace ravel::trace {

picture compaction(request const&);
picture split_radix_sort(request const&);
picture quicksort_levels(request const&);
/// The values are the entries of a matrix whose rows are the segments; those of a row are in columns 0,
/// 1, ..., and the vector is 1, 2, ...
picture spmv(request const&);
picture list_ranking(request const&);
/// Sublists begin at heads and at each third node.
picture list_ranking_by_splitters(request const&);

/// Map, scan and filter as one pipeline; and a scan and what reads it backward, which are two passes.
picture pipeline(request const&);
picture pipeline_backward(request const&);

// Nested programs, of `each` over rows, which are the segments.
picture nested_sums(request const&);
picture nested_scan(request const&);
picture nested_filter(request const&);
picture nested_choice(request const&);
picture nested_quicksort(request const&);
/// The values are the entries of a matrix, as those of spmv.
picture nested_product(request const&);

}  // namespace ravel::trace
