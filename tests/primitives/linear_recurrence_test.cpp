/// Scans that carry several values: higher-order sums, tuples, and linear recurrences.

#include <ravel/core/derived_monoids.hpp>
#include <ravel/primitives/linear_recurrence.hpp>
#include <ravel/primitives/scan.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/monoids.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ravel::linear_recurrence_test {
namespace {

using testing::affine;
using testing::then;

/// One loop per order, each over every S-th element; the last starts with init.
template <int Q, int S, class T, class M>
std::vector<T> oracle(std::vector<T> x, M m, T init) {
  for (int q = 1; q <= Q; ++q) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      T const before = i >= S ? x[i - S] : q == Q ? init : T(m.identity());
      x[i] = m(before, x[i]);
    }
  }
  return x;
}

template <class T>
std::vector<T> reversed(std::vector<T> x) {
  std::reverse(x.begin(), x.end());
  return x;
}

/// Sums modulo 2^32 and 2^8, without overflow in between.
template <class T>
struct sum {
  static T identity() { return 0; }
  T operator()(T x, T y) const {
    return static_cast<T>(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(y));
  }
};

template <class T>
std::vector<T> signal(index_t n) {
  std::vector<T> x(static_cast<std::size_t>(n));
  std::uint64_t bits = 1;
  for (auto& y : x)
    y = static_cast<T>((bits = bits * 6364136223846793005u + 1442695040888963407u) >> 40);
  return x;
}

template <class Ex>
struct linear_recurrence_on : testing::on_executor<Ex> {
  /// Enough for several tiles: on the host for threads to pass on carries, and on a device for
  /// streams of more than one group of tiles.
  static constexpr index_t many = cpu::host_executor<Ex> ? 140'000
                                  : std::same_as<Ex, gpu::executor>
                                      ? gpu::tuning{}.carried_bytes / 4 + 12'345
                                      : 6000;

  template <int Q, int S, class T>
  void expect_sums(index_t n) const {
    SCOPED_TRACE(::testing::Message() << "order " << Q << ", tuples of " << S << ", n " << n);
    auto const host = signal<T>(n);
    auto const in = this->there(host);
    auto out = this->template allocate<T>(n);
    inclusive_scan(this->ex(), in, out, plus{}, of_order<Q>, of_tuples<S>);
    ASSERT_EQ(this->here(out), (oracle<Q, S>(host, sum<T>{}, T(0))));
  }
};
TYPED_TEST_SUITE(linear_recurrence_on, testing::executors_and_device);

TYPED_TEST(linear_recurrence_on, gives_the_examples_in_the_headers) {
  auto const& ex = this->ex();
  auto const in = this->there(std::vector{1, 2, 3, 4, 5, 6});
  auto out = this->template allocate<int>(6);
  inclusive_scan(ex, in, out, plus{}, of_tuples<2>);
  EXPECT_EQ(this->here(out), (std::vector{1, 2, 4, 6, 9, 12}));
  inclusive_scan(ex, in, out, plus{}, of_order<2>);
  EXPECT_EQ(this->here(out), (std::vector{1, 4, 10, 20, 35, 56}));

  auto const pulse = this->there(std::vector{1, 0, 0, 0, 0, 0});
  linear_recurrence(ex, pulse, coefficients{1, 1}, out);
  EXPECT_EQ(this->here(out), (std::vector{1, 1, 2, 3, 5, 8}));
  auto const a = this->there(std::vector{0, 1, 2, 0, -1, 1});
  linear_recurrence(ex, in, a, out);
  EXPECT_EQ(this->here(out), (std::vector{1, 3, 9, 4, 1, 7}));
}

THOROUGH_TYPED_TEST(linear_recurrence_on, an_order_of_tuples_gives_the_example_in_the_header) {
  auto const in = this->there(std::vector{1, 2, 3, 4, 5, 6});
  auto out = this->template allocate<int>(6);
  inclusive_scan(this->ex(), in, out, plus{}, of_order<2>, of_tuples<2>);
  EXPECT_EQ(this->here(out), (std::vector{1, 2, 5, 8, 14, 20}));
}

TYPED_TEST(linear_recurrence_on, sums_of_orders_and_tuples_agree_with_repeated_loops) {
  for (index_t const n :
       {index_t{0}, index_t{1}, index_t{2}, index_t{7}, index_t{641}, this->many}) {
    this->template expect_sums<2, 1, int>(n);
    this->template expect_sums<5, 3, std::uint8_t>(n);
    this->template expect_sums<1, 5, int>(n);
  }
  for (index_t const n : {index_t{1}, this->many / 2}) {
    this->template expect_sums<8, 1, std::int64_t>(n);
  }
}

