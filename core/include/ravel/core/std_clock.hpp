#pragma once

/// Durations, and the clocks.
///
/// <chrono> of libstdc++ has calendars and streams too: 2,000 lines, which these do without.

#include <version>

#ifdef __GLIBCXX__
#  include <bits/chrono.h>
#else
#  include <chrono>
#endif
