/// Integers wrap around, in every layer alike; also run under the undefined-behaviour sanitizer.

#include "flatten/programs.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace ravel::arithmetic_test {
namespace {

using testing::numbers;

template <class Ex>
using program_arithmetic = testing::on_programs<Ex>;
TYPED_TEST_SUITE(program_arithmetic, testing::program_executors);

/// The least and the greatest T, with -1, 1 and 3.
template <class T>
std::vector<T> extremes() {
  using limits = std::numeric_limits<T>;
  return {limits::lowest(), limits::max(), static_cast<T>(-1), T(1), T(3)};
}

/// f of each pair of these, computed in unsigned 64-bit arithmetic, as the C++ result type C.
template <class C, class T, class F>
std::vector<C> wrapped(std::vector<T> const& x, F f) {
  std::vector<C> result;
  for (T const a : x) {
    for (T const b : x) {
      result.push_back(
          static_cast<C>(f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b))));
    }
  }
  return result;
}

template <class T, class Test>
void integers_wrap_around(Test const& test) {
  auto const host = extremes<T>();
  auto const x = test.of(host);
  auto const of_pairs = [&](auto const& f) {
    return to_host(flat_each(x, [&](auto a) { return each(x, [&](auto b) { return f(a, b); }); }));
  };
  using C = decltype(T() * T());
  EXPECT_EQ(of_pairs([](auto a, auto b) { return a + b; }),
            (wrapped<C>(host, [](auto a, auto b) { return a + b; })));
  EXPECT_EQ(of_pairs([](auto a, auto b) { return a - b; }),
            (wrapped<C>(host, [](auto a, auto b) { return a - b; })));
  EXPECT_EQ(of_pairs([](auto a, auto b) { return a * b; }),
            (wrapped<C>(host, [](auto a, auto b) { return a * b; })));
  EXPECT_EQ(of_pairs([](auto a, auto b) { return -a - b * b * b; }),
            (wrapped<C>(host, [](auto a, auto b) { return std::uint64_t{0} - a - b * b * b; })));
  auto const squares = x * x;  // of sequences; sum adds as + does
  static_assert(std::same_as<element_of<decltype(squares)>, nested<C>>);
  C of_all = 0;
  for (T const a : host) {
    of_all = static_cast<C>(static_cast<std::uint64_t>(of_all) +
                            static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(a));
  }
  EXPECT_EQ(to_host(sum(squares)), of_all);
}

TYPED_TEST(program_arithmetic, of_integers_wraps_around) {
  integers_wrap_around<std::int64_t>(*this);
  integers_wrap_around<std::int32_t>(*this);
  integers_wrap_around<std::uint32_t>(*this);
  integers_wrap_around<std::uint64_t>(*this);
}

/// The product of two u16 is an int in C++, and needs 32 bits: 65535 * 65535 is -131071.
TYPED_TEST(program_arithmetic, of_narrow_integers_is_that_of_int) {
  integers_wrap_around<std::uint16_t>(*this);
  integers_wrap_around<std::int16_t>(*this);
  integers_wrap_around<std::int8_t>(*this);
  auto const greatest = this->of(std::uint16_t{65535});
  EXPECT_EQ(to_host(greatest * greatest), -131071);
  EXPECT_EQ(to_host(greatest + greatest), 131070);
}

TYPED_TEST(program_arithmetic, of_other_numbers_is_that_of_cpp) {
  EXPECT_EQ(to_host(this->of(1) * 0.5 + this->of(2.5f)), 3.0);
  EXPECT_EQ(to_host(-this->of(0.5) - this->of(2.5f)), -3.0);
  EXPECT_EQ(to_host(this->of(-1) + std::uint64_t{3}), 2u);
  EXPECT_EQ(to_host(this->of(-1) * 3u), 4294967293u);
}

TYPED_TEST(program_arithmetic, of_ranges_counts_every_number) {
  constexpr auto least = bounds<index_t>::lowest(), greatest = bounds<index_t>::highest();
  EXPECT_EQ(this->show(range(this->of(greatest - 2), greatest)),
            "[9223372036854775805,9223372036854775806]");
  EXPECT_EQ(to_host(len(range(this->of(least), index_t{-1}))), greatest);
  EXPECT_EQ(to_host(len(range(this->of(least), greatest, greatest))), 3);
  EXPECT_EQ(this->show(range(this->of(least), greatest, greatest)),
            "[-9223372036854775808,-1,9223372036854775806]");
  EXPECT_EQ(this->show(range(this->of(greatest), least, least)), "[9223372036854775807,-1]");
  EXPECT_EQ(
      this->show(range(this->of(std::int16_t{-32768}), std::int16_t{32767}, std::int16_t{30000})),
      "[-32768,-2768,27232]");
  EXPECT_EQ(to_host(len(iota(this->of(~std::uint64_t{0} >> 1)))), greatest);
  EXPECT_EQ(this->show(range(this->of(std::uint64_t{1} << 63), (std::uint64_t{1} << 63) + 2)),
            "[9223372036854775808,9223372036854775809]");
}

