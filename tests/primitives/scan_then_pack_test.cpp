#include <ravel/core/derived_monoids.hpp>
#include <ravel/primitives/scan_then_pack.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"

#include <cstdint>

namespace ravel::scan_then_pack_test {
namespace {

template <class T>
struct read_from {
  T const* from;
  RAVEL_HD T operator()(index_t i) const { return from[i]; }
};

/// A function of one element of memory and of its index.
template <class T>
struct read_weighed {
  T const* from;
  RAVEL_HD T const* elements() const { return from; }
  RAVEL_HD T of(index_t i, T x) const { return x + static_cast<T>(i % 3); }
  RAVEL_HD T operator()(index_t i) const { return of(i, from[i]); }
};

/// The inclusive prefix of each even element, which the step reads.
template <class T>
struct through_even {
  T const* from;
  RAVEL_HD maybe<T> of(index_t, T x, T const&, T const& through) const {
    return x % 2 == 0 ? maybe<T>(through) : maybe<T>();
  }
  RAVEL_HD maybe<T> operator()(index_t i, T const& before, T const& through) const {
    return of(i, from[i], before, through);
  }
};

/// Nothing for an odd number, and half of an even one.
struct half_of_even {
  template <class T>
  RAVEL_HD maybe<T> operator()(index_t, T const&, T const& through) const {
    return through % 2 == 0 ? maybe<T>(through / 2) : maybe<T>();
  }
};

struct zero {
  RAVEL_HD int operator()() const { return 0; }
};

template <class T>
struct count_to {
  T* to;
  RAVEL_HD void operator()(index_t n) const { *to = n; }
};

/// Composition of x -> a x + b, which does not commute.
struct affine {
  std::uint32_t a, b;
  friend RAVEL_HD bool operator==(affine const& x, affine const& y) {
    return x.a == y.a && x.b == y.b;
  }
};
struct then {
  static RAVEL_HD constexpr affine identity() { return {1, 0}; }
  RAVEL_HD constexpr affine operator()(affine const& f, affine const& g) const {
    return {f.a * g.a, f.b * g.a + g.b};
  }
};
struct affine_seed {
  RAVEL_HD affine operator()() const { return {3, 1}; }
};
/// The exclusive prefix and the index, selected by bits of the inclusive prefix.
struct kept_affine {
  unsigned mask;
  RAVEL_HD maybe<paired<affine, index_t>> operator()(index_t i, affine const& before,
                                                     affine const& through) const {
    if ((through.b & mask) != 0) return {};
    return maybe<paired<affine, index_t>>({before, i});
  }
};

/// More than a word of 16 bytes.
struct wide {
  std::uint64_t sum, twice;
};
struct add_wide {
  static RAVEL_HD constexpr wide identity() { return {0, 0}; }
  RAVEL_HD constexpr wide operator()(wide const& x, wide const& y) const {
    return {x.sum + y.sum, x.twice + y.twice};
  }
};
struct make_wide {
  RAVEL_HD wide operator()(index_t i) const {
    auto const x = static_cast<std::uint64_t>(i % 7);
    return {x, 2 * x};
  }
};
struct kept_wide {
  RAVEL_HD maybe<std::uint64_t> operator()(index_t, wide const&, wide const& through) const {
    return through.sum % 3 == 0 ? maybe<std::uint64_t>(through.twice) : maybe<std::uint64_t>();
  }
};

template <class Ex>
struct scan_then_pack : testing::on_executor<Ex> {
  /// The definition in the header, as a loop.
  template <class Load, class M, class T, class Step>
  static auto oracle(index_t n, Load load, M m, T seed, Step step) {
    std::vector<decltype(step(0, seed, seed).value)> out;
    for (index_t i = 0; i < n; ++i) {
      T const through = m(seed, load(i));
      if (auto const x = step(i, seed, through); x.is) out.push_back(x.value);
      seed = through;
    }
    return out;
  }

