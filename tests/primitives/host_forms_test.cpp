#include <ravel/core/cpu/executor.hpp>
#include <ravel/core/cpu/loops.hpp>
#include <ravel/core/monoid.hpp>
#include <ravel/primitives/pack.hpp>
#include <ravel/primitives/reduce.hpp>
#include <ravel/primitives/reduce_by_key.hpp>
#include <ravel/primitives/scan.hpp>
#include <ravel/primitives/scan_then_pack.hpp>
#include <ravel/primitives/segmented_reduce.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include "support/briefly.hpp"
#include "support/monoids.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

namespace ravel::host_forms_test {
namespace {

using testing::affine;
using testing::then;

constexpr index_t many = 530'007;  // tiles for every thread, and an incomplete one
/// The same for numbers that are scanned in registers.
template <class T>
constexpr index_t many_of = 9'000'000 / index_t{sizeof(T)} + 7;

template <class T>
std::vector<T> numbers(index_t n) {
  std::vector<T> x(static_cast<std::size_t>(n));
  std::uint64_t bits = 1;
  for (T& each : x) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    auto const number = static_cast<double>(bits >> 40) / 977;
    if constexpr (std::is_integral_v<T>) {
      each = static_cast<T>(static_cast<std::uint64_t>(number));
    } else {
      each = static_cast<T>(number);
    }
  }
  return x;
}

template <class T>
struct scan_of_numbers : ::testing::Test {};
using all_numbers = ::testing::Types<signed char, unsigned short, int, unsigned long long, float,
                                     double>;  // of each width
TYPED_TEST_SUITE(scan_of_numbers, all_numbers);

/// Sums of few distinct numbers are exact in every type.
template <class T, class M>
void expect_scans(M m) {
  cpu::threads const ex(3);
  constexpr index_t most = many_of<T>;
  auto in = numbers<unsigned char>(most);
  std::vector<T> x(in.begin(), in.end());
  if constexpr (std::floating_point<T>) {
    for (T& each : x) each = static_cast<T>(static_cast<int>(each) % 8);
  }
  for (index_t const n : {index_t{1}, index_t{63}, index_t{1000}, most}) {
    for (index_t const skip : {0, 1}) {  // the misalignment
      std::span const from(x.data() + skip, static_cast<std::size_t>(n - skip));
      std::vector<T> out(from.size() + 1), expected(from.size() + 1, m.identity());
      for (std::size_t i = 0; i < from.size(); ++i) expected[i + 1] = m(expected[i], from[i]);
      exclusive_scan(ex, from, out, m);
      ASSERT_EQ(out, expected);
      inclusive_scan(ex, from, std::span(out).first(from.size()), m);
      out.pop_back();
      expected.erase(expected.begin());
      ASSERT_EQ(out, expected);
      for (std::size_t i = from.size(); i-- > 0;) {
        expected[i] = i + 1 < from.size() ? m(from[i], expected[i + 1]) : from[i];
      }
      std::copy(from.begin(), from.end(), out.begin());
      inclusive_scan(ex, out, out, m, backward);
      ASSERT_EQ(out, expected);
    }
  }
}

TYPED_TEST(scan_of_numbers, agrees_with_the_loop_for_each_monoid_of_vectors) {
  using T = TypeParam;
  expect_scans<T>(plus<T>{});
  if constexpr (sizeof(T) == 4) expect_scans<T>(minimum<T>{});
  if constexpr (sizeof(T) == 8) expect_scans<T>(maximum<T>{});
#ifndef RAVEL_TEST_BRIEFLY
  if constexpr (std::same_as<T, int>) {
    expect_scans<T>(bit_and<T>{});
    expect_scans<T>(bit_or<T>{});
    expect_scans<T>(bit_xor<T>{});
  }
#endif
}

/// Integers, with so many threads that tiles are reduced before they are scanned, and floats, whose
/// sums of few distinct numbers are exact.
template <class T>
struct tuples_and_orders : ::testing::Test {};
using numbers_of_words = ::testing::Types<int, unsigned long long, float, double>;
TYPED_TEST_SUITE(tuples_and_orders, numbers_of_words);

TYPED_TEST(tuples_and_orders, agree_with_the_loop) {
  using T = TypeParam;
  constexpr index_t most = many_of<T>;
  std::vector<T> x(static_cast<std::size_t>(most));
  auto const random = numbers<unsigned char>(most);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(random[i] % 2);
  using exact = std::conditional_t<std::integral<T>, std::make_unsigned<T>, std::type_identity<T>>;
  auto const sum = [](T a, T b) {
    using U = typename exact::type;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  };
  auto const expect = [&](index_t n, int threads, auto tuple) {
    constexpr int s = decltype(tuple)::value;
    SCOPED_TRACE(::testing::Message() << n << " elements in tuples of " << s);
    cpu::threads const ex(threads);
    std::span const in(x.data() + 1, static_cast<std::size_t>(n - 1));
    std::vector<T> out(in.size()), expected(in.begin(), in.end());
    for (std::size_t i = s; i < in.size(); ++i) expected[i] = sum(expected[i - s], in[i]);
    inclusive_scan(ex, in, out, plus<T>{}, of_tuples<s>);
    ASSERT_EQ(out, expected);
    exclusive_scan(ex, in, out, plus<T>{}, of_tuples<s>, from(T(5)));
    for (std::size_t i = 0; i < in.size(); ++i) {
      ASSERT_EQ(out[i], i < s ? T(5) : sum(expected[i - s], T(5))) << i;
    }
  };
  for (index_t const n : {index_t{2}, index_t{100}, index_t{1002}, most}) {
    expect(n, 3, std::integral_constant<int, 2>());
    expect(n, 2, std::integral_constant<int, 3>());
    expect(n, 4, std::integral_constant<int, 7>());
  }
  if constexpr (std::integral<T>) {
    for (int const threads : {1, 3}) {
      cpu::threads const ex(threads);
      std::vector<T> out(x.size()), expected(x.size());
      T first = 0, second = 5, third = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        expected[i] = second;
        first = sum(first, x[i]);
        second = sum(second, first);
      }
      exclusive_scan(ex, x, out, plus<T>{}, of_order<2>, from(T(5)));
      ASSERT_EQ(out, expected);
      first = second = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        first = sum(first, x[i]);
        second = sum(second, first);
        third = sum(third, second);
        expected[i] = third;
      }
      std::copy(x.begin(), x.end(), out.begin());
      inclusive_scan(ex, out, out, plus<T>{}, of_order<3>);
      ASSERT_EQ(out, expected);
    }
  }
}

