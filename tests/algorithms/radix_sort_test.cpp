#include <ravel/algorithms/radix_sort.hpp>

#include "support/executors.hpp"
#include "support/random_word.hpp"
#include "support/stable_order.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

namespace ravel::radix_sort_test {
namespace {

using testing::random_word;

/// The order of radix_key, as a comparison.
struct before {
  template <class T>
  bool operator()(T const& x, T const& y) const {
    return x < y || (x == x && !(y == y));  // NaNs are after all numbers
  }
};
template <class Less>
struct reversed {
  Less less;
  template <class T>
  bool operator()(T const& x, T const& y) const {
    return less(y, x);
  }
};

template <class T, class Less>
std::vector<T> sorted(std::vector<T> const& keys, Less less) {
  std::vector<T> out;
  for (index_t const i : testing::stable_order_of(keys, less))
    out.push_back(keys[static_cast<std::size_t>(i)]);
  return out;
}

/// Whether two vectors have the same bytes: distinguishes NaNs, and zeros of either sign.
template <class T>
bool same_bytes(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Random bits, so that some floating-point keys are infinite, and some NaN.
template <class T>
T random_key(std::uint64_t i) {
  std::uint64_t const words[2] = {random_word(2 * i), random_word(2 * i + 1)};
  T x;
  std::memcpy(&x, words, sizeof(T));
  if constexpr (std::is_floating_point_v<T>) {
    T const special[] = {T(0.0),
                         T(-0.0),
                         std::numeric_limits<T>::infinity(),
                         -std::numeric_limits<T>::infinity(),
                         std::numeric_limits<T>::quiet_NaN(),
                         -std::numeric_limits<T>::quiet_NaN(),
                         std::numeric_limits<T>::denorm_min(),
                         -std::numeric_limits<T>::denorm_min()};
    if (words[0] % 10 == 0) x = special[words[1] % 8];
  }
  return x;
}
enum class truth : bool { no, yes };  // std::vector<bool> is not a sequence
template <>
truth random_key<truth>(std::uint64_t i) {
  return truth{random_word(i) % 2 != 0};
}

template <class T>
std::vector<T> random_keys(index_t n) {
  std::vector<T> keys;
  for (index_t i = 0; i < n; ++i) keys.push_back(random_key<T>(static_cast<std::uint64_t>(i)));
  return keys;
}

struct named {
  int number;
  char letters[7];
};

struct date {
  std::int16_t year;
  std::uint8_t month;
  double day;
};
struct year {
  RAVEL_HD std::int16_t operator()(date const& d) const { return d.year; }
};
struct month {
  RAVEL_HD std::uint8_t operator()(date const& d) const { return d.month; }
};
struct day {
  RAVEL_HD double operator()(date const& d) const { return d.day; }
};

struct modulo3 {
  RAVEL_HD int operator()(int x) const { return x % 3; }
};

enum class colour : std::uint8_t { red, green, blue };

template <class Ex>
struct radix_sort : testing::on_executor<Ex> {
  /// Keys out of place and in place, ascending and descending.
  template <class T>
  void agrees(std::vector<T> const& host) {
    agrees(host, before{});
    agrees(host, reversed<before>{}, descending);
  }
  /// The permutation, ascending and descending.
  template <class T>
  void order_agrees(std::vector<T> const& host) {
    order_agrees(host, before{});
    order_agrees(host, reversed<before>{}, descending);
  }

  template <class T, class Less, class... Options>
  void agrees(std::vector<T> const& host, Less less, Options... options) {
    index_t const n = std::ssize(host);
    SCOPED_TRACE(::testing::Message() << n << " keys of " << sizeof(T) << " bytes");
    auto const expected = sorted(host, less);
    auto const& ex = this->ex();

    auto const in = this->there(host);
    auto out = this->template allocate<T>(n);
    ravel::radix_sort(ex, in, out, options...);
    EXPECT_TRUE(same_bytes(this->here(out), expected));
    EXPECT_TRUE(same_bytes(this->here(in), host)) << "the input has changed";

    auto data = this->there(host);
    ravel::radix_sort(ex, data, options...);
    EXPECT_TRUE(same_bytes(this->here(data), expected));
  }

  template <class T, class Less, class... Options>
  void order_agrees(std::vector<T> const& host, Less less, Options... options) {
    SCOPED_TRACE(::testing::Message() << host.size() << " keys of " << sizeof(T) << " bytes");
    auto const in = this->there(host);
    auto order = this->template allocate<index_t>(std::ssize(host));
    if constexpr (testing::has_ranks<Ex>) {
      std::vector<index_t> places(host.size());
      std::iota(places.begin(), places.end(), index_t{0});
      auto keys = this->template allocate<T>(std::ssize(host));
      ravel::radix_sort_pairs(this->ex(), in, this->there(places), keys, order, options...);
    } else {
      ravel::radix_argsort(this->ex(), in, order, options...);
    }
    EXPECT_EQ(this->here(order), testing::stable_order_of(host, less));
  }

  template <class T>
  void pairs_agree(index_t n) {
    SCOPED_TRACE(n);
    auto const host = random_keys<T>(n);
    std::vector<named> payload;
    for (int i = 0; i < n; ++i) payload.push_back({i, {'p', 'a', 'y', 'l', 'o', 'a', 'd'}});
    auto const order = testing::stable_order_of(host, before{});
    auto const is_payload = [&](std::vector<named> const& values) {
      return std::equal(values.begin(), values.end(), order.begin(), order.end(),
                        [](named const& v, index_t i) {
                          return v.number == i && std::memcmp(v.letters, "payload", 7) == 0;
                        });
    };

    auto keys = this->there(host);
    auto values = this->there(payload);
    auto keys_out = this->template allocate<T>(n);
    auto values_out = this->template allocate<named>(n);
    auto const& ex = this->ex();
    ravel::radix_sort_pairs(ex, keys, values, keys_out, values_out);
    EXPECT_TRUE(same_bytes(this->here(keys_out), sorted(host, before{})));
    EXPECT_TRUE(is_payload(this->here(values_out)));

    ravel::radix_sort_pairs(ex, keys, values, keys_out, values);  // the values in place
    EXPECT_TRUE(same_bytes(this->here(keys_out), sorted(host, before{})));
    EXPECT_TRUE(is_payload(this->here(values)));

    values = this->there(payload);
    ravel::radix_sort_pairs(ex, keys, values);
    EXPECT_TRUE(same_bytes(this->here(keys), sorted(host, before{})));
    EXPECT_TRUE(is_payload(this->here(values)));
  }
};
TYPED_TEST_SUITE(radix_sort, testing::executors);

TYPED_TEST(radix_sort, gives_the_examples_in_the_header) {
  auto const in = this->there(std::vector{3, 1, 2, 4, 1, 5});
  auto out = this->template allocate<int>(6);
  auto const& ex = this->ex();
  ravel::radix_sort(ex, in, out);
  EXPECT_EQ(this->here(out), (std::vector{1, 1, 2, 3, 4, 5}));
  ravel::radix_sort(ex, in, out, descending);
  EXPECT_EQ(this->here(out), (std::vector{5, 4, 3, 2, 1, 1}));
  ravel::radix_sort(ex, in, out, bit_range{0, 1});
  EXPECT_EQ(this->here(out), (std::vector{2, 4, 3, 1, 1, 5}));
  ravel::radix_sort(ex, in, out, by(modulo3{}));
  EXPECT_EQ(this->here(out), (std::vector{3, 1, 4, 1, 2, 5}));

  auto const keys = this->there(std::vector{3, 1, 2, 1});
  auto const values = this->there(std::vector{'a', 'b', 'c', 'd'});
  auto keys_out = this->template allocate<int>(4);
  auto values_out = this->template allocate<char>(4);
  ravel::radix_sort_pairs(ex, keys, values, keys_out, values_out);
  EXPECT_EQ(this->here(keys_out), (std::vector{1, 1, 2, 3}));
  EXPECT_EQ(this->here(values_out), (std::vector{'b', 'd', 'c', 'a'}));
  if constexpr (!testing::has_ranks<TypeParam>) {
    auto order = this->template allocate<unsigned>(4);
    ravel::radix_argsort(ex, keys, order);
    EXPECT_EQ(this->here(order), (std::vector{1u, 3u, 2u, 0u}));
  }
}

TYPED_TEST(radix_sort, agrees_with_stable_sort_at_every_size) {
  for (index_t const n : {0,   1,   2,   31,   32,   33,   63,   64,   65,   255,  256,  257,
                          511, 512, 513, 1024, 2047, 2048, 2049, 4095, 4096, 4097, 8192, 20000}) {
    this->agrees(random_keys<std::uint16_t>(n));
    this->order_agrees(random_keys<std::uint16_t>(n));
  }
}

TYPED_TEST(radix_sort, agrees_with_stable_sort_on_every_type) {
  index_t const n = 3000;
  this->agrees(random_keys<truth>(n));
  this->agrees(random_keys<std::uint32_t>(n));
  this->agrees(random_keys<double>(n));
#ifndef RAVEL_TEST_BRIEFLY
  this->agrees(random_keys<std::int8_t>(n));
  this->agrees(random_keys<float>(n));
  this->agrees(random_keys<std::uint8_t>(n));
  this->agrees(random_keys<std::int16_t>(n));
  this->agrees(random_keys<std::uint16_t>(n));
  this->agrees(random_keys<std::int32_t>(n));
  this->agrees(random_keys<std::int64_t>(n));
  this->agrees(random_keys<std::uint64_t>(n));
#endif
#ifdef __SIZEOF_INT128__
  this->agrees(random_keys<detail::int128>(n));
#  ifndef RAVEL_TEST_BRIEFLY
  this->agrees(random_keys<detail::uint128>(n));
#  endif
#endif
}

TYPED_TEST(radix_sort, takes_keys_in_any_order) {
  index_t const n = 5000;
  std::vector<int> ascending(n), few(n), swapped(n);
  std::iota(ascending.begin(), ascending.end(), -n / 2);
  std::vector<int> const reversed(ascending.rbegin(), ascending.rend());
  for (index_t i = 0; i < n; ++i) {
    auto const at = static_cast<std::size_t>(i);
    few[at] = static_cast<int>(random_word(at) % 5) - 2;
    swapped[at] = ascending[at ^ 1];
  }
  this->agrees(ascending);
  this->agrees(reversed);
  this->agrees(few);
  this->order_agrees(few);
  this->agrees(swapped);
  this->agrees(std::vector<int>(n, 42));
  this->agrees(std::vector<double>(n, -0.5));
  this->order_agrees(std::vector<double>(n, -0.5));
  this->order_agrees(random_keys<double>(n));
}

/// Both zeros keep their order, as do NaNs, which are last.
TYPED_TEST(radix_sort, keeps_zeros_and_nans_in_their_order) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const inf = std::numeric_limits<double>::infinity();
  auto const in = this->there(std::vector{nan, 0.0, -inf, -0.0, -nan, inf, 0.0, -1.0, -0.0});
  auto out = this->template allocate<double>(9);
  ravel::radix_sort(this->ex(), in, out);
  EXPECT_TRUE(same_bytes(this->here(out), {-inf, -1.0, 0.0, -0.0, 0.0, -0.0, inf, nan, -nan}));
  ravel::radix_sort(this->ex(), in, out, descending);
  EXPECT_TRUE(same_bytes(this->here(out), {nan, -nan, inf, 0.0, -0.0, 0.0, -0.0, -1.0, -inf}));
}

THOROUGH_TYPED_TEST(radix_sort, carries_values_of_any_size) {
  for (index_t const n : {0, 1, 64, 511, 513, 4097, 20000}) {
    this->template pairs_agree<std::uint8_t>(n);  // one pass
    this->template pairs_agree<std::int16_t>(n);
  }
  this->template pairs_agree<float>(5000);
}

/// All kinds of bit ranges: of one digit and several, of parts of digits, and empty.
THOROUGH_TYPED_TEST(radix_sort, sorts_by_a_range_of_bits) {
  auto const host = random_keys<std::uint32_t>(1500);
  for (auto const& [begin, end] : std::vector<bit_range>{{0, 0},
                                                         {32, 32},
                                                         {0, 1},
                                                         {31, 32},
                                                         {0, 8},
                                                         {4, 12},
                                                         {3, 14},
                                                         {8, 32},
                                                         {0, 32},
                                                         {7, 31}}) {
    SCOPED_TRACE(::testing::Message() << "bits [" << begin << ", " << end << ")");
    auto const part = [begin = begin, end = end](std::uint64_t x) {
      return (x & ((std::uint64_t{1} << end) - 1)) >> begin;
    };
    auto const less = [&](std::uint32_t x, std::uint32_t y) { return part(x) < part(y); };
    auto const more = [&](std::uint32_t x, std::uint32_t y) { return part(x) > part(y); };
    this->agrees(host, less, bit_range{begin, end});
    this->agrees(host, more, descending, bit_range{begin, end});
    this->order_agrees(host, less, bit_range{begin, end});
  }
}

THOROUGH_TYPED_TEST(radix_sort, sorts_by_a_key_of_the_element) {
  std::vector<date> host;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    auto const w = random_word(i);
    host.push_back({static_cast<std::int16_t>(w % 5 - 2), static_cast<std::uint8_t>(w >> 8 & 3),
                    static_cast<double>(w >> 16 & 7) - 3.5});
  }
  auto const date_of = [](date const& d) { return std::tuple(d.year, d.month, d.day); };
  auto const in = this->there(host);
  this->order_agrees(
      host, [](date const& a, date const& b) { return a.day < b.day; }, by(day{}));
  this->order_agrees(
      host, [](date const& a, date const& b) { return a.year > b.year; }, by(year{}), descending);
  this->order_agrees(
      host, [&](date const& a, date const& b) { return date_of(a) < date_of(b); },
      by(year{}, month{}, day{}));
  this->order_agrees(
      host,
      [](date const& a, date const& b) {
        return std::pair(a.month, a.year) > std::pair(b.month, b.year);
      },
      by(month{}, year{}), descending);

