/// Segments by offsets, which a device processes by tiles: long ones, and many empty ones in one
/// place, across tile boundaries.

#include "support/device_forms.hpp"

#include <ravel/core/search.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include "support/executors.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace ravel::segments_in_tiles_test {
namespace {

struct segments_in_tiles : ::testing::Test {
  void SetUp() override {
    if (!gpu::available()) GTEST_SKIP() << "no CUDA device";
  }
  gpu::executor ex;
};

/// The last nonzero operand, which depends on the order.
struct last_nonzero {
  static RAVEL_HD constexpr int identity() { return 0; }
  RAVEL_HD constexpr int operator()(int x, int y) const { return y != 0 ? y : x; }
};

/// A load of an element and its index.
struct twice_and_place {
  int const* from;
  RAVEL_HD int operator()(index_t i) const { return of(i, from[i]); }
  RAVEL_HD int const* elements() const { return from; }
  RAVEL_HD int of(index_t i, int x) const { return 2 * x + static_cast<int>(i % 5); }
};

template <class O, class M>
void expect_segments(gpu::executor const& ex, std::vector<O> const& offsets, M m) {
  std::minstd_rand random(7);
  std::vector<int> in(static_cast<std::size_t>(offsets.back()));
  for (int& x : in) x = static_cast<int>(random() % 9);
  std::vector<int> reduced, of_made, scanned;
  std::vector<int> before_backward(in.size()), through_backward(in.size());
  std::vector<std::uint8_t> heads(in.size());
  int const init = 4;
  twice_and_place const made{in.data()};
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    int sum = init, sum_of_made = init;
    for (O i = offsets[s]; i < offsets[s + 1]; ++i) {
      scanned.push_back(sum = m(sum, in[static_cast<std::size_t>(i)]));
      sum_of_made = m(sum_of_made, made(static_cast<index_t>(i)));
    }
    reduced.push_back(sum);
    of_made.push_back(sum_of_made);
    sum = init;
    for (O i = offsets[s + 1]; i > offsets[s]; --i) {
      auto const at = static_cast<std::size_t>(i) - 1;
      before_backward[at] = sum;
      through_backward[at] = sum = m(in[at], sum);
    }
    if (offsets[s] < offsets[s + 1]) heads[static_cast<std::size_t>(offsets[s])] = 1;
  }
  auto const there = to(ex, in);
  auto const at = to(ex, offsets);
  auto const sums = ex.allocate<int>(std::ssize(reduced));
  segmented_reduce(ex, there, by_offsets(at), sums, m, from(init));
  EXPECT_EQ(to_host(ex, sums), reduced);
  segmented_reduce_on(ex, there.size(), twice_and_place{there.data()}, by_offsets(at), m,
                      detail::seed_value<int>{init},
                      detail::write_segment<int>{sums.data(), sums.size()});
  EXPECT_EQ(to_host(ex, sums), of_made);
  auto const scans = ex.allocate<int>(there.size());
  auto const there_heads = to(ex, heads);
  auto const go_backward = [&](auto segments) {
    segmented_exclusive_scan(ex, there, segments, scans, m, backward, from(init));
    EXPECT_EQ(to_host(ex, scans), before_backward);
    segmented_inclusive_scan(ex, there, segments, scans, m, backward, from(init));
    EXPECT_EQ(to_host(ex, scans), through_backward);
  };
  go_backward(by_offsets(at));
  go_backward(by_heads(there_heads));
  segmented_inclusive_scan(ex, there, by_offsets(at), there, m, from(init));
  EXPECT_EQ(to_host(ex, there), scanned);
}

/// Lengths from 0 to `longest`, and `crowd` empty segments in the middle.
std::vector<std::int64_t> offsets_of(int n, int longest, int crowd) {
  std::minstd_rand random(static_cast<unsigned>(n + longest));
  std::vector<std::int64_t> offsets{0, 0};
  while (offsets.back() < n) {
    if (offsets.back() >= n / 2 && crowd > 0) {
      offsets.insert(offsets.end(), static_cast<std::size_t>(crowd), offsets.back());
      crowd = 0;
    }
    offsets.push_back(offsets.back() + static_cast<int>(random() / 8 % (longest + 1)));
  }
  return offsets;
}

TEST_F(segments_in_tiles, agree_with_the_loop) {
  for (int const longest : {1, 3, 40, 3000, 100'000}) {
    for (int const crowd : {0, 5000}) {
      SCOPED_TRACE(longest);
      auto const offsets = offsets_of(30'000, longest, crowd);
      expect_segments(ex, offsets, plus<int>{});
      expect_segments(ex, std::vector<std::uint32_t>(offsets.begin(), offsets.end()),
                      last_nonzero{});
    }
  }
}

TEST_F(segments_in_tiles, may_be_one_in_whatever_order_threads_run) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    testing::shuffle_schedule(seed);
    expect_segments(ex, std::vector<int>{0, 40'000}, plus<int>{});
  }
}

TEST_F(segments_in_tiles, are_there_without_elements) {
  expect_segments(ex, std::vector<int>(40'000, 0), plus<int>{});
}

/// Tests which values are before position i, with positions `step` apart.
struct values_before {
  std::int64_t const* values;
  index_t step;
  RAVEL_HD detail::at_most<std::int64_t> operator()(index_t i) const {
    return {values, i * step - 1};
  }
};

TEST_F(segments_in_tiles, begin_where_one_search_after_the_other_finds_them) {
  for (int const longest : {1, 7, 900}) {
    for (int const n : {0, 60, 9000}) {
      auto const values = offsets_of(n, longest, n / 3);
      auto const there = to(ex, values);
      auto const size = static_cast<double>(values.size());
      for (index_t const count : {1, 63, 64, 65, 300}) {
        index_t const step = values.back() / count + 1;
        std::vector<index_t> expected;
        for (index_t i = 0; i < count; ++i) {
          expected.push_back(std::lower_bound(values.begin(), values.end(), i * step) -
                             values.begin());
        }
        auto const points = ex.allocate<index_t>(count);
        for (double const share : {0.0, size / static_cast<double>(count), 1e6}) {
          SCOPED_TRACE(::testing::Message() << longest << ' ' << n << ' ' << count << ' ' << share);
          gpu::partition_points(ex, count, there.size(), values_before{there.data(), step},
                                points.data(), share);
          EXPECT_EQ(to_host(ex, points), expected);
        }
      }
    }
  }
}

}  // namespace
}  // namespace ravel::segments_in_tiles_test
