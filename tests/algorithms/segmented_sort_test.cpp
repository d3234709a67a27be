#include <ravel/algorithms/segmented_sort.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/random_word.hpp"
#include "support/segment_shapes.hpp"
#include "support/sorted_rows.hpp"

#include <ravel/algorithms/cuda/radix_sort.cuh>
#include <ravel/algorithms/cuda/segmented_sort.cuh>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>

namespace ravel::segmented_sort_test {
namespace {

using testing::random_word32;

template <class T>
std::vector<T> keys_for(testing::segment_shape const& shape, std::uint32_t values) {
  std::vector<T> keys;
  for (index_t const length : shape.lengths) {
    for (index_t i = 0; i < length; ++i) {
      keys.push_back(
          static_cast<T>(random_word32(static_cast<std::uint32_t>(keys.size())) % values));
    }
  }
  return keys;
}

/// The index of the i-th sorted element.
template <class T, class Before>
std::vector<index_t> order_of(testing::segment_shape const& shape, std::vector<T> const& keys,
                              Before before) {
  std::vector<index_t> order(keys.size());
  std::iota(order.begin(), order.end(), index_t{0});
  auto first = order.begin();
  for (index_t const length : shape.lengths) {
    std::stable_sort(first, first + length, [&](index_t i, index_t j) {
      return before(keys[static_cast<std::size_t>(i)], keys[static_cast<std::size_t>(j)]);
    });
    first += length;
  }
  return order;
}

template <class T>
void sort_each(testing::segment_shape const& shape, std::vector<T>& keys) {
  auto first = keys.begin();
  for (index_t const length : shape.lengths) {
    std::sort(first, first + length);
    first += length;
  }
}

template <class Ex>
struct segmented_sort : testing::on_executor<Ex> {
  template <class T>
  void agrees(testing::segment_shape const& shape, std::uint32_t values) {
    SCOPED_TRACE(shape.name);
    auto const host = keys_for<T>(shape, values);
    auto const offsets = this->there(testing::offsets_of(shape));
    auto const& ex = this->ex();
    auto const sorted_by = [&](std::vector<index_t> const& order) {
      std::vector<T> sorted;
      for (index_t const i : order) sorted.push_back(host[static_cast<std::size_t>(i)]);
      return sorted;
    };
    auto const ascending = order_of(shape, host, std::less<>{});
    auto in = this->there(host);
    auto out = this->template allocate<T>(std::ssize(host));
    ravel::segmented_sort(ex, in, by_offsets(offsets), out);
    EXPECT_EQ(this->here(out), sorted_by(ascending));
    ravel::segmented_sort(ex, in, by_offsets(offsets), in, descending);
    EXPECT_EQ(this->here(in), sorted_by(order_of(shape, host, std::greater<>{})));
  }
};
TYPED_TEST_SUITE(segmented_sort, testing::executors_and_device);

TYPED_TEST(segmented_sort, gives_the_examples_in_the_header) {
  auto const in = this->there(std::vector{3, 1, 2, 4, 1, 5});
  auto const lengths = this->there(std::vector{3, 0, 2, 1});
  auto const values = this->there(std::vector{'a', 'b', 'c', 'd', 'e', 'f'});
  auto out = this->template allocate<int>(6);
  auto values_out = this->template allocate<char>(6);
  auto const& ex = this->ex();
  ravel::segmented_sort(ex, in, by_lengths(lengths), out);
  EXPECT_EQ(this->here(out), (std::vector{1, 2, 3, 1, 4, 5}));
  ravel::segmented_sort(ex, in, by_lengths(lengths), out, descending);
  EXPECT_EQ(this->here(out), (std::vector{3, 2, 1, 4, 1, 5}));
  ravel::segmented_sort_pairs(ex, in, values, by_lengths(lengths), out, values_out);
  EXPECT_EQ(this->here(out), (std::vector{1, 2, 3, 1, 4, 5}));
  EXPECT_EQ(this->here(values_out), (std::vector{'b', 'c', 'a', 'e', 'd', 'f'}));
}

TYPED_TEST(segmented_sort, sorts_segments_of_every_shape) {
  for (auto const& shape : testing::segment_shapes()) {
    this->template agrees<std::uint32_t>(shape, 1u << 31);
#ifndef RAVEL_TEST_BRIEFLY
    this->template agrees<std::int16_t>(shape, 50);
#endif
  }
}

TYPED_TEST(segmented_sort, sorts_segments_of_any_mix) {
  testing::segment_shape shape{"random lengths", {}};
  for (std::uint32_t s = 0; s < 300; ++s) {
    std::uint32_t const w = random_word32(s + 77);
    shape.lengths.push_back(w % 7 == 0 ? 0 : w % 31 == 0 ? w % 700 : w % 40);
  }
  shape.lengths.push_back(1000);
  this->template agrees<std::int32_t>(shape, 1u << 31);
  this->template agrees<std::uint32_t>(shape, 3);
  this->template agrees<double>(shape, 1000);
}

TYPED_TEST(segmented_sort, sorts_segments_by_heads_and_keys_and_pairs_of_them) {
  auto shapes = testing::segment_shapes();
  shapes.push_back({"of a warp, a block and a device", {5, 1, 90, 33, 200, 1, 1, 3000, 20000}});
  for (auto const& shape : shapes) {
    SCOPED_TRACE(shape.name);
    auto const host = keys_for<float>(shape, 20);
    auto const order = order_of(shape, host, std::less<>{});
    std::vector<index_t> places(host.size());
    std::iota(places.begin(), places.end(), index_t{0});
    auto keys = this->there(host);
    auto const heads = this->there(testing::heads_of(shape));
    auto of_heads = this->there(places), of_keys = this->there(places);
    ravel::segmented_sort_pairs(this->ex(), keys, of_heads, by_heads(heads), keys, of_heads);
    EXPECT_EQ(this->here(of_heads), order);

    auto same_keys = this->there(host);
    std::vector<int> numbers;
    for (std::size_t s = 0; s < shape.lengths.size(); ++s) {
      numbers.insert(numbers.end(), static_cast<std::size_t>(shape.lengths[s]),
                     static_cast<int>(s));
    }
    auto const number_of = this->there(numbers);
    ravel::segmented_sort_pairs(this->ex(), same_keys, of_keys, by_keys(number_of), same_keys,
                                of_keys);
    EXPECT_EQ(this->here(of_keys), order);
    auto integers = this->there(order);
    ravel::segmented_sort(this->ex(), integers, by_heads(heads), integers);
    EXPECT_EQ(this->here(integers), places);
  }
}

/// The keys, and their original indices.
template <class T, class Key>
struct keyed {
  T const& of;
  Key key;
  bool operator()(index_t i, index_t j) const {
    return key(of[static_cast<std::size_t>(i)]) < key(of[static_cast<std::size_t>(j)]);
  }
};

struct dated {
  std::uint16_t day;
  std::uint32_t year;
  std::uint32_t number;
  friend bool operator==(dated const&, dated const&) = default;
};
struct year_of {
  RAVEL_HD std::uint32_t operator()(dated const& x) const { return x.year; }
};
struct day_of {
  RAVEL_HD std::uint16_t operator()(dated const& x) const { return x.day; }
};

/// Lengths for a thread, for some lanes, and for blocks, including the longest that
/// blocks take in software.
testing::segment_shape const of_all_lengths{
    "of all lengths", {5, 0, 1, 90, 16, 17, 33, 0, 2, 512, 513, 700, 3, 1500, 31}};

LOCAL_TYPED_TEST(segmented_sort, moves_values_with_keys_of_any_width) {
  auto const& shape = of_all_lengths;
  auto const offsets = this->there(testing::offsets_of(shape));
  auto const moves = [&]<class T>(T, std::uint32_t values) {
    auto const host = keys_for<T>(shape, values);
    auto const n = std::ssize(host);
    std::vector<index_t> places(host.size());
    std::iota(places.begin(), places.end(), index_t{0});
    auto const keys = this->there(host);
    auto const from = this->there(places);
    auto keys_out = this->template allocate<T>(n);
    auto to = this->template allocate<index_t>(n);
    auto const sorted_by = [&](std::vector<index_t> const& order) {
      std::vector<T> sorted;
      for (index_t const i : order) sorted.push_back(host[static_cast<std::size_t>(i)]);
      return sorted;
    };
    auto const order = order_of(shape, host, std::less<>{});
    ravel::segmented_sort_pairs(this->ex(), keys, from, by_offsets(offsets), keys_out, to);
    EXPECT_EQ(this->here(keys_out), sorted_by(order));
    EXPECT_EQ(this->here(to), order);
    auto const down = order_of(shape, host, std::greater<>{});
    ravel::segmented_sort_pairs(this->ex(), keys, from, by_offsets(offsets), keys, from,
                                descending);
    EXPECT_EQ(this->here(keys), sorted_by(down));
    EXPECT_EQ(this->here(from), down);
  };
  moves(std::int32_t{}, 300);
  moves(std::int64_t{}, 2);
#ifndef RAVEL_TEST_BRIEFLY
  moves(std::uint8_t{}, 200);
  moves(float{}, 40);
  moves(double{}, 1u << 31);
#endif
}

TYPED_TEST(segmented_sort, sorts_wide_integers) {
  this->template agrees<std::int64_t>(of_all_lengths, 9);
#ifndef RAVEL_TEST_BRIEFLY
  this->template agrees<std::uint64_t>(of_all_lengths, 1u << 31);
#endif
}

LOCAL_TYPED_TEST(segmented_sort, keeps_zeros_and_nans_in_their_order) {
  auto const nan = std::numeric_limits<float>::quiet_NaN();
  auto const lengths = this->there(std::vector{5, 3});
  auto const keys = this->there(std::vector{0.f, nan, -0.f, -1.f, 0.f, -nan, nan, -0.f});
  ravel::segmented_sort(this->ex(), keys, by_lengths(lengths), keys);
  auto const sorted = this->here(keys);
  std::vector<bool> signs;
  for (float const x : sorted) signs.push_back(std::signbit(x));
  EXPECT_EQ(signs, (std::vector<bool>{1, 0, 1, 0, 0, 1, 1, 0}));
  EXPECT_TRUE(std::isnan(sorted[4]) && std::isnan(sorted[6]) && std::isnan(sorted[7]));
}

// A warp sorts the segment, to whose front the negative zero goes, after another warp has looked there.
TYPED_TEST(segmented_sort, sees_every_key_before_it_moves_any) {
  std::vector<float> keys(512, 1);
  keys[30] = 0.0f;
  keys[35] = -0.0f;  // the second, as it equals the first
  auto const in = this->there(keys);
  auto const offsets = this->there(std::vector<index_t>{0, 28, 40, 512});
  auto out = this->template allocate<float>(512);
  ravel::segmented_sort(this->ex(), in, by_offsets(offsets), out);
  auto const sorted = this->here(out);
  EXPECT_EQ(sorted[28], 0);
  EXPECT_FALSE(std::signbit(sorted[28]));
  EXPECT_TRUE(std::signbit(sorted[29]));
}

TYPED_TEST(segmented_sort, sorts_by_keys_of_the_element_and_by_ranges_of_bits) {
  auto const& shape = of_all_lengths;
  std::vector<dated> host;
  for (auto const x : keys_for<std::uint32_t>(shape, 1u << 31)) {
    host.push_back({static_cast<std::uint16_t>(x % 3), x / 3 % 5 << 29,
                    static_cast<std::uint32_t>(host.size())});
  }
  auto const offsets = this->there(testing::offsets_of(shape));
  auto const in = this->there(host);
  auto out = this->template allocate<dated>(std::ssize(host));
  auto const expect_by = [&](auto key) {
    std::vector<index_t> order(host.size());
    std::iota(order.begin(), order.end(), index_t{0});
    auto first = order.begin();
    for (index_t const length : shape.lengths) {
      std::stable_sort(first, first + length, keyed<std::vector<dated>, decltype(key)>{host, key});
      first += length;
    }
    std::vector<dated> sorted;
    for (index_t const i : order) sorted.push_back(host[static_cast<std::size_t>(i)]);
    EXPECT_EQ(this->here(out), sorted);
  };
  ravel::segmented_sort(this->ex(), in, by_offsets(offsets), out, by(year_of{}, day_of{}));
  expect_by([](dated const& x) { return std::uint64_t{x.year} << 16 | x.day; });
  ravel::segmented_sort(this->ex(), in, by_offsets(offsets), out, by(year_of{}), bit_range{29, 31});
  expect_by([](dated const& x) { return x.year >> 29 & 3; });
  ravel::segmented_sort(this->ex(), in, by_offsets(offsets), out, by(year_of{}), bit_range{3, 3});
  EXPECT_EQ(this->here(out), host);
  EXPECT_THROW(ravel::segmented_sort(this->ex(), in, by_offsets(offsets), out, by(day_of{}),
                                     bit_range{0, 17}),
               contract_error);
}

LOCAL_TYPED_TEST(segmented_sort, sorts_stretches_that_begin_anywhere) {
  testing::segment_shape const shape{"stretches", {5, 0, 33, 1, 700, 16, 2, 90, 8, 3, 31}};
  auto const offsets = this->there(testing::offsets_of(shape));
  auto const agrees = [&]<class T>(T) {
    auto const keys = keys_for<T>(shape, 200);
    auto const n = std::ssize(keys);
    auto sorted = keys;
    sort_each(shape, sorted);
    for (index_t const in_at : {0, 1, 5}) {
      for (index_t const out_at : {0, 1, 4}) {
        std::vector<T> all(static_cast<std::size_t>(in_at), T{9});
        all.insert(all.end(), keys.begin(), keys.end());
        auto const in = this->there(all);
        auto out = this->there(std::vector<T>(static_cast<std::size_t>(out_at + n + 1), T{7}));
        using space = space_of_t<decltype(out)>;
        ravel::segmented_sort(this->ex(), view<T const, space>{in.data() + in_at, n},
                              by_offsets(offsets), view<T, space>{out.data() + out_at, n});
        std::vector<T> expected(static_cast<std::size_t>(out_at), T{7});
        expected.insert(expected.end(), sorted.begin(), sorted.end());
        expected.push_back(T{7});
        EXPECT_EQ(this->here(out), expected) << in_at << " to " << out_at;
      }
    }
  };
  agrees(std::uint8_t{});
  agrees(std::int32_t{});
#ifndef RAVEL_TEST_BRIEFLY
  agrees(std::uint16_t{});
#endif
}

/// Typical integers: spread, close to each other on both sides of 0, equal, and with each
/// power of 2 equally frequent.
std::vector<std::vector<std::int32_t>> unlike_keys(index_t n) {
  std::vector<std::vector<std::int32_t>> all(4);
  for (index_t i = 0; i < n; ++i) {
    std::uint32_t const w = random_word32(static_cast<std::uint32_t>(i));
    all[0].push_back(static_cast<std::int32_t>(w));
    all[1].push_back(static_cast<std::int32_t>(w % 1000) - 500);
    all[2].push_back(7);
    all[3].push_back(static_cast<std::int32_t>(1u << w % 32));
  }
  return all;
}

LOCAL_TYPED_TEST(segmented_sort, sorts_long_segments_of_any_keys) {
  testing::segment_shape const shape{"long", {1025, 0, 2500, 3, 1024, 1100}};
  auto const offsets = this->there(testing::offsets_of(shape));
  for (auto& keys : unlike_keys(5652)) {
    auto const data = this->there(keys);
    ravel::segmented_sort(this->ex(), data, by_offsets(offsets), data);
    sort_each(shape, keys);
    EXPECT_EQ(this->here(data), keys);
  }
}

#ifdef __CUDACC__
TEST(segmented_sort_on_the_host, sorts_by_all_threads_what_no_cache_holds) {
  cpu::threads const ex(4);
  testing::segment_shape const shape{"long", {7, 400'000, 5, 0, 3000, 700'000, 12, 0}};
  auto const offsets = testing::offsets_of(shape);
  for (std::uint32_t const values : {7u, 1u << 31}) {
    auto const keys = keys_for<std::uint32_t>(shape, values);
    auto const order = order_of(shape, keys, std::less<>{});
    std::vector<index_t> places(keys.size());
    std::iota(places.begin(), places.end(), index_t{0});
    std::vector<std::uint32_t> sorted(keys.size());
    ravel::segmented_sort_pairs(ex, keys, places, by_offsets(offsets), sorted, places);
    EXPECT_EQ(places, order);
    auto alone = keys;
    ravel::segmented_sort(ex, alone, by_offsets(offsets), alone);
    EXPECT_EQ(alone, sorted);
    sort_each(shape, alone);
    EXPECT_EQ(alone, sorted);
  }
}

struct segmented_sort_on_a_device : testing::on_executor<gpu::executor> {
  /// Sorts rows by their keys, and keys alone, in place.
  template <class T>
  void sorts(std::vector<T> const& host, std::vector<index_t> const& offsets_here) {
    auto const n = std::ssize(host);
    std::vector<std::uint32_t> rows(host.size());
    std::iota(rows.begin(), rows.end(), 0u);
    auto const offsets = to(ex(), offsets_here);
    auto const from = to(ex(), host);
    auto const places = to(ex(), rows);
    auto const keys = allocate<T>(n);
    segmented_sort_pairs(ex(), from, places, by_offsets(offsets), keys, places);
    EXPECT_EQ(
        testing::some_row_out_of_place(ex(), from.data(), keys.data(), places.data(), offsets_here),
        -1);
    ravel::segmented_sort(ex(), from, by_offsets(offsets), from);
    EXPECT_EQ(testing::some_difference(ex(), n, from.data(), keys.data()), -1);
  }
};

/// Of integers alone, and of rows: both have a longest segment for a warp, and for a block.
TEST_F(segmented_sort_on_a_device, sorts_long_segments) {
  testing::segment_shape const shape{"long",
                                     {1'000'000, 3, 4608, 4609, 0, 8704, 8705, 18432, 18433, 50'000,
                                      1024, 1025, 1, 200'000, 512, 513, 6'000'000}};
  auto const offsets = testing::offsets_of(shape);
  for (auto const& keys : unlike_keys(offsets.back())) {
    sorts(keys, offsets);
    std::vector<double> wide(keys.size()), of_all_exponents(keys.size());
    std::vector<std::int64_t> integers(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      wide[i] = keys[i] * 1e-3;
      of_all_exponents[i] = std::ldexp(wide[i], static_cast<int>(i % 2500) - 1000);  // and infinity
      integers[i] = std::int64_t{keys[i]} << 20;
    }
    sorts(wide, offsets);
    sorts(of_all_exponents, offsets);
    sorts(integers, offsets);
  }
}
#endif

}  // namespace
}  // namespace ravel::segmented_sort_test
