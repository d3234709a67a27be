/// Scans that are streamed: long plain sequences of numbers on a device.

#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/segmented_scan.hpp>
#include <ravel/primitives/unique.hpp>

#include "support/executors.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <thread>

namespace ravel {
namespace {

constexpr index_t streamed = cuda::scan_policy::streamed_bytes;

struct stream_scan : ::testing::Test {
  void SetUp() override {
    if (!cuda::available()) GTEST_SKIP() << "no CUDA device";
  }
};

/// Values that sums of any few thousand are exact of.
template <class T>
std::vector<T> numbers(index_t n, unsigned seed = 1) {
  std::minstd_rand random(seed);
  std::vector<T> x(static_cast<std::size_t>(n));
  for (T& y : x) y = static_cast<T>(static_cast<int>(random() % 15) - 7);
  return x;
}

/// The last that is not zero, which depends on the order.
template <class T>
struct last_nonzero {
  static RAVEL_HD constexpr T identity() { return T(0); }
  RAVEL_HD constexpr T operator()(T const& x, T const& y) const { return y != T(0) ? y : x; }
};

/// Every scan of n elements over m against the loop.
template <class T, class M>
void expect_scans(cuda::executor const& ex, index_t n, M m) {
  auto const in = numbers<T>(n);
  auto const size = static_cast<std::size_t>(n);
  auto const there = to(ex, in);
  auto const out = ex.allocate<T>(n + 1);
  auto const total = ex.allocate<T>(1);
  auto const first_n = device_view(out.data(), n);
  T const init = 3;

  std::vector<T> through(size), before(size);
  T sum = init;
  for (std::size_t i = 0; i < size; ++i) {
    before[i] = sum;
    through[i] = sum = m(sum, in[i]);
  }
  inclusive_scan(ex, there, first_n, m, from(init), total_to(total));
  ASSERT_EQ(to_host(ex, first_n), through) << n;
  EXPECT_EQ(at_sync(ex, total), sum) << n;
  exclusive_scan(ex, there, first_n, m, from(init), total_to(total));
  ASSERT_EQ(to_host(ex, first_n), before) << n;
  EXPECT_EQ(at_sync(ex, total), sum) << n;
  exclusive_scan(ex, there, out, m, from(init));
  before.push_back(sum);
  ASSERT_EQ(to_host(ex, out), before) << n;

  sum = init;
  for (std::size_t i = size; i-- > 0;) {
    before[i] = sum;
    through[i] = sum = m(in[i], sum);
  }
  before.pop_back();
  inclusive_scan(ex, there, first_n, m, from(init), backward, total_to(total));
  ASSERT_EQ(to_host(ex, first_n), through) << n;
  EXPECT_EQ(at_sync(ex, total), sum) << n;
  exclusive_scan(ex, there, first_n, m, from(init), backward, total_to(total));
  ASSERT_EQ(to_host(ex, first_n), before) << n;
  EXPECT_EQ(at_sync(ex, total), sum) << n;

  inclusive_scan(ex, there, there, m, from(init), backward);  // in place
  ASSERT_EQ(to_host(ex, there), through) << n;
}

template <class T>
struct streamed_type : stream_scan {};
using types = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::int32_t, std::uint32_t,
                               float, std::int64_t, double>;
TYPED_TEST_SUITE(streamed_type, types);

TYPED_TEST(streamed_type, agrees_with_the_loop) {
  using T = TypeParam;
  cuda::executor const ex;
  index_t const least = streamed / static_cast<index_t>(sizeof(T));
  index_t const tile = 28672 / static_cast<index_t>(sizeof(T));
  for (index_t const n :
       {index_t{1}, index_t{3}, index_t{16}, index_t{1000}, tile, 30 * tile - 1,
        256 * index_t{16384} / index_t{sizeof(T)} + 1, least - 1, least, least + 1, least + 17,
        div_up(least, tile) * tile, div_up(least, tile) * tile - 1, 3 * least + 12345}) {
    expect_scans<T>(ex, n, plus<T>{});
  }
  expect_scans<T>(ex, least + 4321, maximum<T>{});
  expect_scans<T>(ex, least + 4321, last_nonzero<T>{});
}

TEST_F(stream_scan, agrees_with_the_loop_where_it_is_not_aligned) {
  cuda::executor const ex;
  index_t const n = streamed / 4 + 77;
  auto const in = numbers<int>(n);
  auto const there = to(ex, in);
  auto const out = ex.allocate<int>(n);
  inclusive_scan(ex, device_view(there.data() + 1, n - 1), device_view(out.data() + 1, n - 1));
  auto const found = to_host(ex, out);
  int sum = 0;
  for (std::size_t i = 1; i < in.size(); ++i) ASSERT_EQ(found[i], sum += in[i]) << i;
}

/// Tiles fewer than blocks, and a last tile of every kind.
TEST_F(stream_scan, streams_what_is_short) {
  cuda::executor const ex;
  using identity = detail::seed_identity<plus<int>>;
  using flow =
      cuda::detail::scan_flow<int, int, plus<int>, identity, detail::no_total, true, false>;
  ASSERT_TRUE(cuda::can_stream<flow>(ex));
  for (index_t const n : {1, 2, 3, 4, 5, 27, 28, 29, 7167, 7168, 7169, 229376, 229377, 400'000}) {
    auto const in = numbers<int>(n);
    auto const there = to(ex, in);
    auto const out = ex.allocate<int>(n);
    cuda::stream_tiles(ex, n, flow{{there.data(), out.data(), n}, {}, {}, {}});
    auto const found = to_host(ex, out);
    int sum = 0;
    for (std::size_t i = 0; i < in.size(); ++i) ASSERT_EQ(found[i], sum += in[i]) << i << " " << n;
  }
}

TEST_F(stream_scan, agrees_with_the_loop_on_four_streams_at_once) {
  std::vector<std::jthread> users;
  for (unsigned user = 0; user < 4; ++user) {
    users.emplace_back([user] {
      cuda::executor const ex;
      for (int round = 0; round < 10; ++round) {
        index_t const n = streamed / 4 + 1000 * user + 333 * round;
        auto const in = numbers<int>(n, user + 1);
        auto const there = to(ex, in);
        auto const out = ex.allocate<int>(n);
        for (int again = 0; again < 5; ++again) inclusive_scan(ex, there, out);
        auto const found = to_host(ex, out);
        int sum = 0;
        for (std::size_t i = 0; i < in.size(); ++i) ASSERT_EQ(found[i], sum += in[i]) << i;
      }
    });
  }
}

TEST_F(stream_scan, repeats_floating_point_bit_for_bit_beside_another_stream) {
  cuda::executor const ex;
  cuda::executor const other;
  index_t const n = 20'000'000;
  std::vector<float> in(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = 1.0f / static_cast<float>(i % 1000 + 1);
  auto const here = to(ex, in);
  auto const there = to(other, in);
  auto const out = ex.allocate<float>(n);
  auto const disturbance = other.allocate<float>(n);
  inclusive_scan(ex, here, out);
  auto const first = to_host(ex, out);
  for (int again = 0; again < 10; ++again) {
    inclusive_scan(other, there, disturbance);
    inclusive_scan(ex, here, out);
    inclusive_scan(other, there, disturbance);
    ASSERT_EQ(to_host(ex, out), first);
  }
  other.wait();
}

TEST_F(stream_scan, survives_the_end_of_its_epochs) {
  cuda::executor const ex;
  auto const states = ex.states<int>(1);
  cuda::detail::word64 const next = cuda::detail::word64{cuda::dispenser::last_epoch - 2} << 32;
  ex.copy(&next, &states.tickets()->next, 1);
  ex.wait();
  index_t const n = streamed / 4 + 5;
  auto const in = numbers<int>(n);
  auto const there = to(ex, in);
  auto const out = ex.allocate<int>(n);
  for (int round = 0; round < 6; ++round) {
    inclusive_scan(ex, there, out);
    auto const found = to_host(ex, out);
    int sum = 0;
    for (std::size_t i = 0; i < in.size(); ++i) ASSERT_EQ(found[i], sum += in[i]) << i;
  }
}

TEST_F(stream_scan, is_captured_and_replayed) {
  cuda::executor const ex;
  index_t const n = streamed / 4 + 999;
  auto const in = to(ex, numbers<int>(n));
  auto const out = ex.allocate<int>(n);
  inclusive_scan(ex, in, out);
  auto const expected = to_host(ex, out);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t program = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(ex.stream(), cudaStreamCaptureModeThreadLocal), cudaSuccess);
  inclusive_scan(ex, in, out);
  ASSERT_EQ(cudaStreamEndCapture(ex.stream(), &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&program, graph, 0), cudaSuccess);
  for (int again = 0; again < 3; ++again) {
    ASSERT_EQ(cudaMemsetAsync(out.data(), 0, static_cast<std::size_t>(n) * 4, ex.stream()),
              cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(program, ex.stream()), cudaSuccess);
    ASSERT_EQ(to_host(ex, out), expected);
  }
  cudaGraphExecDestroy(program);
  cudaGraphDestroy(graph);
}

TEST_F(stream_scan, counts_beyond_2_to_the_31) {
  cuda::executor const ex;
  index_t const n = (index_t{1} << 32) + 12345;
  auto const in = ex.allocate<std::uint8_t>(n);
  ASSERT_EQ(cudaMemsetAsync(in.data(), 1, static_cast<std::size_t>(n), ex.stream()), cudaSuccess);
  inclusive_scan(ex, in, in);
  for (index_t const i : {index_t{0}, n / 3, index_t{1} << 31, index_t{1} << 32, n - 1}) {
    EXPECT_EQ(at_sync(ex, in, i), static_cast<std::uint8_t>(i + 1)) << i;
  }
}

/// The heads of n elements: one in `mean`, at random.
std::vector<std::uint8_t> random_heads(index_t n, unsigned mean) {
  std::minstd_rand random(mean);
  std::vector<std::uint8_t> heads(static_cast<std::size_t>(n));
  for (auto& head : heads) head = random() / 7 % mean == 0;
  return heads;
}

template <class T, class M>
void expect_segmented_scans(cuda::executor const& ex, index_t n, unsigned mean, M m) {
  auto const in = numbers<T>(n);
  auto const heads = random_heads(n, mean);
  auto const size = static_cast<std::size_t>(n);
  std::vector<std::uint32_t> bits((size + 31) / 32);
  std::vector<int> words(size);
  std::vector<std::uint32_t> keys(size);
  for (std::size_t i = 0; i < size; ++i) {
    bits[i / 32] |= std::uint32_t{heads[i]} << (i % 32);
    words[i] = heads[i] * 1000;
    keys[i] = i == 0 ? 7 : keys[i - 1] + heads[i] * 3;
  }
  T const init = 3;
  std::vector<T> through(size), before(size);
  T sum = init;
  for (std::size_t i = 0; i < size; ++i) {
    if (heads[i]) sum = init;
    before[i] = sum;
    through[i] = sum = m(sum, in[i]);
  }
  auto const there = to(ex, in);
  auto const out = ex.allocate<T>(n);
  auto const there_heads = to(ex, heads);
  auto const there_bits = to(ex, bits);
  auto const there_words = to(ex, words);
  auto const there_keys = to(ex, keys);
  auto const expect = [&](auto segments, char const* form) {
    segmented_inclusive_scan(ex, there, segments, out, m, from(init));
    ASSERT_EQ(to_host(ex, out), through) << form << ", n " << n << ", mean " << mean;
    segmented_exclusive_scan(ex, there, segments, out, m, from(init));
    ASSERT_EQ(to_host(ex, out), before) << form << ", n " << n << ", mean " << mean;
  };
  expect(by_head_bits(there_bits, n), "bits");
  expect(by_heads(there_heads), "byte flags");
  expect(by_heads(there_words), "word flags");
  expect(by_keys(there_keys), "keys");

  T whole = m.identity();
  for (std::size_t i = 0; i < size; ++i) {
    if (heads[i]) whole = m.identity();
    through[i] = whole = m(whole, in[i]);
  }
  segmented_inclusive_scan(ex, there, by_head_bits(there_bits, n), there, m);  // in place
  ASSERT_EQ(to_host(ex, there), through);
}

TEST_F(stream_scan, scans_segments) {
  cuda::executor const ex;
  for (unsigned const mean : {1u, 2u, 33u, 1000u, 300'000u, 1'000'000'000u}) {
    expect_segmented_scans<int>(ex, streamed / 4 + mean % 1000, mean, plus<int>{});
  }
  expect_segmented_scans<int>(ex, streamed / 4 + 4321, 50, last_nonzero<int>{});
  expect_segmented_scans<float>(ex, streamed / 4 + 4321, 5000, plus<float>{});
  expect_segmented_scans<double>(ex, streamed / 8 + 4321, 70, plus<double>{});
  expect_segmented_scans<std::int64_t>(ex, streamed / 8 + 77, 20'000, minimum<std::int64_t>{});
}

template <class T>
struct is_odd {
  RAVEL_HD bool operator()(T const& x) const { return (x & 1) != 0; }
};

template <class T>
void expect_packed(cuda::executor const& ex, index_t n, unsigned mean) {
  auto const in = numbers<T>(n);
  auto const flags = random_heads(n, mean);
  auto const size = static_cast<std::size_t>(n);
  std::vector<std::uint32_t> bits((size + 31) / 32);
  std::vector<T> flagged_ones, odd;
  for (std::size_t i = 0; i < size; ++i) {
    bits[i / 32] |= std::uint32_t{flags[i]} << (i % 32);
    if (flags[i]) flagged_ones.push_back(in[i]);
    if (in[i] & 1) odd.push_back(in[i]);
  }
  auto const there = to(ex, in);
  auto const there_flags = to(ex, flags);
  auto const there_bits = to(ex, bits);
  auto const out = ex.allocate<T>(n);
  auto const total = ex.allocate<index_t>(1);
  auto const expect = [&](std::vector<T> wanted, index_t room, char const* form, auto call) {
    ASSERT_EQ(cudaMemsetAsync(out.data(), 0x5a, size * sizeof(T), ex.stream()), cudaSuccess);
    call(device_view(out.data(), room));
    ASSERT_EQ(at_sync(ex, total), std::ssize(wanted)) << form << " " << n << " " << mean;
    T untouched;
    std::memset(&untouched, 0x5a, sizeof(T));
    wanted.resize(static_cast<std::size_t>(std::min<index_t>(room, std::ssize(wanted))));
    wanted.resize(size, untouched);
    ASSERT_EQ(to_host(ex, out), wanted) << form << " " << n << " " << mean;
  };
  std::vector<T> runs;
  for (std::size_t i = 0; i < size; ++i) {
    if (i == 0 || in[i] != in[i - 1]) runs.push_back(in[i]);
  }
  for (index_t const room : {n, n / 7}) {
    expect(runs, room, "changes", [&](auto to) { unique(ex, there, to, total_to(total)); });
    expect(odd, room, "predicate",
           [&](auto to) { filter(ex, there, is_odd<T>{}, to, total_to(total)); });
    expect(flagged_ones, room, "bytes",
           [&](auto to) { pack(ex, there, there_flags, to, total_to(total)); });
    expect(flagged_ones, room, "bits",
           [&](auto to) { pack(ex, there, by_bits(there_bits, n), to, total_to(total)); });
  }
}

TEST_F(stream_scan, packs) {
  cuda::executor const ex;
  constexpr index_t least = cuda::scan_policy::packed_bytes;
  for (unsigned const mean : {1u, 2u, 33u, 100'000u}) {
    expect_packed<std::uint32_t>(ex, least / 4 + mean % 1000, mean);
    expect_packed<std::int64_t>(ex, least / 8 + 3 * (mean % 1000) + 1, mean);
  }
  expect_packed<int>(ex, 7168 * 512, 10);
}

}  // namespace
}  // namespace ravel
