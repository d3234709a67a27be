#include <ravel/core/config.hpp>
#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>

#include <gtest/gtest.h>

#include <cstdint>

#include <unistd.h>

namespace ravel::huge_test {
namespace {

/// The available memory, in bytes.
index_t memory_left() { return index_t{sysconf(_SC_AVPHYS_PAGES)} * sysconf(_SC_PAGESIZE); }

/// 0 + 1 + ... + (i - 1), each modulo 256.
index_t sum_of_low_bytes(index_t i) {
  index_t const rest = i % 256;
  return i / 256 * (255 * 256 / 2) + rest * (rest - 1) / 2;
}

TEST(index, goes_beyond_32_bits) {
#if defined(RAVEL_UNDER_ASAN) || defined(RAVEL_UNDER_TSAN)
  GTEST_SKIP() << "too slow under a sanitizer";
#endif
  if (memory_left() < index_t{3} << 30) GTEST_SKIP() << "3 GiB of memory are not free";

  constexpr index_t n = (index_t{1} << 31) + 4097;
  cpu::threads const ex;
  cpu::buffer<std::uint8_t> const bytes(n);
  for_each_index(ex, n, [to = bytes.data()](index_t i) { to[i] = static_cast<std::uint8_t>(i); });
  EXPECT_EQ(reduce_sync(ex, bytes, plus<std::uint64_t>{}),
            static_cast<std::uint64_t>(sum_of_low_bytes(n)));
  inclusive_scan(ex, bytes, bytes);
  for (index_t const i : {index_t{0}, index_t{12345}, n / 2, (index_t{1} << 31) - 1,
                          index_t{1} << 31, (index_t{1} << 31) + 1, n - 1}) {
    EXPECT_EQ(bytes[i], sum_of_low_bytes(i + 1) % 256) << i;
  }
}

}  // namespace
}  // namespace ravel::huge_test
