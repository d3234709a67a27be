#include <ravel/primitives/scan_algorithm.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/monoids.hpp"

#include <cstdint>

namespace ravel::named_scan_test {
namespace {

using testing::affine;
using testing::then;

/// More than a word of 16 bytes, and not an arithmetic type.
struct wide {
  std::uint64_t sum, parity, last, count;
  friend bool operator==(wide const& a, wide const& b) {
    return a.sum == b.sum && a.parity == b.parity && a.last == b.last && a.count == b.count;
  }
};
struct combine_wide {
  static RAVEL_HD wide identity() { return {0, 0, 0, 0}; }
  RAVEL_HD wide operator()(wide const& x, wide const& y) const {
    return {x.sum + y.sum, x.parity ^ y.parity, y.last != 0 ? y.last : x.last, x.count + y.count};
  }
};

/// The reference loop: the exclusive prefixes and, last, the total.
template <class T, class M>
std::vector<T> loop(std::vector<T> const& in, M m, T init) {
  std::vector<T> out{init};
  for (T const& x : in) out.push_back(init = m(init, x));
  return out;
}
template <class T>
std::vector<T> without_first(std::vector<T> x) {
  x.erase(x.begin());
  return x;
}
template <class T>
std::vector<T> without_last(std::vector<T> x) {
  x.pop_back();
  return x;
}
template <class T>
std::vector<T> reversed(std::vector<T> const& x) {
  return {x.rbegin(), x.rend()};
}

/// An algorithm on an executor.
template <class E, class A>
struct by {
  using ex = E;
  using algorithm = A;
};

template <class By>
struct named_scan : testing::on_executor<typename By::ex> {
  typename By::algorithm algorithm;

  std::vector<affine> maps(index_t n) const {
    std::vector<affine> in;
    for (std::uint32_t i = 0; i < n; ++i) in.push_back(testing::nth_affine(i));
    return in;
  }
};

#ifdef __CUDACC__
using steps_on = gpu::executor;
#else
using steps_on = software_blocks<64>;
#endif
using algorithms = ::testing::Types<
    by<cpu::threads, scan_algorithm::step_doubling_t>,
    by<cpu::threads, scan_algorithm::work_efficient_t>,
    by<cpu::threads, scan_algorithm::work_efficient_unpadded_t>,
    by<cpu::threads, scan_algorithm::warp_hierarchical_t>,
    by<cpu::threads, scan_algorithm::reduce_then_scan_t>,
#ifndef RAVEL_UNDER_TSAN  // it cannot follow fibres
    by<steps_on, scan_algorithm::step_doubling_t>, by<steps_on, scan_algorithm::work_efficient_t>,
    by<steps_on, scan_algorithm::work_efficient_unpadded_t>,
    by<steps_on, scan_algorithm::brent_kung_t>, by<steps_on, scan_algorithm::warp_hierarchical_t>,
    by<gpu::executor, scan_algorithm::reduce_then_scan_t>,
    by<gpu::executor, scan_algorithm::chained_cyclic_t<false>>,
    by<gpu::executor, scan_algorithm::chained_cyclic_t<true>>,
    by<gpu::executor, scan_algorithm::decoupled_look_back_t>,
    by<gpu::executor, scan_algorithm::local_sums_t<1>>,
    by<gpu::executor, scan_algorithm::look_ahead_t>
#endif
    >;
TYPED_TEST_SUITE(named_scan, algorithms);

/// Around a warp, a round, a tree and a tile (lightscan's is of 20480 maps) of every executor; the last are several
/// rounds of all blocks, and levels of tiles.
std::vector<index_t> const sizes{0,    1,    2,    31,    32,    33,    63,    64,   65,
                                 319,  320,  321,  511,   512,   513,   2047,  2048, 2049,
                                 4095, 4096, 4097, 20000, 20479, 20480, 20481, 70000};

TYPED_TEST(named_scan, agrees_with_the_loop_at_every_size) {
  for (index_t const n : sizes) {
    SCOPED_TRACE(n);
    auto const host = this->maps(n);
    affine const init{3, 5};
    auto const expected = loop(host, then{}, init);
    auto const in = this->there(host);
    auto out = this->template allocate<affine>(n);
    auto more = this->template allocate<affine>(n + 1);
    auto total = this->template allocate<affine>(1);

    inclusive_scan(this->ex(), in, out, then{}, from(init), this->algorithm, total_to(total));
    EXPECT_EQ(this->here(out), without_first(expected));
    EXPECT_EQ(this->here(total).front(), expected.back());
    exclusive_scan(this->ex(), in, more, then{}, this->algorithm, from(init));
    EXPECT_EQ(this->here(more), expected);
  }
}

THOROUGH_TYPED_TEST(named_scan, goes_backward_and_over_its_input) {
  for (index_t const n : {1, 64, 1000, 20000}) {
    SCOPED_TRACE(n);
    auto const host = this->maps(n);
    std::vector<affine> expected{then::identity()};
    for (auto x = host.rbegin(); x != host.rend(); ++x) {
      expected.push_back(then{}(*x, expected.back()));
    }
    auto data = this->there(host);
    exclusive_scan(this->ex(), data, data, then{}, backward, this->algorithm);
    EXPECT_EQ(this->here(data), reversed(without_last(expected)));
  }
}

THOROUGH_TYPED_TEST(named_scan, scans_values_of_every_width) {
  index_t const n = 20000;
  std::vector<std::uint8_t> bytes;
  std::vector<double> numbers;
  std::vector<wide> values;
  for (std::uint64_t i = 0; i < n; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(i * 7));
    numbers.push_back(static_cast<double>(i % 100));
    values.push_back({i, i * i, i % 100 == 0 ? i : 0, 1});
  }
  auto const expect = [&](auto const& in, auto m) {
    using T = typename std::remove_cvref_t<decltype(in)>::value_type;
    auto out = this->template allocate<T>(n);
    inclusive_scan(this->ex(), this->there(in), out, m, this->algorithm);
    EXPECT_EQ(this->here(out), without_first(loop(in, m, T(m.identity()))));
  };
  expect(bytes, plus<std::uint8_t>{});
  expect(numbers, plus<double>{});
  expect(values, combine_wide{});
}

TYPED_TEST(named_scan, finds_together_in_whatever_order_blocks_come) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    testing::shuffle_schedule(seed);
    auto const host = this->maps(9000);
    auto out = this->template allocate<affine>(9000);
    inclusive_scan(this->ex(), this->there(host), out, then{}, this->algorithm);
    ASSERT_EQ(this->here(out), without_first(loop(host, then{}, then::identity())));
  }
}

