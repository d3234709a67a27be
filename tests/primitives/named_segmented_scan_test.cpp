#include <ravel/primitives/scan_algorithm.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/monoids.hpp"
#include "support/segment_shapes.hpp"
#include "support/segmentations.hpp"

#include <cstdint>

namespace ravel::named_segmented_scan_test {
namespace {

using testing::affine;
using testing::then;

/// The reference: a loop in each segment.
template <class M>
std::vector<affine> loop(std::vector<affine> const& in, testing::segment_shape const& shape, M m,
                         affine init, bool inclusive) {
  std::vector<affine> out;
  for (index_t const length : shape.lengths) {
    affine sum = init;
    for (index_t k = 0; k < length; ++k) {
      affine const before = sum;
      sum = m(sum, in[out.size()]);
      out.push_back(inclusive ? sum : before);
    }
  }
  return out;
}

template <class E, class A>
struct by {
  using ex = E;
  using algorithm = A;
};

template <class By>
struct named_segmented_scan : testing::on_executor<typename By::ex> {
  typename By::algorithm algorithm;
};
using algorithms = ::testing::Types<by<cpu::threads, segmented_algorithm::operator_transform_t>,
                                    by<cpu::threads, scan_algorithm::work_efficient_t>
#ifndef RAVEL_UNDER_TSAN  // it cannot follow fibres
                                    ,
                                    by<gpu::executor, segmented_algorithm::operator_transform_t>,
                                    by<gpu::executor, segmented_algorithm::mindex_t>,
                                    by<gpu::executor, scan_algorithm::local_sums_t<1>>
#endif
                                    >;
TYPED_TEST_SUITE(named_segmented_scan, algorithms);

TYPED_TEST(named_segmented_scan, agrees_with_the_loop_on_every_shape) {
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    std::vector<affine> host;
    for (std::uint32_t i = 0, n = static_cast<std::uint32_t>(testing::offsets_of(shape).back());
         i < n; ++i) {
      host.push_back(testing::nth_affine(i));
    }
    auto const in = this->there(host);
    auto out = this->template allocate<affine>(std::ssize(host));
    auto const heads = this->there(testing::bits_of(testing::heads_of(shape)));
    auto const segments = by_head_bits(heads, std::ssize(host));
    affine const init{3, 5};
    segmented_inclusive_scan(this->ex(), in, segments, out, then{}, from(init), this->algorithm);
    EXPECT_EQ(this->here(out), loop(host, shape, then{}, init, true));
    segmented_exclusive_scan(this->ex(), in, segments, out, then{}, this->algorithm, from(init));
    EXPECT_EQ(this->here(out), loop(host, shape, then{}, init, false));
  }
}

TYPED_TEST(named_segmented_scan, goes_backward) {
  auto const in = this->there(std::vector{3, 1, 2, 4, 1, 5});
  auto const lengths = this->there(std::vector{3, 2, 1});
  auto out = this->template allocate<int>(6);
  segmented_inclusive_scan(this->ex(), in, by_lengths(lengths), out, plus{}, backward,
                           this->algorithm);
  EXPECT_EQ(this->here(out), (std::vector{6, 3, 2, 5, 1, 5}));
}

}  // namespace
}  // namespace ravel::named_segmented_scan_test
