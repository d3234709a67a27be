#pragma once

/// std::less and its like, and std::function.
///
/// <functional> of libstdc++ has hash tables too, for searchers: 6,000 lines, which these do without.

#include <version>

#ifdef __GLIBCXX__
#  include <bits/std_function.h>
#  include <bits/stl_function.h>
#else
#  include <functional>
#endif