#ifndef RAVEL_UNDER_TSAN  // it cannot follow fibres
/// Of 45,056 elements of at most 32 bits, and of 20,480 of 64.
template <class T>
void expect_lightscan_around(index_t tile) {
  gpu::executor const ex;
  for (index_t const n : {tile - 1, tile, tile + 1, 3 * tile - 1}) {
    SCOPED_TRACE(n);
    std::vector<T> in;
    for (index_t i = 0; i < n; ++i) in.push_back(static_cast<T>(i % 7));
    auto const from_host = to(ex, in);
    auto const out = ex.allocate<T>(n);
    inclusive_scan(ex, from_host, out, plus<T>{}, scan_algorithm::lightscan);
    EXPECT_EQ(to_host(ex, out), without_first(loop(in, plus<T>{}, T{})));
  }
}
TEST(lightscan, agrees_with_the_loop_around_its_tiles) {
#  ifdef __CUDACC__
  if (!gpu::available()) GTEST_SKIP() << "no CUDA device";
#  endif
  expect_lightscan_around<std::uint8_t>(45056);
  expect_lightscan_around<int>(45056);
  expect_lightscan_around<double>(20480);
}
#endif

/// Of few elements, as its work is their square; in floating point to the last bit.
TEST(naive_scan, has_the_bits_of_the_loop) {
  cpu::threads const ex;
  for (std::size_t const n : {0, 1, 2, 100, 1000}) {
    SCOPED_TRACE(n);
    std::vector<float> in;
    for (std::size_t i = 0; i < n; ++i) in.push_back(1.0F / static_cast<float>(i + 1));
    auto const expected = loop(in, plus<float>{}, 0.1F);
    std::vector<float> out(n + 1), total(1);
    exclusive_scan(ex, in, out, plus{}, scan_algorithm::naive, from(0.1F));
    EXPECT_EQ(out, expected);
    inclusive_scan(ex, in, in, plus{}, scan_algorithm::naive, from(0.1F), total_to(total));
    EXPECT_EQ(in, without_first(expected));
    EXPECT_EQ(total.front(), expected.back());

    std::vector<affine> maps, back{then::identity()};
    for (std::uint32_t i = 0; i < n; ++i) maps.push_back(testing::nth_affine(i));
    for (auto x = maps.rbegin(); x != maps.rend(); ++x) back.push_back(then{}(*x, back.back()));
    exclusive_scan(ex, maps, maps, then{}, backward, scan_algorithm::naive);
    EXPECT_EQ(maps, reversed(without_last(back)));
  }
}

#if !defined(__CUDACC__) && !defined(RAVEL_UNDER_TSAN)

/// The number of launches of a scan of n elements.
template <class Ex, class A>
unsigned launches(Ex const& ex, index_t n, A algorithm) {
  auto const data = ex.template allocate<int>(n);
  for_each_index(ex, n, [x = data.data()](index_t i) { x[i] = 1; });
  unsigned const before = software::device::launches();
  inclusive_scan(ex, data, data, plus{}, algorithm);
  return software::device::launches() - before;
}

TEST(named_scans, launch_as_often_as_they_say) {
  software_blocks<64> const steps;
  index_t const tile = software_blocks<64>::team::tile_width;
  for (auto const& [n, level] : {std::pair{tile, 1u}, {tile + 1, 2u}, {tile * tile + 1, 3u}}) {
    unsigned const three_and_two_more = level == 1 ? 2 : 2 * level - 1;
    EXPECT_EQ(launches(steps, n, scan_algorithm::work_efficient), three_and_two_more);
    EXPECT_EQ(launches(steps, n, scan_algorithm::work_efficient_unpadded), three_and_two_more);
    EXPECT_EQ(launches(steps, n, scan_algorithm::brent_kung), three_and_two_more);
    EXPECT_EQ(launches(steps, n, scan_algorithm::warp_hierarchical), three_and_two_more);
    EXPECT_EQ(launches(steps, n, scan_algorithm::reduce_then_scan), 2 * level - 1);
  }
  EXPECT_EQ(launches(steps, 1000, scan_algorithm::naive), 2u);
  EXPECT_EQ(launches(steps, 1000, scan_algorithm::step_doubling), 12u);
  gpu::executor const device;
  EXPECT_EQ(launches(device, 20000, scan_algorithm::chained_cyclic), 1u);
  EXPECT_EQ(launches(device, 20000, scan_algorithm::lightscan), 1u);
  EXPECT_EQ(launches(device, 20000, scan_algorithm::decoupled_look_back), 1u);
  EXPECT_EQ(launches(device, 20000, scan_algorithm::local_sums), 1u);
  EXPECT_EQ(launches(device, 20000, scan_algorithm::look_ahead), 1u);
}

#endif

}  // namespace
}  // namespace ravel::named_scan_test
