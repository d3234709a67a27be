#include <ravel/primitives/segmented_reduce.hpp>

#include "support/device_forms.hpp"

#include "support/executors.hpp"
#include "support/monoids.hpp"
#include "support/segment_shapes.hpp"
#include "support/segmentations.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace ravel::segmented_reduce_test {
namespace {

using testing::affine;
using testing::then;

/// The reference.
template <class T, class M>
std::vector<T> oracle(std::vector<T> const& in, testing::segment_shape const& shape, M m, T init) {
  std::vector<T> out;
  std::size_t i = 0;
  for (index_t const length : shape.lengths) {
    T sum = init;
    for (index_t k = 0; k < length; ++k) sum = m(sum, in[i++]);
    out.push_back(sum);
  }
  return out;
}

/// Twice the element: a load that is not a plain read.
struct doubled {
  std::int64_t const* from;
  RAVEL_HD std::int64_t operator()(index_t i) const { return 2 * from[i]; }
};

/// A load that depends on the tile: it knows the tile's first element.
struct doubled_by_tile {
  std::int64_t const* from;
  struct from_first {
    std::int64_t const* first;
    index_t begin;
    RAVEL_HD std::int64_t operator()(index_t i) const { return 2 * first[i - begin]; }
  };
  RAVEL_HD from_first on(tile t) const { return {from + t.begin, t.begin}; }
};

/// Adds the visits of each segment, and counts them.
struct tally {
  std::int64_t* sums;
  int* visits;
  RAVEL_HD void operator()(index_t s, std::int64_t x) const {
    sums[s] += x;
    ++visits[s];
  }
};

/// Stores a total.
struct keep {
  index_t* to;
  RAVEL_HD void operator()(index_t x) const { *to = x; }
};

struct from_100 {
  RAVEL_HD std::int64_t operator()() const { return 100; }
};

template <class Ex>
struct segmented_reduce : testing::on_executor<Ex> {};
TYPED_TEST_SUITE(segmented_reduce, testing::all_executors);

TYPED_TEST(segmented_reduce, gives_the_example_in_the_header) {
  auto const in = this->there(std::vector{3, 1, 2, 4, 1, 5});
  auto const lengths = this->there(std::vector{3, 2, 0, 1});
  auto out = this->template allocate<int>(4);
  ravel::segmented_reduce(this->ex(), in, by_lengths(lengths), out);
  EXPECT_EQ(this->here(out), (std::vector{6, 5, 0, 5}));
}

TYPED_TEST(segmented_reduce, agrees_with_the_loop_on_every_shape_and_form) {
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    std::vector<affine> host;
    for (std::uint32_t i = 0, n = static_cast<std::uint32_t>(testing::offsets_of(shape).back());
         i < n; ++i)
      host.push_back(testing::nth_affine(i));
    auto const in = this->there(host);
    affine const init{3, 5};

    auto const expected = oracle(host, shape, then{}, init);
    testing::for_each_numbered_form(*this, shape, [&](auto const& segments) {
      auto out = this->template allocate<affine>(std::ssize(expected));
      ravel::segmented_reduce(this->ex(), in, segments, out, then{}, from(init));
      EXPECT_EQ(this->here(out), expected);
    });

    auto const of_nonempty = oracle(host, testing::without_empty(shape), then{}, init);
    testing::for_each_unnumbered_form(*this, shape, [&](auto const& segments) {
      auto out = this->template allocate<affine>(std::ssize(of_nonempty));
      auto count = this->template replicate<index_t>(1);
      ravel::segmented_reduce(this->ex(), in, segments, out, then{}, from(init), total_to(count));
      EXPECT_EQ(this->here(out), of_nonempty);
      EXPECT_EQ(this->here(count).front(), std::ssize(of_nonempty));
    });
  }
}

LOCAL_TYPED_TEST(segmented_reduce, counts_the_segments_that_do_not_fit) {
  auto const in = this->there(std::vector{1, 2, 3, 4});
  auto const keys = this->there(std::vector{7, 8, 9, 9});
  auto out = this->there(std::vector{-1, -1, -1});
  auto count = this->template allocate<int>(1);
  view const two = view_of(out).slice(0, 2);
  ravel::segmented_reduce(this->ex(), in, by_keys(keys), two, plus{}, total_to(count));
  EXPECT_EQ(this->here(out), (std::vector{1, 2, -1}));
  EXPECT_EQ(this->here(count).front(), 3);
}

