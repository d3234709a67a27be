#include <ravel/core/cpu/stream.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace ravel::cpu {
namespace {

template <class T>
struct stream_of : ::testing::Test {};
using streamed_types = ::testing::Types<signed char, unsigned short, int, double>;
TYPED_TEST_SUITE(stream_of, streamed_types);

TYPED_TEST(stream_of, writes_every_number_and_nothing_around_them) {
  for (index_t const n : {0, 1, 2, 31, 64, 65, 500}) {
    for (index_t skip = 0; skip < 70; ++skip) {
      SCOPED_TRACE(::testing::Message() << n << " numbers, " << skip << " past a cache line");
      alignas(64) TypeParam there[600] = {}, expected[600] = {};
      for (index_t i = 0; i < n; ++i) expected[skip + i] = static_cast<TypeParam>(i % 100 + 1);
      std::vector<TypeParam> const from(expected + skip, expected + skip + n);
      stream(from.data(), there + skip, n);
      stream_fence();
      ASSERT_TRUE(std::equal(there, std::end(there), expected));
    }
  }
}

}  // namespace
}  // namespace ravel::cpu
