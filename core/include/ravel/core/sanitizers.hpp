#pragma once

/// @file
/// RAVEL_UNDER_ASAN and RAVEL_UNDER_TSAN: defined where AddressSanitizer or ThreadSanitizer is on.

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