LOCAL_TYPED_TEST(segmented_reduce, on_loads_and_visits_calls_each_visit_once) {
  for (auto const& shape : testing::segment_shapes()) {
    SCOPED_TRACE(shape);
    index_t const n = testing::offsets_of(shape).back();
    std::vector<std::int64_t> host, twice;
    for (index_t i = 0; i < n; ++i) {
      host.push_back(i % 1000 - 300);
      twice.push_back(2 * host.back());
    }
    auto const in = this->there(host);
    plus<std::int64_t> const m;

    auto const agrees = [&](auto load, auto const& segments, auto const& expected, auto... total) {
      auto sums = this->there(std::vector<std::int64_t>(expected.size(), 0));
      auto visits = this->there(std::vector<int>(expected.size(), 0));
      segmented_reduce_on(this->ex(), n, load, segments, m, from_100{},
                          tally{sums.data(), visits.data()}, total...);
      EXPECT_EQ(this->here(sums), expected);
      EXPECT_EQ(this->here(visits), std::vector<int>(expected.size(), 1));
    };
    auto const expected = oracle<std::int64_t>(twice, shape, m, 100);
    testing::for_each_numbered_form(*this, shape, [&](auto const& segments) {
      agrees(doubled{in.data()}, segments, expected);
      agrees(doubled_by_tile{in.data()}, segments, expected);
    });
    auto const of_nonempty = oracle<std::int64_t>(twice, testing::without_empty(shape), m, 100);
    testing::for_each_unnumbered_form(*this, shape, [&](auto const& segments) {
      auto count = this->template allocate<index_t>(1);
      agrees(doubled{in.data()}, segments, of_nonempty, keep{count.data()});
      EXPECT_EQ(this->here(count).front(), std::ssize(of_nonempty));
      agrees(doubled_by_tile{in.data()}, segments, of_nonempty);
    });
  }
}

/// Segments of 0 to 40 numbers with at most one NaN, at each position of each length; of equal
/// zeros the first wins.
TYPED_TEST(segmented_reduce, lets_a_nan_win) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  testing::segment_shape shape;
  std::vector<float> host;
  for (int length = 0; length <= 40; ++length) {
    for (int at = 0; at <= length; ++at) {
      shape.lengths.push_back(length);
      for (int i = 0; i < length; ++i) {
        float const zero = i % 3 == 1 ? -0.0f : 0.0f;
        host.push_back(i == at ? nan : i % 5 == 0 ? static_cast<float>(i % 7 - 3) : zero);
      }
    }
  }
  auto const in = this->there(host);
  auto const lengths = this->there(shape.lengths);
  auto const agrees = [&](auto m) {
    auto const expected = oracle(host, shape, m, m.identity());
    auto out = this->template allocate<float>(std::ssize(expected));
    ravel::segmented_reduce(this->ex(), in, by_lengths(lengths), out, m);
    auto const got = this->here(out);
    for (std::size_t s = 0; s < expected.size(); ++s) {
      if (std::isnan(expected[s])) {
        EXPECT_TRUE(std::isnan(got[s])) << "of " << shape.lengths[s] << ", segment " << s;
      } else {
        EXPECT_EQ(got[s], expected[s]) << "of " << shape.lengths[s] << ", segment " << s;
        EXPECT_EQ(std::signbit(got[s]), std::signbit(expected[s])) << "segment " << s;
      }
    }
  };
  agrees(minimum<float>{});
  agrees(maximum<float>{});
}

struct opposite {
  int const* from;
  RAVEL_HD int operator()(index_t i) const { return -from[i]; }
};

/// Extremes of negated words, in segments of up to 8 and up to 40: a compiler of device code fuses these operations.
LOCAL_TYPED_TEST(segmented_reduce, keeps_the_sign_of_negated_elements) {
  for (int const longest : {8, 40}) {
    testing::segment_shape shape;
    std::vector<int> host, negated;
    for (int length = 0; length <= longest; ++length) {
      shape.lengths.push_back(length);
      for (int i = 0; i < length; ++i) {
        host.push_back((7 * i + length) % 41 - 20);
        negated.push_back(-host.back());
      }
    }
    auto const in = this->there(host);
    auto const agrees = [&](auto m) {
      auto const expected = oracle(negated, shape, m, m.identity());
      testing::for_each_numbered_form(*this, shape, [&](auto const& segments) {
        auto out = this->template allocate<int>(std::ssize(expected));
        segmented_reduce_on(this->ex(), std::ssize(host), opposite{in.data()}, segments, m,
                            ravel::detail::seed_identity<decltype(m)>{m},
                            ravel::detail::store<int>{out.data()});
        EXPECT_EQ(this->here(out), expected);
      });
    };
    agrees(minimum<int>{});
    agrees(maximum<int>{});
  }
}

LOCAL_TYPED_TEST(segmented_reduce, refuses_sizes_that_differ) {
  auto const in = this->there(std::vector{1, 2, 3, 4});
  auto out = this->template allocate<int>(3);
  EXPECT_THROW(ravel::segmented_reduce(this->ex(), in, uniform(2, 2), out), contract_error);
  EXPECT_THROW(ravel::segmented_reduce(this->ex(), in, uniform(3, 2), out), contract_error);
}

}  // namespace
}  // namespace ravel::segmented_reduce_test
