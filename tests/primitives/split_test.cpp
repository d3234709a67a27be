#include <ravel/primitives/split.hpp>
#include <ravel/primitives/split_parts.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"

#include <cstdint>
#include <numeric>
#include <string>
#include <utility>

namespace ravel::split_test {
namespace {

/// Sizes around a tile, a round and a warp of every executor, and several tiles.
std::vector<index_t> const sizes{0,    1,    2,    31,   32,    33,    63,   64,
                                 65,   255,  511,  512,  513,   2047,  2048, 2049,
                                 4095, 4096, 4097, 8192, 16383, 16384, 20000};

/// The reference: a loop over the digits.
template <class T, class Digit>
std::vector<T> split_oracle(std::vector<T> const& in, int ways, Digit digit) {
  std::vector<T> out;
  for (int d = 0; d < ways; ++d) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (digit(static_cast<index_t>(i)) == d) out.push_back(in[i]);
    }
  }
  return out;
}
template <class Digit>
std::vector<index_t> offsets_oracle(index_t n, int ways, Digit digit) {
  std::vector<index_t> offsets(static_cast<std::size_t>(ways) + 1, 0);
  for (index_t i = 0; i < n; ++i) ++offsets[static_cast<std::size_t>(digit(i)) + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  return offsets;
}

struct is_odd {
  RAVEL_HD bool operator()(int x) const { return x % 2 != 0; }
};
struct always {
  bool answer;
  RAVEL_HD bool operator()(int) const { return answer; }
};
template <int Ways>
struct modulo {
  template <class T>
  RAVEL_HD int operator()(T x) const {
    return static_cast<int>(x % Ways);
  }
};

/// A payload whose size is not a power of two.
struct named {
  int number;
  char letters[7];
  friend bool operator==(named const&, named const&) = default;
};

/// Visits that record all their arguments, and a digit that depends on its tile.
struct by_tile {
  struct within {
    index_t begin;
    RAVEL_HD int operator()(index_t i) const { return static_cast<int>((i - begin) % 3); }
  };
  RAVEL_HD within on(tile t) const { return {t.begin}; }
};
struct keep {
  index_t* place;
  int* digit;
  RAVEL_HD void operator()(index_t i, int d, index_t p) const {
    place[i] = p;
    digit[i] = d;
  }
};

template <class Ex>
struct split : testing::on_executor<Ex> {
  std::vector<int> numbers(index_t n) const {
    std::vector<int> in;
    for (std::uint32_t i = 0; i < n; ++i) in.push_back(static_cast<int>(i * 2654435761u >> 8));
    return in;
  }

  /// Splits numbers by `digit`, with and without values, and compares with the references.
  template <int Ways, class Digit>
  void agrees(index_t n, Digit digit) {
    SCOPED_TRACE(n);
    auto const host = numbers(n);
    auto const digit_of = [&](index_t i) { return int{digit(host[static_cast<std::size_t>(i)])}; };
    std::vector<named> payload;
    for (int i = 0; i < n; ++i) payload.push_back({i, {'a', 'b', 'c', 'd', 'e', 'f', 'g'}});

    auto const in = this->there(host);
    auto const values = this->there(payload);
    if constexpr (testing::has_ranks<Ex>) {
      auto out = this->template allocate<int>(n);
      ravel::split<Ways>(this->ex(), in, digit, out);
      EXPECT_EQ(this->here(out), split_oracle(host, Ways, digit_of));
      auto named_out = this->template allocate<named>(n);
      auto const digit_of_named = [=](named const& x) { return int{digit(x.number)}; };
      ravel::split<Ways>(this->ex(), values, digit_of_named, named_out);
      EXPECT_TRUE(this->here(named_out) == split_oracle(payload, Ways, [&](index_t i) {
                    return int{digit(static_cast<int>(i))};
                  }));
    } else {
      agrees_with_offsets_and_pairs<Ways>(host, payload, in, values, digit, digit_of);
    }
  }

  template <int Ways, class In, class Values, class Digit, class DigitOf>
  void agrees_with_offsets_and_pairs(std::vector<int> const& host,
                                     std::vector<named> const& payload, In const& in,
                                     Values const& values, Digit digit, DigitOf digit_of) {
    auto const n = std::ssize(host);
    auto out = this->template allocate<int>(n);
    auto values_out = this->template allocate<named>(n);
    auto offsets = this->template allocate<index_t>(Ways + 1);

    ravel::split<Ways>(this->ex(), in, digit, out, offsets_to(offsets));
    EXPECT_EQ(this->here(out), split_oracle(host, Ways, digit_of));
    EXPECT_EQ(this->here(offsets), offsets_oracle(n, Ways, digit_of));

    auto keys_out = this->template allocate<int>(n);
    ravel::split_pairs<Ways>(this->ex(), in, values, digit, keys_out, values_out);
    EXPECT_EQ(this->here(keys_out), split_oracle(host, Ways, digit_of));
    EXPECT_TRUE(this->here(values_out) == split_oracle(payload, Ways, digit_of));
  }
};
TYPED_TEST_SUITE(split, testing::executors_and_device);

LOCAL_TYPED_TEST(split, gives_the_examples_in_the_header) {
  auto const in = this->there(std::vector{3, 1, 2, 4, 1, 5});
  auto const flags = this->there(std::vector<bool>{true, false, false, true, false, true});
  auto out = this->template allocate<int>(6);
  auto two = this->template allocate<index_t>(3);
  auto three = this->template allocate<std::uint32_t>(4);
  auto const& ex = this->ex();

  ravel::split(ex, in, flags, out, offsets_to(two));
  EXPECT_EQ(this->here(out), (std::vector{1, 2, 1, 3, 4, 5}));
  EXPECT_EQ(this->here(two), (std::vector<index_t>{0, 3, 6}));

  ravel::split<3>(ex, in, around{3}, out, offsets_to(three));
  EXPECT_EQ(this->here(out), (std::vector{1, 2, 1, 3, 4, 5}));
  EXPECT_EQ(this->here(three), (std::vector{0u, 3u, 4u, 6u}));

  ravel::split<3>(ex, in, modulo<3>{}, out, offsets_to(three));
  EXPECT_EQ(this->here(out), (std::vector{3, 1, 4, 1, 2, 5}));
  EXPECT_EQ(this->here(three), (std::vector{0u, 1u, 4u, 6u}));

  auto const keys = this->there(std::vector{3, 1, 2});
  auto const values = this->there(std::vector{'a', 'b', 'c'});
  auto keys_out = this->template allocate<int>(3);
  auto values_out = this->template allocate<char>(3);
  ravel::split_pairs<3>(ex, keys, values, around{2}, keys_out, values_out);
  EXPECT_EQ(this->here(keys_out), (std::vector{1, 2, 3}));
  EXPECT_EQ(this->here(values_out), (std::vector{'b', 'c', 'a'}));
}

TYPED_TEST(split, two_ways_agrees_with_the_loop_at_every_size) {
  for (index_t const n : sizes) this->template agrees<2>(n, is_odd{});
}

/// The last digit is rare, and some digits do not occur.
template <class T>
struct few_of_the_last {
  RAVEL_HD int operator()(T x) const { return static_cast<int>(x % 1000 == 7 ? 4 : x % 3); }
};
template <class T, int Ways, class Test, class Digit>
void expect_split(Test const& test, index_t n, Digit digit) {
  SCOPED_TRACE(::testing::Message() << n << " elements of " << sizeof(T) << " bytes");
  std::vector<T> host;
  for (std::uint32_t i = 0; i < n; ++i) host.push_back(static_cast<T>(i * 2654435761u >> 8));
  auto const digit_of = [&](index_t i) { return int{digit(host[static_cast<std::size_t>(i)])}; };
  auto const in = test.there(host);
  auto const out = test.template allocate<T>(n);
  auto const offsets = test.template allocate<index_t>(Ways + 1);
  ravel::split<Ways>(test.ex(), in, digit, out, offsets_to(offsets));
  EXPECT_EQ(test.here(out), split_oracle(host, Ways, digit_of));
  EXPECT_EQ(test.here(offsets), offsets_oracle(n, Ways, digit_of));
}

LOCAL_TYPED_TEST(split, moves_many_elements) {
  constexpr index_t many = gpu::tuning{}.split_bytes / 4;
  expect_split<int, 2>(*this, many + 123, is_odd{});
  expect_split<int, 8>(*this, many + 7, modulo<8>{});
  expect_split<std::int64_t, 5>(*this, many, few_of_the_last<std::int64_t>{});
}

TYPED_TEST(split, leaves_all_in_order_when_they_are_on_one_side) {
  for (index_t const n : {index_t{0}, index_t{1}, index_t{512}, index_t{5000}}) {
    this->template agrees<2>(n, always{false});
    this->template agrees<2>(n, always{true});
    this->template agrees<1>(n, always{false});
  }
}

TYPED_TEST(split, three_ways_agrees_with_the_loop_at_every_size) {
  for (index_t const n : sizes) this->template agrees<3>(n, around{8'000'000});
}

TYPED_TEST(split, many_ways_agree_with_the_loop) {
  for (index_t const n : {0, 1, 64, 511, 512, 513, 4096, 4097, 20000}) {
    this->template agrees<17>(n, modulo<17>{});
#ifndef RAVEL_TEST_BRIEFLY
    this->template agrees<64>(n, modulo<64>{});
#endif
    this->template agrees<256>(n, modulo<256>{});
  }
}

/// Splits numbers to as many outputs, each with room for room(d, count) elements, and compares with
/// the reference; elements without room are counted, and nothing is written after the last one.
template <class T, int Ways, class Test, class Digit, class Room>
void expect_apart(Test const& test, index_t n, Digit digit, Room room) {
  SCOPED_TRACE(::testing::Message()
               << n << " elements of " << sizeof(T) << " bytes to " << Ways << " outputs");
  std::vector<T> host;
  for (std::uint32_t i = 0; i < n; ++i) host.push_back(static_cast<T>(i * 2654435761u >> 8));
  auto const digit_of = [&](index_t i) { return int{digit(host[static_cast<std::size_t>(i)])}; };
  auto const all = split_oracle(host, Ways, digit_of);
  auto const begins = offsets_oracle(n, Ways, digit_of);
  std::vector<index_t> counts;
  std::vector<std::vector<T>> expected;
  for (std::size_t d = 0; d < Ways; ++d) {
    counts.push_back(begins[d + 1] - begins[d]);
    auto const there = room(static_cast<int>(d), counts.back());
    expected.emplace_back(all.begin() + begins[d], all.begin() + begins[d + 1]);
    expected.back().resize(static_cast<std::size_t>(std::min(there, counts.back())));
    expected.back().resize(static_cast<std::size_t>(there), T(-7));
  }
  auto const in = test.there(host);
  auto const counted = test.template allocate<std::uint32_t>(Ways);
  [&]<std::size_t... D>(std::index_sequence<D...>) {
    std::vector<decltype(test.there(host))> outs;
    (outs.push_back(test.there(std::vector<T>(expected[D].size(), T(-7)))), ...);
    ravel::split(test.ex(), in, digit, parts(outs[D]...), counts_to(counted));
    EXPECT_EQ(test.here(counted), std::vector<std::uint32_t>(counts.begin(), counts.end()));
    for (std::size_t d = 0; d < Ways; ++d) {
      EXPECT_EQ(test.here(outs[d]), expected[d]) << "part " << d;
    }
  }
  (std::make_index_sequence<Ways>{});
}

LOCAL_TYPED_TEST(split, to_parts_gives_the_example_in_the_header) {
  auto const in = this->there(std::vector{3, 1, 2, 4, 1, 5});
  auto const flags = this->there(std::vector<bool>{true, false, false, true, false, true});
  auto a = this->template allocate<int>(6), b = this->template allocate<int>(6);
  auto counts = this->template allocate<int>(2);
  auto const begin_of = [&](auto const& x, int n) { return this->here(view_of(x).slice(0, n)); };

  ravel::split(this->ex(), in, is_odd{}, parts(a, b), counts_to(counts));
  EXPECT_EQ(this->here(counts), (std::vector{2, 4}));
  EXPECT_EQ(begin_of(a, 2), (std::vector{2, 4}));
  EXPECT_EQ(begin_of(b, 4), (std::vector{3, 1, 1, 5}));

  ravel::split(this->ex(), in, flags, parts(a, b));
  EXPECT_EQ(begin_of(a, 3), (std::vector{1, 2, 1}));
  EXPECT_EQ(begin_of(b, 3), (std::vector{3, 4, 5}));
}

LOCAL_TYPED_TEST(split, to_parts_agrees_with_the_loop) {
  auto const all = [](int, index_t count) { return count; };
  auto const more = [](int d, index_t count) { return count + 5 + d; };
  auto const less = [](int d, index_t count) { return d % 2 == 0 ? count / 3 : count + 1; };
  for (index_t const n : sizes) {
    expect_apart<int, 1>(*this, n, always{false}, all);
    expect_apart<std::int64_t, 3>(*this, n, modulo<3>{}, more);
    expect_apart<int, 9>(*this, n, modulo<9>{}, all);
    expect_apart<int, 8>(*this, n, modulo<8>{}, less);
#ifndef RAVEL_TEST_BRIEFLY
    expect_apart<int, 2>(*this, n, is_odd{}, all);
    expect_apart<std::uint8_t, 5>(*this, n, modulo<5>{}, less);
#endif
  }
}

THOROUGH_LOCAL_TYPED_TEST(split, to_parts_moves_many_elements) {
  constexpr index_t many = gpu::tuning{}.packed_bytes + 20'000;
  auto const all = [](int, index_t count) { return count; };
  auto const less = [](int d, index_t count) { return d % 2 == 0 ? count / 3 : count + 1; };
  for (unsigned seed = 1; seed <= 2; ++seed) {
    testing::shuffle_schedule(seed);
    expect_apart<int, 2>(*this, many + seed, is_odd{}, all);
    expect_apart<int, 2>(*this, many, always{seed == 1}, all);
    expect_apart<std::int64_t, 5>(*this, many / 2, few_of_the_last<std::int64_t>{}, less);
    expect_apart<int, 8>(*this, many + 7, modulo<8>{}, all);
    expect_apart<int, 8>(*this, many, always{true}, less);
#ifndef RAVEL_TEST_BRIEFLY
    expect_apart<std::int64_t, 3>(*this, many / 2 + seed, modulo<3>{}, less);
    expect_apart<std::int64_t, 4>(*this, many / 2, modulo<4>{}, all);
#endif
  }
}

LOCAL_TYPED_TEST(split, takes_flags_of_any_type) {
  for (index_t const n : {0, 1, 63, 513, 20000}) {
    SCOPED_TRACE(n);
    auto const host = this->numbers(n);
    std::vector<std::uint32_t> flags;
    for (int const x : host)
      flags.push_back(x % 3 == 0 ? 256u : 0u);  // 256 is true, although its low byte is 0
    auto const flag_of = [&](index_t i) { return flags[static_cast<std::size_t>(i)] ? 1 : 0; };

    auto const in = this->there(host);
    auto const which = this->there(flags);
    auto out = this->template allocate<int>(n);
    auto values_out = this->template allocate<int>(n);
    ravel::split(this->ex(), in, which, out);
    EXPECT_EQ(this->here(out), split_oracle(host, 2, flag_of));
    ravel::split_pairs(this->ex(), in, in, which, out, values_out);
    EXPECT_EQ(this->here(out), split_oracle(host, 2, flag_of));
    EXPECT_EQ(this->here(values_out), split_oracle(host, 2, flag_of));
  }
}

LOCAL_TYPED_TEST(split, visits_each_element_once_with_its_digit_and_place) {
  auto const& ex = this->ex();
  index_t const n = 10000;
  index_t tile_width = 1;
  while (ex.tile_count(tile_width + 1) == 1) ++tile_width;

  auto place = this->template allocate<index_t>(n);
  auto digit = this->template allocate<int>(n);
  split_on<3>(ex, n, by_tile{}, keep{place.data(), digit.data()}, no_starts{});
  auto const places = this->here(place);
  auto const digits = this->here(digit);

  auto const digit_of = [&](index_t i) { return static_cast<int>(i % tile_width % 3); };
  auto next = offsets_oracle(n, 3, digit_of);
  for (index_t i = 0; i < n; ++i) {
    auto const d = static_cast<std::size_t>(digit_of(i));
    ASSERT_EQ(digits[static_cast<std::size_t>(i)], digit_of(i)) << i;
    ASSERT_EQ(places[static_cast<std::size_t>(i)], next[d]++) << i;
  }
}

LOCAL_TYPED_TEST(split, refuses_sizes_that_differ) {
  auto const in = this->template allocate<int>(4);
  auto const flags = this->template allocate<bool>(3);
  auto out = this->template allocate<int>(4);
  auto shorter = this->template allocate<int>(3);
  EXPECT_THROW(ravel::split(this->ex(), in, flags, out), contract_error);
  EXPECT_THROW(ravel::split(this->ex(), in, is_odd{}, shorter), contract_error);
  EXPECT_THROW(ravel::split(this->ex(), in, is_odd{}, out, offsets_to(out)), contract_error);
  EXPECT_THROW(ravel::split(this->ex(), in, flags, parts(out, out)), contract_error);
  EXPECT_THROW(ravel::split(this->ex(), in, is_odd{}, parts(out, out), counts_to(shorter)),
               contract_error);
  EXPECT_THROW(ravel::split_pairs(this->ex(), in, shorter, is_odd{}, out, shorter), contract_error);
  EXPECT_THROW(ravel::split_pairs(this->ex(), in, in, is_odd{}, out, shorter), contract_error);
}

#ifndef __CUDACC__  // nvcc compiles everything there for the device too
/// Host executors move values that a device cannot.
TEST(split_on_the_host, moves_strings) {
  std::vector<int> const keys{2, 0, 1, 0};
  std::vector<std::string> const values{"two", "nought", "one", "zero"};
  std::vector<int> keys_out(4);
  std::vector<std::string> values_out(4);
  ravel::split_pairs<3>(cpu::threads(2), keys, values, modulo<3>{}, keys_out, values_out);
  EXPECT_EQ(values_out, (std::vector<std::string>{"nought", "zero", "one", "two"}));
}
#endif

}  // namespace
}  // namespace ravel::split_test
