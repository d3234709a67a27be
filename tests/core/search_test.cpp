#include <ravel/core/search.hpp>

#include <gtest/gtest.h>

namespace ravel::search_test {
namespace {

TEST(partition_point, finds_every_boundary_of_every_interval) {
  for (index_t first = -3; first <= 3; ++first) {
    for (index_t last = first; last <= 20; ++last) {
      for (index_t boundary = first; boundary <= last; ++boundary) {
        EXPECT_EQ(partition_point(first, last, [&](index_t i) { return i < boundary; }), boundary);
      }
    }
  }
}

TEST(partition_point, is_found_by_several_probes_at_once) {
  for (index_t const n : {0, 1, 31, 32, 33, 47, 48, 300, 1000}) {
    for (index_t boundary = 0; boundary <= n; ++boundary) {
      EXPECT_EQ(partition_point_at_once(5, 5 + n,
                                        [&](index_t i) {
                                          EXPECT_TRUE(5 <= i && i < 5 + n);
                                          return i < 5 + boundary;
                                        }),
                5 + boundary);
    }
  }
}

TEST(partition_point, probes_no_index_outside_and_few_inside) {
  int probes = 0;
  auto const before = [&](index_t i) {
    EXPECT_TRUE(0 <= i && i < 1'000'000);
    ++probes;
    return i < 765'432;
  };
  EXPECT_EQ(partition_point(0, 1'000'000, before), 765'432);
  EXPECT_LE(probes, 20);
  EXPECT_EQ(partition_point(7, 7, before), 7);
  EXPECT_LE(probes, 20) << "an empty interval has no probes";
}

TEST(partition_point, does_not_overflow_where_indices_are_large) {
  index_t const large = std::numeric_limits<index_t>::max();
  EXPECT_EQ(partition_point(large - 10, large, [&](index_t i) { return i < large - 3; }),
            large - 3);
}

}  // namespace
}  // namespace ravel::search_test
