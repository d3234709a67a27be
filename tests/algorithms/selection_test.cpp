#include <ravel/algorithms/selection.hpp>

#include "support/executors.hpp"
#include "support/segment_shapes.hpp"
#include "support/stable_order.hpp"
#ifndef __CUDACC__
#  include <ravel/algorithms/cuda/selection.cuh>
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>

namespace ravel::selection_test {
namespace {

template <class T>
std::vector<T> scattered(index_t n, std::uint64_t values) {
  std::vector<T> all;
  std::uint64_t seed = 7;
  for (index_t i = 0; i < n; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    all.push_back(static_cast<T>(static_cast<std::int64_t>((seed >> 20) % values) -
                                 static_cast<std::int64_t>(values / 2)));
  }
  return all;
}

template <class Ex>
struct selection : testing::on_executor<Ex> {
  /// Every k for few elements, ascending and descending, against a stable sort.
  template <class T>
  void agrees(std::vector<T> const& host) {
    std::vector<index_t> places(host.size());
    std::iota(places.begin(), places.end(), index_t{0});
    auto const keys = this->there(host);
    auto const values = this->there(places);
    auto const n = std::ssize(host);
    for (bool const down : {false, true}) {
      auto const order = testing::stable_order(host.size(), [&](index_t a, index_t b) {
        auto const& x = host[static_cast<std::size_t>(down ? b : a)];
        auto const& y = host[static_cast<std::size_t>(down ? a : b)];
        return radix_key<T>::bits(x) < radix_key<T>::bits(y);
      });
      for (index_t const k : {index_t{0}, index_t{1}, n / 20, n / 3, n / 2, n - 1, n}) {
        SCOPED_TRACE(k);
        auto keys_out = this->template allocate<T>(k);
        auto values_out = this->template allocate<index_t>(k);
        auto one = this->template allocate<T>(1);
        if (down) {
          ravel::top_k_pairs(this->ex(), keys, values, keys_out, values_out, descending);
        } else {
          ravel::top_k_pairs(this->ex(), keys, values, keys_out, values_out);
        }
        EXPECT_EQ(this->here(values_out), std::vector<index_t>(order.begin(), order.begin() + k));
        if (k == n) continue;
        if (down) {
          ravel::nth_element(this->ex(), keys, k, one, descending);
        } else {
          ravel::nth_element(this->ex(), keys, k, one);
        }
        EXPECT_EQ(
            radix_key<T>::bits(this->here(one)[0]),
            radix_key<T>::bits(host[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])]));
      }
    }
  }

  /// The first k, and the last ones, of keys alone.
  template <class T>
  void selects(std::vector<T> const& host) {
    auto const bits_of = [](std::vector<T> const& keys) {
      std::vector<radix_bits_t<T>> bits;
      for (T const& x : keys) bits.push_back(radix_key<T>::bits(x));
      return bits;
    };
    auto ascending = bits_of(host);
    std::sort(ascending.begin(), ascending.end());
    auto const keys = this->there(host);
    auto const n = std::ssize(host);
    for (index_t const k : {index_t{0}, index_t{1}, n / 20, n / 3, n - 1, n}) {
      SCOPED_TRACE(k);
      auto out = this->template allocate<T>(k);
      top_k(this->ex(), keys, out);
      EXPECT_TRUE(std::ranges::equal(bits_of(this->here(out)), std::span(ascending).first(k)));
      top_k(this->ex(), keys, out, descending);
      auto last = bits_of(this->here(out));
      std::reverse(last.begin(), last.end());
      EXPECT_TRUE(std::ranges::equal(last, std::span(ascending).last(k)));
    }
  }
};
TYPED_TEST_SUITE(selection, testing::executors_and_device);

TYPED_TEST(selection, gives_the_examples_of_top_k_in_the_header) {
  auto const in = this->there(std::vector{3, 1, 2, 4, 1, 5});
  auto three = this->template allocate<int>(3);
  top_k(this->ex(), in, three);
  EXPECT_EQ(this->here(three), (std::vector{1, 1, 2}));
  top_k(this->ex(), in, three, descending);
  EXPECT_EQ(this->here(three), (std::vector{5, 4, 3}));
}

TYPED_TEST(selection, of_keys_alone_agrees_with_a_sort) {
  // Ranks sort up to 2^13 selected keys everywhere; a device in software takes long of many.
  index_t const n = testing::has_ranks<TypeParam> ? 20'000 : 1000;
  this->selects(scattered<std::int32_t>(n, 1u << 31));
  this->selects(scattered<std::uint8_t>(1000, 256));
  this->selects(std::vector<int>(500, 7));
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const inf = std::numeric_limits<double>::infinity();
  this->selects(std::vector{nan, 1., -0., 0., -inf, inf, -nan, 0., -1., nan, -0.});
}

