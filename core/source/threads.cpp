/// What runs cpu::threads, compiled once: sharing of work, oneTBB, the clock, and memory that is kept.

#define RAVEL_IN_ARCHIVE
#include <ravel/core/cpu/executor.hpp>