TYPED_TEST(linear_recurrence_on, keeps_the_order_of_operands_in_tuples) {
  std::vector<affine> host;
  for (std::uint32_t i = 0; i < this->many / 2; ++i) host.push_back(testing::nth_affine(i));
  auto const in = this->there(host);
  auto out = this->template allocate<affine>(std::ssize(host));
  inclusive_scan(this->ex(), in, out, then{}, of_tuples<3>);
  EXPECT_EQ(this->here(out), (oracle<1, 3>(host, then{}, then::identity())));
  inclusive_scan(this->ex(), in, out, then{}, of_tuples<3>, backward);
  EXPECT_EQ(this->here(out),
            reversed(oracle<1, 3>(reversed(host), flipped{then{}}, then::identity())));
}

THOROUGH_TYPED_TEST(linear_recurrence_on, takes_the_options_of_scans) {
  auto const& ex = this->ex();
  for (index_t const n : {index_t{1}, index_t{50}, this->many}) {
    auto const host = signal<int>(n);
    auto const in = this->there(host);
    auto out = this->template allocate<int>(n);
    auto more = this->template allocate_one_more<int>(in);
    auto const total = this->template replicate<int>(1);

    auto const through = oracle<2, 1>(host, sum<int>{}, 100);
    inclusive_scan(ex, in, out, plus{}, of_order<2>, from(100), total_to(total));
    EXPECT_EQ(this->here(out), through);
    EXPECT_EQ(this->here(total).front(), through.back());

    std::vector<int> before{100};
    before.insert(before.end(), through.begin(), through.end());
    exclusive_scan(ex, in, more, plus{}, of_order<2>, from(100));
    EXPECT_EQ(this->here(more), before);

    auto const back = reversed(oracle<3, 2>(reversed(host), sum<int>{}, 7));
    auto in_place = this->there(host);
    inclusive_scan(ex, in_place, in_place, plus{}, of_order<3>, of_tuples<2>, backward, from(7));
    EXPECT_EQ(this->here(in_place), back);

    exclusive_scan(ex, in, out, plus{}, of_tuples<2>);
    auto shifted = oracle<1, 2>(host, sum<int>{}, 0);
    shifted.insert(shifted.begin(), 2, 0);
    shifted.resize(static_cast<std::size_t>(n));
    EXPECT_EQ(this->here(out), shifted);
  }
  auto none = this->template allocate<int>(0);
  auto const total = this->template replicate<int>(1);
  inclusive_scan(ex, none, none, plus{}, of_order<2>, from(5), total_to(total));
  EXPECT_EQ(this->here(total).front(), 5);
}

THOROUGH_TYPED_TEST(linear_recurrence_on, sums_of_high_orders_take_the_options_of_scans) {
  auto const& ex = this->ex();
  for (index_t const n : {index_t{1}, index_t{643}, this->many}) {
    auto const host = signal<std::int64_t>(n);
    auto const in = this->there(host);
    auto out = this->template allocate<std::int64_t>(n);
    auto const total = this->template replicate<std::int64_t>(1);

    auto const through = oracle<8, 1>(host, sum<std::int64_t>{}, std::int64_t{100});
    exclusive_scan(ex, in, out, plus{}, of_order<8>, from(100), total_to(total));
    auto before = through;
    before.insert(before.begin(), 100);
    before.pop_back();
    EXPECT_EQ(this->here(out), before);
    EXPECT_EQ(this->here(total).front(), through.back());

    auto in_place = this->there(host);
    inclusive_scan(ex, in_place, in_place, plus{}, of_order<6>, backward, from(7), total_to(total));
    auto const back = reversed(oracle<6, 1>(reversed(host), sum<std::int64_t>{}, std::int64_t{7}));
    EXPECT_EQ(this->here(in_place), back);
    EXPECT_EQ(this->here(total).front(), back.front());
  }
  this->template expect_sums<7, 1, std::int16_t>(this->many / 2);
}

