#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cuda/executor.cuh>
#include <ravel/core/transfer.hpp>
#include <ravel/primitives/map.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include "support/recording.hpp"

#include <cuda_fp16.h>
#include <gtest/gtest.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <cstdint>
#include <random>
#include <vector>

namespace ravel::cuda_test {
namespace {

struct on_a_device : ::testing::Test {
  void SetUp() override {
    if (!gpu::available()) GTEST_SKIP() << "no CUDA device";
  }
};
using cuda_graph = on_a_device;
using cuda_vector = on_a_device;
using cuda_index = on_a_device;
using cuda_half = on_a_device;

struct square_plus {
  int more;
  RAVEL_HD int operator()(int x) const { return x * x + more; }
};

/// A chain of primitives, each on results of those before.
template <class Ex>
struct chain {
  template <class T>
  using buffer_of = decltype(std::declval<Ex const&>().template allocate<T>(0));

  Ex const& ex;
  index_t n, segments;
  buffer_of<int> in{ex.template allocate<int>(n)};
  buffer_of<int> lengths{ex.template allocate<int>(segments)};
  buffer_of<std::uint8_t> heads{ex.template allocate<std::uint8_t>(n)};
  buffer_of<int> mapped{ex.template allocate<int>(n)};
  buffer_of<int> inclusive{ex.template allocate<int>(n)};
  buffer_of<int> offsets{ex.template allocate<int>(n + 1)};
  buffer_of<int> total{ex.template allocate<int>(1)};
  buffer_of<int> most{ex.template allocate<int>(1)};
  buffer_of<int> scanned{ex.template allocate<int>(n)};
  buffer_of<int> sums{ex.template allocate<int>(segments)};
  buffer_of<int> sums_by_heads{ex.template allocate<int>(n)};
  buffer_of<int> count{ex.template allocate<int>(1)};

