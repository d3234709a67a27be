/// The threads of oneTBB, compiled once, so that programs do not read the headers of oneTBB.

#define RAVEL_CREW_INLINE
#include <ravel/core/cpu/tbb_threads.hpp>
