#pragma once

/// std::mutex and std::lock_guard.
///
/// <mutex> of libstdc++ has std::call_once and locks of several mutexes too, which these do without.

#include <version>

#ifdef __GLIBCXX__
#  include <bits/std_mutex.h>
#else
#  include <mutex>
#endif