/// The total of a scan's values, which has several numbers, by the table and by steps.
template <class Call>
void expect_total_as_by_steps(Call const& c) {
  using T = typename Call::value_type;
  T by_table, by_steps;
  auto const total_to = [&](T& x) {
    return describe_reduce_on(c.n, c.load, c.m, c.seed, detail::store_total<T>{&x});
  };
  cpu::threads const ex(2);
  run_call(ex, total_to(by_table));
  reduce_by_steps::run(ex, total_to(by_steps));
  EXPECT_EQ(std::memcmp(&by_table, &by_steps, sizeof(T)), 0) << c.n << " elements";
}

TYPED_TEST(tuples_and_orders, have_the_totals_of_steps) {
  using T = TypeParam;
  if constexpr (std::integral<T>) {
    for (index_t const n : {0, 1, 7, 64, 65, 1000, 4096, 4097, 50'000}) {
      auto const x = numbers<T>(n);
      std::vector<T> y(x.size());
      auto const expect = [&](auto m, auto... options) {
        expect_total_as_by_steps(describe_inclusive_scan(x, y, m, options...));
        expect_total_as_by_steps(
            describe_inclusive_scan(x, y, m, backward, from(T(5)), options...));
      };
      expect(plus<T>{}, of_order<2>);
      expect(plus<T>{}, of_order<3>);
      expect(plus<T>{}, of_order<8>);
      expect(plus<T>{}, of_tuples<2>);
      expect(plus<T>{}, of_tuples<7>);
      expect(maximum<T>{}, of_tuples<3>);
      if (n % 2 == 0) expect(plus<T>{}, of_order<2>, of_tuples<2>);
    }
  }
}

TEST(host_forms, let_a_nan_win) {
  cpu::threads const ex(2);
  double const nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> in(many_of<double>, 1.0), out(in.size());
  in[200'001] = nan;
  for (auto const scan : {0, 1}) {
    if (scan == 0) {
      inclusive_scan(ex, in, out, minimum{});
    } else {
      inclusive_scan(ex, in, out, maximum{});
    }
    EXPECT_EQ(out[200'000], 1.0);
    EXPECT_TRUE(std::isnan(out[200'001]));
    EXPECT_TRUE(std::isnan(out.back()));
  }
}

/// A sum that the library does not know.
struct add_floats {
  static float identity() { return 0; }
  float operator()(float x, float y) const { return x + y; }
};
struct keep_through {
  maybe<float> operator()(index_t, float, float through) const { return through; }
};

/// The results of all calls that sum floating-point numbers, in one vector.
std::vector<float> sums_with(cpu::threads const& ex) {
  constexpr index_t n = many_of<float>;
  auto const in = numbers<float>(n);
  std::vector<std::uint8_t> heads(n);
  for (std::size_t i = 0; i < heads.size(); i += 70'001) heads[i] = 1;
  std::vector<index_t> const offsets{0, 5, 5, 200'000, n};
  std::vector<float> all, out(n), few(4);
  auto const keep = [&](auto const& x) { all.insert(all.end(), x.begin(), x.end()); };
  inclusive_scan(ex, in, out);
  keep(out);
  exclusive_scan(ex, in, out, plus{}, backward, from(0.5f));
  keep(out);
  segmented_inclusive_scan(ex, in, by_heads(heads), out);
  keep(out);
  segmented_exclusive_scan(ex, in, by_offsets(offsets), out);
  keep(out);
  segmented_reduce(ex, in, by_offsets(offsets), few);
  keep(few);
  segmented_reduce(ex, in, by_heads(heads), few);
  keep(few);
  reduce(ex, in, std::span(few).first(1));
  keep(few);
  inclusive_scan(ex, in, out, plus{}, of_tuples<3>);
  keep(out);
  exclusive_scan(ex, in, out, plus{}, of_tuples<8>, backward, from(0.5f));
  keep(out);
  inclusive_scan(ex, in, out, plus{}, of_order<2>);
  keep(out);
  inclusive_scan(ex, in, out, add_floats{});
  keep(out);
  exclusive_scan(ex, in, out, add_floats{}, backward, from(0.5f));
  keep(out);
  segmented_inclusive_scan(ex, in, by_heads(heads), out, add_floats{});
  keep(out);
  segmented_exclusive_scan(ex, in, by_offsets(offsets), out, add_floats{}, backward);
  keep(out);
  scan_then_pack_on(ex, n, contiguous<float>{in.data()}, add_floats{},
                    detail::seed_value<float>{0.5f}, keep_through{},
                    write_kept<float>{out.data(), n}, detail::no_total{});
  keep(out);
  return all;
}

/// Large enough that results are streamed, to any alignment.
TEST(host_forms, scan_backward_what_is_reversed_to_the_same_bits) {
  std::size_t const n = 9'000'037;
  std::vector<float> in(n), out(n + 1), expected(n);
  for (std::size_t i = 0; i < n; ++i) in[i] = 1.0f / static_cast<float>(i % 1000 + 1);
  std::vector<float> const turned(in.rbegin(), in.rend());
  for (int const count : {1, 3}) {
    cpu::threads const ex(count);
    auto const to = std::span(out).subspan(1);
    inclusive_scan(ex, turned, expected, plus{}, from(0.5f));
    inclusive_scan(ex, in, to, plus{}, from(0.5f), backward);
    EXPECT_TRUE(std::equal(to.begin(), to.end(), expected.rbegin())) << count;
    exclusive_scan(ex, turned, expected, minimum{}, from(0.5f));
    exclusive_scan(ex, in, to, minimum{}, from(0.5f), backward);
    EXPECT_TRUE(std::equal(to.begin(), to.end(), expected.rbegin())) << count;
  }
}

/// Large enough that results are streamed, for segments in each form.
TEST(host_forms, scan_segments_of_numbers_backward_and_exclusively) {
  index_t const n = 9'000'037;
  std::vector<int> in(n), out(n), expected(n), keys(n);
  std::vector<std::uint8_t> heads(n);
  std::vector<index_t> offsets;
  for (index_t i = 0, s = 0; i < n; ++i) {
    auto const k = static_cast<std::size_t>(i);
    in[k] = static_cast<int>(i % 1009);
    heads[k] = i == 0 || i % 8192 == 2048 || i % 37 == i / 5000 % 37;
    if (heads[k]) {
      offsets.insert(offsets.end(), i % 3 == 0 ? 2 : 1, i);  // some segments are empty
      ++s;
    }
    keys[k] = static_cast<int>(s);
  }
  offsets.push_back(n);
  auto const scans_as_the_loop = [&](auto const& segments, auto const& is_last) {
    int const init = 1000;
    for (index_t i = n, sum = init; i-- > 0;) {
      auto const k = static_cast<std::size_t>(i);
      sum = (is_last(i) ? init : sum) + in[k];
      expected[k] = static_cast<int>(sum);
    }
    segmented_inclusive_scan(cpu::threads(3), in, segments, out, plus{}, from(init), backward);
    EXPECT_EQ(out, expected);
    segmented_inclusive_scan(cpu::sequential{}, in, segments, out, plus{}, from(init), backward);
    EXPECT_EQ(out, expected);
    out = in;
    segmented_inclusive_scan(cpu::threads(3), out, segments, out, plus{}, from(init), backward);
    EXPECT_EQ(out, expected);
    for (std::size_t k = 0; k < expected.size(); ++k) expected[k] -= in[k];
    segmented_exclusive_scan(cpu::threads(3), in, segments, out, plus{}, from(init), backward);
    EXPECT_EQ(out, expected);
    out = in;
    segmented_exclusive_scan(cpu::threads(3), out, segments, out, plus{}, from(init), backward);
    EXPECT_EQ(out, expected);
    auto const begins = [&](index_t i) { return i == 0 || is_last(i - 1); };
    for (index_t i = 0, sum = init; i < n; ++i) {
      auto const k = static_cast<std::size_t>(i);
      if (begins(i)) sum = init;
      expected[k] = static_cast<int>(sum);
      sum += in[k];
    }
    segmented_exclusive_scan(cpu::threads(3), in, segments, out, plus{}, from(init));
    EXPECT_EQ(out, expected);
    segmented_exclusive_scan(cpu::sequential{}, in, segments, out, plus{}, from(init));
    EXPECT_EQ(out, expected);
  };
  auto const by_flag = [&](index_t i) {
    return i + 1 == n || heads[static_cast<std::size_t>(i + 1)] != 0;
  };
  scans_as_the_loop(by_heads(heads), by_flag);
  scans_as_the_loop(by_offsets(offsets), by_flag);
  scans_as_the_loop(by_keys(keys), by_flag);
  scans_as_the_loop(chunks(n, 1000), [=](index_t i) { return i + 1 == n || i % 1000 == 999; });
}

/// Several tiles of values that are scanned one by one, where the order of operands matters.
TEST(host_forms, scan_segments_of_any_values) {
  index_t const n = 200'003;
  std::vector<affine> in(n), out(n), inclusive(n), exclusive(n);
  for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = testing::nth_affine(i);
  affine const init{3, 5};
  auto const scans_as_the_loop = [&](auto const& segments, auto const& begins) {
    auto const expect = [&](auto... way) {
      for (int const count : {1, 3}) {
        cpu::threads const ex(count);
        segmented_inclusive_scan(ex, in, segments, out, then{}, from(init), way...);
        EXPECT_EQ(out, inclusive) << count;
        out = in;
        segmented_exclusive_scan(ex, out, segments, out, then{}, from(init), way...);
        EXPECT_EQ(out, exclusive) << count;
      }
    };
    affine sum{};
    for (index_t i = 0; i < n; ++i) {
      auto const k = static_cast<std::size_t>(i);
      exclusive[k] = begins(i) ? init : sum;
      inclusive[k] = sum = then{}(exclusive[k], in[k]);
    }
    expect();
    for (index_t i = n; i-- > 0;) {
      auto const k = static_cast<std::size_t>(i);
      exclusive[k] = i + 1 == n || begins(i + 1) ? init : sum;
      inclusive[k] = sum = then{}(in[k], exclusive[k]);
    }
    expect(backward);
  };
  // segments of 1 to 5 elements, and of more than a tile; tiles begin at multiples of 2^14
  auto const begins = [](index_t i) { return i % 65'536 < 20'000 ? i % 5 < 2 : i % 16'384 == 1; };
  std::vector<std::uint8_t> heads(n);
  std::vector<index_t> offsets, sparse;
  for (index_t i = 0; i < n; ++i) {
    if (!begins(i)) continue;
    heads[static_cast<std::size_t>(i)] = 1;
    offsets.insert(offsets.end(), i % 3 == 0 ? 2 : 1, i);  // some segments are empty
    sparse.insert(sparse.end(), 40, i);                    // most are
  }
  offsets.push_back(n);
  sparse.push_back(n);
  ASSERT_GT(std::ssize(sparse), 4 * n);
  scans_as_the_loop(by_heads(heads), begins);
  scans_as_the_loop(by_offsets(offsets), begins);
  scans_as_the_loop(by_offsets(sparse), begins);
  scans_as_the_loop(chunks(n, 1000), [](index_t i) { return i % 1000 == 0; });
  scans_as_the_loop(uniform(1, n), [](index_t i) { return i == 0; });
}

TEST(host_forms, sum_to_the_same_bits_with_any_number_of_threads) {
  auto const expected = sums_with(cpu::threads(1));
  for (int const count : {2, 3, 8}) EXPECT_EQ(sums_with(cpu::threads(count)), expected) << count;
}

#ifdef RAVEL_CHOOSES_VECTORS

TEST(host_forms, sum_to_the_same_bits_in_vectors_of_any_width) {
  cpu::vector_width const before = cpu::loops::vectors_in_use();
  auto const expected = sums_with(cpu::threads(2));
  for (auto const width : {cpu::vector_width::of_16_bytes, cpu::vector_width::of_32_bytes}) {
    if (width > cpu::loops::vectors_of_processor()) continue;
    cpu::loops::use_vectors(width);
    EXPECT_EQ(sums_with(cpu::threads(2)), expected) << static_cast<int>(width) << " bytes";
  }
  cpu::loops::use_vectors(before);
}

#endif

/// The first and the last letter of a concatenation: an operator that distinguishes left from
/// right.
struct ends {
  int first, last;
  friend bool operator==(ends const&, ends const&) = default;
};
struct join_ends {
  static ends identity() { return {-1, -1}; }
  ends operator()(ends const& x, ends const& y) const {
    return {x.first < 0 ? y.first : x.first, y.last < 0 ? x.last : y.last};
  }
};

/// Sums of adjacent elements are integers that float represents; other sums may not be.
TEST(host_forms, sum_neighbours_alone_so_that_differences_add_up_exactly) {
  for (index_t const n : {index_t{33}, index_t{64}, index_t{1000}, index_t{5000}, many_of<float>}) {
    SCOPED_TRACE(n);
    std::vector<float> place(static_cast<std::size_t>(n)), step(place.size()), out(place.size());
    std::uint64_t bits = 1;
    for (float& each : place) {
      bits = bits * 6364136223846793005u + 1442695040888963407u;
      each = static_cast<float>(bits >> 41);  // below 2^23
    }
    std::adjacent_difference(place.begin(), place.end(), step.begin());
    std::vector<float> left(place.size());  // from each step on
    for (std::size_t i = 0; i < place.size(); ++i) left[i] = place.back() - place[i] + step[i];
    auto const expect_exact = [&](auto const& ex) {
      inclusive_scan(ex, step, out);
      EXPECT_TRUE(out == place);
      inclusive_scan(ex, step, out, plus{}, backward);
      EXPECT_TRUE(out == left);
      EXPECT_EQ(reduce_sync(ex, step), place.back());
    };
    expect_exact(cpu::sequential{});
    expect_exact(cpu::threads(3));
  }
}

TEST(host_forms, reduce_runs_that_begin_and_end_in_any_tile) {
  cpu::threads const ex(4);
  for (int const length : {1, 3, 1000, 16'384, 40'000, 600'000}) {
    std::vector<int> keys(many);
    std::vector<ends> in(many), expected;
    for (int i = 0; i < many; ++i) {
      auto const place = static_cast<std::size_t>(i);
      keys[place] = i / length;
      in[place] = {i, i};
      if (i % length == 0) {
        expected.push_back({i, i});
      } else {
        expected.back().last = i;
      }
    }
    std::vector<int> out_keys(expected.size());
    std::vector<ends> out(expected.size());
    EXPECT_EQ(reduce_by_key_sync(ex, keys, in, out_keys, out, join_ends{}), std::ssize(expected));
    EXPECT_EQ(out, expected) << length;
    EXPECT_EQ(out_keys.back(), keys.back());
    out.assign(out.size(), {});
    segmented_reduce(ex, in, by_keys(keys), out, join_ends{});
    EXPECT_EQ(out, expected) << length;
  }
}

/// Segments may end at the end of a tile of any size.
TEST(host_forms, reduce_and_scan_segments_that_end_with_a_tile) {
  cpu::threads const ex(4);
  auto const in = numbers<std::int64_t>(many);
  constexpr index_t tile = 1 << 14;
  for (index_t const length : {tile / 4, tile / 2, tile - 1, tile, tile + 1, 2 * tile, 3 * tile}) {
    SCOPED_TRACE(length);
    std::vector<index_t> keys, offsets;
    std::vector<std::uint8_t> heads;
    std::vector<std::uint64_t> bits(static_cast<std::size_t>(many / 64 + 1));
    std::vector<std::int64_t> sums, through;
    for (index_t i = 0; i < many; ++i) {
      auto const x = in[static_cast<std::size_t>(i)];
      bool const head = i % length == 0;
      if (head) {
        offsets.push_back(i);
        bits[static_cast<std::size_t>(i / 64)] |= std::uint64_t{1} << (i % 64);
        sums.push_back(0);
      }
      keys.push_back(i / length);
      heads.push_back(head);
      sums.back() += x;
      through.push_back(sums.back());
    }
    offsets.push_back(many);
    auto const agrees = [&](auto const& segments) {
      std::vector<std::int64_t> out(sums.size()), all(in.size());
      segmented_reduce(ex, in, segments, out);
      EXPECT_EQ(out, sums);
      segmented_inclusive_scan(ex, in, segments, all);
      EXPECT_EQ(all, through);
    };
    agrees(by_keys(keys));
    agrees(by_heads(heads));
    agrees(by_head_bits(bits, many));
    agrees(by_offsets(offsets));
    std::vector<index_t> out_keys(sums.size());
    std::vector<std::int64_t> out(sums.size());
    EXPECT_EQ(reduce_by_key_sync(ex, keys, in, out_keys, out), std::ssize(sums));
    EXPECT_EQ(out, sums);
    EXPECT_EQ(out_keys.back(), keys.back());
  }
}

/// Flags that need no test.
struct every_third {
  bool operator()(index_t i) const { return i % 3 == 0; }
  bool unchecked(index_t i) const { return (*this)(i); }
  static bool all_inside(index_t, index_t) { return true; }
};

TEST(host_forms, count_flags_in_integers_that_wrap_around) {
  constexpr int least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();
  std::vector<index_t> const offsets{0, 1, 1, 10'000, 10'001};
  std::vector<int> out(4);
  segmented_reduce_on(cpu::sequential(), 10'001, every_third{}, by_offsets(offsets), plus<int>{},
                      detail::seed_value<int>{most}, detail::write_segment<int>{out.data(), 4});
  EXPECT_EQ(out, (std::vector{least, most, least + 3332, most}));
}

TEST(host_forms, write_past_the_caches_what_they_cannot_hold) {
  constexpr index_t n = cpu::beyond_caches / 4 + 12'345;
  cpu::threads const ex(2);
  std::vector<std::uint32_t> const ones(n, 1);
  std::vector<std::uint32_t> out(n + 1);
  std::span const odd(out.data() + 1, static_cast<std::size_t>(n));  // misaligned
  auto const is_iota = [&](std::uint32_t first) {
    for (std::size_t i = 0; i < odd.size(); ++i) {
      if (odd[i] != first + i) return false;
    }
    return true;
  };
  inclusive_scan(ex, ones, odd);
  EXPECT_TRUE(is_iota(1));
  exclusive_scan(ex, ones, odd);
  EXPECT_TRUE(is_iota(0));
  std::vector<std::uint64_t> const no_heads(n / 64 + 1);
  segmented_inclusive_scan(ex, ones, by_head_bits(no_heads, n), odd);
  EXPECT_TRUE(is_iota(1));
  std::vector<std::uint32_t> count(n);
  std::iota(count.begin(), count.end(), 0u);
  EXPECT_EQ(filter_sync(
                ex, count, [](std::uint32_t) { return true; }, odd),
            n);
  EXPECT_TRUE(is_iota(0));
  auto const next = [](std::uint32_t x) { return x + 1; };
  pack_on(
      ex, n, [](index_t) { return true; },
      write_made_of_kept<std::uint32_t, decltype(next), std::uint32_t>{count.data(), next,
                                                                       odd.data(), n});
  EXPECT_TRUE(is_iota(1));
}

/// A sum that throws on 13.
struct unlucky {
  static int identity() { return 0; }
  int operator()(int x, int y) const {
    if (y == 13) throw std::domain_error("13");
    return x + y;
  }
};

TEST(host_forms, let_out_what_an_operator_throws) {
  for (int const count : {1, 2, 4}) {
    cpu::threads const ex(count);
    for (std::size_t const where : {0, 100'000, 299'999}) {
      std::vector<int> in(many, 1), out(many);
      in[where] = 13;
      EXPECT_THROW(inclusive_scan(ex, in, out, unlucky{}), std::domain_error);
      EXPECT_THROW(segmented_reduce(ex, in, uniform(1, many), std::span(out).first(1), unlucky{}),
                   std::domain_error);
      std::vector<std::uint8_t> const no_heads(many);
      EXPECT_THROW(segmented_reduce(ex, in, by_heads(no_heads), out, unlucky{}), std::domain_error);
      auto const picky = [](int x) { return x == 13 ? throw std::domain_error("13") : x == 1; };
      EXPECT_THROW(filter(ex, in, picky, out), std::domain_error);
      in[where] = 1;
      inclusive_scan(ex, in, out, unlucky{});
      EXPECT_EQ(out.back(), many) << "and the executor goes on";
    }
  }
}

/// A sum that runs a loop of its own on the threads of the scan.
struct loops_within {
  cpu::threads const* ex;
  static int identity() { return 0; }
  int operator()(int x, int y) const {
    if (y == 2) {
      ex->for_each_tile(20 * cpu::tile_width, [](auto const&, tile) {});
      return x + 1;
    }
    return x + y;
  }
};

TEST(host_forms, may_be_given_operators_that_run_loops_themselves) {
  cpu::threads const ex(4);
  std::vector<int> in(many, 1), out(many);
  for (std::size_t i = 0; i < in.size(); i += 1000) in[i] = 2;
  for (int repeat = 0; repeat < 3; ++repeat) {
    inclusive_scan(ex, in, out, loops_within{&ex});
    EXPECT_EQ(out.back(), many);
  }
}

TEST(host_forms, may_be_called_by_several_threads_at_once) {
  cpu::threads const ex(3);
  std::vector<std::jthread> users;
  for (int user = 0; user < 4; ++user) {
    users.emplace_back([&ex, user] {
      constexpr index_t n = many_of<int>;
      std::vector<int> const in(n, user);
      std::vector<int> out(n);
      for (int repeat = 0; repeat < 3; ++repeat) {
        inclusive_scan(ex, in, out);
        EXPECT_EQ(out.back(), user * n);
        EXPECT_EQ(filter_sync(
                      ex, in, [](int x) { return x > 1; }, out),
                  user > 1 ? n : 0);
      }
    });
  }
}

}  // namespace
}  // namespace ravel::host_forms_test
