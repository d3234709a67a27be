#include <ravel/core/cpu/stream.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ravel::cpu {
namespace {

template <class T>
struct stream_buffer_of : ::testing::Test {};
using numbers = ::testing::Types<signed char, unsigned short, int, double>;
TYPED_TEST_SUITE(stream_buffer_of, numbers);

template <class T>
T nth(index_t i) {
  return static_cast<T>(i % 100 + 1);
}

/// Puts 1, 2, ... by batches of 256 and groups of 64, to places around which nothing may change.
template <class T>
void puts(index_t n, index_t skip, index_t behind) {
  SCOPED_TRACE(::testing::Message() << n << " numbers of " << sizeof(T) << " bytes, " << skip
                                    << " behind a line, behind by " << behind);
  constexpr index_t batch = 256;
  std::vector<T> there(static_cast<std::size_t>(n + 200), T(0)), expected = there;
  for (index_t i = 0; i < n; ++i) {
    expected[static_cast<std::size_t>(skip + i)] = behind == 0 ? nth<T>(i)
                                                   : i == 0    ? T(7)
                                                               : nth<T>(i - 1);
  }
  stream_buffer<T, batch> out(there.data(), there.data() + skip, behind, T(7));
  for (index_t i = 0; i < n; i += batch) {
    index_t const some = std::min(batch, n - i);
    for (index_t g = 0; g < some; g += 64) {
      for (index_t k = g; k < std::min(g + 64, some); ++k) out.room()[k] = nth<T>(i + k);
      out.put_until(g);
    }
    if (i + some < n) {
      out.next_batch();
    } else {
      out.finish(some);
    }
  }
  stream_fence();
  ASSERT_EQ(there, expected);
}

TYPED_TEST(stream_buffer_of, writes_every_number_and_nothing_around_them) {
  for (index_t const n : {1, 3, 15, 64, 65, 200, 256, 257, 511, 512, 1000}) {
    for (index_t skip = 0; skip < 70; ++skip) {
      puts<TypeParam>(n, skip, 0);
      puts<TypeParam>(n, skip, 1);
    }
  }
}

}  // namespace
}  // namespace ravel::cpu