  template <class U, class Load, class M, class Seed, class Step>
  void expect(std::vector<U> const& expected, index_t n, Load load, M m, Seed seed, Step step) {
    auto const size = static_cast<index_t>(expected.size());
    auto const out = this->template allocate<U>(n);
    auto const total = this->template allocate<index_t>(1);
    scan_then_pack_on(this->ex(), n, load, m, seed, step, write_kept<U>{out.data(), size},
                      count_to<index_t>{total.data()});
    EXPECT_EQ(this->here(total)[0], size) << n;
    auto there = this->here(out);
    there.resize(expected.size());
    EXPECT_TRUE(there == expected) << n;
  }
};
TYPED_TEST_SUITE(scan_then_pack, testing::all_executors);

TYPED_TEST(scan_then_pack, gives_the_example_in_the_header) {
  auto const in = this->there(std::vector{3, 1, 2, 4, 1, 5});
  this->expect(std::vector{2, 3, 5, 8}, 6, read_from<int>{in.data()}, plus<int>{}, zero{},
               half_of_even{});
}

TYPED_TEST(scan_then_pack, agrees_with_the_loop) {
  for (index_t const n : {0, 1, 31, 5887, 5888, 5889, 23553, 30001}) {
    std::vector<int> in(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 7919 % 13);
    auto const there = this->there(in);
    this->expect(this->oracle(n, read_from<int>{in.data()}, plus<int>{}, 0, half_of_even{}), n,
                 read_from<int>{there.data()}, plus<int>{}, zero{}, half_of_even{});
  }
}

TYPED_TEST(scan_then_pack, agrees_with_the_loop_where_devices_read_in_bulk) {
  for (index_t const n : {2499, 2500, 7168, 7169, 40003}) {
    std::vector<unsigned> in(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned>(i * i * 7919 >> 3);
    auto const there = this->there(in);
    using sum = plus<unsigned>;
    this->expect(this->oracle(n, read_weighed<unsigned>{in.data()}, sum{}, 0u, half_of_even{}), n,
                 read_weighed<unsigned>{there.data()}, sum{}, zero{}, half_of_even{});
    read_weighed<unsigned> const load{there.data()};
    through_even<unsigned> const looks{in.data()};
    this->expect(this->oracle(n, read_weighed<unsigned>{in.data()}, plus<unsigned>{}, 0u, looks), n,
                 load, plus<unsigned>{}, zero{}, through_even<unsigned>{there.data()});
    index_t const rest = n - 1;  // misaligned
    this->expect(
        this->oracle(rest, read_weighed<unsigned>{in.data() + 1}, sum{}, 0u, half_of_even{}), rest,
        read_weighed<unsigned>{there.data() + 1}, sum{}, zero{}, half_of_even{});
  }
  index_t const n = 40000;
  std::vector<std::int64_t> in(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::int64_t>(i * 977 % 1009);
  auto const there = this->there(in);
  using most = maximum<std::int64_t>;
  this->expect(this->oracle(n, read_weighed<std::int64_t>{in.data()}, most{}, std::int64_t{0},
                            half_of_even{}),
               n, read_weighed<std::int64_t>{there.data()}, most{}, zero{}, half_of_even{});
}

TYPED_TEST(scan_then_pack, keeps_the_order_of_a_monoid_that_does_not_commute) {
  for (unsigned const mask : {0u, 1u, 7u, 4095u}) {
    index_t const n = 20000;
    std::vector<affine> in;
    for (std::uint32_t i = 0; i < n; ++i) in.push_back({2 * (i % 5) + 1, i});
    auto const there = this->there(in);
    auto const expected =
        this->oracle(n, read_from<affine>{in.data()}, then{}, affine{3, 1}, kept_affine{mask});
    this->expect(expected, n, read_from<affine>{there.data()}, then{}, affine_seed{},
                 kept_affine{mask});
  }
}

struct wide_seed {
  RAVEL_HD wide operator()() const { return {5, 10}; }
};

TYPED_TEST(scan_then_pack, scans_values_wider_than_a_word) {
  index_t const n = 20001;
  auto const expected = this->oracle(n, make_wide{}, add_wide{}, wide{5, 10}, kept_wide{});
  this->expect(expected, n, make_wide{}, add_wide{}, wide_seed{}, kept_wide{});
}

TYPED_TEST(scan_then_pack, writes_no_more_than_there_is_room_for) {
  auto const in = this->there(std::vector<int>(100, 2));
  auto const out = this->there(std::vector<int>(100, -1));
  auto const total = this->template allocate<index_t>(1);
  scan_then_pack_on(this->ex(), 100, read_from<int>{in.data()}, plus<int>{}, zero{}, half_of_even{},
                    write_kept<int>{out.data(), 7}, count_to<index_t>{total.data()});
  EXPECT_EQ(this->here(total)[0], 100);
  EXPECT_EQ(this->here(out)[6], 7);
  EXPECT_EQ(this->here(out)[7], -1);
}

}  // namespace
}  // namespace ravel::scan_then_pack_test