LOCAL_TYPED_TEST(selection, gives_the_other_examples_in_the_header) {
  auto const& ex = this->ex();
  auto const in = this->there(std::vector{3, 1, 2, 4, 1, 5});
  auto one = this->template allocate<int>(1);
  nth_element(ex, in, 2, one);
  EXPECT_EQ(this->here(one), (std::vector{2}));
  nth_element(ex, in, 1, one, descending);
  EXPECT_EQ(this->here(one), (std::vector{4}));

  auto three = this->template allocate<int>(3);
  auto const keys = this->there(std::vector{3, 1, 2, 1});
  auto const values = this->there(std::vector{'a', 'b', 'c', 'd'});
  auto values_out = this->template allocate<char>(3);
  top_k_pairs(ex, keys, values, three, values_out);
  EXPECT_EQ(this->here(three), (std::vector{1, 1, 2}));
  EXPECT_EQ(this->here(values_out), (std::vector{'b', 'd', 'c'}));

  auto const lengths = this->there(std::vector{3, 2, 0, 1});
  auto two_each = this->template allocate<int>(8);
  segmented_top_k(ex, in, by_lengths(lengths), 2, 9, two_each);
  EXPECT_EQ(this->here(two_each), (std::vector{1, 2, 1, 4, 9, 9, 5, 9}));
  auto one_each = this->template allocate<int>(4);
  segmented_nth_element(ex, in, by_lengths(lengths), 1, 9, one_each);
  EXPECT_EQ(this->here(one_each), (std::vector{2, 4, 9, 9}));
}

LOCAL_TYPED_TEST(selection, agrees_with_a_stable_sort) {
  this->agrees(scattered<std::int32_t>(5000, 1u << 31));
  this->agrees(scattered<std::int32_t>(5000, 10));
  this->agrees(scattered<std::uint8_t>(3000, 256));
#ifndef RAVEL_TEST_BRIEFLY
  this->agrees(scattered<std::int64_t>(1000, std::uint64_t{1} << 40));
  this->agrees(scattered<float>(3000, 1000));
#endif
  this->agrees(std::vector<int>(500, 7));
}

LOCAL_TYPED_TEST(selection, has_nans_and_zeros_where_a_sort_has_them) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const inf = std::numeric_limits<double>::infinity();
  this->agrees(std::vector{nan, 1., -0., 0., -inf, inf, -nan, 0., -1., nan, -0.});
}

#ifndef RAVEL_TEST_ON_RANKS
/// Selection by a sample, against a stable sort.
struct selection_by_sample : testing::on_executor<gpu::executor> {
  static constexpr index_t n = 20'001;

  /// `key` of each row; the first lies at no multiple of 16 bytes.
  template <class T, class Key>
  void agrees(char const* what, Key key) {
    SCOPED_TRACE(what);
    std::vector<T> host(1);
    for (index_t i = 0; i < n; ++i) host.push_back(static_cast<T>(key(i)));
    std::vector<index_t> places(n);
    std::iota(places.begin(), places.end(), index_t{0});
    auto const keys = there(host);
    auto const values = there(places);
    for (bool const down : {false, true}) {
      auto const order = testing::stable_order(places.size(), [&](index_t i, index_t j) {
        auto const bits = [&](index_t row) {
          return radix_key<T>::bits(host[static_cast<std::size_t>(row + 1)]);
        };
        return down ? bits(j) < bits(i) : bits(i) < bits(j);
      });
      std::pair<index_t, index_t> const selected[] = {{0, 1000}, {n / 2, 1}, {n - 1, 1}};
      for (auto const& [first, count] : selected) {
        SCOPED_TRACE(first);
        auto keys_out = allocate<T>(count);
        auto values_out = allocate<index_t>(count);
        run_call_by<gpu::select_by_sample>(
            ex(), selection_call<T, index_t>{n,
                                             {keys.data() + 1, values.data()},
                                             {keys_out.data(), values_out.data()},
                                             first,
                                             count,
                                             down});
        EXPECT_EQ(here(values_out),
                  std::vector<index_t>(order.begin() + first, order.begin() + first + count));
      }
    }
  }
};
TEST_F(selection_by_sample, agrees_with_a_stable_sort) {
  auto const any = [](index_t i) { return i * 2654435761 % 1000003 - 500000; };
  agrees<std::uint32_t>("any", any);
  agrees<std::uint32_t>("ascending", [](index_t i) { return i; });
  agrees<std::uint32_t>("one value", [](index_t) { return 7; });
  agrees<float>("a zero of either sign", [&](index_t i) {
    return any(i) > 0 ? 0.0f : any(i) % 2 == 0 ? -0.0f : static_cast<float>(any(i));
  });
#  ifndef RAVEL_TEST_BRIEFLY
  agrees<std::int32_t>("any", any);
  agrees<std::uint8_t>("a byte", any);
#  endif
}

