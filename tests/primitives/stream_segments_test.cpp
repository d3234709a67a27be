/// Streamed segmented scans and reductions: long contiguous sequences of numbers on a device.

#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include "support/streams.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace ravel::stream_segments_test {
namespace {

struct stream_segments : device_test {};

/// All descriptors, or one whose flags are stored per element and one that is searched.
enum class descriptors { all, two };
template <class T, descriptors By = descriptors::all, class M>
void expect_segmented_scans(gpu::executor const& ex, index_t n, unsigned mean, M m) {
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
  std::vector<T> through(size), before(size), through_backward(size), before_backward(size);
  T sum = init;
  for (std::size_t i = 0; i < size; ++i) {
    if (heads[i]) sum = init;
    before[i] = sum;
    through[i] = sum = m(sum, in[i]);
  }
  sum = init;
  for (std::size_t i = size; i-- > 0;) {
    before_backward[i] = sum;
    through_backward[i] = sum = m(in[i], sum);
    if (heads[i]) sum = init;
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
    segmented_inclusive_scan(ex, there, segments, out, m, from(init), backward);
    ASSERT_EQ(to_host(ex, out), through_backward)
        << form << " backward, n " << n << ", mean " << mean;
    segmented_exclusive_scan(ex, there, segments, out, m, from(init), backward);
    ASSERT_EQ(to_host(ex, out), before_backward)
        << form << " backward, n " << n << ", mean " << mean;
  };
  expect(by_head_bits(there_bits, n), "bits");
  if constexpr (By == descriptors::all) {
    expect(by_heads(there_heads), "byte flags");
    expect(by_heads(there_words), "word flags");
    expect(by_keys(there_keys), "keys");
  }

  // Some segments are empty, and many are in one place.
  std::vector<std::uint32_t> offsets{0};
  for (std::uint32_t i = 0; i < size; ++i) {
    if (heads[i]) offsets.insert(offsets.end(), i == size / 2 ? 1'000'000 : 1 + i % 7 / 5, i);
  }
  offsets.insert(offsets.end(), 3, static_cast<std::uint32_t>(size));
  auto const there_offsets = to(ex, offsets);
  auto const wide_offsets = to(ex, std::vector<std::int64_t>(offsets.begin(), offsets.end()));
  expect(by_offsets(there_offsets), "offsets");
  if constexpr (By == descriptors::all) expect(by_offsets(wide_offsets), "wide offsets");

  T whole = m.identity();
  for (std::size_t i = 0; i < size; ++i) {
    if (heads[i]) whole = m.identity();
    through[i] = whole = m(whole, in[i]);
  }
  segmented_inclusive_scan(ex, there, by_head_bits(there_bits, n), there, m);  // in place
  ASSERT_EQ(to_host(ex, there), through);
}

TEST_F(stream_segments, agrees_with_the_loop_by_every_descriptor) {
  gpu::executor const ex;
  for (unsigned const mean : {1u, 2u, 33u, 1000u, 300'000u, 1'000'000'000u}) {
    expect_segmented_scans<int>(ex, streamed / 4 + mean % 1000, mean, plus<int>{});
  }
#ifdef RAVEL_TEST_BRIEFLY
  constexpr auto some = descriptors::two;
#else
  constexpr auto some = descriptors::all;
#endif
  expect_segmented_scans<int, some>(ex, streamed / 4 + 4321, 50, last_nonzero<int>{});
  expect_segmented_scans<std::uint8_t, some>(ex, streamed + 77, 33, plus<std::uint8_t>{});
  expect_segmented_scans<std::int16_t, some>(ex, streamed / 2 + 4321, 9, maximum<std::int16_t>{});
#ifndef RAVEL_TEST_BRIEFLY
  expect_segmented_scans<double>(ex, streamed / 8 + 4321, 70, plus<double>{});
  expect_segmented_scans<float>(ex, streamed / 4 + 4321, 5000, plus<float>{});
  expect_segmented_scans<std::int64_t>(ex, streamed / 8 + 77, 20'000, minimum<std::int64_t>{});
#endif
}

TEST_F(stream_segments, agrees_with_the_loop_by_one_length) {
  gpu::executor const ex;
  for (index_t const length : {1, 2, 31, 1000, 100'000, 3'000'000}) {
    index_t const n = div_up(streamed / 4 + 4321, length) * length;
    auto const in = numbers<int>(n);
    auto const there = to(ex, in);
    auto const out = ex.allocate<int>(n);
    segmented_inclusive_scan(ex, there, uniform(n / length, length), out);
    auto const found = to_host(ex, out);
    int sum = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (static_cast<index_t>(i) % length == 0) sum = 0;
      ASSERT_EQ(found[i], sum += in[i]) << i << ", length " << length;
    }
  }
}

/// Segments of up to `longest` elements by offsets, some of which are empty, and many empty ones in
/// one place.
template <class T, class O, class M>
void expect_reductions(gpu::executor const& ex, unsigned longest, M m) {
  auto const in = numbers<T>(3 * streamed / static_cast<index_t>(sizeof(T)) + 4321);
  auto const size = std::ssize(in);
  std::minstd_rand random(longest);
  std::vector<O> offsets{0};
  while (static_cast<index_t>(offsets.back()) < size) {
    auto const length = static_cast<index_t>(random() / 8 % (longest + 1));
    auto const end = std::min(size, static_cast<index_t>(offsets.back()) + length);
    bool const is_half = end > size / 2 && static_cast<index_t>(offsets.back()) <= size / 2;
    offsets.insert(offsets.end(), is_half ? 3'000'000 : 1, static_cast<O>(end));
  }
  T const init = 2;
  std::vector<T> expected;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    T sum = init;
    for (O i = offsets[s]; i < offsets[s + 1]; ++i) sum = m(sum, in[static_cast<std::size_t>(i)]);
    expected.push_back(sum);
  }
  auto const there = to(ex, in);
  auto const at = to(ex, offsets);
  auto const out = ex.allocate<T>(std::ssize(expected));
  segmented_reduce(ex, there, by_offsets(at), out, m, from(init));
  ASSERT_EQ(to_host(ex, out), expected) << longest;
}

TEST_F(stream_segments, are_reduced_as_by_the_loop) {
  gpu::executor const ex;
  for (unsigned const longest : {1u, 2u, 70u, 2000u, 600'000u, 100'000'000u}) {
    expect_reductions<int, std::uint32_t>(ex, longest, plus<int>{});
  }
  expect_reductions<int, std::int64_t>(ex, 50, last_nonzero<int>{});
  expect_reductions<double, std::int32_t>(ex, 300, plus<double>{});
  expect_reductions<std::int64_t, std::int64_t>(ex, 3, minimum<std::int64_t>{});
}

TEST_F(stream_segments, of_one_length_are_reduced_as_by_the_loop) {
  gpu::executor const ex;
  for (index_t const length : {1, 3, 1000, 5'000'000}) {
    index_t const count = div_up(2 * streamed, length);
    auto const in = numbers<int>(count * length);
    auto const there = to(ex, in);
    auto const out = ex.allocate<int>(count);
    segmented_reduce(ex, there, uniform(count, length), out);
    auto const found = to_host(ex, out);
    for (index_t s = 0; s < count; ++s) {
      int sum = 0;
      for (index_t i = s * length; i < (s + 1) * length; ++i)
        sum += in[static_cast<std::size_t>(i)];
      ASSERT_EQ(found[static_cast<std::size_t>(s)], sum) << s << ", length " << length;
    }
  }
}

}  // namespace
}  // namespace ravel::stream_segments_test