  auto out = this->template allocate<date>(2000);
  ravel::radix_sort(this->ex(), in, out, by(year{}, month{}, day{}));
  auto const is = this->here(out);
  EXPECT_TRUE(std::is_sorted(
      is.begin(), is.end(), [&](date const& a, date const& b) { return date_of(a) < date_of(b); }));
}

LOCAL_TYPED_TEST(radix_sort, goes_by_way_of_memory_of_the_callers) {
  std::vector<double> host;
  std::vector<std::int16_t> places;
  for (std::int16_t i = 0; i < 3000; ++i) {
    host.push_back(static_cast<double>(random_word(static_cast<std::uint64_t>(i)) % 1000));
    places.push_back(i);
  }
  auto const order = testing::stable_order_of(host, std::less<>{});
  auto const keys = this->there(host);
  auto const values = this->there(places);
  auto more_keys = this->template allocate<double>(3000);
  auto more_values = this->template allocate<std::int16_t>(3001);
  auto const& ex = this->ex();
  ravel::radix_sort_pairs(ex, keys, values, by_way_of(more_keys, more_values));
  auto const is = this->here(values);
  EXPECT_TRUE(std::equal(is.begin(), is.end(), order.begin(), order.end()));
  ravel::radix_sort(ex, keys, descending, by_way_of(more_keys));
  EXPECT_TRUE(std::ranges::is_sorted(this->here(keys), std::greater<>{}));

  auto less_room = this->template allocate<double>(2999);
  EXPECT_THROW(ravel::radix_sort(ex, keys, by_way_of(less_room)), contract_error);
  EXPECT_THROW(ravel::radix_sort_pairs(ex, keys, values, by_way_of(less_room, more_values)),
               contract_error);
}

THOROUGH_TYPED_TEST(radix_sort, sorts_enumerations) {
  auto const in = this->there(std::vector{colour::blue, colour::red, colour::green, colour::red});
  auto out = this->template allocate<colour>(4);
  ravel::radix_sort(this->ex(), in, out);
  EXPECT_EQ(this->here(out), (std::vector{colour::red, colour::red, colour::green, colour::blue}));
}

LOCAL_TYPED_TEST(radix_sort, refuses_what_does_not_fit) {
  auto const in = this->template allocate<int>(300);
  auto shorter = this->template allocate<int>(299);
  auto out = this->template allocate<int>(300);
  auto bytes = this->template allocate<std::uint8_t>(300);
  auto const& ex = this->ex();
  EXPECT_THROW(ravel::radix_sort(ex, in, shorter), contract_error);
  EXPECT_THROW(ravel::radix_sort(ex, in, out, bit_range{0, 33}), contract_error);
  EXPECT_THROW(ravel::radix_sort(ex, in, out, bit_range{-1, 8}), contract_error);
  EXPECT_THROW(ravel::radix_sort(ex, in, out, bit_range{9, 8}), contract_error);
  EXPECT_THROW(ravel::radix_sort_pairs(ex, in, shorter, out, shorter), contract_error);
  EXPECT_THROW(ravel::radix_argsort(ex, in, shorter), contract_error);
  EXPECT_THROW(ravel::radix_argsort(ex, in, bytes), contract_error);
}

#ifdef __CUDACC__

/// Every 16-bit pattern, twice, in a scrambled order: the order is that of the floats they
/// represent.
template <class T, class ToFloat>
void sorts_every_short_float(gpu::executor const& ex, ToFloat to_float) {
  std::vector<T> host;
  for (std::uint32_t i = 0; i < 1 << 17; ++i) {
    host.push_back(std::bit_cast<T>(static_cast<std::uint16_t>(i * 40503u)));
  }
  auto const expected = testing::stable_order_of(
      host, [&](T const& x, T const& y) { return before{}(to_float(x), to_float(y)); });
  auto const in = to(ex, host);
  auto order = ex.allocate<index_t>(std::ssize(host));
  ravel::radix_argsort(ex, in, order);
  EXPECT_EQ(to_host(ex, order), expected);
}

TYPED_TEST(radix_sort, sorts_the_short_floats_of_cuda) {
  sorts_every_short_float<__half>(this->ex(), [](__half x) { return __half2float(x); });
  sorts_every_short_float<__nv_bfloat16>(this->ex(),
                                         [](__nv_bfloat16 x) { return __bfloat162float(x); });
}

/// Nothing waits, so a sort can be captured, and replayed on other data.
TYPED_TEST(radix_sort, can_be_captured) {
  auto const& ex = this->ex();
  auto const host = random_keys<float>(100000);
  auto in = this->there(std::vector<float>(100000, 1.0f));
  auto out = this->template allocate<float>(100000);
  ravel::radix_sort(ex, in, out);  // grows the memory pool before the capture
  ex.wait();

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(ex.stream(), cudaStreamCaptureModeThreadLocal), cudaSuccess);
  ravel::radix_sort(ex, in, out);
  ASSERT_EQ(cudaStreamEndCapture(ex.stream(), &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&ready, graph, 0), cudaSuccess);
  ex.copy(host.data(), in.data(), 100000);
  ASSERT_EQ(cudaGraphLaunch(ready, ex.stream()), cudaSuccess);
  EXPECT_TRUE(same_bytes(this->here(out), sorted(host, before{})));
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
}

#endif

}  // namespace
}  // namespace ravel::radix_sort_test
