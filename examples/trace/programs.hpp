#pragma once

/// @file
/// Programs of several calls of the library, traced as one.

#include "algorithms.hpp"

namespace ravel::trace {

picture compaction(request const&);
picture split_radix_sort(request const&);
picture quicksort_levels(request const&);
picture list_ranking(request const&);

}  // namespace ravel::trace
