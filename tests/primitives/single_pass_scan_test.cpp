/// Tests specific to a device's single-pass scan: blocks in any order, concurrent streams, and the
/// end of its epochs.
///
/// On a device in software the order is random, by a seed; inputs are small there.

#include <ravel/primitives/scan.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"

#include <cstring>
#include <numeric>
#include <thread>

namespace ravel::single_pass_scan_test {
namespace {

/// More than a word of 16 bytes: its tiles are published in two steps.
struct wide {
  long sum, parity, last, count;
};
struct combine_wide {
  static RAVEL_HD wide identity() { return {0, 0, 0, 0}; }
  RAVEL_HD wide operator()(wide const& x, wide const& y) const {
    return {x.sum + y.sum, x.parity ^ y.parity, y.last != 0 ? y.last : x.last, x.count + y.count};
  }
};

/// Too large for a tile to fit in shared memory.
struct huge {
  long sums[24];
};
struct combine_huge {
  static RAVEL_HD huge identity() { return {}; }
  RAVEL_HD huge operator()(huge const& x, huge const& y) const {
    huge z;
    for (int k = 0; k < 24; ++k) z.sums[k] = x.sums[k] + y.sums[k];
    return z;
  }
};

#ifdef __CUDACC__
constexpr bool in_software = false;
#else
constexpr bool in_software = true;
#endif
using testing::shuffle_schedule;

struct single_pass_scan : ::testing::Test {
  void SetUp() override {
    if (!gpu::available()) GTEST_SKIP() << "no CUDA device";
  }
};

/// With one block for each tile, the form for loads and visits without a faster one.
template <class T, class M, class Make>
void expect_scanned(gpu::executor const& ex, index_t n, M m, Make make) {
  std::vector<T> in;
  for (index_t i = 0; i < n; ++i) in.push_back(make(i));
  auto const there = to(ex, in);
  auto const out = ex.allocate<T>(n);
  gpu::detail::scan_by_blocks(ex, n, contiguous<T>{there.data()},
                              detail::write_through<T>{out.data()}, m, detail::seed_identity<M>{m},
                              detail::no_total{});
  auto const scanned = to_host(ex, out);
  T sum = m.identity();
  for (std::size_t i = 0; i < in.size(); ++i) {
    sum = m(sum, in[i]);
    ASSERT_EQ(std::memcmp(&sum, &scanned[i], sizeof(T)), 0) << "at " << i << " of " << n;
  }
}

wide nth_wide(index_t i) { return {i, i * i, i % 100 == 0 ? i : 0, 1}; }

TEST_F(single_pass_scan, finds_together_in_whatever_order_blocks_come) {
  gpu::executor const ex;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    shuffle_schedule(seed);
    expect_scanned<int>(ex, 15'000, plus<int>{}, [](index_t i) { return static_cast<int>(i); });
    expect_scanned<long>(ex, 14'000, plus<long>{}, [](index_t i) { return i; });
    expect_scanned<wide>(ex, 13'000, combine_wide{}, nth_wide);
    if (HasFatalFailure()) return;
  }
}

TEST_F(single_pass_scan, streams_in_whatever_order_copies_land) {
  gpu::executor const ex;
  auto const n = static_cast<index_t>(6 * gpu::tuning{}.streamed_bytes / sizeof(int)) + 7;
  std::vector<int> in(static_cast<std::size_t>(n));
  std::iota(in.begin(), in.end(), 1);
  std::vector<int> expected(in.size());
  std::inclusive_scan(in.begin(), in.end(), expected.begin(),
                      [](int x, int y) { return static_cast<int>(unsigned(x) + unsigned(y)); });
  auto const there = to(ex, in);
  auto const out = ex.allocate<int>(n);
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    shuffle_schedule(seed);
    inclusive_scan(ex, there, out);
    ASSERT_EQ(to_host(ex, out), expected);
  }
}

TEST_F(single_pass_scan, agrees_with_the_loop_for_tiles_of_many_rows) {
  gpu::executor const ex;
  expect_scanned<int>(ex, gpu::tuning{}.large_tiles + 300'000, plus<int>{},
                      [](index_t i) { return static_cast<int>(i * 7 % 13 - 6); });
}

TEST_F(single_pass_scan, agrees_with_the_loop_on_four_streams_at_once) {
  std::vector<std::jthread> users;
  for (unsigned user = 0; user < 4; ++user) {
    users.emplace_back([user] {
      gpu::executor const ex;
      std::uint64_t z = user + 1;
      for (int round = 0; round < (in_software ? 2 : 20); ++round) {
        z = z * 6364136223846793005u + 1442695040888963407u;
        auto const n = static_cast<index_t>((z >> 33) % (in_software ? 60'000 : 3'000'000) + 1);
        expect_scanned<int>(ex, n, plus<int>{},
                            [](index_t i) { return static_cast<int>(i * 7 % 13 - 6); });
        expect_scanned<long>(ex, n, plus<long>{}, [](index_t i) { return i * 7 % 13 - 6; });
        expect_scanned<unsigned char>(ex, n, plus<unsigned char>{},
                                      [](index_t i) { return static_cast<unsigned char>(i * 7); });
        expect_scanned<wide>(ex, n / 4 + 1, combine_wide{}, nth_wide);
        expect_scanned<huge>(ex, n / 64 + 1, combine_huge{}, [](index_t i) {
          huge x;
          for (int k = 0; k < 24; ++k) x.sums[k] = i + k;
          return x;
        });
      }
    });
  }
}

TEST_F(single_pass_scan, repeats_floating_point_bit_for_bit_beside_another_stream) {
  gpu::executor const ex;
  gpu::executor const other;
  index_t const n = in_software ? 100'000 : 20'000'000;
  std::vector<float> in(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = 1.0f / static_cast<float>(i % 1000 + 1);
  auto const here = to(ex, in);
  auto const there = to(other, in);
  auto const out = ex.allocate<float>(n);
  auto const disturbance = other.allocate<float>(n);
  inclusive_scan(ex, here, out);
  auto const first = to_host(ex, out);
  for (unsigned again = 0; again < 10; ++again) {
    shuffle_schedule(again);
    inclusive_scan(other, there, disturbance);
    inclusive_scan(ex, here, out);
    inclusive_scan(other, there, disturbance);
    ASSERT_EQ(to_host(ex, out), first);
  }
  other.wait();
}

TEST_F(single_pass_scan, survives_the_end_of_its_epochs) {
  gpu::executor const ex;
  auto const set_epoch = [&](auto zero, unsigned epoch) {
    auto const states = ex.states<decltype(zero)>(1);
    gpu::detail::word64 const next = gpu::detail::word64{epoch} << 32;
    ex.copy(&next, &states.tickets()->next, 1);
    ex.wait();
  };
  // The first epochs, whose numbers come again, leave results in more slots than the last ones.
  index_t const many = 20'000;
  expect_scanned<int>(ex, many, plus<int>{}, [](index_t) { return 1; });
  expect_scanned<long>(ex, many, plus<long>{}, [](index_t) { return 1l; });
  expect_scanned<wide>(ex, many, combine_wide{}, nth_wide);
  set_epoch(int{}, gpu::dispenser::last_epoch - 2);
  set_epoch(long{}, gpu::dispenser::last_epoch - 2);
  set_epoch(wide{}, gpu::dispenser::last_epoch - 2);
  for (int round = 0; round < 5; ++round) {
    index_t const n = round < 3 ? many / 5 : many;
    expect_scanned<int>(ex, n, plus<int>{}, [&](index_t i) { return static_cast<int>(i) + round; });
    expect_scanned<long>(ex, n, plus<long>{}, [&](index_t i) { return i + round; });
    expect_scanned<wide>(ex, n, combine_wide{}, [&](index_t i) {
      return wide{i + round, i, i, 1};
    });
  }
}

/// Tile totals that look like the tag of an aggregate in the next epoch, if kernels of all types
/// shared one counter.
TEST_F(single_pass_scan, takes_no_value_of_one_type_for_a_tag_of_another) {
  gpu::executor const ex;
  index_t const width = gpu::scan_policy::threads * gpu::scan_policy::rows_of_few(sizeof(int));
  for (int epoch = 1; epoch < 10; epoch += 2) {
    expect_scanned<int>(ex, 8000, plus<int>{},
                        [&](index_t i) { return i % width == 0 ? epoch << 2 | 1 : 0; });
    expect_scanned<wide>(ex, 8000, combine_wide{}, [&](index_t i) {
      return wide{i + epoch, i, i % 100 == 0 ? i : 0, 1};
    });
  }
}

TEST_F(single_pass_scan, has_states_for_more_tiles_than_the_executor_keeps) {
  if (in_software) GTEST_SKIP() << "these are too many";
  gpu::executor const ex;
  index_t const n =
      (gpu::memory::state_slots + 5) * gpu::scan_policy::threads * gpu::scan_policy::rows(4);
  auto const in = ex.allocate<unsigned char>(n);
  auto const out = ex.allocate<unsigned char>(n);
  ASSERT_EQ(cudaMemsetAsync(in.data(), 1, static_cast<std::size_t>(n), ex.stream()), cudaSuccess);
  for (int again = 0; again < 2; ++again) {
    inclusive_scan(ex, in, out);
    for (index_t const i : {index_t{0}, n / 3, n - 1}) {
      EXPECT_EQ(at_sync(ex, out, i), static_cast<unsigned char>(i + 1));
    }
  }
}

}  // namespace
}  // namespace ravel::single_pass_scan_test