TYPED_TEST(program_arithmetic, of_functions_of_numbers) {
  auto const x = this->of(std::vector<double>{4, 0.25, 0});
  EXPECT_EQ(this->show(sqrt(x)), "[2,0.5,0]");
  EXPECT_EQ(this->show(pow(x, 2)), "[16,0.0625,0]");
  EXPECT_EQ(this->show(exp(x * 0.0)), "[1,1,1]");
  EXPECT_EQ(this->show(log(x * 0.0 + 1.0)), "[0,0,0]");
  EXPECT_EQ(this->show(cos(x * 0.0)), "[1,1,1]");
  EXPECT_EQ(this->show(sin(x * 0.0)), "[0,0,0]");
  auto const k = this->of(numbers{-3, 2, bounds<index_t>::lowest()});
  EXPECT_EQ(this->show(abs(k)), "[3,2,-9223372036854775808]");
  EXPECT_EQ(this->show(each(k, [](auto i) { return min(abs(i), 2); })),
            "[2,2,-9223372036854775808]");
  EXPECT_EQ(this->show(max(k, 0)), "[0,2,0]");
  EXPECT_EQ(this->show(max(k, this->of(numbers{-5, 5, 0}))), "[-3,5,0]");
#ifndef __CUDACC__
  using complex = std::complex<double>;
  auto const z = this->of(std::vector<complex>{{3, 4}, {0, -2}});
  EXPECT_EQ(to_host(z * z + z), (std::vector<complex>{{-4, 28}, {-4, -2}}));
  EXPECT_EQ(this->show(abs(z)), "[5,2]");
#endif
}

TYPED_TEST(program_arithmetic, of_random_numbers) {
  auto const some = to_host(random_bits(this->of(7), iota(this->of(index_t{1000}))));
  EXPECT_EQ(std::set<std::uint64_t>(some.begin(), some.end()).size(), some.size());
  EXPECT_EQ(to_host(random_bits(7, this->of(numbers{3, 999}))),
            (std::vector<std::uint64_t>{some[3], some[999]}));
  std::array<int, 64> ones{};
  for (auto const x : some) {
    for (std::size_t bit = 0; bit < 64; ++bit) ones[bit] += static_cast<int>(x >> bit & 1);
  }
  EXPECT_GT(*std::min_element(ones.begin(), ones.end()), 420);
  EXPECT_LT(*std::max_element(ones.begin(), ones.end()), 580);
  EXPECT_NE(to_host(random_bits(8, this->of(index_t{3}))), some[3]);
}

TYPED_TEST(program_arithmetic, of_choices_among_elements) {
  auto const c = this->of(testing::flags{true, false, true});
  auto const x = this->of(numbers{1, 2, 3}), y = this->of(numbers{7, 8, 9});
  EXPECT_EQ(this->show(select(c, x, y)), "[1,8,3]");
  EXPECT_EQ(this->show(select(c, x, 0)), "[1,0,3]");
  EXPECT_EQ(this->show(select(c, 0, y)), "[0,8,0]");
  EXPECT_EQ(this->show(select(c, 1, 0)), "[1,0,1]");
}

TYPED_TEST(program_arithmetic, of_ranges_refuses_what_cannot_be_counted) {
  constexpr auto least = bounds<index_t>::lowest(), greatest = bounds<index_t>::highest();
  auto const sentence_of = [](auto const& f) -> std::string {
    try {
      f();
    } catch (error const& e) {
      return e.what();
    }
    return "no error";
  };
  std::string const too_long = "range: it has more than 2^63 - 1 elements, at instance 0";
  EXPECT_EQ(sentence_of([&] { to_host(sum(range(this->of(least), greatest))); }), too_long);
  EXPECT_EQ(sentence_of([&] { to_host(sum(range(this->of(greatest), least, -1))); }), too_long);
  EXPECT_EQ(sentence_of([&] { to_host(sum(iota(this->of(std::uint64_t{1} << 63)))); }),
            "iota: it has more than 2^63 - 1 elements, at instance 0");
  EXPECT_EQ(sentence_of([&] { to_host(len(dist(7, this->of(std::uint64_t{1} << 63)))); }),
            "dist: it has more than 2^63 - 1 elements, at instance 0");
  EXPECT_EQ(sentence_of([&] {
              to_host(each(this->of(std::vector<index_t>{greatest, greatest - 1}),
                           [](auto n) { return sum(iota(n)); }));
            }),
            "iota: the sequences of 2 instances have more than 2^63 - 1 elements together");
  EXPECT_EQ(
      sentence_of([&] {
        to_host(each(iota(this->of(4)), [](auto i) { return sum(dist(i, index_t{1} << 62)); }));
      }),
      "dist: the sequences of 4 instances have more than 2^63 - 1 elements together");
}

