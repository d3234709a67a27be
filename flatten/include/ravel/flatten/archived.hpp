#pragma once

/// Which definitions of nested programs the archive ravel::nested holds.
///
/// RAVEL_LINKS_NESTED: a program links the archive, and it was compiled for this standard library.
///
/// RAVEL_NESTED is before the definition of a function that the archive holds.  Programs that link it do not
/// compile the definition: RAVEL_DEFINES_NESTED says where there is one.

#include <ravel/core/config.hpp>

#if defined(RAVEL_COMPILED_NESTED) && !defined(RAVEL_NESTED_AS_WRITTEN) &&       \
    !defined(RAVEL_KERNELS) && defined(__GLIBCXX__) && _GLIBCXX_USE_CXX11_ABI && \
    !defined(_GLIBCXX_DEBUG)
#  define RAVEL_LINKS_NESTED
#endif

#ifdef RAVEL_IN_NESTED  // a source of it
#  define RAVEL_NESTED
#  define RAVEL_DEFINES_NESTED
#elif !defined(RAVEL_LINKS_NESTED)
#  define RAVEL_NESTED inline
#  define RAVEL_DEFINES_NESTED
#endif
