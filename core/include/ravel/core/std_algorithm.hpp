#pragma once

/// The algorithms of iterators.
///
/// <algorithm> of libstdc++ has those of ranges and of execution policies too: 6,000 lines, which these do without.

#include <version>

#ifdef __GLIBCXX__
#  include <bits/stl_algo.h>
#  include <bits/stl_algobase.h>
#else
#  include <algorithm>
#endif
