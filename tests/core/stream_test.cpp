#include <ravel/core/cpu/stream.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

namespace ravel::cpu {
namespace {

template <class T>
struct stream_vectors_of : ::testing::Test {};
using numbers = ::testing::Types<signed char, unsigned short, int, double>;
TYPED_TEST_SUITE(stream_vectors_of, numbers);

/// Puts 1, 2, ... to places around which nothing may change.
template <class Out, class T>
void expect_puts(index_t count, index_t skip) {
  SCOPED_TRACE(::testing::Message() << count << " vectors of numbers of " << sizeof(T) << " bytes, "
                                    << skip << " behind a line");
  constexpr index_t width = simd::lanes<T>;
  alignas(64) T there[12 * width + 70] = {}, expected[12 * width + 70] = {};
  for (index_t i = 0; i < count * width; ++i) expected[skip + i] = static_cast<T>(i % 100 + 1);
  Out out(there + skip);
  for (index_t i = 0; i < count; ++i) out.put(simd::load(expected + skip + i * width));
  EXPECT_EQ(out.finish(), there + skip + count * width);
  stream_fence();
  ASSERT_TRUE(std::equal(there, std::end(there), expected));
}

TYPED_TEST(stream_vectors_of, writes_every_number_and_nothing_around_them) {
  for (index_t const count : {0, 1, 2, 3, 4, 9}) {
    for (index_t skip = 0; skip < 70; ++skip) {
      expect_puts<stream_vectors<TypeParam>, TypeParam>(count, skip);
      expect_puts<store_vectors<TypeParam>, TypeParam>(count, skip);
    }
  }
}

}  // namespace
}  // namespace ravel::cpu
