#pragma once

/// RAVEL_TEST_BRIEFLY is defined but in thorough tests, and where compiling takes long, by nvcc and under
/// sanitizers: tests then use one type of each form.  With RAVEL_TEST_ALL_ON_DEVICE nvcc compiles them all.
///
/// THOROUGH_TEST, THOROUGH_TYPED_TEST and THOROUGH_LOCAL_TYPED_TEST are cases of more types, forms or
/// spellings of what other cases test once: left out but in thorough tests, and under sanitizers.

#include <ravel/core/config.hpp>

#if defined(RAVEL_UNDER_ASAN) || defined(RAVEL_UNDER_TSAN) || \
    (defined(__CUDACC__) ? !defined(RAVEL_TEST_ALL_ON_DEVICE) : !defined(RAVEL_TEST_THOROUGH))
#  define RAVEL_TEST_BRIEFLY
#endif

/// A case that is compiled as far as a template that nothing instantiates.
#define UNINSTANTIATED_TYPED_TEST(suite, name)                \
  template <class TypeParam>                                  \
  struct suite##_##name##_uninstantiated : suite<TypeParam> { \
    using TestFixture = suite<TypeParam>;                     \
    void TestBody() override;                                 \
  };                                                          \
  template <class TypeParam>                                  \
  void suite##_##name##_uninstantiated<TypeParam>::TestBody()

#if defined(RAVEL_UNDER_ASAN) || defined(RAVEL_UNDER_TSAN) || !defined(RAVEL_TEST_THOROUGH)
#  define THOROUGH_TEST(suite, name) \
    template <class>                 \
    [[maybe_unused]] void suite##_##name##_uninstantiated()
#  define THOROUGH_TYPED_TEST UNINSTANTIATED_TYPED_TEST
#  define THOROUGH_LOCAL_TYPED_TEST UNINSTANTIATED_TYPED_TEST
#else
#  define THOROUGH_TEST TEST
#  define THOROUGH_TYPED_TEST TYPED_TEST
#  define THOROUGH_LOCAL_TYPED_TEST LOCAL_TYPED_TEST
#endif
