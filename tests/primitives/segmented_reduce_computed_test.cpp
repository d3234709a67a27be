#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/monoids.hpp"
#include "support/segment_shapes.hpp"
#include "support/segmentations.hpp"

#include <cstdint>
#include <vector>

namespace ravel {
namespace {

using testing::affine;
using testing::then;

/// An element by way of an index, as a sparse product has it.
struct affine_at {
  std::uint32_t const* index;
  RAVEL_HD affine operator()(index_t i) const { return {2 * index[i] + 1, index[i] % 17}; }
};
struct from_init {
  affine init;
  RAVEL_HD affine operator()() const { return init; }
};
/// Stores the result of a segment, and counts how often it was told.
struct store_once {
  affine* out;
  int* visits;
  RAVEL_HD void operator()(index_t s, affine const& x) const {
    out[s] = x;
    ++visits[s];
  }
};

template <class Ex>
struct computed_segments : testing::on_executor<Ex> {
  void expect_like_the_loop(testing::segment_shape const& shape) const {
    auto const n = testing::offsets_of(shape).back();
    std::vector<std::uint32_t> index;
    for (index_t i = 0; i < n; ++i) index.push_back(static_cast<std::uint32_t>(i * 7 % (n + 1)));
    affine const init{3, 5};
    std::vector<affine> wanted;
    index_t i = 0;
    for (index_t const length : shape.lengths) {
      affine sum = init;
      for (index_t k = 0; k < length; ++k) {
        sum = then{}(sum, testing::nth_affine(index[static_cast<std::size_t>(i++)]));
      }
      wanted.push_back(sum);
    }
    auto const there = this->there(index);
    testing::for_each_numbered_form(*this, shape, [&](auto const& segments) {
      auto const out = this->there(std::vector<affine>(wanted.size()));
      auto const visits = this->there(std::vector<int>(wanted.size()));
      segmented_reduce_on(this->ex(), n, affine_at{there.data()}, segments, then{}, from_init{init},
                          store_once{out.data(), visits.data()});
      EXPECT_EQ(this->here(out), wanted);
      EXPECT_EQ(this->here(visits), std::vector<int>(wanted.size(), 1));
    });
  }
};
TYPED_TEST_SUITE(computed_segments, ::testing::Types<cuda::executor>);

TYPED_TEST(computed_segments, agree_with_the_loop_on_every_shape) {
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    this->expect_like_the_loop(shape);
  }
}

/// Ends of segments, and of elements, on both sides of where tiles meet.
TYPED_TEST(computed_segments, agree_where_tiles_meet) {
  constexpr index_t width = cuda::block::tile_width;
  for (index_t const length : {width - 2, width - 1, width, width + 1, 3 * width, 2 * width - 2}) {
    SCOPED_TRACE(length);
    this->expect_like_the_loop({"where tiles meet", {length, 0, 0, 1, length, 5, length}});
  }
}

}  // namespace
}  // namespace ravel
