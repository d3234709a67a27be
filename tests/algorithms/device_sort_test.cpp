/// The sorts with device implementations.

#include <ravel/algorithms/radix_sort.hpp>
#include <ravel/core/plan.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/random_word.hpp"
#include "support/sorted_rows.hpp"

#include <ravel/algorithms/cuda/radix_sort.cuh>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>

namespace ravel::device_sort_test {
namespace {

using testing::random_word;

#ifdef __CUDACC__
constexpr index_t scale = 300;  // ratio of a real device's tiles to these
#else
constexpr index_t scale = 1;
#endif

template <class T, class Make>
std::vector<T> filled(index_t n, Make make) {
  std::vector<T> x(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(make(i));
  return x;
}

struct device_sort : testing::on_executor<gpu::executor> {
  /// Takes buckets for n keys of every size, and for those of 8 bytes also by a sample.
  void use_buckets(index_t n) {
    auto sizes = ex().tuned();
    sizes.bucketed = n / 8;
    made->tune(sizes);
  }
  /// Ascending and descending, out of place and in place.
  template <class T>
  void sorts(std::vector<T> const& host) {
    SCOPED_TRACE(::testing::Message() << host.size() << " keys of " << sizeof(T) << " bytes");
    auto expected = host;
    std::sort(expected.begin(), expected.end());
    auto const in = there(host);
    auto out = allocate<T>(std::ssize(host));
    ravel::radix_sort(ex(), in, out);
    EXPECT_EQ(here(out), expected);
    EXPECT_EQ(here(in), host) << "the input has changed";
    auto const other = there(host);
    auto const room = allocate<T>(std::ssize(host) + 1);
    plan const sort(ex(), "sort",
                    [&](auto const& ex) { ravel::radix_sort(ex, other, by_way_of(room)); });
    EXPECT_LT(sort.bytes(), std::ssize(host) / 4 + (5 << 18));
    ravel::radix_sort(ex(), other, by_way_of(room));
    EXPECT_EQ(here(other), expected);
    std::reverse(expected.begin(), expected.end());
    ravel::radix_sort(ex(), in, in, descending);
    EXPECT_EQ(here(in), expected);
  }

  /// Sorts keys with their places as values, with all combinations of columns in place.
  template <class T, class... Options>
  void sorts_pairs(std::vector<T> const& host, bit_range bits = {0, radix_width<T>}) {
    SCOPED_TRACE(::testing::Message() << host.size() << " keys of " << sizeof(T) << " bytes, bits "
                                      << bits.begin << " to " << bits.end);
    index_t const n = std::ssize(host);
    std::vector<std::uint32_t> rows(host.size());
    std::iota(rows.begin(), rows.end(), 0u);
    auto const from = there(host);
    auto const places = there(rows);
    auto const expect_sorted = [&](T const* keys, std::uint32_t const* values) {
      EXPECT_EQ(testing::some_row_out_of_place(ex(), from.data(), keys, values, {0, n}, bits), -1);
    };
    auto const copy = [&](auto const& x) {
      auto y = allocate<std::remove_cvref_t<decltype(*x.data())>>(n);
      ex().copy(x.data(), y.data(), n);
      return y;
    };
    auto const other_keys = allocate<T>(n);
    auto const other_values = allocate<std::uint32_t>(n);
    for (int in_place = 0; in_place < 4; ++in_place) {
      SCOPED_TRACE(in_place);
      auto const keys = copy(from);
      auto const values = copy(places);
      auto const& keys_out = in_place & 1 ? keys : other_keys;
      auto const& values_out = in_place & 2 ? values : other_values;
      radix_sort_pairs(ex(), keys, values, keys_out, values_out, bits);
      expect_sorted(keys_out.data(), values_out.data());
    }
    auto const keys = copy(from);
    auto const values = copy(places);
    radix_sort_pairs(ex(), keys, values, bits, by_way_of(other_keys, other_values));
    expect_sorted(keys.data(), values.data());
  }
};

/// The check of rows sees each way to be wrong.
TEST_F(device_sort, is_checked) {
  auto const from = there(std::vector{5, 3, 5, 1});
  auto const row = [&](std::vector<int> const& keys, std::vector<std::uint32_t> const& places,
                       std::vector<index_t> const& offsets) {
    return testing::some_row_out_of_place(ex(), from.data(), there(keys).data(),
                                          there(places).data(), offsets);
  };
  EXPECT_EQ(row({1, 3, 5, 5}, {3, 1, 0, 2}, {0, 4}), -1);
  EXPECT_EQ(row({3, 5, 1, 5}, {1, 0, 3, 2}, {0, 2, 4}), -1);
  EXPECT_EQ(row({1, 3, 5, 5}, {3, 1, 2, 0}, {0, 4}), 3);          // not stable
  EXPECT_EQ(row({1, 5, 3, 5}, {3, 0, 1, 2}, {0, 4}), 2);          // not sorted
  EXPECT_EQ(row({1, 3, 5, 6}, {3, 1, 0, 2}, {0, 4}), 3);          // another key
  EXPECT_EQ(row({1, 3, 5, 5}, {3, 1, 0, 0}, {0, 4}), 3);          // a row twice
  EXPECT_NE(row({1, 3, 5, 5}, {3, 1, 0, 2}, {0, 1, 4}), -1);      // from another segment
  EXPECT_EQ(row({1, 3, 5, 5}, {3, 1, 0, 1'000'000}, {0, 4}), 3);  // from nowhere
}

/// Too many rows for cooperative blocks: tiles use look-back.
TEST_F(device_sort, sorts_pairs_by_passes) {
  index_t const n = 2503 * scale;
  auto const random = filled<std::uint32_t>(n, random_word);
  sorts_pairs(random);
  sorts_pairs(random, {4, 25});                                                        // 3 passes
  sorts_pairs(filled<std::uint32_t>(n, [](auto i) { return random_word(i) % 256; }));  // one active
  sorts_pairs(
      filled<std::uint32_t>(n, [](auto i) { return (random_word(i) & 0x00ff00ff) | 0x1000; }));
  sorts_pairs(std::vector<std::uint32_t>(static_cast<std::size_t>(n), 77u));  // none
  sorts_pairs(filled<std::uint64_t>(n / 2, random_word));
}

/// By buckets, or by radix passes if a sample or a bucket shows that buckets do not fit.
TEST_F(device_sort, sorts_pairs_in_buckets) {
  index_t const n = scale > 1 ? (1 << 24) + 77'777 : 3500;
  std::uint64_t const apart = scale > 1 ? 3000 : 50;
  sorts_pairs(filled<std::uint32_t>(n, random_word));
  sorts_pairs(filled<std::uint32_t>(n, [](auto i) { return random_word(i) % 5000; }));
  sorts_pairs(filled<std::uint32_t>(
      n, [=](auto i) { return i % apart == 0 ? 0x12345678 : random_word(i); }));
  sorts_pairs(filled<std::int32_t>(n, random_word));
}

/// Few enough rows for cooperative blocks, in one launch.
TEST_F(device_sort, sorts_pairs_together) {
  for (index_t const n : {1, 31, 64, 65, 129, 1000}) {
    sorts_pairs(filled<std::uint32_t>(n * scale / 2 + 1, random_word));
  }
  sorts_pairs(
      filled<std::uint32_t>(200 * scale, [](auto i) { return random_word(i) % 256 * 256; }));
  sorts_pairs(std::vector<std::uint32_t>(500, 77u));
  sorts_pairs(filled<std::uint16_t>(300, random_word), {3, 7});
}

TEST_F(device_sort, sorts_integers_together) {
  for (index_t const n : {1, 2, 100, 192, 193, 300, 512}) {
    index_t const m = n > 192 ? n * scale : n;
    sorts(filled<std::uint32_t>(m, random_word));
    sorts(filled<std::int64_t>(m, random_word));
    sorts(filled<std::int32_t>(m, [](auto i) { return random_word(i) % 1000 - 500; }));
  }
  index_t const n = 500 * scale;
  sorts(filled<std::uint32_t>(n,
                              [](auto i) { return random_word(i) % 7 == 0 ? random_word(i) : 5; }));
  sorts(std::vector<std::uint64_t>(static_cast<std::size_t>(n), 7u));
}

TEST_F(device_sort, counts_short_integers) {
  index_t const n = 3007 * scale;
  sorts(filled<std::uint8_t>(n, random_word));
#ifndef RAVEL_TEST_BRIEFLY
  sorts(filled<std::int8_t>(n, random_word));
#endif
  sorts(filled<std::uint16_t>(n, random_word));
  sorts(filled<std::int16_t>(n, [](auto i) { return random_word(i) % 3 * 1000 - 1000; }));
  sorts(std::vector<std::uint16_t>(static_cast<std::size_t>(n), 0xffff));
  // Not aligned to 16 bytes.
  auto host = filled<std::uint16_t>(n, random_word);
  auto const in = there(host);
  ravel::radix_sort(ex(), device_view(in.data() + 1, n - 1));
  std::sort(host.begin() + 1, host.end());
  EXPECT_EQ(here(in), host);
}

TEST_F(device_sort, puts_integers_into_buckets) {
  index_t const n = 6007 * scale;
  use_buckets(n);
  sorts(filled<std::uint32_t>(n, random_word));
  sorts(filled<std::int32_t>(n, random_word));
  sorts(filled<std::int64_t>(n, random_word));
  // Distributions of increasing skew: equal density, few values, one value, far apart.
  sorts(filled<std::uint32_t>(n, [](auto i) { return random_word(i) & 0xffff0007; }));
  sorts(filled<std::uint32_t>(n, [](auto i) { return random_word(i) & 0xffff0000; }));
  sorts(filled<std::uint64_t>(n, [](auto i) { return random_word(i) & 0xffff000000003fff; }));
  auto ascending = filled<std::uint32_t>(n, random_word);
  std::sort(ascending.begin(), ascending.end());
  sorts(ascending);
}

/// Buckets by 16 bits of keys of 4 bytes: those too large for a block are counted, by one block or by
/// all.
TEST_F(device_sort, counts_keys_of_large_buckets) {
  index_t const n = 250'007;
  auto const sorts = [&](std::vector<std::uint32_t> const& host) {
    auto const sorted = [&](std::uint32_t flip, auto const& in, auto const& out) {
      auto const plan = allocate<gpu::detail::bucket_plan>(1);
      gpu::bucket_sort<std::uint32_t>(ex(), n, in.data(), out.data(), nullptr,
                                      gpu::detail::integer_order<std::uint32_t>{flip}, 16,
                                      plan.data());
      return here(out);
    };
    auto expected = host;
    std::sort(expected.begin(), expected.end());
    auto const in = there(host);
    EXPECT_EQ(sorted(0, in, allocate<std::uint32_t>(n)), expected);
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(sorted(0xffffffff, in, in), expected);
  };
  auto const any = [](auto i) { return static_cast<std::uint32_t>(random_word(i)); };
  sorts(filled<std::uint32_t>(n, [&](auto i) {
    switch (random_word(i + 7) % 8) {
      case 0:
      case 1:
        return 0x50000u | (any(i) & any(i) >> 16);  // frequent values
      case 2:
      case 3:
        return 0xfffff123u;  // one value
      case 4:
        return 0x1230000u | (any(i) & 0xffff);  // even, by one block
      case 5:
        return 0x1240000u | any(i) % 7 * 0x1111;  // few values, by one block
      default:
        return any(i) & 0x1fffffff;
    }
  }));
  // One bucket has all keys, which are not moved first.
  sorts(filled<std::uint32_t>(n, [&](auto i) { return 0x50000u | (any(i) & any(i) >> 16); }));
  sorts(std::vector<std::uint32_t>(static_cast<std::size_t>(n), 0xfffff123u));
}

/// Keys of 8 bytes whose highest bits say little: splitters are drawn from a sample.
TEST_F(device_sort, splits_uneven_keys_by_a_sample) {
  index_t const n = scale > 1 ? 3607 * scale : 4407;
  use_buckets(n);
  sorts(filled<std::uint64_t>(n, [](auto i) { return random_word(i) >> random_word(i + 1) % 64; }));
  sorts(filled<std::uint64_t>(n,
                              [](auto i) { return random_word(i) % 3 == 0 ? random_word(i) : 5; }));
  sorts(filled<std::int64_t>(n, [](auto i) {
    return random_word(i) % 3 == 0 ? INT64_MAX : static_cast<std::int64_t>(random_word(i) % 5);
  }));
  sorts(filled<std::uint64_t>(
      n, [](auto i) { return random_word(i) & random_word(i + 1) & random_word(i + 2); }));
  sorts(filled<std::uint64_t>(n, [](auto i) { return 1700000000000000000u + 1000 * i; }));
  sorts(std::vector<std::uint64_t>(static_cast<std::size_t>(n), ~std::uint64_t{0}));
  auto numbers = filled<double>(n, [](auto i) {
    return std::ldexp(static_cast<double>(random_word(i) >> 12), -int(random_word(i + 1) % 900));
  });
  sorts(numbers);
  // zeros keep their order
  for (std::size_t i = 0; i < numbers.size(); i += 7) numbers[i] = i % 2 == 0 ? 0.0 : -0.0;
  auto expected = numbers;
  std::stable_sort(expected.begin(), expected.end());
  auto const in = there(numbers);
  ravel::radix_sort(ex(), in);
  auto const is = here(in);
  EXPECT_EQ(std::memcmp(is.data(), expected.data(), is.size() * sizeof(double)), 0);
}

/// Zeros and NaNs keep their order, so that buckets are for numbers without them.
TEST_F(device_sort, puts_numbers_into_buckets) {
  index_t const n = 4007 * scale;
  use_buckets(n);
  auto host =
      filled<double>(n, [](auto i) { return static_cast<double>(random_word(i)) - 0x1p63; });
  sorts(host);
  sorts(filled<float>(n, [](auto i) { return static_cast<float>(random_word(i) >> 40); }));
  host[5] = -0.0;
  host[n / 2] = 0.0;
  host[n - 3] = -0.0;
  auto expected = host;
  std::stable_sort(expected.begin(), expected.end());
  auto const in = there(host);
  ravel::radix_sort(ex(), in);
  auto const is = here(in);
  EXPECT_EQ(std::memcmp(is.data(), expected.data(), is.size() * sizeof(double)), 0);
}

/// Keys that a sample has all values of are sorted by one pass; others as if none had been taken.
TEST_F(device_sort, sorts_few_values_by_their_ranks) {
  auto sizes = ex().tuned();
  sizes.bucketed = scale > 1 ? 30'000 : 400;
  made->tune(sizes);
  index_t const n = scale > 1 ? 1'500'003 : 20'011;
  auto const one_of = [](std::uint64_t values) {
    return [=](auto i) { return random_word(i) % values * 0x9e3779b97f4a7c15u; };
  };
  sorts(filled<std::uint32_t>(n, one_of(2)));
  sorts(filled<std::int64_t>(n, one_of(256)));
  sorts_pairs(filled<std::uint32_t>(n, one_of(16)));
  sorts_pairs(filled<std::uint64_t>(n, one_of(100)), {3, 60});
  // too many, or one that no sample has
  sorts(filled<std::uint32_t>(n, one_of(257)));
  auto missed = filled<std::uint32_t>(n, one_of(3));
  missed[static_cast<std::size_t>(n) - 2] = 1;
  sorts(missed);
  sorts_pairs(missed);
  // zeros and NaNs keep their order
  auto numbers = filled<float>(n, [](auto i) { return static_cast<float>(random_word(i) % 9); });
  sorts(numbers);
  for (std::size_t i = 0; i < numbers.size(); i += 5) numbers[i] = -0.0f;
  auto expected = numbers;
  std::stable_sort(expected.begin(), expected.end());
  auto const in = there(numbers);
  ravel::radix_sort(ex(), in);
  auto const is = here(in);
  EXPECT_EQ(std::memcmp(is.data(), expected.data(), is.size() * sizeof(float)), 0);
}

TEST_F(device_sort, passes_where_buckets_are_too_large) {
  index_t const n = 3007 * scale;
  use_buckets(n);
  sorts(filled<std::uint32_t>(n, [](auto i) { return random_word(i) % 1000; }));
  sorts(filled<std::int32_t>(n, [](auto i) { return static_cast<int>(random_word(i) % 7) - 3; }));
  sorts(filled<std::uint64_t>(n,
                              [](auto i) { return random_word(i) % 3 == 0 ? random_word(i) : 5; }));
  sorts(std::vector<std::uint32_t>(static_cast<std::size_t>(n), 42u));
}

}  // namespace
}  // namespace ravel::device_sort_test
