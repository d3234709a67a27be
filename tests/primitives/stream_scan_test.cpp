/// Streamed scans: long contiguous sequences of numbers on a device.

#include <ravel/primitives/scan.hpp>

#include "support/streams.hpp"

#include <concepts>
#include <cstdint>
#include <thread>

namespace ravel::stream_scan_test {
namespace {

struct stream_scan : device_test {};

/// Compares every scan of n elements over m with a loop.
template <class T, class M>
void expect_scans(gpu::executor const& ex, index_t n, M m) {
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
#ifdef RAVEL_TEST_BRIEFLY
using types = ::testing::Types<std::int8_t, int, double>;
#else
using types =
    ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, int, float, std::int64_t, double>;
#endif
TYPED_TEST_SUITE(streamed_type, types);

TYPED_TEST(streamed_type, agrees_with_the_loop) {
  using T = TypeParam;
  gpu::executor const ex;
  index_t const least = streamed / static_cast<index_t>(sizeof(T));
  index_t const tile = 28672 / static_cast<index_t>(sizeof(T));
  for (index_t const n :
       {index_t{1}, index_t{3}, index_t{16}, index_t{1000}, tile, 30 * tile - 1,
        256 * index_t{16384} / index_t{sizeof(T)} + 1, least - 1, least, least + 1, least + 17,
        div_up(least, tile) * tile, div_up(least, tile) * tile - 1, 3 * least + 12345}) {
    expect_scans<T>(ex, n, plus<T>{});
  }
  if constexpr (std::same_as<T, float>) expect_scans<T>(ex, least + 4321, maximum<T>{});
  if constexpr (sizeof(T) <= 2) {  // a word holds several
    for (index_t const n : {index_t{1001}, least + 4321}) {
      expect_scans<T>(ex, n, maximum<T>{});
      expect_scans<T>(ex, n, minimum<T>{});
      expect_scans<T>(ex, n, bit_xor<T>{});
    }
  }
  if constexpr (std::same_as<T, std::int8_t> || std::same_as<T, int>) {
    expect_scans<T>(ex, least + 4321, last_nonzero<T>{});
  }
}

TEST_F(stream_scan, agrees_with_the_loop_where_it_is_not_aligned) {
  gpu::executor const ex;
  index_t const n = streamed / 4 + 77;
  auto const in = numbers<int>(n);
  auto const there = to(ex, in);
  auto const out = ex.allocate<int>(n);
  inclusive_scan(ex, device_view(there.data() + 1, n - 1), device_view(out.data() + 1, n - 1));
  auto const found = to_host(ex, out);
  int sum = 0;
  for (std::size_t i = 1; i < in.size(); ++i) ASSERT_EQ(found[i], sum += in[i]) << i;
}

/// Fewer tiles than blocks, and a last tile of every kind.
TEST_F(stream_scan, streams_what_is_short) {
  gpu::executor const ex;
  using identity = detail::seed_identity<plus<int>>;
  using flow = gpu::detail::scan_flow<contiguous<int>, write_through<int>, plus<int>, identity,
                                      detail::no_total, false>;
  ASSERT_TRUE(gpu::can_stream<flow>(ex));
  for (index_t const n : {1, 2, 3, 4, 5, 27, 28, 29, 7167, 7168, 7169, 229376, 229377, 400'000}) {
    auto const in = numbers<int>(n);
    auto const there = to(ex, in);
    auto const out = ex.allocate<int>(n);
    gpu::stream_tiles(
        ex, n, flow{{there.data(), out.data(), n}, {there.data()}, {out.data()}, {}, {}, {}});
    auto const found = to_host(ex, out);
    int sum = 0;
    for (std::size_t i = 0; i < in.size(); ++i) ASSERT_EQ(found[i], sum += in[i]) << i << " " << n;
  }
}

TEST_F(stream_scan, agrees_with_the_loop_on_four_streams_at_once) {
  std::vector<std::jthread> users;
  for (unsigned user = 0; user < 4; ++user) {
    users.emplace_back([user] {
      gpu::executor const ex;
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
  gpu::executor const ex;
  gpu::executor const other;
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
  gpu::executor const ex;
  auto const states = ex.states<int>(1);
  gpu::detail::word64 const next = gpu::detail::word64{gpu::dispenser::last_epoch - 2} << 32;
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
  gpu::executor const ex;
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
  gpu::executor const ex;
  index_t const n = (index_t{1} << 32) + 12345;
  auto const in = ex.allocate<std::uint8_t>(n);
  ASSERT_EQ(cudaMemsetAsync(in.data(), 1, static_cast<std::size_t>(n), ex.stream()), cudaSuccess);
  inclusive_scan(ex, in, in);
  for (index_t const i : {index_t{0}, n / 3, index_t{1} << 31, index_t{1} << 32, n - 1}) {
    EXPECT_EQ(at_sync(ex, in, i), static_cast<std::uint8_t>(i + 1)) << i;
  }
}

}  // namespace
}  // namespace ravel::stream_scan_test
