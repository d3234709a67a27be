/// The host's own forms on long sequences, with few threads or many, and with functions that throw.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/wake_up.hpp>
#include <ravel/primitives/histogram.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/scan_then_pack.hpp>
#include <ravel/primitives/search.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace ravel::host_paths_test {
namespace {

using namespace std::chrono_literals;

/// Makes threads help at once, or never, for a scope.
struct helping {
  explicit helping(bool at_once) {
    auto const cost = at_once ? std::chrono::nanoseconds{0} : std::chrono::nanoseconds{1h};
    cpu::assume({.asleep = cost, .awake = cost});
  }
  helping(helping const&) = delete;
  helping& operator=(helping const&) = delete;
  ~helping() { cpu::assume({}); }
};

std::vector<int> numbers(std::size_t n) {
  std::vector<int> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<int>(i * 2654435761u % 1000);
  return x;
}

struct twice {
  int const* from;
  int operator()(index_t i) const { return 2 * from[i]; }
};

TEST(host_paths, reduce_with_prefetch) {
  auto const in = numbers(5'000'011);  // larger than the caches
  unsigned const sum = std::accumulate(in.begin(), in.end(), 0u);
  cpu::threads const ex(2);
  EXPECT_EQ(reduce_sync(ex, in), static_cast<int>(sum));
  int doubled = 0;
  reduce_on(ex, std::ssize(in), twice{in.data()}, plus<int>{}, detail::seed_identity<plus<int>>{{}},
            detail::store_total<int>{&doubled});
  EXPECT_EQ(doubled, static_cast<int>(2 * sum));
  std::vector<float> const whole(in.begin(), in.end());
  EXPECT_EQ(reduce_sync(ex, whole, maximum{}), 999.0f);
}

struct next_half {
  float operator()(index_t, int, int through) const { return static_cast<float>(through) / 2; }
};

TEST(host_paths, scan_and_map_past_caches) {
  auto in = numbers(8'400'003);
  for (int& x : in) x %= 3;
  std::vector<float> out(in.size());
  scan_on(cpu::threads(2), std::ssize(in), load_elements<int>{in.data()},
          write_made<next_half, float>{{}, out.data()}, plus<int>{},
          detail::seed_identity<plus<int>>{{}}, detail::no_total{});
  int sum = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    ASSERT_EQ(out[i], static_cast<float>(sum += in[i]) / 2) << i;
  }
}

