#pragma once

/// Differences between compilers and processors, collected in one header, which alone tests for
/// them.
///
/// RAVEL_HD marks a function callable from host and device code; to a host
/// compiler it is nothing.
///
/// RAVEL_DEVICE_CODE is defined while device code is compiled.  It serves operations that host and
/// device spell differently, not tuning: see core/atomic.hpp.
///
/// RAVEL_ROLLED stands before a loop that g++ must not unroll.
///
/// RAVEL_SIMD is defined where the compiler has vector types.  nvcc's front end miscompiles their
/// shuffles; there scalar loops compute the same results.
///
/// RAVEL_VECTOR_BYTES is the width of the vectors that the target of the compilation has intrinsics
/// for: 64 (AVX-512 F, BW, DQ, VL and CD), 32 (AVX2), 16 (SSE2), or 0.
///
/// RAVEL_KERNELS is defined where the compiler makes kernels, and RAVEL_BULK_COPIES where it compiles
/// for a device with bulk copies, or for the host.
///
/// RAVEL_CAPABILITIES lists the compute capabilities that nvcc compiles for, times 100; 0 elsewhere.
///
/// RAVEL_X86 and RAVEL_ARM name the processor, RAVEL_CLANG the compiler, and RAVEL_INT128 says that
/// it has integers of 16 bytes.  RAVEL_UNDER_ASAN and RAVEL_UNDER_TSAN are defined where
/// AddressSanitizer or ThreadSanitizer is on.
///
/// RAVEL_MAY_CALL_HOST, before such a function, lets what it calls be of the host alone, as a lambda of
/// the caller is where the function is called on the host.
///
/// RAVEL_SELDOM marks a host and device function that the host does not inline: a rarely taken
/// path, so that it takes no registers from the loop that calls it.
///
/// RAVEL_ARCHIVED is before the definition of a function that the archive ravel::vectors holds.  Programs that
/// link it do not compile the definition, unless their standard library is another: RAVEL_DEFINES_ARCHIVED
/// says where there is one.
///
/// Kernels cannot call every lambda, and only nvcc can test that: is_lambda_of_the_host.
///
/// Everything public lives in the inline namespace `ravel::v0`: users write `ravel::scan`, and two
/// versions can be linked into one program.

#include <version>

// g++ 11 has no __builtin_shufflevector.  clang++ 15 instantiates member functions of the classes
// of lazy expressions too early.  Apple numbers its clang differently.
#if defined(__clang__) ? __clang_major__ < 16 && !defined(__apple_build_version__) : __GNUC__ < 12
#  error "ravel needs g++ 12 or clang++ 16, or later"
#endif

#ifdef __CUDACC__
#  define RAVEL_KERNELS
#  define RAVEL_HD __host__ __device__
#  define RAVEL_MAY_CALL_HOST _Pragma("nv_exec_check_disable")
#  define RAVEL_SELDOM RAVEL_HD
#else
#  define RAVEL_HD
#  define RAVEL_MAY_CALL_HOST
#  define RAVEL_SELDOM [[gnu::noinline]]
#  define RAVEL_SIMD
#endif

// Where a float and a vector can be two names of one register: in assembly of g++ for x86.
#if defined(__SSE2__) && !defined(__clang__) && !defined(__CUDACC__)
#  define RAVEL_TIES_REGISTERS 1
#endif

#if defined(__CUDACC__) || defined(__clang__)
#  define RAVEL_ROLLED
#else
#  define RAVEL_ROLLED _Pragma("GCC unroll 1")
#endif

#ifdef __CUDA_ARCH__
#  define RAVEL_DEVICE_CODE
#  if __CUDA_ARCH__ < 800
#    error "ravel needs a GPU of compute capability 8.0 or later: nvcc -arch=native"
#  endif
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#  define RAVEL_BULK_COPIES
#endif

#ifdef __CUDA_ARCH_LIST__
#  define RAVEL_CAPABILITIES __CUDA_ARCH_LIST__
#else
#  define RAVEL_CAPABILITIES 0
#endif

#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512CD__)
#  define RAVEL_VECTOR_BYTES 64
#elif defined(__AVX2__)
#  define RAVEL_VECTOR_BYTES 32
#elif defined(__SSE2__)
#  define RAVEL_VECTOR_BYTES 16
#else
#  define RAVEL_VECTOR_BYTES 0
#endif

#if defined(__x86_64__)
#  define RAVEL_X86
#elif defined(__aarch64__)
#  define RAVEL_ARM
#endif
#ifdef __clang__
#  define RAVEL_CLANG
#endif
#ifdef __SIZEOF_INT128__
#  define RAVEL_INT128
#endif

#ifdef RAVEL_IN_ARCHIVE  // a source of it
#  define RAVEL_ARCHIVED
#  define RAVEL_DEFINES_ARCHIVED
#elif !defined(RAVEL_CHOOSES_VECTORS) || !defined(__GLIBCXX__) || !_GLIBCXX_USE_CXX11_ABI
#  define RAVEL_ARCHIVED inline
#  define RAVEL_DEFINES_ARCHIVED
#endif

#if defined(__has_feature)  // clang
#  if __has_feature(address_sanitizer)
#    define RAVEL_UNDER_ASAN
#  elif __has_feature(thread_sanitizer)
#    define RAVEL_UNDER_TSAN
#  endif
#elif defined(__SANITIZE_ADDRESS__)
#  define RAVEL_UNDER_ASAN
#elif defined(__SANITIZE_THREAD__)
#  define RAVEL_UNDER_TSAN
#endif

namespace ravel::inline v0::detail {

/// Whether F is a lambda that kernels cannot call.  nvcc shows it in the name of the type; other
/// compilers make no kernels and need no test.
template <class F>
constexpr bool is_lambda_of_the_host() {
#ifdef __CUDACC__
  if (__nv_is_extended_host_device_lambda_closure_type(F)) return false;
  constexpr char named[] = "F=lambda [";  // with or without the spaces
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
/// runs: the greatest one that nvcc compiled for and that is not above it.
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
