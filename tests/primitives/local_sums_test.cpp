/// Features of the scan of local sums that other scans lack: orders and tuples.

#include <ravel/primitives/scan_algorithm.hpp>
#include <ravel/primitives/segmented_scan.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/monoids.hpp"

#include <cstdint>

namespace ravel::local_sums_test {
namespace {

using testing::affine;
using testing::then;

struct local_sums : testing::on_executor<gpu::executor> {};

TEST_F(local_sums, gives_the_examples_in_the_header) {
  auto const in = there(std::vector{1, 2, 3, 4, 5, 6});
  auto const out = allocate<int>(6);
  inclusive_scan(ex(), in, out, plus{}, scan_algorithm::local_sums);
  EXPECT_EQ(here(out), (std::vector{1, 3, 6, 10, 15, 21}));
  inclusive_scan(ex(), in, out, plus{}, scan_algorithm::local_sums.of_order(2));
  EXPECT_EQ(here(out), (std::vector{1, 4, 10, 20, 35, 56}));
  inclusive_scan(ex(), in, out, plus{}, scan_algorithm::local_sums.of_tuples<2>());
  EXPECT_EQ(here(out), (std::vector{1, 2, 4, 6, 9, 12}));
}

/// An exclusive scan; that of a call has a total, which tuples lack.
struct writes_before {
  affine* out;
  RAVEL_HD void operator()(index_t i, affine const& before, affine const&) const {
    out[i] = before;
  }
};

/// One loop per order, each over every Tuple-th element.
template <int Tuple>
void expect_orders(testing::on_executor<gpu::executor> const& on, index_t n) {
  std::vector<affine> host;
  for (std::uint32_t i = 0; i < n; ++i) host.push_back(testing::nth_affine(i));
  auto const in = on.there(host);
  auto const out = on.template allocate<affine>(n);
  std::vector<affine> expected = host;
  for (int order = 1; order <= 4; ++order) {
    SCOPED_TRACE(::testing::Message()
                 << "order " << order << ", tuples of " << Tuple << ", n " << n);
    for (std::size_t i = Tuple; i < expected.size(); ++i) {
      expected[i] = then{}(expected[i - Tuple], expected[i]);
    }
    inclusive_scan(on.ex(), in, out, then{},
                   scan_algorithm::local_sums.of_order(order).template of_tuples<Tuple>());
    ASSERT_EQ(on.here(out), expected);
    detail::run_scan(scan_algorithm::local_sums.of_order(order).template of_tuples<Tuple>(),
                     on.ex(),
                     describe_scan_on(n, contiguous<affine>{in.data()}, writes_before{out.data()},
                                      then{}, detail::seed_identity<then>{}));
    auto before = expected;
    before.insert(before.begin(), Tuple, then::identity());
    before.resize(expected.size());
    ASSERT_EQ(on.here(out), before);
  }
}

TEST_F(local_sums, of_every_order_and_tuple_agree_with_repeated_loops) {
  for (index_t const n : {1, 2, 7, 100, 192, 256, 257, 320, 512, 513, 641, 5000}) {
    expect_orders<1>(*this, n);
    expect_orders<2>(*this, n);
    expect_orders<3>(*this, n);
    expect_orders<8>(*this, n);
  }
  expect_orders<3>(*this, 20011);
}

TEST_F(local_sums, are_the_same_with_any_number_of_rows) {
  std::vector<int> host(3001), expected(3001);
  for (int i = 0; i < 3001; ++i) host[i] = i * 7919 % 1000;
  for (int i = 0; i < 3001; ++i) expected[i] = host[i] + (i < 2 ? 0 : expected[i - 2]);
  auto const in = there(host);
  auto const out = allocate<int>(3001);
  auto const expect = [&](auto by) {
    inclusive_scan(ex(), in, out, plus{}, by);
    EXPECT_EQ(here(out), expected);
  };
  expect(scan_algorithm::local_sums.of_rows<1>().of_tuples<2>());
  expect(scan_algorithm::local_sums.of_tuples<2>().of_rows<3>());
  expect(scan_algorithm::local_sums.of_tuples<2>().of_rows<1000>());
}

TEST_F(local_sums, of_an_order_count_the_seed_and_the_total_in_the_last_scan) {
  auto const in = there(std::vector{1, 2, 3, 4});
  auto const out = allocate<int>(5);
  exclusive_scan(ex(), in, out, plus{}, scan_algorithm::local_sums.of_order(2), from(100));
  EXPECT_EQ(here(out), (std::vector{100, 101, 104, 110, 120}));
}

TEST_F(local_sums, refuse_an_order_that_there_is_not) {
  auto const in = there(std::vector{1, 2});
  for (int const order : {0, -1, 17}) {
    EXPECT_THROW(inclusive_scan(ex(), in, in, plus{}, scan_algorithm::local_sums.of_order(order)),
                 contract_error);
  }
  EXPECT_THROW(segmented_inclusive_scan(ex(), in, uniform(1, 2), in, plus{},
                                        scan_algorithm::local_sums.of_order(2)),
               contract_error);
}

}  // namespace
}  // namespace ravel::local_sums_test