TYPED_TEST(linear_recurrence_on, of_integers_is_the_loop) {
  for (index_t const n : {index_t{0}, index_t{1}, index_t{4}, index_t{777}, this->many}) {
    auto const host = signal<std::uint32_t>(n);
    auto const in = this->there(host);
    auto out = this->template allocate<std::uint32_t>(n);
    std::vector<std::uint32_t> y(host.size());
    auto const at = [&](std::size_t i, std::size_t back) { return i >= back ? y[i - back] : 0u; };

    linear_recurrence(this->ex(), in, coefficients{3u, 5u, 7u, 11u}, out);
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = host[i] + 3 * at(i, 1) + 5 * at(i, 2) + 7 * at(i, 3) + 11 * at(i, 4);
    }
    ASSERT_EQ(this->here(out), y);

    linear_recurrence(this->ex(), in, coefficients{3u, 5u}, out, of_tuples<2>);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = host[i] + 3 * at(i, 2) + 5 * at(i, 4);
    ASSERT_EQ(this->here(out), y);

    linear_recurrence(this->ex(), in, coefficients{3u}, out, backward, from(9u));
    for (std::size_t i = y.size(); i-- > 0;) y[i] = host[i] + 3 * (i + 1 < y.size() ? y[i + 1] : 9);
    ASSERT_EQ(this->here(out), y);

    auto const a = signal<std::uint32_t>(n + 1);
    auto const factors = this->there(std::vector(a.begin() + 1, a.end()));
    auto in_place = this->there(host);
    linear_recurrence(this->ex(), in_place, factors, in_place, from(9u));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = host[i] + a[i + 1] * (i > 0 ? y[i - 1] : 9);
    ASSERT_EQ(this->here(in_place), y);
    linear_recurrence(this->ex(), in, factors, out, backward);
    for (std::size_t i = y.size(); i-- > 0;) {
      y[i] = host[i] + a[i + 1] * (i + 1 < y.size() ? y[i + 1] : 0);
    }
    ASSERT_EQ(this->here(out), y);
  }
}

TYPED_TEST(linear_recurrence_on, of_floating_point_is_the_loop_but_for_rounding) {
  index_t const n = this->many;
  std::vector<float> host(static_cast<std::size_t>(n)), a(host.size());
  for (std::size_t i = 0; i < host.size(); ++i) {
    host[i] = static_cast<float>(i % 17) - 8;
    a[i] = i % 1000 == 0 ? 0 : 1 - 1 / static_cast<float>(i % 7 + 2);
  }
  auto const in = this->there(host);
  auto out = this->template allocate<float>(n);
  linear_recurrence(this->ex(), in, coefficients{1.5f, -0.75f, 0.125f}, out);
  auto found = this->here(out);
  double y[3] = {};
  for (std::size_t i = 0; i < host.size(); ++i) {
    double const now = double(host[i]) + 1.5 * y[0] - 0.75 * y[1] + 0.125 * y[2];
    y[2] = y[1];
    y[1] = y[0];
    y[0] = now;
    ASSERT_NEAR(found[i], now, 1e-3) << i;
  }
  linear_recurrence(this->ex(), in, this->there(a), out);
  found = this->here(out);
  double z = 0;
  for (std::size_t i = 0; i < host.size(); ++i) {
    z = double(host[i]) + double(a[i]) * z;
    ASSERT_NEAR(found[i], z, 1e-3) << i;
  }
}

/// 2^n overflows long before the first nonzero element.
THOROUGH_TYPED_TEST(linear_recurrence_on, keeps_zeros_where_powers_are_infinite) {
  std::vector<float> host(10'500), expected(10'500);
  host[10'490] = 1;
  for (std::size_t i = 10'490; i < host.size(); ++i)
    expected[i] = std::ldexp(1.0f, static_cast<int>(i) - 10'490);
  auto const in = this->there(host);
  auto out = this->template allocate<float>(10'500);
  linear_recurrence(this->ex(), in, coefficients{2.0f}, out);
  EXPECT_EQ(this->here(out), expected);
  linear_recurrence(this->ex(), in, coefficients{1.0f, 2.0f}, out);
  EXPECT_TRUE(std::isfinite(this->here(out).back()));
  linear_recurrence(this->ex(), in, this->there(std::vector(10'500, 2.0f)), out);
  EXPECT_EQ(this->here(out), expected);
}

LOCAL_TYPED_TEST(linear_recurrence_on, refuses_sizes_that_differ) {
  auto const six = this->there(std::vector{1, 2, 3, 4, 5, 6});
  auto const five = this->template allocate<int>(5);
  auto const seven = this->template allocate<int>(7);
  EXPECT_THROW(linear_recurrence(this->ex(), six, coefficients{1}, five), contract_error);
  EXPECT_THROW(linear_recurrence(this->ex(), six, five, six), contract_error);
  EXPECT_THROW(exclusive_scan(this->ex(), six, seven, plus{}, of_tuples<2>), contract_error);
}

}  // namespace
}  // namespace ravel::linear_recurrence_test
