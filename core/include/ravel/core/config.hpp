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
/// Kernels cannot call every lambda, which nvcc alone can tell: is_lambda_of_the_host.
///
/// Everything public lives in the inline namespace `ravel::v0`: it is written
/// `ravel::scan`, and two versions linked into one program do not meet.

// g++ 11 has no __builtin_shufflevector.  clang++ 15 instantiates member functions of the classes of
// lazy expressions too early.  Apple numbers its clang otherwise.
#if defined(__clang__) ? __clang_major__ < 16 && !defined(__apple_build_version__) : __GNUC__ < 12
#  error "ravel needs g++ 12 or clang++ 16, or later"
#endif

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

namespace ravel::inline v0::detail {

/// Whether F is a lambda that kernels cannot call: nvcc tells by its name, and others need not,
/// for they make no kernels.
template <class F>
constexpr bool is_lambda_of_the_host() {
#ifdef __CUDACC__
  if (__nv_is_extended_host_device_lambda_closure_type(F)) return false;
  constexpr char named[] = "F=lambda [";  // spaces are written, or are not
  for (char const* at = __PRETTY_FUNCTION__; *at != 0; ++at) {
    int k = 0;
    for (char const* c = at; named[k] != 0 && (*c == named[k] || *c == ' '); ++c) {
      if (*c == named[k]) ++k;
    }
    if (named[k] == 0) return true;
  }
#endif
  return false;
}

/// The compute capability, as 10 * major + minor, of the device code that a device of `capability`
/// runs: the greatest that nvcc compiled for and that is not above it.
constexpr int compiled_capability(int capability) {
#ifdef __CUDA_ARCH_LIST__
  int greatest = 0;
  for (int const compiled : {__CUDA_ARCH_LIST__}) {
    if (compiled / 10 <= capability && compiled / 10 > greatest) greatest = compiled / 10;
  }
  return greatest;
#else
  return capability;
#endif
}

}  // namespace ravel::inline v0::detail