TEST_F(selection_by_sample, takes_every_row_if_the_sample_is_wrong) {
  constexpr index_t n = selection_by_sample::n;
  index_t const sampled = div_up(n, gpu::detail::sample_policy::rows_of_sample);
  std::vector<std::uint32_t> const any(n);
  std::vector<bool> is_sampled(n);
  std::vector<gpu::detail::word64> sample(static_cast<std::size_t>(sampled));
  for (index_t s = 0; s < sampled; ++s) {
    gpu::detail::take_sample<std::uint32_t, detail::selection_key<std::uint32_t>>{
        any.data(), n, sampled, {}, sample.data()}(s);
    auto const row = gpu::detail::row_of(sample[static_cast<std::size_t>(s)]);
    is_sampled[static_cast<std::size_t>(row)] = true;
  }
  auto const mixed = [](index_t i) { return static_cast<std::uint32_t>(i * 2654435761); };
  agrees<std::uint32_t>("least of all", [&](index_t i) {
    return is_sampled[static_cast<std::size_t>(i)] ? 0 : mixed(i);
  });
  agrees<std::uint32_t>("greatest of all", [&](index_t i) {
    return is_sampled[static_cast<std::size_t>(i)] ? ~0u : mixed(i);
  });
}
#endif

THOROUGH_LOCAL_TYPED_TEST(selection, takes_of_long_segments_of_one_length) {
  constexpr index_t length = 17'000, n = 2 * length + 3, k = 50;
  auto const agrees = [&](char const* what, auto key) {
    SCOPED_TRACE(what);
    using T = decltype(key(index_t{0}));
    std::vector<T> host;
    for (index_t i = 0; i < n; ++i) host.push_back(key(i));
    std::vector<T> best, second;
    for (index_t begin = 0; begin < n; begin += length) {
      std::vector<T> all(host.begin() + begin, host.begin() + std::min(n, begin + length));
      std::sort(all.begin(), all.end(), std::greater<>{});
      all.resize(std::max(all.size(), std::size_t{k}), T(-7));
      best.insert(best.end(), all.begin(), all.begin() + k);
      second.push_back(all[1]);
    }
    auto const in = this->there(host);
    auto out = this->template allocate<T>(std::ssize(best));
    segmented_top_k(this->ex(), in, chunks(n, length), k, T(-7), out, descending);
    EXPECT_EQ(this->here(out), best);
    auto one_each = this->template allocate<T>(std::ssize(second));
    segmented_nth_element(this->ex(), in, chunks(n, length), 1, T(-7), one_each, descending);
    EXPECT_EQ(this->here(one_each), second);
  };
  auto const any = [](index_t i) { return static_cast<int>(i * 2654435761 % 1000003); };
  agrees("any", any);
  agrees("a few greater than every sampled one",
         [&](index_t i) { return i % 300 == 7 ? any(i) : 0; });
  agrees("one value", [](index_t) { return 1.5f; });
}

LOCAL_TYPED_TEST(selection, takes_of_segments_of_every_shape) {
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    auto const offsets = testing::offsets_of(shape);
    auto const host = scattered<std::int16_t>(offsets.back(), 1000);
    auto const in = this->there(host);
    auto const segments = this->there(offsets);
    constexpr index_t k = 3;
    std::vector<std::int16_t> best, second;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      std::vector<std::int16_t> all(host.begin() + offsets[s], host.begin() + offsets[s + 1]);
      std::sort(all.begin(), all.end(), std::greater<>{});
      all.resize(std::max<std::size_t>(all.size(), k), -7);
      best.insert(best.end(), all.begin(), all.begin() + k);
      second.push_back(all[1]);
    }
    auto out = this->template allocate<std::int16_t>(std::ssize(best));
    segmented_top_k(this->ex(), in, by_offsets(segments), k, -7, out, descending);
    EXPECT_EQ(this->here(out), best);
    auto one_each = this->template allocate<std::int16_t>(std::ssize(second));
    segmented_nth_element(this->ex(), in, by_offsets(segments), 1, -7, one_each, descending);
    EXPECT_EQ(this->here(one_each), second);
    segmented_nth_element(this->ex(), in, by_offsets(segments), bounds<index_t>::highest(), -7,
                          one_each);
    EXPECT_EQ(this->here(one_each), std::vector<std::int16_t>(second.size(), -7));
  }
}

