#pragma once

/// Owning pointers, and the algorithms of memory that holds no objects yet.
///
/// <memory> of libstdc++ has those of ranges and atomic shared pointers too: 4,000 lines, which these do without.

#include <version>

#ifdef __GLIBCXX__
#  include <bits/align.h>
#  include <bits/shared_ptr.h>
#  include <bits/stl_uninitialized.h>
#  include <bits/unique_ptr.h>
#else
#  include <memory>
#endif