  void load(std::vector<int> const& new_in, std::vector<int> const& new_lengths,
            std::vector<std::uint8_t> const& new_heads) {
    ex.copy(new_in.data(), in.data(), n);
    ex.copy(new_lengths.data(), lengths.data(), segments);
    ex.copy(new_heads.data(), heads.data(), n);
    ex.wait();
  }
  void issue() {
    map(ex, square_plus{3}, mapped, in);
    inclusive_scan(ex, mapped, inclusive);
    exclusive_scan(ex, in, offsets, plus{}, from(100), backward, total_to(total));
    reduce(ex, mapped, most, maximum{}, from(total));
    segmented_inclusive_scan(ex, mapped, by_lengths(lengths), scanned);
    segmented_reduce(ex, inclusive, by_lengths(lengths), sums);
    map(ex, square_plus{0}, sums_by_heads, in);
    segmented_reduce(ex, in, by_heads(heads), sums_by_heads, plus{}, total_to(count));
  }
  std::vector<std::vector<int>> results() const {
    return {to_host(ex, mapped), to_host(ex, inclusive),     to_host(ex, offsets),
            to_host(ex, total),  to_host(ex, most),          to_host(ex, scanned),
            to_host(ex, sums),   to_host(ex, sums_by_heads), to_host(ex, count)};
  }
};

/// Captures the chain, and replays it on several inputs.
void expect_replays(index_t n, index_t segments) {
  SCOPED_TRACE(::testing::Message() << n << " elements, " << segments << " segments");
  gpu::executor const ex;
  cpu::sequential const host;
  chain<gpu::executor> there{ex, n, segments};
  chain<cpu::sequential> here{host, n, segments};
  testing::recording const graph(ex, [&] { there.issue(); });

  std::mt19937 random(1);
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::vector<int> in(static_cast<std::size_t>(n));
    std::vector<int> lengths(static_cast<std::size_t>(segments));
    std::vector<std::uint8_t> heads(static_cast<std::size_t>(n));
    for (int& x : in) x = static_cast<int>(random() % 100);
    for (index_t i = 0; segments > 0 && i < n; ++i) {
      ++lengths[random() % static_cast<std::size_t>(segments)];
    }
    for (auto& head : heads) head = random() % 10 == 0;
    there.load(in, lengths, heads);
    here.load(in, lengths, heads);
    graph.replay();
    here.issue();
    EXPECT_EQ(there.results(), here.results());
  }
}

TEST_F(cuda_graph, replays_what_was_captured_with_changed_input) {
  expect_replays(0, 0);
  expect_replays(1, 1);
  expect_replays(1000, 300);
  expect_replays(100'003, 20'000);
}

TEST_F(cuda_graph, replays_though_scratch_came_from_the_pool) {
  auto const more_than_the_workspace =
      static_cast<index_t>(gpu::memory::workspace_bytes / sizeof(index_t)) + 1000;
  expect_replays(100'003, more_than_the_workspace);
}

TEST_F(cuda_vector, of_thrust_is_an_argument) {
  using ints = thrust::device_vector<int>;
  static_assert(sequence_on<ints, gpu::executor>);
  static_assert(sequence_on<ints const&, gpu::executor>);
  static_assert(!sequence_on<ints, cpu::sequential>);
  static_assert(std::same_as<element_t<ints>, int>);
  static_assert(std::same_as<decltype(view_of(std::declval<ints&>())), view<int, device_space>>);

  gpu::executor const ex;
  thrust::host_vector<int> host(10'000);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<int>(i % 7);
  ints const in = host;
  ints out(host.size());
  inclusive_scan(ex, in, out);
  thrust::host_vector<int> const scanned = out;
  int sum = 0;
  for (std::size_t i = 0; i < host.size(); ++i) ASSERT_EQ(scanned[i], sum += host[i]) << i;

  ints const lengths(100, 100);
  ints sums(100);
  segmented_reduce(ex, in, by_lengths(lengths), sums);
  EXPECT_EQ(reduce_sync(ex, sums), sum);
  EXPECT_EQ(to_host(ex, out).back(), sum);
  EXPECT_EQ(at_sync(ex, in, 8), 1);
}

/// The sum of the first i halves of a sequence with small exact sums.
int nth_reached(index_t i) { return i < 0 ? 0 : static_cast<int>(i * 2654435761 % 1009 % 32); }

/// In one block, in several, and streamed; the sums of any adjacent elements are exact.
TEST_F(cuda_half, sums_are_those_of_the_loop) {
  gpu::executor const ex;
  for (index_t const n : {1, 7, 1000, 2048, 2049, 70'003, 3'000'000, 13'000'007}) {
    SCOPED_TRACE(n);
    std::vector<__half> forward, backward_steps;
    for (index_t i = 0; i < n; ++i) {
      forward.push_back(__float2half(float(nth_reached(i) - nth_reached(i - 1))));
      backward_steps.push_back(
          __float2half(float(nth_reached(i) - (i + 1 < n ? nth_reached(i + 1) : 0))));
    }
    auto const in = ex.allocate<__half>(n);
    auto const out = ex.allocate<__half>(n);
    auto const expect = [&](auto reached) {
      auto const found = to_host(ex, out);
      for (index_t i = 0; i < n; ++i) ASSERT_EQ(__half2float(found[i]), float(reached(i))) << i;
    };
    ex.copy(forward.data(), in.data(), n);
    inclusive_scan(ex, in, out);
    expect([](index_t i) { return nth_reached(i); });
    exclusive_scan(ex, in, out);
    expect([](index_t i) { return nth_reached(i - 1); });
    ex.copy(backward_steps.data(), in.data(), n);
    inclusive_scan(ex, in, out, plus{}, backward);
    expect([](index_t i) { return nth_reached(i); });
    exclusive_scan(ex, in, out, plus{}, backward);
    expect([&](index_t i) { return i + 1 < n ? nth_reached(i + 1) : 0; });
  }
}

struct low_byte {
  std::uint8_t* to;
  RAVEL_HD void operator()(index_t i) const { to[i] = static_cast<std::uint8_t>(i); }
};

/// 0 + 1 + ... + (i - 1), each modulo 256.
index_t sum_of_low_bytes(index_t i) {
  index_t const rest = i % 256;
  return i / 256 * (255 * 256 / 2) + rest * (rest - 1) / 2;
}

TEST_F(cuda_index, goes_beyond_32_bits) {
  std::size_t free = 0;
  std::size_t total = 0;
  gpu::check(cudaMemGetInfo(&free, &total), "querying the memory of the device");
  if (free < std::size_t{3} << 30) GTEST_SKIP() << "3 GiB of device memory are not free";

  constexpr index_t length = 4096;
  constexpr index_t segments = (index_t{1} << 19) + 1;
  constexpr index_t n = length * segments;
  static_assert(n > index_t{1} << 31);
  gpu::executor const ex;
  auto const bytes = ex.allocate<std::uint8_t>(n);
  auto const sum = ex.allocate<std::uint64_t>(1);
  auto const sums = ex.allocate<int>(segments);
  auto const places = {index_t{0},       index_t{12345},         n / 2, (index_t{1} << 31) - 1,
                       index_t{1} << 31, (index_t{1} << 31) + 1, n - 1};

  for_each_index(ex, n, low_byte{bytes.data()});
  reduce(ex, bytes, sum);
  EXPECT_EQ(at_sync(ex, sum), static_cast<std::uint64_t>(sum_of_low_bytes(n)));
  segmented_reduce(ex, bytes, uniform(segments, length), sums);
  EXPECT_EQ(to_host(ex, sums), std::vector<int>(segments, sum_of_low_bytes(length)));
  inclusive_scan(ex, bytes, bytes);
  for (index_t const i : places) {
    EXPECT_EQ(at_sync(ex, bytes, i), sum_of_low_bytes(i + 1) % 256) << i;
  }
  for_each_index(ex, n, low_byte{bytes.data()});
  segmented_inclusive_scan(ex, bytes, uniform(segments, length), bytes);
  for (index_t const i : places) {
    EXPECT_EQ(at_sync(ex, bytes, i), sum_of_low_bytes(i % length + 1) % 256) << i;
  }
}

}  // namespace
}  // namespace ravel::cuda_test
