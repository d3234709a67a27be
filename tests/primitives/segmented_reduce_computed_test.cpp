#include <ravel/primitives/segmented_reduce.hpp>

#include "support/device_forms.hpp"
#include "support/executors.hpp"
#include "support/monoids.hpp"
#include "support/segment_shapes.hpp"
#include "support/segmentations.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ravel::segmented_reduce_computed_test {
namespace {

using testing::affine;
using testing::then;

/// An indirect element, as in a sparse product.
struct affine_at {
  std::uint32_t const* index;
  RAVEL_HD affine operator()(index_t i) const { return {2 * index[i] + 1, index[i] % 17}; }
};
/// The same, which a thread may read consecutively.
struct affine_in_turn : affine_at {
  RAVEL_HD affine in_turn(index_t i) const { return (*this)(i); }
};
/// The same, where some ranges need no test.
struct affine_untested : affine_at {
  RAVEL_HD bool inside(index_t begin, index_t end) const { return begin < end && end % 3 != 0; }
  RAVEL_HD affine unchecked(index_t i) const { return (*this)(i); }
};
struct from_init {
  affine init;
  RAVEL_HD affine operator()() const { return init; }
};
/// Stores the result of a segment, and counts the visits.
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
  template <class Load = affine_at>
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
      segmented_reduce_on(this->ex(), n, Load{there.data()}, segments, then{}, from_init{init},
                          store_once{out.data(), visits.data()});
      EXPECT_EQ(this->here(out), wanted);
      EXPECT_EQ(this->here(visits), std::vector<int>(wanted.size(), 1));
    });
  }
};
TYPED_TEST_SUITE(computed_segments, ::testing::Types<gpu::executor>);

TYPED_TEST(computed_segments, agree_with_the_loop_on_every_shape) {
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    this->expect_like_the_loop(shape);
  }
}

TYPED_TEST(computed_segments, agree_where_some_want_no_test) {
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    this->template expect_like_the_loop<affine_untested>(shape);
  }
}

/// Ends of segments, and of elements, on both sides of tile boundaries.
TYPED_TEST(computed_segments, agree_where_tiles_meet) {
  constexpr index_t width = gpu::block::tile_width;
  for (index_t const length : {width - 2, width - 1, width, width + 1, 3 * width, 2 * width - 2}) {
    SCOPED_TRACE(length);
    this->expect_like_the_loop({"where tiles meet", {length, 0, 0, 1, length, 5, length}});
  }
}

/// Short on average, so that each lane reduces a segment: lengths around the limits of a lane, a
/// warp and a piece.
TYPED_TEST(computed_segments, agree_where_most_are_short) {
  constexpr index_t piece = gpu::short_segment_policy::piece;
  testing::segment_shape shape{"most are short", {}};
  for (index_t const length :
       {index_t{0}, index_t{1}, index_t{7}, index_t{8}, index_t{9}, index_t{31}, index_t{33},
        piece - 1, piece, piece + 1, 2 * piece, 2 * piece + 1, 5 * piece}) {
    shape.lengths.push_back(length);
    shape.lengths.insert(shape.lengths.end(), static_cast<std::size_t>(length / 7 + 1), 1);
  }
  this->template expect_like_the_loop<affine_in_turn>(shape);
  std::ranges::reverse(shape.lengths);
  this->template expect_like_the_loop<affine_in_turn>(shape);
  for (auto const& any : testing::segment_shapes()) {
    SCOPED_TRACE(any);
    this->template expect_like_the_loop<affine_in_turn>(any);
  }

  // More pieces of one segment than a block tests, and other segments that begin in the same
  // pieces.
  index_t const most = (gpu::short_segment_policy::threads + 1) * piece + 5;
  testing::segment_shape long_one{"a long one", {3, piece + 1, most, piece + 1, 2}};
  long_one.lengths.insert(long_one.lengths.begin() + 2, static_cast<std::size_t>(most / 7), 0);
  this->template expect_like_the_loop<affine_in_turn>(long_one);
}

/// Elements of rows of one length, which are found for a row at once.
struct affine_rows {
  std::uint32_t const* index;
  index_t length;
  RAVEL_HD affine_at of_segment(index_t) const { return {index}; }
  RAVEL_HD affine operator()(index_t i) const { return affine_at{index}(i); }
};

/// A function of a program whose values have no default.
struct affine_from {
  std::uint32_t const* index;
  RAVEL_HD explicit affine_from(std::uint32_t const* from) : index(from) {}
  RAVEL_HD affine operator()(index_t i) const { return affine_at{index}(i); }
};
struct affine_rows_from {
  std::uint32_t const* index;
  index_t length;
  RAVEL_HD affine_from of_segment(index_t) const { return affine_from(index); }
  RAVEL_HD affine operator()(index_t i) const { return of_segment(0)(i); }
};

/// As many rows as occupy a device, and a few more, of lengths around that of a warp.
TYPED_TEST(computed_segments, agree_where_rows_are_found_at_once) {
  using policy = gpu::rows_by_warps_policy;
  index_t const count =
      policy::rows * policy::warps_each * this->ex().multiprocessors() + policy::rows / 2 + 1;
  for (index_t const length : {policy::least_length - 1, policy::least_length, index_t{31},
                               index_t{32}, index_t{33}, index_t{100}}) {
    SCOPED_TRACE(length);
    std::vector<std::uint32_t> index;
    for (index_t i = 0; i < count * length; ++i)
      index.push_back(static_cast<std::uint32_t>(i % 101));
    affine const init{3, 5};
    std::vector<affine> wanted(static_cast<std::size_t>(count), init);
    for (index_t i = 0; i < count * length; ++i) {
      auto& sum = wanted[static_cast<std::size_t>(i / length)];
      sum = then{}(sum, testing::nth_affine(index[static_cast<std::size_t>(i)]));
    }
    auto const there = this->there(index);
    auto const out = this->there(std::vector<affine>(wanted.size()));
    auto const visits = this->there(std::vector<int>(wanted.size()));
    segmented_reduce_on(this->ex(), count * length, affine_rows{there.data(), length},
                        uniform(count, length), then{}, from_init{init},
                        store_once{out.data(), visits.data()});
    EXPECT_EQ(this->here(out), wanted);
    EXPECT_EQ(this->here(visits), std::vector<int>(wanted.size(), 1));
    segmented_reduce_on(this->ex(), count * length, affine_rows_from{there.data(), length},
                        uniform(count, length), then{}, from_init{init},
                        store_once{out.data(), visits.data()});
    EXPECT_EQ(this->here(out), wanted);
    EXPECT_EQ(this->here(visits), std::vector<int>(wanted.size(), 2));
  }
}

}  // namespace
}  // namespace ravel::segmented_reduce_computed_test
