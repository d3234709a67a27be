#include <ravel/core/cpu/loops.hpp>

#include <ravel/core/cpu/compress.hpp>
#include <ravel/core/cpu/stream.hpp>
#include <ravel/core/derived_monoids.hpp>
#include <ravel/core/error.hpp>

#include "support/vector_widths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace ravel::cpu {
namespace {

using testing::in_each_width;

/// Numbers whose sums are rounded, and some that compare equal but differ in bits.
template <class T>
std::vector<T> numbers(index_t n) {
  std::vector<T> x(static_cast<std::size_t>(n));
  std::mt19937_64 bits(static_cast<std::uint64_t>(n));
  for (T& each : x) {
    if constexpr (std::integral<T>) {
      each = static_cast<T>(sizeof(T) < 4 ? bits() : bits() % 100'000);  // keeps sums within int
    } else {
      auto const k = static_cast<int>(bits() % 64);
      each = static_cast<T>(static_cast<double>(bits() % 2'000'003) - 1e6) /
             static_cast<T>(1 << k % 30);
      if (k == 0) each = T(0);
      if (k == 1) each = -T(0);
    }
  }
  return x;
}

template <class T>
bool same_bits(std::vector<T> const& x, std::vector<T> const& y) {
  return std::ranges::equal(std::as_bytes(std::span(x)), std::as_bytes(std::span(y)));
}

/// A tree over adjacent elements.
template <class M, class T>
T tree(M m, T const* x, index_t n) {
  return n == 1 ? *x : m(tree(m, x, n / 2), tree(m, x + n / 2, n / 2));
}

template <class M, class T>
T reduced(M m, std::vector<T> const& x, T carry) {
  index_t const n = std::ssize(x);
  index_t i = 0;
  for (index_t const group : {loops::group_width<T>, loops::small_group_width<T>}) {
    for (; i + group <= n; i += group) carry = m(carry, tree(m, x.data() + i, group));
  }
  for (; i < n; ++i) carry = m(carry, x[static_cast<std::size_t>(i)]);
  return carry;
}

/// Inclusive prefixes of `n` elements from `carry`, segmented where `heads` are set.
template <class M, class T>
std::vector<T> scanned_in_blocks(M m, std::vector<T> x, std::vector<bool> const& heads, T carry) {
  constexpr std::size_t width = loops::block_width<T>;
  std::size_t i = 0;
  for (; i + width <= x.size(); i += width) {
    std::vector<T> block(x.begin() + std::ptrdiff_t(i), x.begin() + std::ptrdiff_t(i + width));
    std::vector<bool> begun(heads.begin() + std::ptrdiff_t(i),
                            heads.begin() + std::ptrdiff_t(i + width));
    for (std::size_t by = 1; by < width; by *= 2) {
      auto const x_below = block;
      auto const begun_below = begun;
      for (std::size_t l = 0; l < width; ++l) {
        if (begun_below[l]) continue;
        if (l >= by) begun[l] = begun_below[l - by];
        block[l] = m(l >= by ? x_below[l - by] : m.identity(), x_below[l]);
      }
    }
    for (std::size_t l = 0; l < width; ++l) x[i + l] = begun[l] ? block[l] : m(carry, block[l]);
    bool const any = std::find(begun.begin(), begun.end(), true) != begun.end();
    carry = any ? x[i + width - 1] : m(carry, block[width - 1]);
  }
  for (; i < x.size(); ++i) x[i] = carry = heads[i] ? x[i] : m(carry, x[i]);
  return x;
}

index_t const sizes[] = {0, 1, 2, 7, 15, 16, 63, 64, 65, 200, 255, 256, 1000, 2048, 5003};

template <class M>
struct loops_of : ::testing::Test {};
#ifdef RAVEL_UNDER_ASAN  // without the archive each loop is compiled here, in a minute for all
using monoids = ::testing::Types<plus<float>, plus<std::uint16_t>, plus<long long>, maximum<double>,
                                 flipped<minimum<double>>, bit_xor<unsigned>>;
#else
using monoids =
    ::testing::Types<plus<float>, plus<double>, plus<signed char>, plus<std::uint16_t>, plus<int>,
                     plus<long long>, minimum<float>, maximum<double>, flipped<minimum<double>>,
                     flipped<plus<float>>, minimum<signed char>, maximum<unsigned long>,
                     bit_and<int>, bit_or<unsigned char>, bit_xor<std::int64_t>>;
#endif
TYPED_TEST_SUITE(loops_of, monoids);

TYPED_TEST(loops_of, reduce_in_the_same_order_in_each_width) {
  using T = carrier_t<TypeParam>;
  TypeParam const m{};
  for (index_t const n : sizes) {
    auto x = numbers<T>(n + 1);
    in_each_width([&] {
      T const all = loops::reduce<TypeParam>(x.data() + 1, n, T(3));
      T const expected = reduced(m, std::vector<T>(x.begin() + 1, x.end()), T(3));
      EXPECT_TRUE(same_bits<T>({all}, {expected})) << n << " elements";
    });
  }
}

TYPED_TEST(loops_of, scan_in_the_same_order_in_each_width) {
  using T = carrier_t<TypeParam>;
  TypeParam const m{};
  for (index_t const n : sizes) {
    auto const x = numbers<T>(n);
    std::vector<bool> const no_heads(x.size());
    auto const through = scanned_in_blocks(m, x, no_heads, T(3));
    auto before = through;
    before.insert(before.begin(), T(3));
    T const last = before.back();
    before.pop_back();
    in_each_width([&] {
      SCOPED_TRACE(n);
      std::vector<T> out(x.size());
      results to(out.data(), false);
      T const got = loops::scan<scanned::through, TypeParam>(x.data(), n, T(3), to);
      EXPECT_EQ(to.to, out.data() + n);
      EXPECT_TRUE(same_bits(out, through));
      EXPECT_TRUE(same_bits<T>({got}, {last}));
      to = results(out.data(), false);
      loops::scan<scanned::before, TypeParam>(x.data(), n, T(3), to);
      EXPECT_TRUE(same_bits(out, before));
    });
  }
}

TYPED_TEST(loops_of, make_totals_while_they_scan_as_reduce_does) {
  using T = carrier_t<TypeParam>;
  if constexpr (std::floating_point<T>) {
    constexpr index_t group = loops::group_width<T>;
    for (index_t const n : {index_t{0}, group, 5 * group}) {
      auto const x = numbers<T>(n);
      std::vector<T> const turned(x.rbegin(), x.rend());
      in_each_width([&] {
        SCOPED_TRACE(n);
        T const expected = loops::reduce<TypeParam>(x.data(), n, T(3));
        auto const expect_total = [&]<scanned What>() {
          std::vector<T> out(x.size()), alone(x.size());
          T all = T(3), back = T(3);
          results to(out.data(), false), without(alone.data(), false);
          loops::scan<What, TypeParam>(x.data(), n, T(7), to, {}, &all);
          EXPECT_TRUE(same_bits<T>({all}, {expected}));
          loops::scan<What, TypeParam>(x.data(), n, T(7), without);
          EXPECT_TRUE(same_bits(out, alone));
          results backward_out(out.data() + n, false, direction::backward);
          loops::scan<What, TypeParam, direction::backward>(turned.data() + n, n, T(7),
                                                            backward_out, {}, &back);
          EXPECT_TRUE(same_bits<T>({back}, {expected}));
        };
        expect_total.template operator()<scanned::through>();
        expect_total.template operator()<scanned::before>();
      });
    }
  }
}

TYPED_TEST(loops_of, scan_backward_what_is_reversed_to_the_same_bits) {
  using T = carrier_t<TypeParam>;
  for (index_t const n : sizes) {
    auto const x = numbers<T>(n);
    std::vector<T> const turned(x.rbegin(), x.rend());
    in_each_width([&] {
      SCOPED_TRACE(n);
      auto const expect_same = [&]<scanned What>() {
        std::vector<T> expected(x.size()), out(x.size());
        results forward(expected.data(), false);
        results back(out.data() + n, false, direction::backward);
        T const last = loops::scan<What, TypeParam>(turned.data(), n, T(3), forward);
        T const got =
            loops::scan<What, TypeParam, direction::backward>(x.data() + n, n, T(3), back);
        std::ranges::reverse(expected);
        EXPECT_EQ(back.to, out.data());
        EXPECT_TRUE(same_bits(out, expected));
        EXPECT_TRUE(same_bits<T>({got}, {last}));
      };
      expect_same.template operator()<scanned::through>();
      expect_same.template operator()<scanned::before>();
    });
  }
}

TYPED_TEST(loops_of, scan_segments_in_the_same_order_in_each_width) {
  if constexpr (loops::known_of_segments<TypeParam>) {
    using T = carrier_t<TypeParam>;
    TypeParam const m{};
    for (unsigned const one_in : {1u, 3u, 40u, 1000u}) {
      for (index_t const n : sizes) {
        auto const x = numbers<T>(n);
        std::mt19937 bits(one_in);
        std::vector<bool> heads(x.size());
        std::vector<std::uint64_t> words(x.size() / 64 + 1);
        for (std::size_t i = 0; i < x.size(); ++i) {
          heads[i] = bits() % one_in == 0;
          words[i / 64] |= std::uint64_t{heads[i]} << i % 64;
        }
        auto const expected = scanned_in_blocks(m, x, heads, T(3));
        in_each_width([&] {
          SCOPED_TRACE(::testing::Message() << n << " elements, a head for each " << one_in);
          std::vector<T> out(x.size());
          results to(out.data(), false);
          loops::scan_segments<TypeParam>(x.data(), words.data(), n, T(3), to);
          EXPECT_TRUE(same_bits(out, expected));
        });
      }
    }
  }
}

/// Inclusive prefixes of every `stride`-th number, from `carried`, in blocks that are scanned
/// separately first.
template <class M, class T>
std::vector<T> scanned_with_stride(M m, std::vector<T> x, std::size_t stride,
                                   std::vector<T> const& carried) {
  constexpr std::size_t width = loops::block_width<T>;
  std::vector<T> all = carried;  // followed by the prefixes
  std::size_t i = 0;
  for (; i + width <= x.size(); i += width) {
    std::vector<T> block(x.begin() + std::ptrdiff_t(i), x.begin() + std::ptrdiff_t(i + width));
    for (std::size_t by = stride; by < width; by *= 2) {
      auto const below = block;
      for (std::size_t l = 0; l < width; ++l) {
        block[l] = m(l >= by ? below[l - by] : m.identity(), below[l]);
      }
    }
    for (std::size_t l = 0; l < width; ++l) all.push_back(m(all[i + l % stride], block[l]));
  }
  for (; i < x.size(); ++i) all.push_back(m(all[i], x[i]));
  return all;
}

TYPED_TEST(loops_of, scan_every_few_numbers_and_in_rounds_in_the_same_order_in_each_width) {
  if constexpr (loops::known_of_strides<TypeParam>) {
    using T = carrier_t<TypeParam>;
    TypeParam const m{};
    auto const expect = [&](index_t n, int stride, int rounds) {
      auto const x = numbers<T>(n);
      std::vector<T> carried(static_cast<std::size_t>(stride * rounds));
      for (std::size_t k = 0; k < carried.size(); ++k) carried[k] = static_cast<T>(k + 3);
      auto const of_stride = static_cast<std::size_t>(stride);
      std::vector<T> all, through = x, left;
      for (int q = 0; q < rounds; ++q) {
        auto const begin = carried.begin() + q * stride;
        all = scanned_with_stride(m, through, of_stride, std::vector<T>(begin, begin + stride));
        through.assign(all.begin() + stride, all.end());
        left.insert(left.end(), all.end() - stride, all.end());
      }
      std::vector<T> const before(all.begin(), all.end() - stride);
      in_each_width([&] {
        SCOPED_TRACE(::testing::Message()
                     << n << " elements, stride " << stride << ", " << rounds << " rounds");
        for (bool const exclusive : {false, true}) {
          auto ahead = carried;
          std::vector<T> out(x.size());
          results to(out.data(), false);
          if (exclusive) {
            loops::scan_strided<scanned::before, TypeParam>(x.data(), n, stride, rounds,
                                                            ahead.data(), to);
          } else {
            loops::scan_strided<scanned::through, TypeParam>(x.data(), n, stride, rounds,
                                                             ahead.data(), to);
          }
          EXPECT_EQ(to.to, out.data() + n);
          EXPECT_TRUE(same_bits(out, exclusive ? before : through));
          EXPECT_TRUE(same_bits(ahead, left));
        }
        auto ahead = carried;
        results none(nullptr, false);
        loops::scan_strided<scanned::through, TypeParam>(x.data(), n, stride, rounds, ahead.data(),
                                                         none);
        EXPECT_TRUE(same_bits(ahead, left)) << "nothing is left in memory";
      });
    };
    for (index_t const n : {0, 1, 7, 16, 65, 200, 1003}) {
      for (int stride = 2; stride <= 8; ++stride) expect(n, stride, 1);
      for (int rounds = 2; rounds <= 8; ++rounds) expect(n, 1, rounds);
    }
  }
}

/// Two calls of a scan to each offset within two cache lines, streaming and not, must leave the
/// same bytes, inside and outside of the output.
template <class M, direction Towards>
void expect_that_scans_stream() {
  using T = carrier_t<M>;
  constexpr bool back = Towards == direction::backward;
  constexpr index_t width = loops::block_width<T>;
  alignas(64) T there[20 * width + 70], expected[20 * width + 70];
  for (index_t const n : {index_t{0}, width, 2 * width, 9 * width, 9 * width + 1}) {
    auto const x = numbers<T>(2 * n);
    T const* const first = back ? x.data() + 2 * n : x.data();
    for (index_t skip = 0; skip < 70; ++skip) {
      in_each_width([&] {
        SCOPED_TRACE(::testing::Message() << n << " elements, " << skip << " past a cache line");
        std::fill(there, std::end(there), T(1));
        std::fill(expected, std::end(expected), T(1));
        index_t const begin = back ? skip + 2 * n : skip;
        results to(there + begin, true, Towards), stored(expected + begin, false, Towards);
        for (results* const out : {&to, &stored}) {
          T const carry = loops::scan<scanned::through, M, Towards>(first, n, T(3), *out);
          loops::scan<scanned::through, M, Towards>(back ? first - n : first + n, n, carry, *out);
          out->finish();
        }
        stream_fence();
        ASSERT_TRUE(std::ranges::equal(std::as_bytes(std::span(there)),
                                       std::as_bytes(std::span(expected))));
      });
    }
  }
}
TYPED_TEST(loops_of, stream_to_any_place_and_nothing_around_it) {
  expect_that_scans_stream<TypeParam, direction::forward>();
}
TYPED_TEST(loops_of, stream_backward_to_any_place_and_nothing_around_it) {
  expect_that_scans_stream<TypeParam, direction::backward>();
}

TYPED_TEST(loops_of, compress_what_is_kept) {
  using T = carrier_t<TypeParam>;
  for (index_t const n : sizes) {
    auto const x = numbers<T>(n);
    std::mt19937_64 bits(1);
    std::vector<std::uint64_t> keep(x.size() / 64 + 1);
    for (auto& word : keep) word = bits() & bits();
    keep.front() |= keep.front() == 0;
    std::vector<T> expected;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (keep[i / 64] >> i % 64 & 1) expected.push_back(x[i]);
    }
    in_each_width([&] {
      std::vector<T> out(x.size() + compress_slack);
      index_t const count = compress(x.data(), n, keep.data(), out.data());
      ASSERT_EQ(count, std::ssize(expected));
      out.resize(expected.size());
      EXPECT_TRUE(same_bits(out, expected));
    });
  }
}

TEST(loops, let_a_nan_win_wherever_it_is) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  for (index_t place = 0; place < 300; ++place) {
    std::vector<float> x(300, 1.0f);
    x[static_cast<std::size_t>(place)] = nan;
    in_each_width([&] {
      EXPECT_NE(loops::reduce<minimum<float>>(x.data(), 300, 1.0f),
                loops::reduce<maximum<float>>(x.data(), 300, 1.0f));  // a NaN is unequal to itself
    });
  }
}

