#pragma once

/// @file
/// The one header that asks which compiler is reading us.
///
/// RAVEL_HD marks a function callable from host and device code; to a host
/// compiler it is nothing.
///
/// RAVEL_DEVICE_CODE is defined while device code is made.  It is for what host
/// and device have no common word for, and not for tuning: core/atomic.hpp.
///
/// RAVEL_SIMD is defined where the compiler knows vector types: not in nvcc, whose
/// front end loses their shuffles.  There the same results are made one by one.
///
/// RAVEL_SELDOM marks a function of host and device code that the host does not inline,
/// for what is so seldom called that it should take no registers of the loop that may.
///
/// Everything public lives in the inline namespace `ravel::v0`: it is written
/// `ravel::scan`, and two versions linked into one program do not meet.

#ifdef __CUDACC__
#  define RAVEL_HD __host__ __device__
#  define RAVEL_SELDOM RAVEL_HD
#else
#  define RAVEL_HD
#  define RAVEL_SELDOM [[gnu::noinline]]
#  define RAVEL_SIMD
#endif

#ifdef __CUDA_ARCH__
#  define RAVEL_DEVICE_CODE
#endif
