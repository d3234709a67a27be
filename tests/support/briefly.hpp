#pragma once

/// @file
/// RAVEL_TEST_BRIEFLY is defined but in thorough tests, and where compiling takes long, by nvcc and under
/// sanitizers: tests then use one type of each form.  With RAVEL_TEST_ALL_ON_DEVICE nvcc compiles them all.

#include <ravel/core/config.hpp>

#if defined(RAVEL_UNDER_ASAN) || defined(RAVEL_UNDER_TSAN) || \
    (defined(__CUDACC__) ? !defined(RAVEL_TEST_ALL_ON_DEVICE) : !defined(RAVEL_TEST_THOROUGH))
#  define RAVEL_TEST_BRIEFLY
#endif