/// A scalar that all instances share: in maps, also as an index, in reductions, scans and flags.
TYPED_TEST(program_arithmetic, with_captured_scalars) {
  index_t const n = 1000;
  numbers x, shifted, scaled, sums;
  index_t sum_of_squares = 0, running = 0;
  for (index_t i = 0; i < n; ++i) {
    x.push_back(i * 37 % 101);
    index_t const e = x.back();
    shifted.push_back((i * 37 + 37) % 101 + e * 3 - i);
    scaled.push_back(e * 3 + (i % 2));
    sum_of_squares += (e - 3) * (e - 3);
    sums.push_back(running += e * 3);
  }
  numbers const next(x.begin() + 1, x.end());
  auto const y = this->of(x), all_but_last = this->of(numbers(x.begin(), x.end() - 1));
  auto const three = this->of(index_t{3}), one = this->of(index_t{1});
  shifted.pop_back();
  EXPECT_EQ(to_host(each(all_but_last, indices(all_but_last),
                         [&](auto e, auto i) { return at(y, i + one) + e * three - i; })),
            shifted);
  EXPECT_EQ(to_host(keep(each(y, indices(y), [&](auto e, auto i) { return e * three + i % 2; }))),
            scaled);
  EXPECT_EQ(to_host(sum(each(y, [&](auto e) { return (e - three) * (e - three); }))),
            sum_of_squares);
  EXPECT_EQ(to_host(inclusive_scan(y * three)), sums);
  EXPECT_EQ(to_host(max(abs(y - three * 30))), 90);
  EXPECT_EQ(to_host(count(y > three)),
            std::count_if(x.begin(), x.end(), [](auto e) { return e > 3; }));
  EXPECT_EQ(to_host(each(this->of(testing::rows{x, {}, next}),
                         [&](auto row) { return sum(row * three); })),
            (numbers{sums.back(), 0, sums.back() - 3 * x[0]}));
  EXPECT_EQ(to_host(sum(this->of(numbers{}) * three)), 0);
}

/// By numbers of the host: in maps, filters and reductions, and as an index.
TYPED_TEST(program_arithmetic, divides_by_numbers) {
  numbers x{std::numeric_limits<index_t>::lowest()};
  for (index_t i = -600; i < 600; ++i) x.push_back(i * 37 % 1009);
  auto const in = this->of(x);
  for (index_t const d : {1, 2, 8, 3, -1, -4}) {
    numbers quotients, remainders, multiples;
    std::uint64_t sum_of_quotients = 0;
    for (index_t const e : x) {
      bool const wraps = d == -1;
      quotients.push_back(
          wraps ? static_cast<index_t>(std::uint64_t{0} - static_cast<std::uint64_t>(e)) : e / d);
      remainders.push_back(wraps ? 0 : e % d);
      if (remainders.back() == 0) multiples.push_back(e);
      sum_of_quotients += static_cast<std::uint64_t>(quotients.back());
    }
    auto const quotient = [d](auto e) { return e / d; };
    EXPECT_EQ(to_host(keep(each(in, quotient))), quotients) << d;
    EXPECT_EQ(to_host(keep(each(in, [d](auto e) { return e % d; }))), remainders) << d;
    EXPECT_EQ(to_host(filter(in, [d](auto e) { return e % d == 0; })), multiples) << d;
    EXPECT_EQ(to_host(sum(each(in, quotient))), static_cast<index_t>(sum_of_quotients)) << d;
  }
  numbers halved;
  for (std::size_t i = 0; i < x.size(); ++i) halved.push_back(x[i / 2]);
  EXPECT_EQ(to_host(keep(each(indices(in), [&](auto i) { return at(in, i / 2); }))), halved);
  EXPECT_THROW(to_host(keep(each(in, [](auto e) { return e % index_t{0}; }))), domain_error);
}

TYPED_TEST(program_arithmetic, of_known_lengths_counts_to_the_greatest_index) {
  auto const rows_of = [on = this->of(0).c->on](index_t n, index_t length) {
    return flattening::rows_of_lengths("iota", *on, n, flattening::constant<index_t>{length});
  };
  index_t const most = bounds<index_t>::highest() / 2;
  EXPECT_EQ(known_total(*rows_of(2, most)), 2 * most);
  EXPECT_THROW(rows_of(2, most + 1), shape_error);
}

}  // namespace
}  // namespace ravel::arithmetic_test
