#pragma once

/// @file
/// RAVEL_TEST_BRIEFLY, where compiling takes long, by nvcc and under sanitizers: tests try one type
/// of each form there.  With RAVEL_TEST_ALL_ON_DEVICE nvcc compiles them all.

#include <ravel/core/sanitizers.hpp>

#if defined(RAVEL_UNDER_ASAN) || defined(RAVEL_UNDER_TSAN) || \
    (defined(__CUDACC__) && !defined(RAVEL_TEST_ALL_ON_DEVICE))
#  define RAVEL_TEST_BRIEFLY
#endif