#ifdef RAVEL_CHOOSES_VECTORS

TEST(loops, refuse_a_width_that_the_processor_has_not) {
  if (loops::vectors_of_processor() == vector_width::of_64_bytes) GTEST_SKIP() << "it has all";
  EXPECT_THROW(loops::use_vectors(vector_width::of_64_bytes), contract_error);
}

TEST(loops, use_the_greatest_width_by_default) {
  if (std::getenv("RAVEL_VECTORS")) GTEST_SKIP() << "RAVEL_VECTORS is set";
  EXPECT_EQ(loops::vectors_in_use(), loops::vectors_of_processor());
}

#endif

template <class T>
void expect_sums_of_segments() {
  std::vector<index_t> begins{3};
  for (index_t s = 0; s < 200; ++s) begins.push_back(begins.back() + (s * s + s / 3) % 90);
  auto const in = numbers<T>(begins.back());  // masked loads read nothing after the last
  for (T const carry : {T(0), -T(0), T(0.1)}) {
    std::vector<T> expected;
    for (std::size_t s = 0; s + 1 < begins.size(); ++s) {
      std::vector<T> const x(in.begin() + begins[s], in.begin() + begins[s + 1]);
      index_t const n = std::ssize(x);
      T sum = carry;
      index_t i = 0;
      if (n >= 2 * loops::small_group_width<T>) {
        sum = reduced(plus<T>{}, x, carry);
        i = n;
      }
      for (; i + 8 <= n; i += 8) sum += tree(plus<T>{}, x.data() + i, 8);
      for (; i < n; ++i) sum += x[static_cast<std::size_t>(i)];
      expected.push_back(sum);
    }
    in_each_width([&] {
      std::vector<T> sums(expected.size());
      loops::add_up_segments(begins.data(), std::ssize(sums), in.data(), carry, sums.data());
      EXPECT_TRUE(same_bits(sums, expected));
    });
  }
}
TEST(loops_over_segments, add_up_in_the_same_order_in_each_width) {
  expect_sums_of_segments<float>();
  expect_sums_of_segments<double>();
}