TEST(host_paths, search_for_needles_that_are_far_apart) {
  std::vector<int> haystack(300'000);
  for (std::size_t i = 0; i < haystack.size(); ++i) haystack[i] = static_cast<int>(i / 3 * 2);
  std::vector<int> needles(50'000), places(needles.size());
  for (std::size_t i = 0; i < needles.size(); ++i) {
    needles[i] = static_cast<int>(i * 2654435761u % 200'100);
  }
  lower_bound(cpu::threads(2), needles, haystack, places);
  for (std::size_t i = 0; i < needles.size(); ++i) {
    auto const expected = std::lower_bound(haystack.begin(), haystack.end(), needles[i]);
    ASSERT_EQ(places[i], expected - haystack.begin()) << needles[i];
  }
}

/// The end of a segment is the first of a chunk that contains only segment ends.
TEST(host_paths, reduce_a_segment_that_ends_among_empty_ones) {
  std::vector<int> const in(8192, 1);
  std::vector<index_t> offsets(20'002, 8192);
  offsets[0] = 0;
  std::vector<int> out(20'001), expected(out.size(), 7);
  expected[0] = 7 + 8192;
  segmented_reduce(cpu::threads(2), in, by_offsets(offsets), out, plus{}, from(7));
  EXPECT_EQ(out, expected);
}

TEST(host_paths, scan_segments_backward_of_what_a_load_makes) {
  auto const in = numbers(100'000);
  std::vector<index_t> offsets{0};
  while (offsets.back() < 100'000) {
    offsets.push_back(std::min<index_t>(100'000, offsets.back() + 1 + offsets.back() % 700));
  }
  std::vector<int> out(in.size());
  segmented_scan_on(cpu::threads(2), std::ssize(in), twice{in.data()}, by_offsets(offsets),
                    write_through<int>{out.data()}, plus<int>{}, backward);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    int sum = 0;
    for (index_t i = offsets[s + 1]; i-- > offsets[s];) {
      sum += 2 * in[static_cast<std::size_t>(i)];
      ASSERT_EQ(out[static_cast<std::size_t>(i)], sum) << i;
    }
  }
}

struct note_both {
  int *ahead, *until;
  void operator()(index_t i, int before, int through) const {
    ahead[i] = before;
    until[i] = through;
  }
};

TEST(host_paths, visit_what_is_ahead_and_through_in_segments_of_any_form) {
  auto const in = numbers(100'000);
  std::vector<std::uint8_t> heads(in.size());
  for (std::size_t i = 0; i < heads.size(); ++i) heads[i] = i % 1000 == 7 || i % 77 == 0;
  std::vector<int> ahead(in.size()), until(in.size());
  for (int const threads : {1, 3}) {
    helping const others(true);
    segmented_scan_on(cpu::threads(threads), std::ssize(in), load_elements<int>{in.data()},
                      by_heads(heads), note_both{ahead.data(), until.data()}, plus<int>{}, from(5));
    int sum = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (heads[i]) sum = 5;
      ASSERT_EQ(ahead[i], sum) << i;
      ASSERT_EQ(until[i], sum += in[i]) << i;
    }
  }
}

struct triple {
  int x, y, z;
  friend bool operator==(triple const&, triple const&) = default;
};

TEST(host_paths, pack_elements_that_are_no_word) {
  std::vector<triple> in, expected;
  for (int i = 0; i < 40'000; ++i) in.push_back({i, -i, 2 * i});
  auto const keep = [](triple const& t) { return t.x % 3 == 1; };
  std::copy_if(in.begin(), in.end(), std::back_inserter(expected), keep);
  std::vector<triple> out(expected.size());
  EXPECT_EQ(filter_sync(cpu::threads(2), in, keep, out), std::ssize(expected));
  EXPECT_EQ(out, expected);
}

/// Half of even sums; throws after some element.
struct half_of_even {
  index_t last;
  maybe<int> operator()(index_t i, int, int through) const {
    if (i > last) throw std::out_of_range("too far");
    return through % 2 == 0 ? maybe<int>(through / 2) : maybe<int>();
  }
};

TEST(host_paths, scan_and_pack_alone_and_together) {
  auto const in = numbers(300'000);
  std::vector<int> expected, out(in.size());
  int sum = 0;
  for (int const x : in) {
    if ((sum += x) % 2 == 0) expected.push_back(sum / 2);
  }
  cpu::threads const ex(3);
  index_t kept = 0;
  auto const call = [&](index_t last) {
    scan_then_pack_on(ex, std::ssize(in), load_elements<int>{in.data()}, plus<int>{},
                      detail::seed_identity<plus<int>>{{}}, half_of_even{last},
                      write_kept<int>{out.data(), std::ssize(out)},
                      detail::store_total<index_t>{&kept});
  };
  for (bool const at_once : {true, false}) {
    helping const others(at_once);
    std::fill(out.begin(), out.end(), -1);
    EXPECT_THROW(call(200'000), std::out_of_range);
    call(300'000);
    ASSERT_EQ(kept, std::ssize(expected));
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), out.begin()));
  }
}

TEST(host_paths, count_by_many_threads_into_many_bins_and_let_out_what_a_bin_throws) {
  helping const others(true);
  auto const in = numbers(60'000);
  std::vector<int> few(1000), many(5000), expected(1000);
  for (int const x : in) ++expected[static_cast<std::size_t>(x)];
  cpu::threads const ex(8);  // so many that they add to shared counts
  histogram(ex, in, many);
  expected.resize(many.size());
  EXPECT_EQ(many, expected);

  std::atomic<int> left = 30'000;
  auto const bin = [&](int x) {
    if (--left == 0) throw std::out_of_range("too many");
    return x;
  };
  EXPECT_THROW(histogram(ex, in, few, bin), std::out_of_range);
  left = 100'000;
  histogram(ex, in, few, bin);
  expected.resize(few.size());
  EXPECT_EQ(few, expected);
}

}  // namespace
}  // namespace ravel::host_paths_test
