#pragma once

/// The concepts of ranges, std::ranges::begin and its like, and std::identity.
///
/// <ranges> of libstdc++ has the views too: 7,000 lines with what they need, which these do without.

#include <iterator>
#include <version>

#ifdef __GLIBCXX__
#  include <bits/ranges_base.h>
#  include <bits/ranges_cmp.h>
#else
#  include <functional>
#  include <ranges>
#endif