/// Whole numbers, whose sums are exact in any order.
template <class T>
void expect_sums_of_rows() {
  if constexpr (loops::known_of_rows<T>) {
    if (!loops::adds_up_rows()) GTEST_SKIP() << "no vectors of 64 bytes are in use";
    constexpr index_t rows = 200, wide = 1000;
    std::vector<index_t> begins{5};
    for (index_t r = 0; r < rows; ++r) begins.push_back(begins.back() + r * 11 % 50);
    index_t const entries = begins.back() + 3;
    std::vector<std::int32_t> columns;
    std::vector<T> values, x, sums(rows, T(-1)), expected;
    for (index_t k = 0; k < entries; ++k) {
      columns.push_back(static_cast<std::int32_t>(k * 7919 % wide));
      values.push_back(static_cast<T>(k % 17 - 8));
    }
    for (index_t j = 0; j < wide; ++j) x.push_back(static_cast<T>(j % 23 - 11));
    for (std::size_t r = 0; r < rows; ++r) {
      T sum = 0;
      for (auto k = static_cast<std::size_t>(begins[r]); k < std::size_t(begins[r + 1]); ++k) {
        sum += values[k] * x[static_cast<std::size_t>(columns[k])];
      }
      expected.push_back(sum);
    }
    loops::add_up_rows(begins.data(), rows, columns.data(), values.data(), x.data(), entries,
                       sums.data());
    EXPECT_EQ(sums, expected);
  }
}
TEST(loops_over_rows, add_up_rows_of_any_length) {
  expect_sums_of_rows<float>();
  expect_sums_of_rows<double>();
}

}  // namespace
}  // namespace ravel::cpu