#ifndef RAVEL_TEST_ON_RANKS
TEST(selection_on_the_host, takes_few_and_many_of_segments_short_and_long) {
  std::vector<index_t> const offsets{0, 0, 3, 20, 300'020, 300'021, 700'000, 700'000};
  auto host = scattered<float>(offsets.back(), 1'000'000);
  host[400'000] = std::numeric_limits<float>::quiet_NaN();
  host[15] = -0.0f;
  auto const agrees = [&](auto const& ex, index_t k, auto... descending) {
    SCOPED_TRACE(k);
    std::vector<float> sorted(host.size()), best, last;
    segmented_sort(ex, host, by_offsets(offsets), sorted, descending...);
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      for (index_t i = offsets[s]; i < offsets[s] + k; ++i) {
        best.push_back(i < offsets[s + 1] ? sorted[static_cast<std::size_t>(i)] : -7);
      }
      last.push_back(best.back());
    }
    std::vector<float> out(best.size()), one_each(last.size());
    auto const bits = [](std::vector<float> const& of) {
      return std::vector(reinterpret_cast<std::uint32_t const*>(of.data()),
                         reinterpret_cast<std::uint32_t const*>(of.data() + of.size()));
    };
    segmented_top_k(ex, host, by_offsets(offsets), k, -7, out, descending...);
    EXPECT_EQ(bits(out), bits(best));
    segmented_nth_element(ex, host, by_offsets(offsets), k - 1, -7, one_each, descending...);
    EXPECT_EQ(bits(one_each), bits(last));
  };
  for (index_t const k : {1, 16, 17}) {
    agrees(cpu::threads{}, k);
    agrees(cpu::threads{}, k, descending);
    agrees(cpu::sequential{}, k);
  }
}

TEST(selection_on_the_host, agrees_with_a_stable_sort_of_many) {
  constexpr index_t n = 60'000;
  auto const agrees = [](char const* what, auto key) {
    SCOPED_TRACE(what);
    std::vector<std::int32_t> keys;
    for (index_t i = 0; i < n; ++i) keys.push_back(static_cast<std::int32_t>(key(i)));
    std::vector<index_t> places(keys.size());
    std::iota(places.begin(), places.end(), index_t{0});
    auto const order = testing::stable_order_of(keys, std::greater<>{});
    cpu::threads const ex(3);
    for (index_t const k : {index_t{1}, index_t{400}, index_t{700}, n / 2, n - 1, n}) {
      std::vector<std::int32_t> best(static_cast<std::size_t>(k)), nth(1);
      std::vector<index_t> from(best.size());
      top_k_pairs(ex, keys, places, best, from, descending);
      EXPECT_TRUE(std::equal(from.begin(), from.end(), order.begin())) << "the best " << k;
      nth_element(ex, keys, k - 1, nth, descending);
      EXPECT_EQ(nth[0], best.back()) << "the last of the best " << k;
    }
  };
  agrees("any", [](index_t i) { return i * 2654435761 % 1000003 - 500000; });
  agrees("three values", [](index_t i) { return i * 7919 % 3; });
  agrees("one value", [](index_t) { return 7; });
  agrees("ascending", [](index_t i) { return i; });
  agrees("one that is greater", [](index_t i) { return i == 30'000; });
}
#endif

LOCAL_TYPED_TEST(selection, refuses_what_is_not_there) {
  auto const& ex = this->ex();
  auto const in = this->there(std::vector{3, 1, 2});
  auto one = this->template allocate<int>(1);
  auto four = this->template allocate<int>(4);
  EXPECT_THROW(nth_element(ex, in, 3, one), contract_error);
  EXPECT_THROW(nth_element(ex, in, -1, one), contract_error);
  EXPECT_THROW(nth_element(ex, in, 0, four), contract_error);
  EXPECT_THROW(top_k(ex, in, four), contract_error);
  EXPECT_THROW(segmented_top_k(ex, in, uniform(1, 3), 2, 0, four), contract_error);
  EXPECT_THROW(segmented_nth_element(ex, in, uniform(1, 3), -1, 0, one), contract_error);
  auto none = this->template allocate<int>(0);
  EXPECT_THROW(segmented_top_k(ex, none, uniform(4, 0), index_t{1} << 62, 0, none), contract_error);
}

}  // namespace
}  // namespace ravel::selection_test
